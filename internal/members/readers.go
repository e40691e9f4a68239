package members

import (
	"errors"
	"io"
	"iter"
	"slices"
	"strings"
)

// A Reader is a line of a list of new readers.
type Reader struct {
	Line     int
	Email    string // as written
	TimeZone string // "": not in the list
}

// Readers returns at most most lines of a CSV file with the columns email and, optionally, time_zone. A *Problem is an
// invalid line, and further lines follow it. Any other error is the last, and of the kind Invalid if it is in the file.
func Readers(r io.Reader, most int) iter.Seq2[Reader, error] {
	return func(yield func(Reader, error) bool) {
		t, err := openReaders(r)
		for n := 0; err == nil; {
			var fields []string
			if fields, err = t.next(); errors.Is(err, io.EOF) {
				return
			}
			if _, one := errors.AsType[*Problem](err); one {
				if !yield(Reader{}, err) {
					return
				}
				err = nil
				continue
			}
			if err != nil || isEmpty(fields) {
				continue
			}
			if n++; n > most {
				err = invalid("the list has more than %d lines; split it", most)
			} else if !yield(Reader{t.at, t.cell(fields, "email"), t.cell(fields, "time_zone")}, nil) {
				return
			}
		}
		yield(Reader{}, err)
	}
}

func openReaders(r io.Reader) (*table, error) {
	l := usualLimits()
	t, err := openTable(r, l)
	if err != nil {
		return nil, err
	}
	for _, name := range t.names {
		if !slices.Contains([]string{"email", "time_zone"}, normal(name)) {
			return nil, invalid("%q is not a column of a list of readers; the first line must be: email,time_zone",
				name)
		}
	}
	if !t.has("email") {
		return nil, invalid("it has no column email; the first line must be: email,time_zone")
	}
	return t, nil
}

func (t *table) cell(fields []string, column string) string {
	i := t.column[column] - 1
	if i < 0 || i >= len(fields) {
		return ""
	}
	return strings.TrimSpace(text(fields[i]))
}
