// Package feed reads documents: RSS 0.9x, 1.0, 1.1 and 2.0, CDF, Atom 0.3 and 1.0, JSON Feed, subscription lists
// (OPML and others), and web pages that offer feeds. A page with microformats (h-feed) is a feed itself. The package
// repairs the mistakes of publishers if a careful person could recognise their intention.
//
// The package is pure: it uses no clock, no network and no database. It trusts no input. Its results are valid UTF-8
// without NUL, with absolute links. The HTML of [Post.Sanitise] is safe to display.
//
// # Division of work with gofeed
//
// gofeed reads the structure of a feed: the items with their links, GUIDs, persons, enclosures and media. Its input
// is the frame of the document: well-formed XML with only the elements that gofeed reads. The package itself keeps
// the texts (titles, descriptions, contents) and the dates, by the names of their elements. This has two reasons.
// gofeed drops the type of a title or a summary (plain text, HTML or XHTML) and its xml:base. And the texts are most
// of a feed: on whole documents gofeed alone takes five to six times as long as the package takes for everything.
// gofeed returns the items in the order of the frame, so the index of an item finds its texts.
//
// # Files
//
// The files in the order of processing.
//
//	charset.go, detect.go,    bytes -> clean UTF-8
//	twice.go
//	parse.go, format.go       the format, by the root or the fields of JSON; the table of formats
//	doctype.go                entities that a document declares -> their texts
//	scan.go, entity.go        markup, even broken -> tokens
//	repair.go, vocabulary.go  tokens -> a frame: XML for gofeed, and the texts
//	frame.go, rss.go, atom.go gofeed's result and the texts -> Document
//	cdf.go                    CDF, the smallest format: a model for another one
//	jsonfeed.go               JSON, repaired if broken; gofeed reads all of it
//	text.go, date.go,         the values: plain titles, dates in any form,
//	person.go, language.go,   names, languages, links
//	address.go
//	media.go, duration.go     files of a post, pictures beside its text
//	document.go, identity.go  the identities of posts; which entries repeat a post
//	rhythm.go                 how often the document changes
//	post.go, sanitise.go      Post -> digest.Post, for new posts only
//	embed.go                  videos, sounds and frames in a text -> links with their titles
//	clean.go, pixel.go        removal of tracking: parameters, click counters around links,
//	                          invisible pictures
//	opml.go, list.go          lists -> their feeds
//	page.go, pagelinks.go     pages -> the feeds that they state or link to
//	offer.go, guess.go        the order of these feeds; common addresses of feeds
//	platform.go, video.go     addresses of pages of platforms -> their feeds
//	hfeed.go, hfeed_kinds.go  a page with marked posts -> Document
//	activitystreams.go,       the outbox of a fediverse account -> Document, and how
//	activitystreams_page.go,  to find it
//	activitystreams_show.go,
//	activitystreams_event.go,
//	activitystreams_value.go,
//	webfinger.go
//	more.go                   the page of an account, its next pages and posts -> Document
//	report.go                 the output of `digest parse --json`
package feed
