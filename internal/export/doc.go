// Package export puts everything that is of one reader, or about them, into one
// ZIP file: their account, feeds and filters as data, and every edition as a
// page that can be read without this program and without a network.
//
// Nothing in it lets anybody in (no tokens, no hashes), and nothing is in it
// before its midnight. However much there is, little of it is in memory at any
// one time: posts are read a few at a time and written at once.
//
// What is small is read first (Read), so that a database that does not answer is
// found out before the first byte; then all is written (Write).
package export
