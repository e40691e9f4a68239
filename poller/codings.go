package poller

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

const (
	// acceptCodings is what decode undoes. Not deflate: half the servers mean
	// zlib by it and half do not (RFC 9110 §8.4.1.2).
	acceptCodings = "gzip, br, zstd"

	maxCodings = 2       // over one another
	maxWindow  = 8 << 20 // of zstd (RFC 9659)
)

// errCoding is a body whose codings cannot be undone at all.
var errCoding = errors.New("the body")

// A badCoding is a body that is not coded as it says.
type badCoding struct {
	names string
	err   error
}

func (e *badCoding) Error() string {
	return "the body is not the " + e.names + " it claims to be"
}

func (e *badCoding) Unwrap() error { return e.err }

// codingsOf gives the codings of a body in the order in which they were applied.
func codingsOf(fields []string) ([]string, error) {
	codings := splitList(strings.ToLower(strings.Join(fields, ",")))
	if len(codings) > maxCodings {
		return nil, fmt.Errorf("%w is coded %d times over", errCoding, len(codings))
	}
	return codings, nil
}

// decode undoes the content codings, last applied first (RFC 9110 §8.4). end
// gives back what the decoders hold.
func decode(r io.Reader, codings []string) (decoded io.Reader, end func(), err error) {
	var ends []func()
	end = func() {
		for _, f := range ends {
			f()
		}
	}
	for i := len(codings) - 1; i >= 0; i-- {
		var done func()
		r, done, err = undo(r, codings[i])
		if err != nil {
			end()
			return nil, nil, err
		}
		ends = append(ends, done)
	}
	return r, end, nil
}

func undo(r io.Reader, coding string) (io.Reader, func(), error) {
	nothing := func() {}
	switch coding {
	case "identity", "none":
		return r, nothing, nil
	case "gzip", "x-gzip":
		z, err := gzip.NewReader(r)
		return z, nothing, err
	case "br":
		return brotli.NewReader(r), nothing, nil
	case "zstd":
		z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, nil, err
		}
		return z, z.Close, nil
	}
	return nil, nil, fmt.Errorf("%w has an unknown coding: %s", errCoding, oneLine(coding))
}
