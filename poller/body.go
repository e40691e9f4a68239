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
	maxBody = 10 << 20 // bytes, both on the wire and decoded; of a longer feed the newest posts are read
	maxRoom = 1 << 20  // memory that a length field can reserve
)

// A sizeError reports a body larger than that number of bytes.
type sizeError int64

func (e sizeError) Error() string { return fmt.Sprintf("the body is larger than %d MiB", e>>20) }

const errTooLarge = sizeError(maxBody)

// A bodyReader reads bodies within memory limits that it shares with others. The zero value has no such
// limits.
type bodyReader struct {
	grow   func(to int64) error             // waits for that much memory; may be nil
	add    func(to int64)                   // uses it without waiting; may be nil
	settle func(to int64)                   // reports how much memory the body has in the end; may be nil
	turn   func() (leave func(), err error) // waits for permission to use memory-intensive decoders; may be nil
	cut    bool                             // return the beginning of a body that is too large
	long   int64                            // return both ends of a feed of up to this many bytes; 0: never

	shortened bool // the body lacks a part from its middle
}

// read does what readBody describes. Memory-intensive decoders run after the whole body arrived, because a
// site may send slowly.
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

// needsWindow reports whether a coding keeps up to 16 MiB of its output.
func needsWindow(codings []string) bool {
	return slices.Contains(codings, "br") || slices.Contains(codings, "zstd")
}

// readWhole reads a body and then waits for permission to decode it.
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
	between := &meter{most: max(most, b.long), tooLarge: tooLarge} // there are at most two codings
	for i, coding := range slices.Backward(codings) {              // the last applied comes first (RFC 9110 §8.4)
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

// firstRoom is the initial memory for a body of unknown length, in bytes.
const firstRoom = 16 << 10

// readAll reads all of r, at most that many bytes. It calls grow, which may be nil, before it allocates
// more memory.
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

// need returns the memory to reserve for a body when its buffer grows to size. A large body reserves its
// maximum in one step, so that large bodies do not wait for each other.
func need(size, length, most int64) int64 {
	switch {
	case size <= largeBody:
		return size
	case length > 0:
		return max(size, length+1)
	}
	return most + 1
}

// A meter counts bytes, stops after most bytes, and remembers the first error, because decoders replace it
// with their own.
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

// blame returns the error to report: of the connection, of digest's limits, or of the coding.
func (m *meter) blame(err error, codings []string) error {
	switch {
	case m.err != nil:
		return m.err
	case len(codings) == 0, errors.Is(err, m.tooLarge), isSize(err), errors.Is(err, errCoding),
		errors.Is(err, errNoRoom), errors.Is(err, context.Canceled),
		errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return err
	}
	return errors.New("the body is declared as " + strings.Join(codings, ", ") + " but isn’t")
}

const (
	// acceptCodings lists the codings that a server may use. Not deflate: half the servers mean
	// zlib by it and half do not (RFC 9110 §8.4.1.2), which undo must guess.
	acceptCodings = "gzip, br, zstd"

	maxCodings = 2       // applied to one body
	maxWindow  = 8 << 20 // of zstd, in bytes (RFC 9659)
)

// errCoding marks a body with unknown or too many codings.
var errCoding = errors.New("the body")

// codingsOf returns the codings of a body in the order of their application.
func codingsOf(fields []string) ([]string, error) {
	codings := splitList(strings.ToLower(strings.Join(fields, ",")))
	if len(codings) > maxCodings {
		return nil, fmt.Errorf("%w is coded %d times over", errCoding, len(codings))
	}
	return codings, nil
}

// undo decodes one content coding. Like browsers, it ignores unknown codings, since some servers put a
// charset there, such as utf-8. Callers need not close the reader: without concurrency zstd has no
// goroutines.
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
	case "compress", "x-compress", "dcb", "dcz": // no request lists them
		return nil, fmt.Errorf("%w has an unknown coding: %s", errCoding, shortLine(coding))
	}
	return r, nil
}

// inflate decodes deflate, with or without the header of zlib's format. The first two bytes show which (RFC
// 1950 section 2.2).
func inflate(r io.Reader) (io.Reader, error) {
	b := bufio.NewReader(r)
	const method, deflate, check = 0x0f, 8, 31
	if head, err := b.Peek(2); err == nil && head[0]&method == deflate && (int(head[0])<<8|int(head[1]))%check == 0 {
		return zlib.NewReader(b)
	}
	return flate.NewReader(b), nil
}
