package db

import (
	"errors"
	"net"
	"testing"
)

// TestUnreachable: the error for an unreachable PostgreSQL server contains its address, or its name if there is no
// address.
func TestUnreachable(t *testing.T) {
	t.Parallel()
	const todo = " cannot be reached; check that it is running and that DIGEST_DATABASE is correct: "
	at := &net.TCPAddr{IP: net.IPv6loopback, Port: 5432}
	for _, c := range []struct {
		err  error
		want string
	}{
		{&net.OpError{Op: "dial", Net: "tcp", Addr: at, Err: errors.New("refused")}, "PostgreSQL at [::1]:5432" + todo +
			"refused"},
		{&net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: "db.example"}},
			"PostgreSQL at db.example" + todo + "no such host"},
		{&net.OpError{Op: "dial", Net: "tcp", Err: errors.New("refused")}, "PostgreSQL at this address" + todo +
			"refused"},
	} {
		if got := Explain(c.err); got.Error() != c.want {
			t.Errorf("%v: %q, want %q", c.err, got, c.want)
		}
		if !IsAway(c.err) {
			t.Errorf("%v: does not come back by itself", c.err)
		}
	}
}
