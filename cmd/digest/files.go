package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"digest"
)

// readFile reads a file of at most most bytes; "-" is the standard input. A device may have no end and a pipe no
// writer, so it returns when ctx ends. The error does not contain the file's name.
func readFile(ctx context.Context, name string, most int64) ([]byte, error) {
	type answer struct {
		content []byte
		err     error
	}
	answered := make(chan answer, 1)
	// Opening or reading a pipe may block forever.
	go func() {
		content, err := readBounded(name, most)
		answered <- answer{content, err}
	}()
	select {
	case a := <-answered:
		return a.content, a.err
	case <-ctx.Done():
		return nil, errInterrupted
	}
}

func readBounded(name string, most int64) ([]byte, error) {
	f, err := os.Stdin, error(nil)
	if name != "-" {
		f, err = os.Open(name)
	}
	if err != nil {
		return nil, withoutPath(err)
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, most+1))
	if err != nil {
		return nil, withoutPath(err)
	}
	if int64(len(content)) > most {
		return nil, fmt.Errorf("larger than %d MB; split it", most>>20)
	}
	return content, nil
}

// withoutPath returns the cause of a failed read without the path.
func withoutPath(err error) error {
	return fmt.Errorf("cannot be read: %w", digest.Bare(err))
}
