package bounce

import (
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"digest"
)

func newLog(t *testing.T) *slog.Logger { return slog.New(slog.NewTextHandler(t.Output(), nil)) }

func TestCheck(t *testing.T) {
	for _, good := range []string{"smtp://0.0.0.0:25", "smtp://:2525", "smtp://[::1]:25", "lmtp://127.0.0.1:2003",
		"lmtp:/run/digest/bounce.sock", " lmtp:///run/b.sock "} {
		if err := Check(good); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for _, bad := range []string{
		"", "25", "localhost:25", "http://localhost:25", "smtp://localhost", "smtp://localhost:99999",
		"smtp://localhost:smtp", "smtp:/run/x.sock",
		"lmtp:run/x.sock", "lmtp:", "lmtp://host/path", "smtp://h:25/x", "smtp://h:25?x", "smtp://user:secret@h:25",
		"smtp://%zz", "smtp://user:se#cret@h:25",
	} {
		err := Check(bad)
		if digest.KindOf(err) != digest.Invalid || !strings.Contains(err.Error(), "DIGEST_BOUNCE_LISTEN") ||
			!strings.Contains(err.Error(), "lmtp:/run/") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// TestListenSocket checks that messages are accepted at a socket.
func TestListenSocket(t *testing.T) {
	d := testDesk("bounces@digest.example")
	d.Log = newLog(t)
	path := filepath.Join(t.TempDir(), "b.sock")
	s, err := d.Listen("lmtp:" + path)
	must(t, err)
	if _, err := d.Listen("lmtp:" + path); digest.KindOf(err) != digest.Unavailable {
		t.Errorf("two listen: %v", err)
	}
	s.close()
	if _, err := os.Lstat(path); err == nil {
		t.Error("the socket is left behind")
	}
}

func TestListenTaken(t *testing.T) {
	d := testDesk("bounces@digest.example")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer l.Close()
	if _, err := d.Listen("smtp://" + l.Addr().String()); digest.KindOf(err) != digest.Unavailable ||
		!strings.Contains(err.Error(), "DIGEST_BOUNCE_LISTEN") {
		t.Error(err)
	}
}
