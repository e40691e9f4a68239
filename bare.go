package digest

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"net/url"
	"os"
	"strings"
	"syscall"
)

// Bare wraps an error of the network, a name lookup or a file. Its text is only the cause, such as "connection refused"
// for "dial tcp 192.0.2.1:25: connect: connection refused". Other errors keep their text.
func Bare(err error) error { return bareError{err} }

type bareError struct{ err error }

func (e bareError) Error() string { return bareText(e.err) }

func (e bareError) Unwrap() error { return e.err }

func bareText(err error) string {
	if e, ok := errors.AsType[net.Error](err); errors.Is(err, context.DeadlineExceeded) || ok && e.Timeout() {
		return "no answer in time"
	}
	if e, ok := errors.AsType[*net.DNSError](err); ok {
		if _, server, ok := strings.Cut(e.Err, "->"); ok { // "read udp 192.0.2.1:4711->192.0.2.53:53: …"
			return server
		}
		return e.Err
	}
	if e, ok := errors.AsType[syscall.Errno](err); ok {
		return e.Error()
	}
	if e, ok := errors.AsType[*url.Error](err); ok {
		return bareText(e.Err)
	}
	if e, ok := errors.AsType[*net.OpError](err); ok && e.Err != nil {
		return e.Err.Error()
	}
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err.Error()
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return e.Err.Error()
	}
	return err.Error()
}
