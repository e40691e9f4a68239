package main

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/emersion/go-smtp"
)

// A muteServer is an SMTP session that hangs up after each final dot.
type muteServer struct{ conn *smtp.Conn }

func (muteServer) Mail(string, *smtp.MailOptions) error { return nil }
func (muteServer) Rcpt(string, *smtp.RcptOptions) error { return nil }
func (muteServer) Reset()                               {}
func (muteServer) Logout() error                        { return nil }
func (s muteServer) Data(r io.Reader) error {
	_, err := io.Copy(io.Discard, r)
	s.conn.Close()
	return err
}

// TestTickNeverConfirmed checks that tick sends an edition twice to a server that hangs up after the final dot, and
// then reports that no server confirmed it.
func TestTickNeverConfirmed(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	server := smtp.NewServer(smtp.BackendFunc(func(c *smtp.Conn) (smtp.Session, error) { return muteServer{c}, nil }))
	done := make(chan error)
	go func() { done <- server.Serve(l) }()
	defer func() { server.Close(); <-done }()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `<rss version="2.0"><channel><title>A small site</title><item><title>First light</title>`+
			`</item></channel></rss>`)
	}))
	defer site.Close()
	t.Setenv("DIGEST_ALLOW_NETWORKS", "127.0.0.0/8")
	t.Setenv("DIGEST_MAIL", "smtp+insecure://"+l.Addr().String())
	for flags, want := range map[string]string{
		"":        "0 editions, 0 sent, 1 failed (1 never confirmed: see digest queue)\n",
		" --json": `"editions":0,"sent":0,"failed_mail":1}` + "\n",
	} {
		t.Chdir(t.TempDir())
		var out bytes.Buffer
		for _, line := range []string{
			"user add ann@example.org --time-zone UTC --now 2026-11-19T12:00:00Z",
			"subscribe ann@example.org " + site.URL + "/feed --now 2026-11-19T12:00:00Z",
			"tick --now 2026-11-20T00:00:00Z" + flags,
			"tick --now 2026-11-20T01:00:00Z" + flags,
		} {
			out.Reset()
			if status := run(t.Context(), t.Context(), strings.Fields(line), &out, t.Output()); status != exitDone {
				t.Fatalf("%s: status %d", line, status)
			}
		}
		if !strings.HasSuffix(out.String(), want) {
			t.Errorf("tick%s prints %q, want %q", flags, out.String(), want)
		}
	}
}
