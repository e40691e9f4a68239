package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"
	"unicode/utf8"
)

// The width of a column is known only after the last line. A short list waits for it in memory, a long one in a
// temporary file.

// spillBytes is the maximum size of a list in memory.
const spillBytes = 1 << 20

const gap = 2

// columns stores lines, and the width of the widest cell of each column.
type columns struct {
	widths []int // in characters
	lines  int
	memory bytes.Buffer
	file   *os.File // lines before those in memory; nil: none
}

// printTabs prints lines of tab-terminated cells in aligned columns, and returns the number of lines. If reading a line
// fails, it prints nothing.
func printTabs(stdout io.Writer, lines iter.Seq2[string, error]) (n int, err error) {
	var c columns
	defer c.close()
	for line, err := range lines {
		if err == nil {
			err = c.add(line)
		}
		if err != nil {
			return c.lines, err
		}
	}
	return c.lines, c.print(stdout)
}

func (c *columns) add(line string) error {
	c.lines++
	cells := strings.Split(line, "\t")
	for i, cell := range cells[:len(cells)-1] {
		if i == len(c.widths) {
			c.widths = append(c.widths, 0)
		}
		c.widths[i] = max(c.widths[i], utf8.RuneCountInString(cell))
	}
	c.memory.WriteString(line)
	c.memory.WriteByte('\n')
	if c.memory.Len() < spillBytes {
		return nil
	}
	return c.spill()
}

func (c *columns) spill() (err error) {
	if c.file == nil {
		if c.file, err = os.CreateTemp("", "digest-list-"); err != nil {
			return fmt.Errorf("making a temporary file for a long list: %w", err)
		}
	}
	if _, err := c.memory.WriteTo(c.file); err != nil {
		return fmt.Errorf("writing a long list to a temporary file: %w", err)
	}
	return nil
}

func (c *columns) print(stdout io.Writer) error {
	var kept io.Reader = &c.memory
	if c.file != nil {
		if _, err := c.file.Seek(0, io.SeekStart); err != nil {
			return fmt.Errorf("reading a temporary file again: %w", err)
		}
		kept = io.MultiReader(c.file, kept)
	}
	in, out := bufio.NewReader(kept), bufio.NewWriter(stdout)
	for range c.lines {
		line, err := in.ReadString('\n')
		if err != nil {
			return fmt.Errorf("reading a temporary file again: %w", err)
		}
		for i := 0; ; i++ {
			cell, rest, ended := strings.Cut(line, "\t")
			_, _ = out.WriteString(cell) // Flush returns the error
			if !ended {
				break
			}
			for range c.widths[i] + gap - utf8.RuneCountInString(cell) {
				_ = out.WriteByte(' ')
			}
			line = rest
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("printing: %w", err)
	}
	return nil
}

func (c *columns) close() {
	if c.file != nil {
		_ = c.file.Close()
		_ = os.Remove(c.file.Name())
	}
}
