package backup

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
)

// A Writer writes tables, one after the other.
type Writer struct {
	w      *bufio.Writer
	sum    hash.Hash // of all frames but rows
	tables int
	table  Counter // the current one
}

type trailer struct {
	Tables int    `json:"tables"`
	Sum    string `json:"sum"`
}

// NewWriter writes the header of a backup. The caller must call Close at the end.
func NewWriter(w io.Writer, h Header) (*Writer, error) {
	to := &Writer{w: bufio.NewWriterSize(w, 64<<10), sum: sha256.New()}
	return to, to.words(headerFrame, h)
}

// Begin begins a table.
func (w *Writer) Begin(t Table) error {
	w.table = Counter{Table: t, row: w.table.row}
	w.tables++
	return w.words(tableFrame, t)
}

// Row writes a row of the current table: for each column a cell that is nil, int64, string or []byte.
func (w *Writer) Row(cells []any) error {
	if err := w.table.Row(cells); err != nil {
		return err
	}
	return w.frame(rowFrame, w.table.row)
}

// End ends the current table and returns its count. lastID is the highest key ever assigned in it.
func (w *Writer) End(lastID int64) (Count, error) {
	w.table.Count.LastID = lastID
	return w.table.Count, w.words(endFrame, w.table.Count)
}

// Close writes the trailer. It does not close the underlying writer.
func (w *Writer) Close() error {
	if err := w.words(trailerFrame, trailer{w.tables, hex.EncodeToString(w.sum.Sum(nil))}); err != nil {
		return err
	}
	if err := w.w.Flush(); err != nil {
		return fmt.Errorf("writing the backup: %w", err)
	}
	return nil
}

// words writes a frame of JSON and adds it to the checksum of the file.
func (w *Writer) words(kind byte, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("writing the backup: %w", err)
	}
	w.sum.Write(text)
	return w.frame(kind, text)
}

func (w *Writer) frame(kind byte, content []byte) error {
	head := binary.AppendUvarint([]byte{kind}, uint64(len(content)))
	if _, err := w.w.Write(head); err != nil {
		return fmt.Errorf("writing the backup: %w", err)
	}
	if _, err := w.w.Write(content); err != nil {
		return fmt.Errorf("writing the backup: %w", err)
	}
	return nil
}
