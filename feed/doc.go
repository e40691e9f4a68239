// Package feed reads documents: RSS 0.9x, 1.0, 1.1 and 2.0, CDF, Atom 0.3 and 1.0, JSON
// Feed, subscription lists (OPML), and web pages that offer feeds or are one by their
// microformats (h-feed). Whatever the
// publisher got wrong is repaired on the way where a careful person could tell
// what was meant.
//
// It is pure: no clock, no network, no database. What comes in is not trusted;
// what goes out is valid UTF-8 without NUL, with absolute links, and, from
// [Post.Sanitise], HTML that is safe to show.
//
// # Who reads what
//
// gofeed reads the structure of a feed: which items there are, their links,
// GUIDs, persons, enclosures and media. It is shown the frame of the document:
// well-formed XML with the elements it is to read, and with nothing else. The
// texts (titles, descriptions, contents) and the dates we keep beside the frame,
// by the names of their elements, for two reasons. gofeed forgets of a title or a
// summary whether it was plain text, HTML or XHTML, and in which xml:base it
// stood. And the texts are the bulk of a feed: shown whole documents, gofeed takes
// five to six times as long as all of reading does now. It gives the items in the
// order of the frame, so that what we kept of an item is found by its number.
//
// # The way of a document through the files
//
//	charset.go, detect.go,    bytes -> clean UTF-8
//	twice.go
//	parse.go, format.go       what is it? the root decides, in JSON the fields; the table of formats
//	doctype.go                entities that a document declares -> their texts
//	scan.go, entity.go        markup -> tokens, whatever it looks like
//	repair.go, vocabulary.go  tokens -> a frame: XML for gofeed, and the texts
//	frame.go, rss.go, atom.go what gofeed read in it, and the texts -> Document
//	cdf.go                    CDF, the smallest format: how another one is added
//	jsonfeed.go               JSON, mended where it is broken, which gofeed reads whole
//	text.go, date.go,         the values: plain titles, dates in any form,
//	person.go, language.go,   names, languages, links
//	address.go
//	media.go, duration.go     files that come with a post, pictures beside its text
//	document.go, rhythm.go    what tells posts apart; how often the document wants to be asked
//	post.go, sanitise.go      Post -> digest.Post, for new posts only
//	embed.go                  films, sounds and frames in a text -> links with their titles
//	clean.go, pixel.go        what only counts readers is left out: parameters, click
//	                          counters around links, pictures nobody sees
//	opml.go, list.go          lists -> the feeds they name
//	page.go, pagelinks.go     pages -> the feeds they state or link to
//	offer.go, guess.go        which of them a reader wants; where a feed may be that none names
//	platform.go, video.go     pages of platforms -> their feeds, by their addresses
//	hfeed.go, hfeed_kinds.go  a page whose posts are marked -> Document
//	activitystreams.go,       the outbox of an account of the fediverse -> Document, and what
//	activitystreams_page.go,  names it
//	activitystreams_show.go,
//	activitystreams_event.go,
//	activitystreams_value.go,
//	webfinger.go
//	more.go                   the page of an account with what follows it -> Document
//	report.go                 what `digest parse --json` prints
package feed
