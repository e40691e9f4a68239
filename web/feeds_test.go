package web_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"digest"
	"digest/internal/seal"
	"digest/poller"
	"digest/store"
	"digest/subscribe"
)

// subscriber returns a Subscriber that may request loopback addresses.
func (r *room) subscriber() *subscribe.Subscriber {
	keys := seal.Beside(filepath.Join(r.t.TempDir(), "digest.db"))
	p := poller.New(poller.Options{BaseURL: r.base, HostBlocks: r.store.HostBlocks, Open: keys.Open,
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
		fmt.Fprintf(&b, "<item><title>%s</title><link>https://blog.example/%s</link><guid>%s</guid><pubDate>Fri, 20 Nov 2026 10:00:00 GMT</pubDate></item>",
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

func TestChoiceOfFeeds(t *testing.T) {
	each(t, func(r *room) {
		b := r.blog(map[string]string{"/": offering, "/feed": rss("The blog itself", "One", "Two"),
			"/news.atom": rss("News", "Three")})
		v, _ := r.reader("ann@example.org")
		if got := v.takes(); got != "" {
			r.t.Errorf("takes %q", got)
		}
		a := v.find(" "+b.URL+" ").status(http.StatusOK).shows("h1", "3 feeds found")
		a.shows("label.found", "The blog itself RSS, 2 posts; newest: One "+b.URL+"/feed", "Only news Atom "+b.URL+
			"/news.atom", "Comments feed RSS, comments "+b.URL+"/comments/feed")
		a.has("input[checked]", "value", b.URL+"/feed")
		if got := b.log(); got != "/robots.txt / /feed" && got != "/ /feed" {
			r.t.Errorf("asked for %s", got)
		}
		if got := v.takes(); got != "" {
			r.t.Errorf("to look takes %q", got)
		}
		// it is stored now
		a = v.find(b.URL).status(http.StatusOK).contains("label.found", "The blog itself RSS; newest: One")
		asked := url.Values{"address": a.attrs("input[name=address]", "value")}
		v.post("/feeds/add", asked).status(http.StatusUnprocessableEntity).shows(".wrong",
			"Nothing added. Select a feed first.").contains("label.found", "Only news")
		b.log()

		to := v.post("/feeds/add", url.Values{"feed": {b.URL + "/feed"}}).status(http.StatusSeeOther).Header.Get(
			"Location")
		v.get(to).status(http.StatusOK).shows("h1", "The blog itself").shows(".notice",
			"Added. New posts come with your next edition.")
		if got := b.log(); got != "" {
			r.t.Errorf("what was read was asked for again: %s", got)
		}
		v.find(b.URL).status(http.StatusOK).shows("p.found", "The blog itself already followed")
		v.post("/feeds/add", url.Values{"feed": {b.URL + "/news.atom", b.URL +
			"/none"}}).status(http.StatusUnprocessableEntity).
			shows("h2", "Added", "Not added").shows(".rows li", "News", b.URL+"/none Could not read "+b.URL+
			"/none: 404 Not Found.")
		if got := v.takes(); got != "News|The blog itself" {
			r.t.Errorf("takes %q", got)
		}
		if got := v.get("/feeds?saved=added").texts(".done"); len(got) != 1 {
			r.t.Errorf("says %q", got)
		}
	})
}

// TestAddressOfAFeed checks that the address of a feed is subscribed to without a further step.
func TestAddressOfAFeed(t *testing.T) {
	each(t, func(r *room) {
		b := r.blog(map[string]string{"/feed": rss("Blog", "One"), "/moved": "->/feed"})
		v, _ := r.reader("ann@example.org")
		to := v.find(strings.TrimPrefix(b.URL, "http://") + "/feed").status(http.StatusSeeOther).Header.Get("Location")
		if !strings.HasSuffix(to, "?saved=added") {
			r.t.Errorf("leads to %s", to)
		}
		b.log()
		to = v.find(b.URL + "/feed").status(http.StatusSeeOther).Header.Get("Location")
		v.get(to).shows(".notice", "You already follow it.")
		if got := b.log(); got != "" {
			r.t.Errorf("a feed that is known was asked for: %s", got)
		}
		v.find(b.URL + "/moved").status(http.StatusSeeOther)
	})
}

// TestNoFeedThere checks that every failed search shows its reason and keeps the input.
func TestNoFeedThere(t *testing.T) {
	each(t, func(r *room) {
		b := r.blog(map[string]string{"/": "<!doctype html><title>x</title>",
			"/opml": "<opml><outline xmlUrl='https://a.example/'/></opml>", "/inside": "->http://10.0.0.1/feed"})
		v, _ := r.reader("ann@example.org")
		for address, says := range map[string]string{
			"":                               "The address is missing",
			"no address":                     "is not a web address",
			"javascript:alert(1)":            "is not a web address",
			"file:///etc/passwd":             "is not a web address",
			"http://10.0.0.1/feed":           "is private",
			"http://169.254.169.254/latest/": "is private",
			"http://[::ffff:10.0.0.1]/":      "is private",
			"http://localhost:1/":            "not allowed",
			b.URL + "/inside":                "is private",
			b.URL + "/":                      "offers none",
			b.URL + "/none":                  "404",
			b.URL + "/opml":                  "list of feeds",
			`"><script>alert(1)</script>`:    "is not a web address",
			"https://a.example/" + strings.Repeat("x", 60_000): "is not a web address",
		} {
			a := v.find(address)
			if a.StatusCode < 400 || a.StatusCode >= 500 || len(a.find("script:not([src])")) != 0 {
				r.t.Errorf("%.60q: status %d", address, a.StatusCode)
			}
			if got := strings.Join(a.texts(".wrong"), ""); !strings.Contains(got, says) || len(got) > 800 {
				r.t.Errorf("%.60q: %q", address, got)
			}
			if got := a.attrs("input[name=address]", "value"); len(got) != 1 || len(address) < 300 &&
				got[0] != address {
				r.t.Errorf("%.60q: kept %q", address, got)
			}
		}
		for _, form := range []url.Values{nil, {"feed": strings.Split(strings.Repeat("a b ", 11), " ")}} {
			v.post("/feeds/add", form).status(http.StatusBadRequest)
		}
		v.post("/feeds/add", url.Values{"feed": {"http://10.0.0.1/"}}).status(http.StatusUnprocessableEntity)
		if got := v.takes(); got != "" {
			r.t.Errorf("takes %q", got)
		}
	})
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

// TestFeedsOfOthers checks that readers cannot open or change feeds of other readers.
func TestFeedsOfOthers(t *testing.T) {
	each(t, func(r *room) {
		f := r.knows(digest.Feed{URL: "https://secret.example/?key=1", Title: "Another's"})
		v, d := r.reader("ann@example.org")
		mine, err := r.store.AddFilter(r.t.Context(), digest.Filter{DigestID: d.ID, Words: "x"}, r.now)
		r.must(err)
		for _, id := range []string{fmt.Sprint(f.ID), "999999", "0", "-1", "x", "1e3", "99999999999999999999"} {
			v.get("/feeds/" + id).status(http.StatusNotFound)
			for _, act := range []string{"", "/pause", "/resume", "/leave"} {
				if a := v.post("/feeds/"+id+act, url.Values{"title": {"t"}}).status(
					http.StatusNotFound); strings.Contains(a.body, "Another") {
					r.t.Errorf("%s%s tells of it", id, act)
				}
			}
			if id != "0" {
				if a := v.post("/filters",
					url.Values{"words": {"y"}, "feed": {id}}); a.StatusCode != http.StatusNotFound &&
					a.StatusCode != http.StatusBadRequest {
					r.t.Errorf("a filter for %s: %d", id, a.StatusCode)
				}
			}
		}
		w, _ := r.reader("bob@example.org")
		w.post(fmt.Sprintf("/filters/%d/remove", mine.ID), nil).status(http.StatusNotFound)
		for _, path := range []string{"/feeds", "/feeds/import", "/feeds/export", "/filters", "/filtered",
			fmt.Sprintf("/feeds/%d", f.ID)} {
			if got := r.visitor().get(path).status(http.StatusSeeOther).Header.Get("Location"); got != "/sign-in" {
				r.t.Errorf("%s leads a stranger to %q", path, got)
			}
		}
	})
}

// TestFormOfBefore checks that forms of pages from before the upgrade, and links of old emails,
// still work.
func TestFormOfBefore(t *testing.T) {
	each(t, func(r *room) {
		v, d := r.reader("ann@example.org")
		r.arrives(d, post("Delivered"))
		link := v.get("/feeds").attrs(".rows .name", "href")[0]
		to := v.post(link+"/rest", url.Values{"for": {""}}).status(http.StatusPermanentRedirect).Header.Get("Location")
		v.post(to, url.Values{"for": {""}}).status(http.StatusSeeOther)
		v.get("/feeds").shows("h2", "Paused")
		v.get("/held?before=5").status(http.StatusMovedPermanently).leads("/filtered?before=5")
	})
}

func TestOneFeed(t *testing.T) {
	each(t, func(r *room) {
		v, d := r.reader("ann@example.org")
		r.arrives(d, post("Delivered"))
		r.midnight()
		link := v.get("/feeds").attrs(".rows .name", "href")[0]
		a := v.get(link).status(http.StatusOK).shows("h1", site).shows(".delivered li",
			"Delivered Saturday 21 November")
		a.has(".ways .asked", "href", statusOf("https://site.example/1"))
		form := url.Values{"title": {"  My \n name  "}, "folder": {"/News/World/"}, "display": {"full"}}
		if got := v.post(link, form).status(http.StatusSeeOther).Header.Get("Location"); got != link+"?saved=changed" {
			r.t.Errorf("leads to %q", got)
		}
		v.get(link).shows("h1", "My name").shows("#display option[selected]", "Full text")
		v.get("/feeds").shows("h2", "News/World").shows(".rows .name", "My name")
		v.post(link+"/pause", url.Values{"for": {""}}).status(http.StatusSeeOther)
		v.get("/feeds").shows("h2", "Paused")
		v.get(link).status(http.StatusOK).shows("#pause button", "Resume", "Pause until that day")
		v.post(link+"/resume", nil).status(http.StatusSeeOther)
		v.get("/feeds").shows("h2", "News/World")

		v.post(link+"/pause", url.Values{"for": {""}}).status(http.StatusSeeOther)
		v.post(link+"/leave", nil).status(http.StatusOK)
		if got := v.get(link).status(http.StatusSeeOther).Header.Get("Location"); got != link+"/posts" {
			r.t.Errorf("a feed that was left leads to %q", got)
		}
		v.post("/feeds/return", url.Values{"feed": {path.Base(link)}}).status(http.StatusSeeOther)
		v.get(link).shows("#pause button", "Resume", "Pause until that day")
		v.post(link+"/resume", nil).status(http.StatusSeeOther)

		a = v.post(link+"/leave", nil).status(http.StatusOK).shows("h1", "Unfollowed")
		if got := v.get(link).status(http.StatusSeeOther).Header.Get("Location"); got != link+"/posts" {
			r.t.Errorf("a feed that was left leads to %q", got)
		}
		undo := url.Values{}
		for i, name := range a.attrs("main input", "name") {
			undo.Set(name, a.attrs("main input", "value")[i])
		}
		v.post("/feeds/return", undo).status(http.StatusSeeOther)
		v.get("/feeds").shows("h2", "News/World").shows(".rows .name", "My name")
		v.get(link).shows("#display option[selected]", "Full text")
	})
}

// TestFeedForms checks that forms of other sites are rejected and that a GET changes nothing.
func TestFeedForms(t *testing.T) {
	each(t, func(r *room) {
		v, d := r.reader("ann@example.org")
		r.arrives(d, post("One"))
		link := v.get("/feeds").attrs(".rows .name", "href")[0]
		for _, path := range []string{link, link + "/pause", link + "/resume", link + "/leave", "/feeds/find",
			"/feeds/add", "/feeds/import", "/filters", "/filters/1/remove"} {
			w := r.visitor()
			w.cookies = v.cookies
			w.from("https://evil.example", "cross-site")
			w.post(path, url.Values{"feed": {"https://evil.example/"}, "words": {"x"}}).status(http.StatusForbidden)
			v.get(path)
			v.do("HEAD", path, "", nil)
		}
		if got := v.takes(); got != site {
			r.t.Errorf("takes %q", got)
		}
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
		_, err := r.store.Import(r.t.Context(), d.ID, items, 1e6, r.now)
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
