// Package feed reads documents: RSS 0.9x, 1.0 and 2.0, Atom 0.3 and 1.0, JSON
// Feed, subscription lists (OPML) and web pages that offer feeds. Whatever the
// publisher got wrong is repaired on the way where a careful person could tell
// what was meant.
//
// It is pure: no clock, no network, no database. What comes in is not trusted;
// what goes out is valid UTF-8 without NUL, with absolute links, and, from
// [Entry.Post], HTML that is safe to show.
package feed
