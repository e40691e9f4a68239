// Package feed reads documents: RSS 0.9x, 1.0, 1.1 and 2.0, CDF, Atom 0.3 and 1.0, JSON Feed, subscription lists
// (OPML and others), and web pages that offer feeds. A page with microformats (h-feed) is a feed itself. The package
// repairs the mistakes of publishers if a careful person could recognise their intention.
//
// The package is pure: it uses no clock, no network and no database. It trusts no input. Its results are valid UTF-8
// without NUL, with absolute links. The HTML of [Post.Sanitise] is safe to display.
//
// # One reader for RSS and Atom
//
// The scanner splits a document into tokens. The reader converts the tokens into elements, with the names and the
// treatments of vocabulary.go, and repairs the markup. rss.go and atom.go convert the elements into a [Document]. To
// read another element, add its name to vocabulary.go, and use it in one of these two files.
//
// gofeed does not read these formats, because it loses facts. It drops the type of a title or a summary (plain text,
// HTML or XHTML) and its xml:base. It keeps only the last of several values, and rejects malformed markup. It also
// takes three times as long. In the tests gofeed checks the result: TestAgainstGofeed fails if gofeed finds a post or
// a value that the package misses.
//
// gofeed reads JSON Feed, where it loses only the hubs. jsonfeed.go repairs documents that gofeed rejects.
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
//	reader.go, vocabulary.go, tokens -> elements
//	element.go
//	rss.go, atom.go           elements -> Document
//	cdf.go                    CDF, the smallest format: a model for another one
//	jsonfeed.go               JSON Feed, repaired if broken -> Document, by gofeed
//	text.go, date.go,         the values: plain titles, dates in any form,
//	person.go, language.go,   names, languages, links
//	address.go
//	media.go, duration.go     files of a post, pictures beside its text
//	document.go, identity.go  the identities of posts; which entries repeat a post
//	rhythm.go                 how often the document changes
//	post.go, sanitise.go      Post -> digest.Post, for new posts only
//	formula.go, inline.go     formulas -> text; pictures within a sentence
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
