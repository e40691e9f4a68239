package bounce

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/textproto"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"digest"
)

// patience is the time after which an answer counts as missing. It is not a limit of speed.
const patience = 5 * time.Minute

func serve(t *testing.T, d *Handler, setting string) net.Addr {
	t.Helper()
	s, err := d.Listen(setting)
	must(t, err)
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx) }()
	t.Cleanup(func() {
		stop()
		select {
		case err := <-done:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(patience):
			t.Error("the server does not stop")
		}
	})
	return s.Addr()
}

type client struct {
	*textproto.Conn
	t *testing.T
}

func dial(t *testing.T, a net.Addr) *client {
	t.Helper()
	raw, err := net.Dial(a.Network(), a.String())
	must(t, err)
	raw.SetDeadline(time.Now().Add(patience)) //nolint:errcheck // the test would hang
	t.Cleanup(func() { raw.Close() })
	return &client{textproto.NewConn(raw), t}
}

func (c *client) say(lines ...string) (reply string) {
	c.t.Helper()
	for _, line := range lines {
		if err := c.PrintfLine("%s", line); err != nil {
			c.t.Fatalf("%.80s: %v", line, err)
		}
		reply = c.hear()
	}
	return reply
}

func (c *client) hear() string {
	c.t.Helper()
	code, text, err := c.ReadResponse(0)
	if _, protocol := errors.AsType[*textproto.Error](err); err != nil && !protocol {
		c.t.Fatal(err)
	}
	return fmt.Sprintf("%d %s", code, text)
}

// want fails the test unless a reply has a prefix.
func (c *client) want(begin, reply string) {
	c.t.Helper()
	if !strings.HasPrefix(reply, begin) {
		c.t.Errorf("%q, want %s", reply, begin)
	}
}

func (c *client) send(message []byte) string {
	c.t.Helper()
	c.want("354", c.say("DATA"))
	w := c.DotWriter()
	if _, err := w.Write(message); err != nil {
		c.t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		c.t.Fatal(err)
	}
	return c.hear()
}

func greeted(t *testing.T, a net.Addr, hello string) *client {
	t.Helper()
	c := dial(t, a)
	c.want("220 digest.example", c.hear())
	c.want("250", c.say(hello+" relay.example"))
	return c
}

// servers are the settings of servers and the greetings of their clients.
var servers = []struct{ setting, hello string }{{"smtp://127.0.0.1:0", "EHLO"}, {"lmtp://127.0.0.1:0", "LHLO"}}

func (w *world) greeted(p struct{ setting, hello string }) *client {
	w.t.Helper()
	return greeted(w.t, serve(w.t, w.Handler, p.setting), p.hello)
}

func TestServeSMTP(t *testing.T) {
	each(t, 3, func(t *testing.T, w *world) {
		c := w.greeted(servers[0])
		c.want("250", c.say("MAIL FROM:<>", "RCPT TO:<"+strings.ToUpper(w.bounceTo(0))+">"))
		c.want("250", c.send(w.sample("postfix-unknown.eml", 0)))
		if w.suppressed(0) != digest.ForHardBounce { // before the 250
			t.Error("not suppressed")
		}
		c.want("250", c.say("MAIL FROM:<anna@example.org>", "RCPT TO:<"+w.leaveTo(1)+">"))
		c.want("250", c.send(w.sample("leave.eml", 1)))
		if w.state(1) != digest.DigestLeft {
			t.Error("not left")
		}
		c.want("250", c.say("MAIL FROM:<anna@example.org>", "RCPT TO:<bounces@digest.example>"))
		c.want("250", c.send([]byte("Subject: hello\r\n\r\nIs anybody there?\r\n")))
		c.want("221", c.say("QUIT"))
		w.untouched(0, 1)
	})
}

func TestServeRefuses(t *testing.T) {
	w := alone(t, 1)
	c := w.greeted(servers[0])
	forged := strings.Replace(w.bounceTo(0), "bounces+a", "bounces+b", 1)
	c.say("MAIL FROM:<>")
	for _, to := range []string{forged, "anna@example.org", "postmaster@digest.example", "bounces+@digest.example",
		"anna%example.org@digest.example", "<@digest.example:anna@example.org>"} {
		c.want("550 5.1.1", c.say("RCPT TO:<"+strings.Trim(to, "<>")+">"))
	}
	c.want("550 5.7.1", c.say("RCPT TO:<"+w.leaveTo(0)+">")) // a bounce does not unsubscribe
	c.want("502", c.say("DATA"))                             // no recipient was accepted
	c.want("250", c.say("RSET"))
	c.want("550 5.7.1", c.say("MAIL FROM:<stranger@example.net>", "RCPT TO:<"+w.bounceTo(0)+">"))
	c.want("250", c.say("RSET"))
	c.want("552", c.say("MAIL FROM:<> SIZE=1048577"))
	c.want("523", c.say("AUTH PLAIN AGEAYg==")) // there is no login
	w.untouched()
}

