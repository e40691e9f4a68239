package poller

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"context"
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
	maxBody = 10 << 20 // bytes, both as they travel and decoded; of a longer document the newest posts fit
	maxRoom = 1 << 20  // of a body before it has come
)

// A sizeError says that a body is larger than a number of bytes.
type sizeError int64

func (e sizeError) Error() string { return fmt.Sprintf("the body is larger than %d MiB", e>>20) }

const errTooLarge = sizeError(maxBody)

// readBody reads a whole body of at most bytes, as they travel and decoded, and
// undoes its codings. Nothing of a body that is too large, cut short (RFC 9112
// §8) or badly coded is given: half a feed would look as if its other posts had
// gone. wire is what travelled.
func readBody(resp *http.Response, most int64, tooLarge error) (body []byte, wire int64, err error) {
	return (&bodyReader{}).read(resp, most, tooLarge)
}

// A bodyReader reads bodies within bounds that they share with others. The zero value
// has no such bounds.
type bodyReader struct {
	grow   func(to int64) error             // waits for that much memory; may be nil
	add    func(to int64)                   // uses it without waiting; may be nil
	settle func(to int64)                   // says how much of it the body has in the end; may be nil
	turn   func() (leave func(), err error) // waits for the turn to undo codings that take much memory; may be nil
	cut    bool                             // return the beginning of a body that is too large
	long   int64                            // return both ends of a feed of up to this many bytes; 0: never

	shortened bool // the body lacks a part from its middle
}

// read is readBody. Codings that take much memory to undo are undone when all of the
// body has come, as a site may take its time.
func (b *bodyReader) read(resp *http.Response, most int64, tooLarge error) (body []byte, wire int64, err error) {
	if b.long > most {
		tooLarge = sizeError(b.long)
	}
	if resp.ContentLength > max(most, b.long) && !b.cut {
		return nil, 0, tooLarge
	}
	codings, err := codingsOf(resp.Header.Values("Content-Encoding"))
	if err != nil {
		return nil, 0, err
	}
	m := &meter{r: resp.Body, most: max(most, b.long), tooLarge: tooLarge}
	if b.settle != nil {
		defer func() { b.settle(int64(cap(body))) }()
	}
	switch {
	case len(codings) == 0:
		body, err = b.readAll(m, most, tooLarge, resp.ContentLength, b.grow)
	case needsWindow(codings):
		body, err = b.readWhole(m, codings, most, resp.ContentLength)
	default:
		body, err = b.decode(m, codings, most, tooLarge, b.grow)
	}
	if err != nil {
		return nil, m.n, m.blame(err, codings)
	}
	return body, m.n, nil
}

// needsWindow reports whether a coding keeps up to 16 MiB of what it has undone.
func needsWindow(codings []string) bool {
	return slices.Contains(codings, "br") || slices.Contains(codings, "zstd")
}

// readWhole reads a body, and then undoes its codings when it is its turn.
func (b *bodyReader) readWhole(m *meter, codings []string, most, length int64) ([]byte, error) {
	coded, err := (&bodyReader{}).readAll(m, most, sizeError(most), length, b.grow)
	if err != nil {
		return nil, err
	}
	if b.turn != nil {
		leave, err := b.turn()
		if err != nil {
			return nil, err
		}
		defer leave()
	}
	return b.decode(bytes.NewReader(coded), codings, most, m.tooLarge, func(to int64) error {
		if b.add != nil {
			b.add(int64(len(coded)) + to)
		}
		return nil
	})
}

// decode undoes the codings of a body. The output of each coding has the same bound as the body: a few hundred
// bytes may decode to gigabytes that the next coding reduces to nothing.
func (b *bodyReader) decode(r io.Reader, codings []string, most int64, tooLarge error,
	grow func(to int64) error) ([]byte, error) {
	between := &meter{most: max(most, b.long), tooLarge: tooLarge} // there are two codings at most
	for i, coding := range slices.Backward(codings) {              // the last applied first (RFC 9110 §8.4)
		var err error
		if r, err = undo(r, coding); err != nil {
			return nil, cmp.Or(between.err, err)
		}
		if i > 0 {
			between.r = r
			r = between
		}
	}
	body, err := b.readAll(r, most, tooLarge, 0, grow)
	if between.err != nil {
		return nil, between.err
	}
	return body, err
}

