package members

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"digest"
)

const (
	mostTables  = 1000 // maximum CSV files in a ZIP
	mostSkipped = 100  // maximum skipped files to list
)

var errIndex = errors.New("the ZIP has too many files")

// unpack adds the files of a ZIP that are lists. Some exports contain many other files.
func (l *List) unpack(r io.ReaderAt, size int64) error {
	index := &spendingAt{r: r, left: l.limits.index}
	z, err := zip.NewReader(index, size)
	if errors.Is(err, errIndex) {
		return invalid("the ZIP has too many files; extract the lists and import them one by one")
	}
	if err != nil {
		return invalid("the ZIP is damaged (%v); export it again", err)
	}
	index.left = -1
	last, book, tables := error(nil), false, 0
	for _, f := range z.File {
		book = book || strings.HasPrefix(f.Name, "xl/")
		if !isTable(f.Name) {
			continue
		}
		if tables++; tables > mostTables {
			return invalid("the ZIP has more than %d CSV files; extract the lists and import them one by one",
				mostTables)
		}
		if path.Base(f.Name) == askedFile {
			if err := l.readAsked(f); err != nil {
				l.skip(f.Name, err)
			}
			if err := l.ctx.Err(); err != nil {
				return err
			}
			continue
		}
		err := l.add(source{name: baseName(f.Name), open: f.Open})
		switch {
		case errors.Is(err, errUnknown), errors.Is(err, errNever), errors.Is(err, errEmpty):
			last = err
			l.skip(f.Name, errors.Unwrap(err))
		case err != nil:
			return err
		}
	}
	switch {
	case len(l.sources) > 0:
		return nil
	case last != nil:
		return last
	case book:
		return invalid("this is a spreadsheet; save it as CSV first")
	default:
		return invalid("the ZIP has no CSV file")
	}
}

// isTable reports whether a file of a ZIP may be a list. It excludes the folders that macOS adds, and the folders of
// Substack with the readers of each post.
func isTable(name string) bool {
	base := path.Base(name)
	return strings.EqualFold(path.Ext(base), ".csv") && !strings.HasPrefix(base, ".") &&
		!strings.HasPrefix(name, "__MACOSX/") && !strings.Contains("/"+name, "/posts/")
}

func (l *List) skip(name string, why error) {
	if len(l.Skipped) < mostSkipped {
		l.Skipped = append(l.Skipped, fmt.Sprintf("%s: %v", digest.Shortened(digest.OneLine(name), 100), why))
	}
}

// A spendingAt reads until its budget is used up. A negative budget is unlimited.
type spendingAt struct {
	r    io.ReaderAt
	left int64 // in bytes
}

func (s *spendingAt) ReadAt(p []byte, at int64) (int, error) {
	if s.left >= 0 {
		if s.left -= int64(len(p)); s.left < 0 {
			s.left = 0
			return 0, errIndex
		}
	}
	return s.r.ReadAt(p, at)
}
