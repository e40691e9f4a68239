// Package backup is the format of a backup: all tables of an instance as a stream, the
// same whichever database they come from.
//
// A file begins with the line "digest backup 1", unless it is encrypted: then with that of
// age (https://age-encryption.org/v1), and all of this is within. What follows is compressed
// by gzip (RFC 1952), and is a sequence of frames: a letter, the length of what follows as
// an unsigned varint (encoding/binary), and so many bytes.
//
//	H  the header, as JSON
//	T  a table begins: its name and its columns, as JSON
//	R  a row of it: its cells one after the other
//	E  the table ends: how many rows it has, and their checksum, as JSON
//	Z  the trailer, as JSON: how many tables there were, and the SHA-256 of all frames but rows
//
// A cell is a byte, 0 for NULL, 1 for a number, a varint, 2 for a text and 3 for bytes,
// both with their length before them. The checksum of a table is the sum of the SHA-256 of
// its rows, as numbers modulo 2^256: it does not depend on their order, and any two
// databases that hold the same have the same. Nothing follows the trailer, and a file
// without it is cut off.
//
//	frame.go   the frames, and what bounds them
//	writer.go  tables are written
//	reader.go  they are read, and checked
//	file.go    the file: its first line, gzip, age
package backup
