package members

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"digest"
)

type limits struct {
	bytes   int64 // of a file, or of all files in a ZIP together, unpacked
	row     int   // in bytes
	field   int   // in bytes
	columns int
	rows    int   // of all files together
	index   int64 // bytes to read for finding the files of a ZIP
}

func usualLimits() limits {
	return limits{bytes: 1 << 30, row: 256 << 10, field: 64 << 10, columns: 1000, rows: 2_000_000, index: 8 << 20}
}

// ahead is the size of the read buffers in bytes.
const ahead = 64 << 10

var (
	errLongRow = errors.New("a row is too long")
	errBytes   = errors.New("the list is too large")
	errEmpty   = errors.New("it is empty")
)

type table struct {
	limits
	csv    *csv.Reader
	input  *rowBound
	names  []string       // of the columns, as written
	column map[string]int // 1 plus the index of the first column by normal name
	at     int            // first line of the latest row; 0: none
}

func openTable(r io.Reader, l limits) (*table, error) {
	input := &rowBound{r: decoded(bufio.NewReaderSize(r, ahead)), most: int64(l.row) + ahead}
	buffered := bufio.NewReaderSize(input, ahead)
	begin, _ := buffered.Peek(ahead)
	t := &table{limits: l, csv: csv.NewReader(buffered), input: input, column: map[string]int{}}
	t.csv.Comma, t.csv.FieldsPerRecord, t.csv.ReuseRecord = separator(begin), -1, true
	header, err := t.next()
	if errors.Is(err, io.EOF) {
		return nil, &digest.Error{Kind: digest.Invalid, Message: "the first line must have the column names",
			Err: errEmpty}
	}
	if p, ok := errors.AsType[*Problem](err); ok {
		return nil, invalid("the first line cannot be read: %s", p.Message)
	}
	if err != nil {
		return nil, err
	}
	for i, name := range header {
		name = digest.OneLine(text(name))
		t.names = append(t.names, name)
		if key := normal(name); t.column[key] == 0 {
			t.column[key] = i + 1
		}
	}
	return t, nil
}

// normal returns the form in which names of columns are compared.
func normal(name string) string {
	return strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(name))
}

func (t *table) has(names ...string) bool {
	for _, name := range names {
		if t.column[name] == 0 {
			return false
		}
	}
	return true
}

// next reads a row. Its fields are valid until the next call. A *Problem, without its file, is an invalid row. It
// returns io.EOF after the last row.
func (t *table) next() ([]string, error) {
	fields, err := t.csv.Read()
	t.input.done = t.csv.InputOffset()
	if wrong, ok := errors.AsType[*csv.ParseError](err); ok {
		if wrong.StartLine != wrong.Line { // the extent of the field is unknown
			return nil, invalid("a quotation mark in line %d is not closed; correct the line (inside a field, double the quotation mark) and try again", wrong.StartLine)
		}
		return nil, &Problem{Line: wrong.Line,
			Message: "a quotation mark is out of place; inside a quoted field, double it"}
	}
	if errors.Is(err, errLongRow) {
		return nil, invalid("the row after line %d is longer than %d bytes; a quotation mark may not be closed", t.at,
			t.row)
	}
	if err != nil {
		return nil, err
	}
	t.at, _ = t.csv.FieldPos(0)
	if len(fields) > t.columns {
		return nil, t.problem("it has more than a thousand columns")
	}
	for _, field := range fields {
		if len(field) > t.field {
			return nil, t.problem("a field is longer than 64 KiB")
		}
	}
	return fields, nil
}

func (t *table) problem(message string) error { return &Problem{Line: t.at, Message: message} }

// A rowBound limits the length of a row.
type rowBound struct {
	r    io.Reader
	read int64 // in bytes
	done int64 // bytes up to the end of the latest row
	most int64
}

func (b *rowBound) Read(p []byte) (int, error) {
	if b.read-b.done > b.most {
		return 0, errLongRow
	}
	n, err := b.r.Read(p)
	b.read += int64(n)
	return n, err
}

// decoded converts UTF-16 to UTF-8 and removes a byte order mark. text converts other encodings field by field.
func decoded(r *bufio.Reader) io.Reader {
	begin, _ := r.Peek(4)
	order, found := unicode.LittleEndian, true
	switch {
	case bytes.HasPrefix(begin, []byte("\xEF\xBB\xBF")):
		_, _ = r.Discard(3) // the buffer has them
		return r
	// The byte order mark has the order.
	case bytes.HasPrefix(begin, []byte("\xFF\xFE")), bytes.HasPrefix(begin, []byte("\xFE\xFF")):
	case len(begin) == 4 && begin[0] != 0 && begin[1] == 0 && begin[2] != 0 && begin[3] == 0:
	case len(begin) == 4 && begin[0] == 0 && begin[1] != 0 && begin[2] == 0 && begin[3] != 0:
		order = unicode.BigEndian
	default:
		found = false
	}
	if !found {
		return r
	}
	return transform.NewReader(r, unicode.UTF16(order, unicode.UseBOM).NewDecoder())
}

// text returns a field in UTF-8. It decodes invalid UTF-8 as Windows-1252.
func text(field string) string {
	if utf8.ValidString(field) {
		return field
	}
	decoded, err := charmap.Windows1252.NewDecoder().String(field)
	if err != nil {
		return strings.ToValidUTF8(field, "\uFFFD")
	}
	return decoded
}

// separator returns the most frequent of comma, semicolon and tab in the first line, outside quotation marks; the
// default is a comma.
func separator(begin []byte) rune {
	count, quoted := map[byte]int{}, false
	for _, c := range begin {
		if c == '"' {
			quoted = !quoted
		}
		if c == '\n' && !quoted {
			break
		}
		if !quoted {
			count[c]++
		}
	}
	best := byte(',')
	for _, c := range []byte{';', '\t'} {
		if count[c] > count[best] {
			best = c
		}
	}
	return rune(best)
}
