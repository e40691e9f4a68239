// Package render makes an edition into mail: a subject, an HTML page and a
// plain text, all three from the same Page. It is pure: no clock, no network,
// no database; the same Page always gives the same bytes.
//
// A post is rendered once, by NewBlock, and shared by all its readers; Edition
// only chooses how much of each block fits and puts them in a row. Nothing of
// a feed reaches the page but plain text, escaped, and http(s) addresses.
package render
