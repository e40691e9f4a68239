package poller

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"digest"
)

// told describes candidates as "path title kind posts newest; ...".
func told(s *site, c Candidates) string {
	var out []string
	for _, f := range c.Feeds {
		text := strings.TrimPrefix(f.URL, s.url("")) + " " + f.Title + " " + f.Kind
		if f.Posts > 0 {
			text += fmt.Sprintf(" %d %s", f.Posts, f.Newest)
		}
		if f.Comments {
			text += " comments"
		}
		if f.Known.URL != "" {
			text += " known"
		}
		out = append(out, text)
	}
	return strings.Join(out, "; ")
}

func offers(links ...string) string {
	var b strings.Builder
	for _, l := range links {
		typ := "application/rss+xml"
		path, title, _ := strings.Cut(l, " ")
		if strings.HasSuffix(path, "atom") {
			typ = "application/atom+xml"
		}
		fmt.Fprintf(&b, `<link rel="alternate" type="%s" href="%s" title="%s">`, typ, path, title)
	}
	return `<!doctype html><html><head><title>Home</title>` + b.String() + `</head><body><p>Hello.</p></body></html>`
}

func TestCandidates(t *testing.T) {
	bodies := map[string]string{
		"/feed": atom(1), "/two": atom(2),
		"/": offers("/comments/feed Home: comments feed", "/feed Home", "/two.atom Two", "/feed Again",
			"mailto:x No", "/third Third"),
		"/broken": offers("/none First", "/feed Home", "/two Two"),
		"/none":   page(),
	}
	tests := []struct {
		asks, want, log string
		known           bool
	}{
		{"/feed", "/feed Weather atom 1 Day 1", "GET/feed", false},
		{"/", "/feed Weather atom 1 Day 1; /two.atom Two application/atom+xml; /third Third application/rss+xml; " +
			"/comments/feed Home: comments feed application/rss+xml comments", "GET/ GET/feed", false},
		{"/", "/feed stored rss known; /two.atom Two application/atom+xml; /third Third application/rss+xml; " +
			"/comments/feed Home: comments feed application/rss+xml comments", "GET/", true},
		{"/broken", "/feed Weather atom 1 Day 1; /two Two application/rss+xml", "GET/broken GET/none GET/feed", false},
		{"/feed", "/feed stored rss known", "", true},
	}
	for _, test := range tests {
		s := newSite(t, paths(bodies))
		known := func(_ context.Context, address string) (digest.Feed, bool) {
			return digest.Feed{ID: 3, URL: address, Title: "stored", Kind: "rss"}, test.known &&
				address == s.url("/feed")
		}
		c, err := newReader(t, s.url("/")).p.Find(context.Background(), s.url(test.asks), known)
		if got := told(s, c); err != nil || got != test.want || targets(s.log()) != test.log ||
			c.Itself != (test.asks == "/feed") {
			t.Errorf("%s: %q %v %v", test.asks, got, c.Itself, err)
		}
	}
}

// TestCandidatesAreBounded holds that the number of a page's offers is limited.
func TestCandidatesAreBounded(t *testing.T) {
	var links []string
	for i := range 45 {
		links = append(links, fmt.Sprintf("/%d Number %d", i, i))
	}
	s := newSite(t, paths(map[string]string{"/": offers(links...), "/0": atom(1)}))
	c, err := newReader(t, s.url("/")).p.Find(context.Background(), s.url("/"),
		nobody)
	if err != nil || len(c.Feeds) != mostCandidates || len(s.log()) != 2 {
		t.Error(len(c.Feeds), err)
	}
}

// TestOffersAreBounded holds that a public page that offers private hosts causes a limited number of DNS
// lookups.
func TestOffersAreBounded(t *testing.T) {
	n := newNeighbourhood(t, "http://outside.example/")
	asked := 0
	n.p.guard.lookup = func(ctx context.Context, network, host string) ([]netip.Addr, error) {
		asked++
		return []netip.Addr{netip.MustParseAddr("127.0.0.2")}, nil
	}
	links := []string{"/feed"}
	for i := range 3 * mostOffers {
		links = append(links, fmt.Sprintf("http://nas%d.example/feed", i))
	}
	n.outside.answers(paths(map[string]string{"/": page(links...), "/feed": atom(1)}))
	c, err := n.p.Find(t.Context(), "http://outside.example/", nobody)
	if err != nil || len(c.Feeds) != 1 || asked == 0 || asked > mostOffers {
		t.Errorf("%d feeds, %d lookups: %v", len(c.Feeds), asked, err)
	}
}

// TestNoCandidates holds that errors are for people, and that a refusal is returned, so that it can be
// stored.
func TestNoCandidates(t *testing.T) {
	s := newSite(t, func(r request) string {
		if r.target == "/" {
			return reply(r, 200, offers("/a A", "/b B"))
		}
		return reply(r, 429, "", "Retry-After: 3600")
	})
	p := newReader(t, s.url("/")).p
	c, err := p.Find(context.Background(), s.url("/"), nobody)
	if _, ok := errors.AsType[*SearchError](err); !ok || digest.KindOf(err) != digest.Unavailable ||
		c.Read.Feed.URL != s.url("/") || c.Read.Feed.NotBefore.IsZero() {
		t.Errorf("%+v %v", c.Read.Feed, err)
	}
	asked(t, s, "GET GET")
	for _, address := range []string{"http://10.0.0.1/", "http://[::1]:6379/",
		"http://169.254.169.254/latest/meta-data/", "mailto:a@b.example", "", "javascript:alert(1)",
		"file:///etc/passwd", strings.Repeat("x", 1_000_000)} {
		_, err := New(Options{}).Find(context.Background(), address, nobody)
		e, ok := errors.AsType[*SearchError](err)
		if !ok || len(e.Cause.Message) > 500 || strings.Contains(e.Cause.Message, "\n") {
			t.Errorf("%.50q: %v", address, err)
		}
	}
}
