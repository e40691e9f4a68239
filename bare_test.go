package digest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"syscall"
	"testing"
)

func TestBare(t *testing.T) {
	refused := &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	for _, test := range []struct {
		err  error
		want string
	}{
		{errors.New("something else"), "something else"},
		{refused, "connection refused"},
		{fmt.Errorf("connecting: %w", refused), "connection refused"},
		{&url.Error{Op: "Get", URL: "https://example.org/", Err: refused}, "connection refused"},
		{&url.Error{Op: "Get", URL: "https://example.org/", Err: errors.New("bad response")}, "bad response"},
		{&net.OpError{Op: "read", Err: errors.New("broken")}, "broken"},
		{&net.OpError{Op: "read", Err: os.ErrDeadlineExceeded}, "no answer in time"},
		{context.DeadlineExceeded, "no answer in time"},
		{&net.DNSError{Err: "no such host", Name: "example.org", Server: "192.0.2.53:53"}, "no such host"},
		{&net.DNSError{Err: "i/o timeout", Name: "example.org", IsTimeout: true}, "no answer in time"},
		{&net.DNSError{Err: "read udp 192.0.2.1:4711->192.0.2.53:53: read: connection refused"},
			"192.0.2.53:53: read: connection refused"},
		{&fs.PathError{Op: "open", Path: "key", Err: syscall.EACCES}, "permission denied"},
		{&fs.PathError{Op: "read", Path: "key", Err: errors.New("broken")}, "broken"},
		{&os.LinkError{Op: "rename", Old: "a", New: "b", Err: errors.New("broken")}, "broken"},
	} {
		got := Bare(test.err)
		if got.Error() != test.want || !errors.Is(got, test.err) {
			t.Errorf("%v: says %q, want %q", test.err, got, test.want)
		}
	}
}
