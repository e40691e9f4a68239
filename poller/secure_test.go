package poller

import (
	"context"
	"crypto/x509"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

	"digest"
)

// closedHost returns a host with a closed port 80. It counts connections by port.
func closedHost(t *testing.T, handler http.HandlerFunc) (dialled map[string]int, change func(*Options)) {
	s := httptest.NewTLSServer(handler)
	t.Cleanup(s.Close)
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	dialled = make(map[string]int)
	return dialled, func(o *Options) {
		o.Roots = roots
		o.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
			_, port, _ := net.SplitHostPort(address)
			dialled[port]++
			if port != "443" {
				return nil, &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
			}
			var d net.Dialer
			return d.DialContext(ctx, network, s.Listener.Addr().String())
		}
	}
}

// TestPort80Closed holds that the poller reads an http feed by https if its host closed port 80. The second
// poll confirms the move, as with a permanent redirect.
func TestPort80Closed(t *testing.T) {
	version := 1
	dialled, change := closedHost(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte(atom(version)))
	})
	r := newReader(t, "http://example.com/feed?a=1", change, func(o *Options) { o.Robots = &shelf{} })
	r.want(Changed)
	if r.feed.MovedTo != "https://example.com/feed?a=1" || r.feed.URL != "http://example.com/feed?a=1" ||
		r.feed.Errors != 0 {
		t.Fatalf("first sighting: %+v", r.feed)
	}
	version++
	r.want(Changed)
	if r.feed.URL != "https://example.com/feed?a=1" || r.feed.MovedTo != "" {
		t.Fatalf("second sighting: %+v", r.feed)
	}
	before := dialled["80"]
	version++
	if r.want(Changed); dialled["80"] != before {
		t.Errorf("port 80 is tried again: %v", dialled)
	}
}

// TestPort80ClosedAndNoFeed holds that an answer by https without a feed changes nothing. Not even 410 ends
// the feed.
func TestPort80ClosedAndNoFeed(t *testing.T) {
	for _, status := range []int{404, 410, 500} {
		dialled, change := closedHost(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
		r := newReader(t, "http://example.com/feed", change)
		if r.want(Failed); r.feed.LastError != "connection refused" || r.feed.LastStatus != 0 || dialled["80"] != 1 ||
			dialled["443"] != 1 {
			t.Errorf("%d: %d %s, dialled %v", status, r.feed.LastStatus, r.feed.LastError, dialled)
		}
	}
	_, change := closedHost(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "90000")
		w.WriteHeader(429)
	})
	r := newReader(t, "http://example.com/feed", change)
	if r.want(Failed); r.feed.LastStatus != 429 || r.feed.NotBefore.Sub(r.watch.now()) < 24*time.Hour {
		t.Errorf("limited: %+v", r.feed)
	}
}

// TestPort80ClosedElsewhere holds that another port and a private feed are not tried by https.
func TestPort80ClosedElsewhere(t *testing.T) {
	for _, address := range []string{"http://example.com:8080/feed", "http://ann:secret@example.com/feed",
		"https://example.com:8443/feed"} {
		dialled, change := closedHost(t, func(w http.ResponseWriter, _ *http.Request) {
			_,
				_ = w.Write([]byte(atom(1)))
		})
		if r := newReader(t, address, change); r.want(Failed).Message != "connection refused" || dialled["443"] != 0 {
			t.Errorf("%s: %s, dialled %v", address, r.feed.LastError, dialled)
		}
	}
}

// TestPort80ClosedIsFound holds that a search by the http address finds the feed at its https address.
func TestPort80ClosedIsFound(t *testing.T) {
	_, change := closedHost(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(atom(1))) })
	found, err := find(newReader(t, "http://example.com/", change).p, "http://example.com/feed")
	if err != nil || found.Feed.URL != "https://example.com/feed" {
		t.Errorf("%+v %v", found.Feed, err)
	}
	known := func(_ context.Context, address string) (f digest.Feed, ok bool) {
		return digest.Feed{ID: 7, URL: address}, strings.HasPrefix(address, "https:")
	}
	c, err := newReader(t, "http://example.com/", change).p.Find(t.Context(), "http://example.com/feed", known)
	if err != nil || c.Read.Feed.ID != 7 || c.Read.Requests != 0 {
		t.Errorf("known: %+v %v", c.Read, err)
	}
}
