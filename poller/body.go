package poller

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
)

const (
	maxBody = 10 << 20 // bytes, both as they travel and decoded
	maxRoom = 1 << 20  // of a body before it has come
)

var errTooLarge = errors.New("the body is larger than 10 MiB")

// readBody reads a whole body and undoes its codings. Nothing of a body that is
// too large, cut short (RFC 9112 §8) or badly coded is given: half a feed would
// look as if its other posts had gone. wire is what travelled.
func readBody(resp *http.Response) (body []byte, wire int64, err error) {
	if resp.ContentLength > maxBody {
		return nil, 0, errTooLarge
	}
	codings, err := codingsOf(resp.Header.Values("Content-Encoding"))
	if err != nil {
		return nil, 0, err
	}
	m := &meter{r: resp.Body}
	body, err = readDecoded(m, codings, resp.ContentLength)
	if err != nil {
		return nil, m.n, m.blame(err, codings)
	}
	return body, m.n, nil
}

func readDecoded(m *meter, codings []string, length int64) ([]byte, error) {
	r, end, err := decode(m, codings)
	if err != nil {
		return nil, err
	}
	defer end()
	var b bytes.Buffer
	if length > 0 { // what is only promised gets no room
		b.Grow(int(min(length, maxRoom)) + bytes.MinRead)
	}
	n, err := b.ReadFrom(io.LimitReader(r, maxBody+1))
	switch {
	case err != nil:
		return nil, err
	case n > maxBody:
		return nil, errTooLarge
	}
	return b.Bytes(), nil
}

// A meter counts what travels, stops at maxBody, and remembers what went wrong
// on the way: a decoder would tell it in its own words.
type meter struct {
	r   io.Reader
	n   int64
	err error
}

func (m *meter) Read(p []byte) (int, error) {
	if m.n > maxBody {
		m.err = errTooLarge
		return 0, m.err
	}
	n, err := m.r.Read(p)
	m.n += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		m.err = err
	}
	return n, err
}

// blame tells apart what the wire and what the coding is guilty of.
func (m *meter) blame(err error, codings []string) error {
	switch {
	case m.err != nil:
		return m.err
	case len(codings) == 0, errors.Is(err, errTooLarge), errors.Is(err, errCoding),
		errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return err
	}
	return &badCoding{names: strings.Join(codings, ", "), err: err}
}
