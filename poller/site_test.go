package poller

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"digest"
	"digest/feed"
)

// A site is a web server without net/http: it records every request as received, and answers with bytes
// from the test.
type site struct {
	address string // host:port
	close   func()

	mu       sync.Mutex
	requests []request
	conns    int
	answer   func(r request) string
}

// A request is a request as received.
type request struct {
	method, target string
	lines          []string // header lines, in order
	conn           int
	to             string // the address of the connection
	at             time.Time
}

func (r request) get(name string) (string, bool) {
	for _, line := range r.lines {
		if k, v, _ := strings.Cut(line, ": "); strings.EqualFold(k, name) {
			return v, true
		}
	}
	return "", false
}

// newSite serves on loopback until the test ends.
func newSite(t testing.TB, answer func(r request) string) *site {
	t.Helper()
	return newSiteAt(t, "127.0.0.1:0", answer)
}

func newSiteAt(t testing.TB, address string, answer func(r request) string) *site {
	t.Helper()
	l, err := net.Listen("tcp4", address)
	if err != nil {
		t.Fatal(err)
	}
	s := &site{address: l.Addr().String(), answer: answer, close: func() { l.Close() }}
	t.Cleanup(s.close)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go s.serve(c)
		}
	}()
	return s
}

func (s *site) url(path string) string { return "http://" + s.address + path }

func (s *site) serve(c net.Conn) {
	defer c.Close()
	s.mu.Lock()
	s.conns++
	id := s.conns
	s.mu.Unlock()
	in := bufio.NewReader(c)
	for {
		r, err := readRequest(in)
		if err != nil {
			return
		}
		r.conn, r.at = id, time.Now()
		r.to = c.LocalAddr().String()
		s.mu.Lock()
		s.requests = append(s.requests, r)
		answer := s.answer
		s.mu.Unlock()
		out := answer(r)
		if _, err := c.Write([]byte(out)); err != nil || out == "" || strings.Contains(out, "Connection: close") {
			return
		}
	}
}

func readRequest(in *bufio.Reader) (request, error) {
	var r request
	first, err := in.ReadString('\n')
	if err != nil {
		return r, err
	}
	r.method, r.target, _ = strings.Cut(strings.TrimSpace(first), " ")
	r.target = strings.TrimSuffix(r.target, " HTTP/1.1")
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return r, err
		}
		if line = strings.TrimRight(line, "\r\n"); line == "" {
			return r, nil
		}
		r.lines = append(r.lines, line)
	}
}

func (s *site) log() []request {
	s.mu.Lock()
	defer s.mu.Unlock()
	log := s.requests
	s.requests = nil
	return log
}

func (s *site) answers(answer func(r request) string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = answer
}

func (s *site) says(status int, body string, header ...string) {
	s.answers(func(r request) string { return reply(r, status, body, header...) })
}

// reply is a whole answer; HEAD and 304 get no body.
func reply(r request, status int, body string, header ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "HTTP/1.1 %d X\r\n", status)
	for _, line := range header {
		b.WriteString(line + "\r\n")
	}
	if status != 304 && !strings.Contains(strings.Join(header, "\n"), "Content-Length:") {
		fmt.Fprintf(&b, "Content-Length: %d\r\n", len(body))
	}
	b.WriteString("\r\n")
	if r.method != "HEAD" && status != 304 {
		b.WriteString(body)
	}
	return b.String()
}

func methods(log []request) string {
	var b []string
	for _, r := range log {
		b = append(b, r.method)
	}
	return strings.Join(b, " ")
}

// atom returns a small feed; version changes its bytes.
func atom(version int) string {
	return fmt.Sprintf(`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom"><title>Weather</title><id>urn:weather</id>
<link href="https://weather.example/"/><updated>2026-11-19T00:00:00Z</updated>
<entry><id>urn:weather:%[1]d</id><title>Day %[1]d</title><link href="https://weather.example/%[1]d"/>
<updated>2026-11-19T00:00:00Z</updated><content>Rain.</content></entry></feed>`, version)
}

// conditional is a correct server for one document: it answers 304 by ETag, otherwise by an exact
// Last-Modified.
func conditional(body, etag, lastModified string, more ...string) func(request) string {
	header := append([]string{"ETag: " + etag, "Last-Modified: " + lastModified, "Content-Type: application/atom+xml"},
		more...)
	return func(r request) string {
		inm, hasINM := r.get("If-None-Match")
		ims, _ := r.get("If-Modified-Since")
		if inm == etag || !hasINM && ims == lastModified {
			return reply(r, 304, "", header...)
		}
		return reply(r, 200, body, header...)
	}
}

const (
	monday  = "Mon, 16 Nov 2026 08:00:00 GMT"
	tuesday = "Tue, 17 Nov 2026 08:00:00 GMT"
)

// A watch is a clock that the test sets.
type watch struct {
	mu sync.Mutex
	t  time.Time
}

func newWatch() *watch { return &watch{t: time.Date(2026, 11, 20, 0, 5, 0, 0, time.UTC)} }

func (w *watch) now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.t
}

func (w *watch) pass(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.t = w.t.Add(d)
}

// A reader is a poller with the record of one feed, as a store keeps it.
type reader struct {
	t     testing.TB
	p     *Poller
	watch *watch
	feed  digest.Feed
}

func loopback() []netip.Prefix { return []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} }

func newReader(t testing.TB, address string, change ...func(*Options)) *reader {
	t.Helper()
	w := newWatch()
	o := Options{UserAgentVersion: "1.2", BaseURL: "https://news.example", AllowNetworks: loopback(), Now: w.now,
		NoWait: true}
	for _, f := range change {
		f(&o)
	}
	p := New(o)
	t.Cleanup(p.Close)
	return &reader{t: t, p: p, watch: w, feed: digest.Feed{ID: 1, URL: address, Host: feed.Host(address),
		State: digest.FeedActive}}
}

// poll polls a day after the last poll and keeps the record.
func (r *reader) poll() Result {
	r.t.Helper()
	r.watch.pass(24 * time.Hour)
	r.p.Close() // no connection lasts that long
	result := r.p.Poll(context.Background(), r.feed, 3)
	r.feed = result.Feed
	return result
}

func (r *reader) want(o Outcome) Result {
	r.t.Helper()
	result := r.poll()
	if result.Outcome != o {
		r.t.Fatalf("outcome %s (%s), want %s", result.Outcome, result.Message, o)
	}
	return result
}

// asked checks the methods of the requests since the last call.
func asked(t testing.TB, s *site, want string) []request {
	t.Helper()
	log := s.log()
	if got := methods(log); got != want {
		t.Fatalf("requests %q, want %q", got, want)
	}
	return log
}

// sent checks one header field of a request; "" means that it must be absent.
func sent(t testing.TB, r request, name, want string) {
	t.Helper()
	if got, ok := r.get(name); got != want || ok != (want != "") {
		t.Errorf("%s %s: %s is %q, want %q", r.method, r.target, name, got, want)
	}
}

func zeros(n int) []byte { return bytes.Repeat([]byte{0}, n) }

// good is a correct server for a version of atom.
func good(version int, more ...string) func(request) string {
	modified := monday
	if version > 1 {
		modified = tuesday
	}
	return conditional(atom(version), fmt.Sprintf(`"%d"`, version), modified, more...)
}

// newFeed returns a site and a reader of its feed.
func newFeed(t testing.TB, answer func(request) string, change ...func(*Options)) (*site, *reader) {
	t.Helper()
	s := newSite(t, answer)
	return s, newReader(t, s.url("/feed"), change...)
}

func head(m HeadMode) func(*Options) { return func(o *Options) { o.Head = m } }