// firstRoom is the room for a body of unknown length, in bytes.
const firstRoom = 16 << 10

// readAll reads all of r, most bytes at most. It calls grow, which may be nil, before it
// allocates more memory.
func (b *bodyReader) readAll(r io.Reader, most int64, tooLarge error, length int64, grow func(to int64) error) ([]byte,
	error) {
	size := int64(firstRoom)
	length = min(length, most) // it reads no byte beyond most
	if length > 0 {            // it trusts no length above maxRoom
		size = min(length, maxRoom) + 1
	}
	var body []byte
	for {
		if len(body) == cap(body) {
			size = min(max(size, 2*int64(cap(body))), most+1)
			if int64(cap(body)) <= length {
				size = min(size, length+1)
			}
			if grow != nil {
				if err := grow(need(size, length, most)); err != nil {
					return nil, err
				}
			}
			body = append(make([]byte, 0, size), body...)
		}
		n, err := r.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		switch {
		case int64(len(body)) > most && b.cut:
			return body[:most], nil
		case int64(len(body)) > most && b.long > most:
			if err == nil || errors.Is(err, io.EOF) {
				return b.shorten(body, r, most, tooLarge)
			}
			return nil, err
		case int64(len(body)) > most:
			return nil, tooLarge
		case errors.Is(err, io.EOF):
			return body, nil
		case err != nil:
			return nil, err
		}
	}
}

// need is how much memory a body is to have when it gets the room of size: a large one at
// once all that it may come to, so that large ones do not wait for each other.
func need(size, length, most int64) int64 {
	switch {
	case size <= largeBody:
		return size
	case length > 0:
		return max(size, length+1)
	}
	return most + 1
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

// blame tells apart what the wire, the coding and we are guilty of.
func (m *meter) blame(err error, codings []string) error {
	switch {
	case m.err != nil:
		return m.err
	case len(codings) == 0, errors.Is(err, m.tooLarge), isSize(err), errors.Is(err, errCoding),
		errors.Is(err, errNoRoom), errors.Is(err, context.Canceled),
		errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return err
	}
	return errors.New("the body is not the " + strings.Join(codings, ", ") + " it claims to be")
}

const (
	// acceptCodings lists the codings that a server may use. Not deflate: half the servers mean
	// zlib by it and half do not (RFC 9110 §8.4.1.2), which undo must guess.
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

// undo undoes one content coding. It takes a coding that it does not know for none, as browsers do: some servers name a
// charset there, such as utf-8. The reader that it returns need not be closed: without concurrency zstd decodes where
// it is read.
func undo(r io.Reader, coding string) (io.Reader, error) {
	switch coding {
	case "gzip", "x-gzip":
		return gzip.NewReader(r)
	case "br":
		return brotli.NewReader(r), nil
	case "zstd":
		return zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(maxWindow))
	case "deflate":
		return inflate(r)
	case "compress", "x-compress", "dcb", "dcz": // no request names them
		return nil, fmt.Errorf("%w has an unknown coding: %s", errCoding, oneLine(coding))
	}
	return r, nil
}

// inflate undoes deflate, which is zlib's format, or that without its header. The two bytes of the header tell which
// (RFC 1950 section 2.2).
func inflate(r io.Reader) (io.Reader, error) {
	b := bufio.NewReader(r)
	const method, deflate, check = 0x0f, 8, 31
	if head, err := b.Peek(2); err == nil && head[0]&method == deflate && (int(head[0])<<8|int(head[1]))%check == 0 {
		return zlib.NewReader(b)
	}
	return flate.NewReader(b), nil
}
