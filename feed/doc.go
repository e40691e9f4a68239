// Package feed reads documents: RSS 0.9x, 1.0 and 2.0, Atom 0.3 and 1.0, JSON
// Feed, subscription lists (OPML) and web pages that offer feeds. Whatever the
// publisher got wrong is repaired on the way where a careful person could tell
// what was meant.
//
// It is pure: no clock, no network, no database. What comes in is not trusted;
// what goes out is valid UTF-8 without NUL, with absolute links, and, from
// [Post.Sanitise], HTML that is safe to show.
//
// The way of a document through the files:
//
//	charset.go, detect.go   bytes -> clean UTF-8
//	parse.go                what is it? the root decides
//	scan.go, entity.go      markup -> tokens, whatever it looks like
//	tidy.go, namespace.go,  tokens -> a well-formed skeleton for gofeed;
//	vocabulary.go,          texts are kept aside with their type
//	bounds.go
//	rss.go, atom.go,        gofeed's structures and the texts -> Document
//	jsonfeed.go, jsonmend.go
//	text.go, date.go,       the values: plain titles, dates in any form,
//	entry.go, address.go    names, identities, links
//	rhythm.go               how often the document wants to be asked
//	post.go, sanitise.go,   Entry -> digest.Post, for new entries only
//	excerpt.go
//	clean.go, wrapper.go,   what only counts readers is left out: parameters,
//	pixel.go                click counters around links, pictures nobody sees
//	opml.go, page.go        lists and pages -> the feeds they name
//	report.go               what `digest parse --json` prints
package feed
