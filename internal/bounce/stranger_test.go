package bounce

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"testing"
	"time"

	"digest"
)

// TestServeEndlessLine checks that a command without an end does not fill the memory. Between the chunks of a message
// the library reads lines of any length.
func TestServeEndlessLine(t *testing.T) {
	w := alone(t, 1)
	for _, p := range servers {
		c := w.greeted(p)
		c.want("250", c.say("MAIL FROM:<>", "RCPT TO:<bounces@digest.example>", "BDAT 0"))
		const most = 64 << 20 // more than the buffers between client and server hold
		sent, err := io.Copy(c.W, io.LimitReader(endless{}, most))
		if err == nil {
			t.Errorf("%s: a command of %d bytes", p.setting, sent)
		}
	}
}

type endless struct{}

func (endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 'x'
	}
	return len(b), nil
}

// TestServeBrokenChunk checks that a truncated chunk is not a message. The missing part may say that a program wrote
// it, or that another recipient got it.
func TestServeBrokenChunk(t *testing.T) {
	each(t, 2, func(t *testing.T, w *world) {
		for i, p := range servers {
			a := serve(t, w.Handler, p.setting)
			raw, err := net.Dial(a.Network(), a.String())
			must(t, err)
			defer raw.Close()
			raw.SetDeadline(time.Now().Add(patience)) //nolint:errcheck // the test would hang
			fmt.Fprintf(raw,
				"%s x.example\r\nMAIL FROM:<anna@example.org>\r\nRCPT TO:<%s>\r\nBDAT 1000 LAST\r\nSubject: away\r\n",
				p.hello, w.leaveTo(i))
			raw.(*net.TCPConn).CloseWrite() //nolint:errcheck // the answer shows
			answer, _ := io.ReadAll(raw)
			if bytes.Contains(answer, []byte("queued")) || w.state(i) != digest.DigestActive {
				t.Errorf("%s; digest %s", answer, w.state(i))
			}
		}
	})
}

type from struct {
	net.Conn
	ip string
}

func (f from) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.ParseIP(f.ip), Port: 1} }

// TestPeer checks that all 2^64 addresses of an IPv6 network count as one.
func TestPeer(t *testing.T) {
	for _, p := range []struct {
		a, b string
		same bool
	}{
		{"2001:db8::1", "2001:db8::ffff:1", true},
		{"2001:db8::1", "2001:db8:0:1::1", false},
		{"192.0.2.1", "::ffff:192.0.2.1", true},
		{"192.0.2.1", "192.0.2.2", false},
	} {
		if a, b := peer(from{ip: p.a}), peer(from{ip: p.b}); (a == b) != p.same {
			t.Errorf("%s counts as %s, %s as %s", p.a, a, p.b, b)
		}
	}
}
