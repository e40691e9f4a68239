package members

import (
	"archive/zip"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"digest/newsletter"
)

const askedColumn = "asked"

func (l *List) readAsked(f *zip.File) error {
	r, err := f.Open()
	if err != nil {
		return fmt.Errorf("reading %s: %w", askedFile, err)
	}
	defer r.Close()
	t, err := openTable(&spending{l.ctx, r, &l.budget}, l.limits)
	if err != nil {
		return err
	}
	if len(t.names) != 1 || !t.has(askedColumn) {
		return errUnknown
	}
	for range l.limits.rows {
		cells, err := t.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		var a newsletter.AskedAddress
		if b, err := hex.DecodeString(cells[0]); err == nil && len(b) == len(a) {
			copy(a[:], b)
			l.Asked = append(l.Asked, a)
		}
	}
	return invalid("it has more than %d rows", l.limits.rows)
}
