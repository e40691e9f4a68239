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

// A Reader reads a backup, and checks it on the way. Its memory is bounded by the largest
// row. Errors of what stands there are *digest.Error.
type Reader struct {
	Header Header

	r      *bufio.Reader
	sum    hash.Hash
	tables int
	frame  bytes.Buffer
	table  Table
	count  Count // so far
	cells  []any
	inside bool // a table has begun and not ended
}

// NewReader begins to read a backup.
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

// Table gives the next table; io.EOF when the trailer was read and found right, and
// nothing follows. The rows of the table before must have been read to their end.
func (r *Reader) Table() (Table, error) {
	if r.inside {
		return Table{}, errors.New("the rows of a table were not read to their end")
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

// Row gives the next row of the table, whose cells are nil, int64, string or []byte and
// are overwritten by the next call; io.EOF after the last one, when their number and their
// checksum were found right.
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

// Count gives what was read of the table, once its rows have ended.
func (r *Reader) Count() Count { return r.count }

// end checks the trailer, and that nothing follows.
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

// next reads a frame.
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
	if _, err := io.CopyN(&r.frame, r.r, int64(length)); err != nil { // what is not there costs no memory
		return 0, unreadable(err)
	}
	return kind, nil
}

// words reads the JSON of a frame, and counts it.
func (r *Reader) words(v any) error {
	r.sum.Write(r.frame.Bytes())
	if err := json.Unmarshal(r.frame.Bytes(), v); err != nil {
		return damaged("a part of it cannot be read")
	}
	return nil
}

// unreadable says why a file could not be read on. One that ends too early is cut off; so
// is one whose compression or encryption does.
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
