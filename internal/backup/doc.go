// Package backup defines the format of a backup: all tables of an instance as a stream, the same for both databases.
//
// A file begins with the line "digest backup 1". The file of an encrypted backup begins with the line of age
// (https://age-encryption.org/v1) and contains the rest encrypted. After the line, the content is compressed with gzip
// (RFC 1952). It is a sequence of frames. A frame is a letter, a length in bytes as an unsigned varint
// (encoding/binary), and a content of that length:
//
//	H  the header, as JSON
//	T  the beginning of a table: its name and columns, as JSON
//	R  a row of the table: its cells one after the other
//	E  the end of the table: its number of rows and checksum, as JSON
//	Z  the trailer, as JSON: the number of tables, and the SHA-256 of all frames but rows
//
// A cell begins with a byte: 0 for NULL, 1 for a number, 2 for a text, 3 for bytes. A varint follows 1; a length and
// the content follow 2 and 3. The checksum of a table is the sum of the SHA-256 of its rows, as numbers modulo 2^256.
// So it does not depend on their order, and databases with the same content have the same checksums. Nothing follows
// the trailer. A file without it is truncated.
//
//	frame.go   the frames and their limits
//	writer.go  writes tables
//	reader.go  reads and checks them
//	file.go    the file: its first line, gzip, age
package backup
