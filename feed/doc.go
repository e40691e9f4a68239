// Package feed reads documents: RSS 0.9x, 1.0 and 2.0, Atom 0.3 and 1.0, JSON
// Feed, subscription lists (OPML) and web pages that offer feeds. Whatever the
// publisher got wrong is repaired on the way where a careful person could tell
// what was meant.
//
// It is pure: no clock, no network, no database. What comes in is not trusted;
// what goes out is valid UTF-8 without NUL, with absolute links, and, from
// [Post.Sanitise], HTML that is safe to show.
//
// # Who reads what
//
// RSS and Atom we read ourselves, in one walk over the document: it keeps the
// elements that are in the tables of vocabulary.go, however broken the markup
// around them is. gofeed is not asked: it needs well-formed XML, forgets of a title or a
// summary whether it was plain text, HTML or XHTML, and in which xml:base it stood,
// and takes five to six times as long for a whole document. JSON Feed it reads whole.
//
// # The way of a document through the files
//
//	charset.go, detect.go     bytes -> clean UTF-8
//	parse.go                  what is it? the root decides
//	scan.go, entity.go        markup -> tokens, whatever it looks like
//	walk.go, vocabulary.go    tokens -> the elements of the feed and of each item
//	element.go                what is asked of elements: texts, dates, links, persons
//	rss.go, atom.go           elements -> Document
//	jsonfeed.go               JSON, mended where it is broken, which gofeed reads
//	text.go, date.go,         the values: plain titles, dates in any form,
//	person.go, language.go,   names, languages, links
//	address.go
//	document.go, rhythm.go    what tells posts apart; how often the document wants to be asked
//	post.go, sanitise.go      Post -> digest.Post, for new posts only
//	clean.go, pixel.go        what only counts readers is left out: parameters, click
//	                          counters around links, pictures nobody sees
//	opml.go, page.go          lists and pages -> the feeds they name
//	report.go                 what `digest parse --json` prints
package feed
