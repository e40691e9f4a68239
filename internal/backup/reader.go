package backup

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"

	"digest"
)

// A Reader reads and checks a backup. It needs memory for the largest row only. Errors in the file's content are
// *digest.Error.
type Reader struct {
	Header Header

	r      *bufio.Reader
	sum    hash.Hash
	tables int
	frame  bytes.Buffer
	table  Table
	count  Count // rows read so far
	cells  []any
	inside bool // Table was called, and Row has not returned io.EOF
}

// NewReader reads and checks the header of a backup.
func NewReader(r io.Reader) (*Reader, error) {
	from := &Reader{r: bufio.NewReaderSize(r, 64<<10), sum: sha256.New()}
	kind, err := from.next()
	if err != nil {
		return nil, err
	}
	if kind != headerFrame {
		return nil, damaged("it does not begin with a header")
	}
	if err := from.words(&from.Header); err != nil {
		return nil, err
	}
	if from.Header.Schema < 1 {
		return nil, damaged("its schema has no version")
	}
	return from, nil
}

// Table returns the next table. It returns io.EOF when the trailer is correct and nothing follows it. All rows of the
// previous table must have been read.
func (r *Reader) Table() (Table, error) {
	if r.inside {
		return Table{}, errors.New("the rows of a table were not read completely")
	}
	kind, err := r.next()
	if err != nil {
		return Table{}, err
	}
	switch kind {
	case trailerFrame:
		return Table{}, r.end()
	case tableFrame:
	default:
		return Table{}, damaged("a table does not begin where it should")
	}
	r.table, r.count, r.inside = Table{}, Count{}, true
	if err := r.words(&r.table); err != nil {
		return Table{}, err
	}
	if r.tables++; r.tables > mostTables || len(r.table.Columns) == 0 {
		return Table{}, damaged("it has too many tables, or one without columns")
	}
	r.cells = make([]any, len(r.table.Columns))
	return r.table, nil
}

// Row returns the next row of the table, with cells of the types nil, int64, string and []byte. The next call
// overwrites them. It returns io.EOF after the last row if the number of rows and the checksum are correct.
func (r *Reader) Row() ([]any, error) {
	kind, err := r.next()
	if err != nil {
		return nil, err
	}
	switch kind {
	case rowFrame:
		r.count.Rows++
		r.count.Sum.add(r.frame.Bytes())
		return r.cells, readRow(r.cells, r.table, r.frame.Bytes())
	case endFrame:
		var said Count
		if err := r.words(&said); err != nil {
			return nil, err
		}
		r.count.LastID, r.inside = said.LastID, false
		if said != r.count {
			return nil, damaged(fmt.Sprintf("the rows of a table are not those that were written (%d of %d)",
				r.count.Rows, said.Rows))
		}
		return nil, io.EOF
	}
	return nil, damaged("a row does not begin where it should")
}

// Count returns the number and the checksum of the table's rows, after Row returned io.EOF.
func (r *Reader) Count() Count { return r.count }

// end checks the trailer, and that nothing follows it.
func (r *Reader) end() error {
	want := trailer{r.tables, hex.EncodeToString(r.sum.Sum(nil))}
	var said trailer
	if err := r.words(&said); err != nil {
		return err
	}
	if said != want {
		return damaged("its trailer does not fit what stands before")
	}
	switch _, err := r.r.ReadByte(); {
	case err == nil:
		return damaged("something follows its trailer")
	case err != io.EOF:
		return unreadable(err)
	}
	return io.EOF
}

func (r *Reader) next() (kind byte, err error) {
	kind, err = r.r.ReadByte()
	if err != nil {
		return 0, unreadable(err)
	}
	length, err := binary.ReadUvarint(r.r)
	if err != nil {
		return 0, unreadable(err)
	}
	most := uint64(mostWords)
	if kind == rowFrame {
		most = mostRow
	}
	if length > most {
		return 0, damaged("a part of it is too long")
	}
	r.frame.Reset()
	if _, err := io.CopyN(&r.frame, r.r, int64(length)); err != nil { // allocates only for bytes that exist
		return 0, unreadable(err)
	}
	return kind, nil
}

// words decodes the JSON of a frame and adds it to the checksum of the file.
func (r *Reader) words(v any) error {
	r.sum.Write(r.frame.Bytes())
	if err := json.Unmarshal(r.frame.Bytes(), v); err != nil {
		return damaged("a part of it cannot be read")
	}
	return nil
}

// unreadable returns the error of a failed read. A file, compression or encryption that ends too early is truncated.
func unreadable(err error) error {
	if digest.KindOf(err) != "" {
		return err
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errCut()
	}
	return &digest.Error{Kind: digest.Invalid, Message: "the backup cannot be read on, and nothing was restored",
		Err: err}
}
