package poller

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

const (
	maxBody = 10 << 20 // bytes, both as they travel and decoded
	maxRoom = 1 << 20  // of a body before it has come
)

var errTooLarge = errors.New("the body is larger than 10 MiB")

// readBody reads a whole body of at most bytes, as they travel and decoded, and
// undoes its codings. Nothing of a body that is too large, cut short (RFC 9112
// §8) or badly coded is given: half a feed would look as if its other posts had
// gone. wire is what travelled.
func readBody(resp *http.Response, most int64, tooLarge error) (body []byte, wire int64, err error) {
	if resp.ContentLength > most {
		return nil, 0, tooLarge
	}
	codings, err := codingsOf(resp.Header.Values("Content-Encoding"))
	if err != nil {
		return nil, 0, err
	}
	m := &meter{r: resp.Body, most: most, tooLarge: tooLarge}
	body, err = readDecoded(m, codings, resp.ContentLength)
	if err != nil {
		return nil, m.n, m.blame(err, codings)
	}
	return body, m.n, nil
}

func readDecoded(m *meter, codings []string, length int64) ([]byte, error) {
	var r io.Reader = m
	for _, coding := range slices.Backward(codings) { // the last applied first (RFC 9110 §8.4)
		var err error
		if r, err = undo(r, coding); err != nil {
			return nil, err
		}
	}
	var b bytes.Buffer
	if length > 0 { // what is only promised gets no room
		b.Grow(int(min(length, maxRoom)) + bytes.MinRead)
	}
	n, err := b.ReadFrom(io.LimitReader(r, m.most+1))
	switch {
	case err != nil:
		return nil, err
	case n > m.most:
		return nil, m.tooLarge
	}
	return b.Bytes(), nil
}

// A meter counts what travels, stops at most bytes, and remembers what went
// wrong on the way: a decoder would tell it in its own words.
type meter struct {
	r        io.Reader
	most     int64
	tooLarge error
	n        int64
	err      error
}

func (m *meter) Read(p []byte) (int, error) {
	if m.n > m.most {
		m.err = m.tooLarge
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
	case len(codings) == 0, errors.Is(err, m.tooLarge), errors.Is(err, errCoding),
		errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return err
	}
	return errors.New("the body is not the " + strings.Join(codings, ", ") + " it claims to be")
}

const (
	// acceptCodings is what undo undoes. Not deflate: half the servers mean
	// zlib by it and half do not (RFC 9110 §8.4.1.2).
	acceptCodings = "gzip, br, zstd"

	maxCodings = 2       // over one another
	maxWindow  = 8 << 20 // of zstd (RFC 9659)
)

// errCoding is a body whose codings cannot be undone at all.
var errCoding = errors.New("the body")

// codingsOf gives the codings of a body in the order in which they were applied.
func codingsOf(fields []string) ([]string, error) {
	codings := splitList(strings.ToLower(strings.Join(fields, ",")))
	if len(codings) > maxCodings {
		return nil, fmt.Errorf("%w is coded %d times over", errCoding, len(codings))
	}
	return codings, nil
}

// undo undoes one content coding. What it gives holds nothing that has to be
// given back: without concurrency zstd decodes where it is read.
func undo(r io.Reader, coding string) (io.Reader, error) {
	switch coding {
	case "identity", "none":
		return r, nil
	case "gzip", "x-gzip":
		return gzip.NewReader(r)
	case "br":
		return brotli.NewReader(r), nil
	case "zstd":
		return zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
	}
	return nil, fmt.Errorf("%w has an unknown coding: %s", errCoding, oneLine(coding))
}
