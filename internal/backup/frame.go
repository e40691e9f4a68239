package backup

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/bits"

	"digest"
)

const (
	headerFrame  = 'H'
	tableFrame   = 'T'
	rowFrame     = 'R'
	endFrame     = 'E'
	trailerFrame = 'Z'
)

const (
	cellNull = iota
	cellNumber
	cellText
	cellBytes
)

// The limits of a backup. Rows are far smaller, because a document has at most 10 MiB.
const (
	mostRow    = 64 << 20 // in bytes
	mostWords  = 1 << 20  // in bytes of JSON
	mostTables = 1000
)

// A Kind is the type of a column.
type Kind string

// The types of columns. Any column may contain NULL.
const (
	Number Kind = "number"
	Text   Kind = "text"
	Bytes  Kind = "bytes"
)

// A Column is a column of a table.
type Column struct {
	Name string `json:"name"`
	Kind Kind   `json:"kind"`
}

// A Table is a table of a backup.
type Table struct {
	Name    string   `json:"name"`
	Columns []Column `json:"columns"`
}

// A Header describes a backup.
type Header struct {
	Schema   int64  `json:"schema"`   // version of the schema
	MadeAt   int64  `json:"made_at"`  // in Unix seconds
	Database string `json:"database"` // SQLite or PostgreSQL, for people
	Program  string `json:"program"`  // version of digest, for people
}

// A Count holds the number of rows of a table, and their checksum.
type Count struct {
	Rows   int64 `json:"rows"`
	Sum    Sum   `json:"sum"`
	LastID int64 `json:"last_id,omitempty"` // highest key ever assigned; 0: the table assigns no keys
}

// A Sum is the checksum of a table.
type Sum [4]uint64

func (s *Sum) add(row []byte) {
	h := sha256.Sum256(row)
	var carry uint64
	for i := range s {
		s[i], carry = bits.Add64(s[i], binary.LittleEndian.Uint64(h[8*i:]), carry)
	}
}

// MarshalText returns the checksum as 64 hexadecimal digits.
func (s Sum) MarshalText() ([]byte, error) {
	var b [32]byte
	for i, part := range s {
		binary.BigEndian.PutUint64(b[8*(3-i):], part)
	}
	return hex.AppendEncode(nil, b[:]), nil
}

// UnmarshalText parses the output of MarshalText.
func (s *Sum) UnmarshalText(text []byte) error {
	b, err := hex.DecodeString(string(text))
	if err != nil || len(b) != 32 {
		return damaged("a checksum cannot be read")
	}
	for i := range s {
		s[i] = binary.BigEndian.Uint64(b[8*(3-i):])
	}
	return nil
}

// String returns the checksum as hexadecimal digits.
func (s Sum) String() string {
	text, _ := s.MarshalText()
	return string(text)
}

// A Counter counts rows and their checksum as in a backup.
type Counter struct {
	Table Table
	Count Count
	row   []byte
}

// Row counts a row. Its cells are nil, int64, string or []byte.
func (s *Counter) Row(cells []any) error {
	var err error
	if s.row, err = appendRow(s.row[:0], s.Table, cells); err != nil {
		return err
	}
	s.Count.Rows++
	s.Count.Sum.add(s.row)
	return nil
}

func appendRow(to []byte, t Table, cells []any) ([]byte, error) {
	for i, cell := range cells {
		kind := Kind("")
		switch v := cell.(type) {
		case nil:
			to = append(to, cellNull)
			continue
		case int64:
			kind, to = Number, binary.AppendVarint(append(to, cellNumber), v)
		case string:
			kind, to = Text, append(binary.AppendUvarint(append(to, cellText), uint64(len(v))), v...)
		case []byte:
			kind, to = Bytes, append(binary.AppendUvarint(append(to, cellBytes), uint64(len(v))), v...)
		}
		if c := t.Columns[i]; kind != c.Kind {
			return nil, fmt.Errorf("%s.%s contains %T instead of %s", t.Name, c.Name, cell, c.Kind)
		}
	}
	if len(to) > mostRow {
		return nil, fmt.Errorf("a row of %s has more than %d MB", t.Name, mostRow>>20)
	}
	return to, nil
}

// readRow decodes the cells of a row. Cells of bytes share the memory of row.
func readRow(cells []any, t Table, row []byte) error {
	for i, c := range t.Columns {
		if len(row) == 0 {
			return damaged("a row of a table ends too early")
		}
		tag := row[0]
		row = row[1:]
		if tag == cellNull {
			cells[i] = nil
			continue
		}
		if tag == cellNumber && c.Kind == Number {
			v, n := binary.Varint(row)
			if n <= 0 {
				return damaged("a number cannot be read")
			}
			cells[i], row = v, row[n:]
			continue
		}
		length, n := binary.Uvarint(row)
		if n <= 0 || length > uint64(len(row)-n) {
			return damaged("a row of a table ends too early")
		}
		part := row[n : n+int(length)]
		row = row[n+int(length):]
		switch {
		case tag == cellText && c.Kind == Text:
			cells[i] = string(part)
		case tag == cellBytes && c.Kind == Bytes:
			cells[i] = part
		default:
			return damaged("a cell is of another kind than its column")
		}
	}
	if len(row) > 0 {
		return damaged("a row has more cells than its table has columns")
	}
	return nil
}

func damaged(what string) error {
	return digest.Errorf(digest.Invalid, "the backup is damaged, and nothing was restored: %s; take another", what)
}

func errCut() error {
	return digest.Errorf(digest.Invalid,
		"the backup is cut off: it ends before its trailer, and nothing was restored; take another, or copy it again")
}