func TestServeLimits(t *testing.T) {
	w := alone(t, 1)
	huge := []byte("Subject: x\r\n\r\n" + strings.Repeat("MAIL FROM:<evil@example.net>\r\n", 4*MaxMessage/30))
	for i, p := range servers {
		a := serve(t, w.Handler, p.setting)
		c := greeted(t, a, p.hello)
		c.say("MAIL FROM:<>")
		for range maxRecipients {
			c.want("250", c.say("RCPT TO:<bounces@digest.example>"))
		}
		c.want("452", c.say("RCPT TO:<bounces@digest.example>"))
		c.want("250", c.say("RSET", "MAIL FROM:<>", "RCPT TO:<bounces@digest.example>"))
		c.want("552", c.send(huge))
		c.want("250 2.0.0 I have", c.say("NOOP")) // its rest was not read as commands
		c.want("250", c.say("MAIL FROM:<>", "RCPT TO:<bounces@digest.example>"))
		c.want("250", c.send([]byte("Subject: x\r\n\r\n")))
		for range []int{maxFromOne, maxConnections}[i] - 1 {
			greeted(t, a, p.hello)
		}
		c.want("421", dial(t, a).hear())
		c.want("221", c.say("QUIT"))
		for { // wait until the server notices the closed connection
			another := dial(t, a)
			if reply := another.hear(); strings.HasPrefix(reply, "220") {
				break
			}
		}
	}
}

// TestServeChunks checks the same limits for BDAT (RFC 3030).
func TestServeChunks(t *testing.T) {
	w := alone(t, 2)
	for i, p := range servers {
		c := w.greeted(p)
		chunk := func(text, last string) string {
			if _, err := fmt.Fprintf(c.W, "BDAT %d%s\r\n%s", len(text), last, text); err != nil {
				t.Fatal(err)
			}
			must(t, c.W.Flush())
			return c.hear()
		}
		c.say("MAIL FROM:<>", "RCPT TO:<"+w.bounceTo(i)+">")
		message := string(w.sample("sendmail.eml", i))
		c.want("250", chunk(message[:500], ""))
		c.want("250", chunk(message[500:], " LAST"))
		if w.suppressed(i) != digest.ForHardBounce {
			t.Error("not suppressed")
		}
		c.say("MAIL FROM:<>", "RCPT TO:<"+w.bounceTo(i)+">")
		half := strings.Repeat("line\r\n", MaxMessage/12+10)
		c.want("250", chunk(half, ""))
		c.want("552", chunk(half, " LAST"))
		c.want("250", c.say("NOOP"))
	}
}

// TestServeStoreFails checks that the sender keeps the message if the database fails.
func TestServeStoreFails(t *testing.T) {
	each(t, 1, func(t *testing.T, w *world) {
		whole := w.Store
		w.Store = brokenStore{whole}
		c := w.greeted(servers[0])
		c.say("MAIL FROM:<>", "RCPT TO:<"+w.bounceTo(0)+">")
		c.want("451 ", c.send(w.sample("exim.eml", 0)))
		w.untouched()
		c.want("221", c.say("QUIT"))
		if !strings.Contains(w.log.String(), errBroken.Error()) {
			t.Error("nothing is logged")
		}
	})
}

// TestServeLMTP checks that LMTP answers for each recipient, over a socket and TCP.
func TestServeLMTP(t *testing.T) {
	each(t, 3, func(t *testing.T, w *world) {
		path := filepath.Join(t.TempDir(), "b.sock")
		a := serve(t, w.Handler, "lmtp:"+path)
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o660 {
			t.Errorf("%v, %v", info.Mode(), err)
		}
		c := greeted(t, a, "LHLO")
		c.want("250", c.say("MAIL FROM:<>", "RCPT TO:<"+w.bounceTo(0)+">"))
		c.want("550", c.say("RCPT TO:<nobody@digest.example>"))
		c.want("250", c.say("RCPT TO:<"+w.bounceTo(2)+">"))
		c.want("250 2.0.0 <"+w.bounceTo(0), c.send(w.sample("exchange.eml", 0)))
		c.want("250 2.0.0 <"+w.bounceTo(2), c.hear())
		if w.suppressed(0) == "" || w.suppressed(2) == "" {
			t.Error("not suppressed")
		}
		w.untouched(0, 2)
	})
}

func TestServeStops(t *testing.T) {
	d := testDesk("bounces@digest.example")
	d.Log = newLog(t)
	for _, when := range []string{"before", "after"} {
		s, err := d.Listen("smtp://127.0.0.1:0")
		must(t, err)
		ctx, stop := context.WithCancel(t.Context())
		if when == "before" {
			stop()
			if err := s.Serve(ctx); err != nil {
				t.Error(err)
			}
			continue
		}
		done := make(chan error)
		go func() { done <- s.Serve(ctx) }()
		c := greeted(t, s.Addr(), "EHLO") // an idle connection does not delay the end
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if _, err := c.ReadLine(); err == nil {
			t.Error("the connection is open still")
		}
		if again, err := d.Listen("smtp://" + s.Addr().String()); err != nil {
			t.Error(err)
		} else {
			again.close()
		}
	}
}
