package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// readFile reads a file of at most so many bytes, whatever kind of file it is:
// a device may have no end, and a pipe may never have a writer. It gives up
// when ctx ends. The error does not name the file.
func readFile(ctx context.Context, name string, most int64) ([]byte, error) {
	type answer struct {
		b   []byte
		err error
	}
	answered := make(chan answer, 1)
	go func() { // of its own, because opening or reading a pipe may block for good
		b, err := readBounded(ctx, name, most)
		answered <- answer{b, err}
	}()
	select {
	case a := <-answered:
		return a.b, a.err
	case <-ctx.Done():
		return nil, errInterrupted
	}
}

func readBounded(ctx context.Context, name string, most int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, withoutPath(err)
	}
	defer f.Close()
	var b bytes.Buffer
	if _, err := b.ReadFrom(io.LimitReader(contextReader{f, ctx}, most+1)); err != nil {
		return nil, withoutPath(err)
	}
	if int64(b.Len()) > most {
		return nil, fmt.Errorf("larger than %d MB; split it", most>>20)
	}
	return b.Bytes(), nil
}

// A contextReader reads until its context ends.
type contextReader struct {
	io.Reader
	ctx context.Context
}

// Read reads, if the context has not ended.
func (r contextReader) Read(p []byte) (int, error) {
	if r.ctx.Err() != nil {
		return 0, errInterrupted
	}
	return r.Reader.Read(p)
}

// withoutPath is the bare reason why a file could not be read.
func withoutPath(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		err = p.Err
	}
	return fmt.Errorf("cannot be read: %w", err)
}
