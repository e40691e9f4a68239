package poller

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// cookieSite redirects to the requested address until a request has its cookie.
func cookieSite(status int) func(request) string {
	return func(r request) string {
		if cookie, _ := r.get("Cookie"); cookie != "session=1" {
			return reply(r, status, "", "Location: "+r.target, "Set-Cookie: session=1; Path=/")
		}
		return good(1)(r)
	}
}

// TestS22_CookieOfOneChain holds that the poller reads a feed that redirects to itself with a cookie. The
// next poll has no cookie, and the redirect is no move.
func TestS22_CookieOfOneChain(t *testing.T) {
	for _, status := range []int{302, 301} {
		s, r := newFeed(t, cookieSite(status))
		for _, outcome := range []Outcome{Changed, Unchanged, Unchanged} {
			r.want(outcome)
			log := s.log()
			if len(log) != 2 {
				t.Fatalf("%d: %d requests", status, len(log))
			}
			sent(t, log[0], "Cookie", "")
			sent(t, log[1], "Cookie", "session=1")
			if r.feed.MovedTo != "" || r.feed.URL != s.url("/feed") {
				t.Fatalf("%d: moved: %+v", status, r.feed)
			}
		}
	}
}

// TestS29_CirclesWithCookies holds that a site that sets a cookie and always redirects gets at most two
// requests.
func TestS29_CirclesWithCookies(t *testing.T) {
	for why, test := range map[string]struct {
		cookie func(n int) string
		want   int
	}{
		"always the same": {func(int) string { return "a=1" }, 2},
		"another each":    {func(n int) string { return "a=" + strings.Repeat("x", n) }, 2},
		"of another path": {func(int) string { return "a=1; Path=/elsewhere" }, 1},
		"of another host": {func(int) string { return "a=1; Domain=other.example" }, 1},
		"expired":         {func(int) string { return "a=1; Max-Age=0" }, 1},
	} {
		n := 0
		s := newSite(t, func(r request) string {
			n++
			return reply(r, 302, "", "Location: /feed", "Set-Cookie: "+test.cookie(n))
		})
		r := newReader(t, s.url("/feed"))
		if r.want(Failed); r.feed.LastError != "redirect loop" || len(s.log()) != test.want {
			t.Errorf("%s: %d requests: %s", why, n, r.feed.LastError)
		}
	}
}

// TestCookies holds that a cookie goes only to hosts for which the setting host may set it (RFC 6265
// section 5.3).
func TestCookies(t *testing.T) {
	for _, test := range []struct{ from, set, to, want string }{
		{"https://a.example.org/x", "k=v", "https://a.example.org/y", "k=v"},
		{"https://a.example.org/x", "k=v", "https://b.example.org/", ""},
		{"https://a.example.org/x", "k=v; Domain=example.org", "https://b.example.org/", "k=v"},
		{"https://a.example.org/x", "k=v; Domain=other.org", "https://other.org/", ""},
		{"https://a.example.co.uk/x", "k=v; Domain=co.uk", "https://b.co.uk/", ""},
		{"https://ann.github.io/x", "k=v; Domain=github.io", "https://mallory.github.io/", ""},
		{"https://a.example.org/x", "k=v; Secure", "http://a.example.org/", ""},
		{"https://a.example.org/x/y", "k=v; Path=/x", "https://a.example.org/z", ""},
		{"http://127.0.0.1/", "k=v", "http://127.0.0.2/", ""},
		{"https://a.example.org/x", `k="v w"`, "https://a.example.org/", `k="v w"`},
		{"https://a.example.org/x", "k=" + strings.Repeat("v", maxCookies), "https://a.example.org/", ""},
	} {
		from, to := address(t, test.from), address(t, test.to)
		c := &cookies{}
		c.keep(&answer{route: from, header: http.Header{"Set-Cookie": {test.set}}, received: time.Now()})
		h := http.Header{}
		c.send(h, to)
		if got := h.Get("Cookie"); got != test.want {
			t.Errorf("%s set %.20s: %s is sent %q", test.from, test.set, test.to, got)
		}
	}
}

func address(t *testing.T, s string) route {
	u, err := url.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return route{url: u, address: s}
}
