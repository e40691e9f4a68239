package poller

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"digest"
)

func page(links ...string) string {
	var b strings.Builder
	for _, l := range links {
		fmt.Fprintf(&b, `<link rel="alternate" type="application/atom+xml" href="%s">`, l)
	}
	return `<!doctype html><html><head><title>Home</title>` + b.String() + `</head><body><p>Hello.</p></body></html>`
}

func paths(bodies map[string]string) func(request) string {
	return func(r request) string {
		body, ok := bodies[r.target]
		if !ok {
			return reply(r, 404, "", "Content-Type: text/plain")
		}
		return reply(r, 200, body, `ETag: "`+r.target+`"`)
	}
}

func targets(log []request) string {
	var b []string
	for _, r := range log {
		b = append(b, r.method+r.target)
	}
	return strings.Join(b, " ")
}

func TestFind(t *testing.T) {
	for _, test := range table(`
		pages                                                           | asks  | want       | log
		/feed atom 1                                                    | /feed | /feed      | GET/feed
		/ page /blog.atom, /blog.atom atom 1                            | /     | /blog.atom | GET/ GET/blog.atom
		/ page /a b /c, /a page, /b atom 1, /c atom 2                   | /     | /b         | GET/ GET/a GET/b
		/ page /1 /2 /3 /4 /5 /6 /7 /8 /9 /10 /11, /11 atom 1           | /     |            |`) {
		s := newSite(t, paths(pagesOf(test["pages"])))
		r := newReader(t, s.url("/"))
		result, err := find(r.p, s.url(test["asks"]))
		if test["want"] == "" {
			if err == nil || digest.KindOf(err) != digest.Invalid {
				t.Errorf("%s: %v", test["pages"], err)
			}
			if n := len(s.log()); n > mostRequests {
				t.Errorf("%s: %d requests", test["pages"], n)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", test["pages"], err)
			continue
		}
		f := result.Feed
		if got := targets(s.log()); got != test["log"] || f.URL != s.url(test["want"]) ||
			f.ETag != `"`+test["want"]+`"` ||
			result.Outcome != Changed {
			t.Errorf("%s: %s %+v", test["pages"], got, f)
		}
		if len(result.Document.Posts) != 1 || f.Title != "Weather" || f.Host != "127.0.0.1" ||
			f.State != digest.FeedActive ||
			f.ParsedAt.IsZero() || f.LastAttemptAt.IsZero() || f.BodyHash == "" || f.LastStatus != 200 ||
			f.ValidatorURL != f.URL {
			t.Errorf("%s: %+v", test["pages"], f)
		}
	}
}

// TestS1_DiscoveryBodyIsUsed holds that the next poll after Find is conditional.
func TestS1_DiscoveryBodyIsUsed(t *testing.T) {
	s, r := newFeed(t, good(1))
	result, err := find(r.p, s.url("/feed"))
	if err != nil {
		t.Fatal(err)
	}
	r.feed = result.Feed
	r.want(Unchanged)
	log := asked(t, s, "GET HEAD")
	sent(t, log[1], "If-None-Match", `"1"`)
	sent(t, log[0], "Accept", acceptTypes) // the same as in every poll, because of Vary
}

// TestS17_KnownFeedIsNotFetched holds that a search does not fetch a known feed: not as an offer of a page,
// not as a guess, and not as the target of permanent redirects.
func TestS17_KnownFeedIsNotFetched(t *testing.T) {
	tests := []struct {
		why, asks string
		status    int
		log       string
		found     bool // the search fetched it
	}{
		{"by its address", "/feed", 301, "", false},
		{"a page that offers it", "/", 301, "GET/", false},
		{"moved there for good", "/old", 301, "GET/old", false},
		{"only there for now: a feed of its own", "/old", 302, "GET/old GET/feed", true},
	}
	for _, test := range tests {
		s := newSite(t, from(test.status, map[string]string{"/old": "/feed"},
			paths(map[string]string{"/": page("/feed"), "/feed": atom(1)})))
		stored := digest.Feed{ID: 7, URL: s.url("/feed"), Title: "as stored"}
		known := func(_ context.Context, address string) (digest.Feed, bool) { return stored, address == stored.URL }
		c, err := newReader(t, s.url("/")).p.Find(context.Background(), s.url(test.asks), known)
		result := c.Read
		if got := targets(s.log()); err != nil || got != test.log || (result.Feed == stored) == test.found ||
			(result.Document != nil) != test.found {
			t.Errorf("%s: %q %+v %v", test.why, got, result.Feed, err)
		}
	}
}

// TestFindStops holds that a search ends when a site refuses requests.
func TestFindStops(t *testing.T) {
	for status, why := range map[int]string{401: "it needs a password (401)", 403: "Forbidden",
		429: "Too Many Requests", 503: "Service Unavailable"} {
		s := newSite(t, func(r request) string {
			if r.target == "/" {
				return reply(r, 200, page("/a", "/b"))
			}
			return reply(r, status, "", "Retry-After: 3600")
		})
		_, err := find(newReader(t, s.url("/")).p, s.url("/"))
		if digest.KindOf(err) != digest.Unavailable || !strings.Contains(err.Error(), why) {
			t.Error(err)
		}
		if e, ok := errors.AsType[*SearchError](err); !ok || e.NeedsPassword != (status == 401) {
			t.Errorf("%d: %+v", status, e)
		}
		asked(t, s, "GET GET")
	}
}

func TestFindErrors(t *testing.T) {
	s := newSite(t, paths(map[string]string{
		"/binary": string(zeros(1000)), "/empty": "",
		"/opml": `<opml version="2.0"><body><outline text="x" xmlUrl="https://a.example/f"/></body></opml>`,
	}))
	tests := []struct {
		address, says string
		kind          digest.Kind
	}{
		{s.url("/none"), "404 Not Found", digest.Unavailable},
		{s.url("/binary"), "no feed at " + s.url("/binary"), digest.Invalid},
		{s.url("/empty"), "no feed at", digest.Invalid},
		{s.url("/opml"), "list of feeds", digest.Invalid},
		{"http://10.0.0.1/", "can allow its network", digest.Unavailable},
		{"mailto:a@b.example", "", digest.Invalid},
		{"", "", digest.Invalid},
	}
	p := newReader(t, s.url("/")).p
	for _, test := range tests {
		_, err := find(p, test.address)
		if err == nil || digest.KindOf(err) != test.kind || !strings.Contains(err.Error(), test.says) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", test.address, err)
		}
	}
	stopped, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := p.Find(stopped, s.url("/"), nobody); digest.KindOf(err) != digest.Unavailable {
		t.Error(err)
	}
}

// TestFindWithoutScheme holds that a search tries https first, and http if there is no TLS server.
func TestFindWithoutScheme(t *testing.T) {
	inNetwork(t, func(t *testing.T, n *network) {
		s := n.site("plain.example:80", good(1))
		r := n.reader(t, "http://plain.example/feed")
		result, err := find(r.p, "plain.example/feed")
		if err != nil || result.Feed.URL != "http://plain.example/feed" {
			t.Error(result.Feed.URL, err)
		}
		asked(t, s, "GET")
		if _, err := find(r.p, "https://plain.example/feed"); err == nil {
			t.Error("http was tried though https was asked for")
		}
	})
}

// nobody is a Known without feeds.
func nobody(context.Context, string) (digest.Feed, bool) { return digest.Feed{}, false }

func find(p *Poller, address string) (Result, error) {
	c, err := p.Find(context.Background(), address, nobody)
	return c.Read, err
}
