package poller

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

const (
	maxBody    = 10 << 20 // bytes, both as they travel and decoded
	maxRoom    = 1 << 20  // of a body before it has come
	maxCodings = 2
)

var errTooLarge = errors.New("the body is larger than 10 MiB")

// readBody reads a whole body and undoes its codings. Nothing of a body that is
// too large, cut short (RFC 9112 §8) or badly coded is given: half a feed would
// look as if its other posts had gone. wire is what travelled.
func readBody(resp *http.Response) (body []byte, wire int64, err error) {
	if resp.ContentLength > maxBody {
		return nil, 0, errTooLarge
	}
	m := &meter{r: resp.Body}
	r, err := decode(m, resp.Header.Values("Content-Encoding"))
	if err != nil {
		return nil, m.n, err
	}
	var b bytes.Buffer
	if n := resp.ContentLength; n > 0 { // what is only promised gets no room
		b.Grow(int(min(n, maxRoom)) + bytes.MinRead)
	}
	n, err := b.ReadFrom(io.LimitReader(r, maxBody+1))
	switch {
	case err != nil:
		return nil, m.n, err
	case n > maxBody:
		return nil, m.n, errTooLarge
	}
	return b.Bytes(), m.n, nil
}

// A meter counts what travels and stops at maxBody.
type meter struct {
	r io.Reader
	n int64
}

func (m *meter) Read(p []byte) (int, error) {
	if m.n > maxBody {
		return 0, errTooLarge
	}
	n, err := m.r.Read(p)
	m.n += int64(n)
	return n, err
}

// decode undoes the content codings, last applied first (RFC 9110 §8.4).
func decode(r io.Reader, fields []string) (io.Reader, error) {
	codings := splitList(strings.ToLower(strings.Join(fields, ",")))
	if len(codings) > maxCodings {
		return nil, fmt.Errorf("the body is coded %d times over", len(codings))
	}
	for i := len(codings) - 1; i >= 0; i-- {
		switch codings[i] {
		case "identity", "none":
		case "gzip", "x-gzip":
			z, err := gzip.NewReader(r)
			if err != nil {
				return nil, err
			}
			r = z
		default:
			return nil, fmt.Errorf("the body has an unknown coding: %s", oneLine(codings[i]))
		}
	}
	return r, nil
}
