package web_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"digest/internal/seal"
	"digest/poller"
	"digest/store"
	"digest/subscribe"
)

// subscriber returns a Subscriber that may request loopback addresses.
func (r *room) subscriber() *subscribe.Subscriber {
	keys := seal.Beside(filepath.Join(r.t.TempDir(), "digest.db"))
	p := poller.New(poller.Options{BaseURL: r.base, HostBlocks: r.store.Operator.HostBlocks, Open: keys.Open,
		AllowNetworks: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, NoWait: true,
		Now: func() time.Time { return r.now }})
	r.t.Cleanup(p.Close)
	return &subscribe.Subscriber{Store: r.store, Poller: p, Keys: keys, Now: func() time.Time { return r.now }}
}

// A blog is a site with pages and feeds by path. It records its requests.
type blog struct {
	*httptest.Server
	mu    sync.Mutex
	pages map[string]string
	asked []string
}

func (r *room) blog(pages map[string]string) *blog {
	b := &blog{pages: pages}
	b.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		b.mu.Lock()
		b.asked = append(b.asked, req.URL.Path)
		body, ok := b.pages[req.URL.Path]
		b.mu.Unlock()
		switch {
		case !ok:
			http.NotFound(w, req)
		case strings.HasPrefix(body, "->"):
			http.Redirect(w, req, body[2:], http.StatusFound)
		default:
			_, _ = w.Write([]byte(body))
		}
	}))
	r.t.Cleanup(b.Close)
	return b
}

func (b *blog) log() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	log := strings.Join(b.asked, " ")
	b.asked = nil
	return log
}

func rss(title string, posts ...string) string {
	var b strings.Builder
	for _, p := range posts {
		fmt.Fprintf(&b, "<item><title>%s</title><link>https://blog.example/%s</link><guid>%s</guid><pubDate>Fri, "+
			"20 Nov 2026 10:00:00 GMT</pubDate></item>",
			p, url.PathEscape(p), p)
	}
	return "<rss version='2.0'><channel><title>" + title +
		"</title><link>https://blog.example/</link><description>d</description>" + b.String() + "</channel></rss>"
}

const offering = `<!doctype html><title>The blog</title>
<link rel="alternate" type="application/rss+xml" title="Comments feed" href="/comments/feed">
<link rel="alternate" type="application/rss+xml" title="All posts" href="/feed">
<link rel="alternate" type="application/atom+xml" title="Only news" href="/news.atom">`

func (v *visitor) find(address string) answer {
	v.t.Helper()
	return v.post("/feeds/find", url.Values{"address": {address}})
}

// takes returns the titles of the reader's feeds, as the page lists them.
func (v *visitor) takes() string {
	v.t.Helper()
	return strings.Join(v.get("/feeds").status(http.StatusOK).texts(".rows .name"), "|")
}

// TestRefusalIsRemembered checks that Retry-After of a site holds for all readers (S18).
func TestRefusalIsRemembered(t *testing.T) {
	each(t, func(r *room) {
		asked := 0
		site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			asked++
			w.Header().Set("Retry-After", "7200")
			w.WriteHeader(http.StatusTooManyRequests)
		}))
		defer site.Close()
		for i := range 3 {
			u, _ := r.user(fmt.Sprintf("reader%d@example.org", i))
			a := r.visitor().signIn(u).find(site.URL).status(http.StatusUnprocessableEntity)
			if got := a.texts(".wrong")[0]; !strings.Contains(got, "429") {
				r.t.Error(got)
			}
			a = r.visitor().signIn(u).find(site.URL + "/" +
				strings.Repeat("x", 1900)).status(http.StatusUnprocessableEntity)
			if got := a.texts(".wrong")[0]; len(got) > 500 {
				r.t.Errorf("a long address is named with %d bytes", len(got))
			}
		}
		if asked > 2 {
			r.t.Errorf("asked %d times", asked)
		}
	})
}

func TestFindsAreLimited(t *testing.T) {
	each(t, func(r *room) {
		v, _ := r.reader("ann@example.org")
		last := 0
		for range 70 {
			last = v.find("nonsense").StatusCode
		}
		if last != http.StatusTooManyRequests {
			r.t.Errorf("status %d", last)
		}
		other, _ := r.user("bob@example.org")
		r.visitor().signIn(other).find("nonsense").status(http.StatusBadRequest)
	})
}

// TestManyFeeds checks that the list of 300 feeds has small pages.
func TestManyFeeds(t *testing.T) {
	each(t, func(r *room) {
		u, d := r.user("ann@example.org")
		var items []store.ImportItem
		for i := range 300 {
			items = append(items, store.ImportItem{URL: fmt.Sprintf("https://%d.example/feed.xml", i),
				Host:  fmt.Sprintf("%d.example", i),
				Title: fmt.Sprintf("Feed number %d", i), Folder: fmt.Sprintf("Folder %d", i%10)})
		}
		_, err := r.store.Subscriptions.Import(r.t.Context(), d.ID, items, 1e6, r.now)
		r.must(err)
		v := r.visitor().signIn(u)
		for sheet, want := range []struct{ feeds, headings int }{{150, 5}, {150, 5}} {
			a := v.get(fmt.Sprint("/feeds?sheet=", sheet+1)).status(http.StatusOK)
			if n, h := len(a.find(".rows .name")), len(a.find("h2")); n != want.feeds || h != want.headings ||
				len(a.body) > 60<<10 {
				r.t.Errorf("sheet %d: %d feeds below %d headings, %d bytes", sheet+1, n, h, len(a.body))
			}
		}
		v.get("/feeds?sheet=3").status(http.StatusNotFound)
	})
}
