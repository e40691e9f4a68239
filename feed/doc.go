// Package feed reads documents: RSS 0.9x, 1.0, 1.1 and 2.0, CDF, Atom 0.3 and 1.0, JSON
// Feed, subscription lists (OPML and others), and web pages that offer feeds. A page with
// microformats (h-feed) is a feed itself. The package repairs the mistakes of publishers if
// a careful person could tell their intention.
//
// It is pure: no clock, no network, no database. It trusts no input. Its results are valid
// UTF-8 without NUL, with absolute links. The HTML of [Post.Sanitise] is safe to show.
//
// # Who reads what
//
// gofeed reads the structure of a feed: which items there are, their links,
// GUIDs, persons, enclosures and media. It gets the frame of the document: well-formed XML
// with the elements that it reads, and nothing else. The package keeps the texts (titles,
// descriptions, contents) and the dates beside the frame, by the names of their elements,
// for two reasons. gofeed drops the type of a title or a summary (plain text, HTML or XHTML)
// and its xml:base. And the texts are the bulk of a feed: with whole documents gofeed takes
// five to six times as long as all of reading does now. It returns the items in the order
// of the frame, so the number of an item finds its texts.
//
// # The way of a document through the files
//
//	charset.go, detect.go,    bytes -> clean UTF-8
//	twice.go
//	parse.go, format.go       the format, by the root or the fields of JSON; the table of formats
//	doctype.go                entities that a document declares -> their texts
//	scan.go, entity.go        markup -> tokens, whatever it looks like
//	repair.go, vocabulary.go  tokens -> a frame: XML for gofeed, and the texts
//	frame.go, rss.go, atom.go what gofeed read in it, and the texts -> Document
//	cdf.go                    CDF, the smallest format: how another one is added
//	jsonfeed.go               JSON, mended where it is broken, which gofeed reads whole
//	text.go, date.go,         the values: plain titles, dates in any form,
//	person.go, language.go,   names, languages, links
//	address.go
//	media.go, duration.go     files of a post, pictures beside its text
//	document.go, identity.go  the identities of posts; which entries repeat a post
//	rhythm.go                 how often the document changes
//	post.go, sanitise.go      Post -> digest.Post, for new posts only
//	embed.go                  films, sounds and frames in a text -> links with their titles
//	clean.go, pixel.go        what only counts readers is left out: parameters, click
//	                          counters around links, pictures nobody sees
//	opml.go, list.go          lists -> the feeds they name
//	page.go, pagelinks.go     pages -> the feeds they state or link to
//	offer.go, guess.go        their order; the usual addresses of feeds
//	platform.go, video.go     pages of platforms -> their feeds, by their addresses
//	hfeed.go, hfeed_kinds.go  a page whose posts are marked -> Document
//	activitystreams.go,       the outbox of an account of the fediverse -> Document, and what
//	activitystreams_page.go,  names it
//	activitystreams_show.go,
//	activitystreams_event.go,
//	activitystreams_value.go,
//	webfinger.go
//	more.go                   the page of an account, its next pages and posts -> Document
//	report.go                 what `digest parse --json` prints
package feed
