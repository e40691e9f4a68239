package web_test

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/store"
)

// site is the title of the feed in most tests. It contains markup.
const site = `Tom's <b>"Letters"</b> & Co`

func post(title string) digest.Post {
	return digest.Post{
		Identity: title, Title: title, URL: "https://site.example/" + "post", Author: "Tom",
		Summary: "A few sentences about " + title + ".", Language: "en",
	}
}

func TestArchiveNewestFirst(t *testing.T) {
	each(t, func(r *room) {
		u, d := r.user("ann@example.org")
		for range 12 { // into December
			r.arrives(d, post(r.now.String()))
			r.midnight()
		}
		a := r.visitor().signIn(u).get("/editions").status(http.StatusOK)
		a.shows("h2", "December 2026", "November 2026")
		if got := a.attrs(".dates a", "href"); len(got) != 12 || got[0] != "/editions/2026-12-02" ||
			got[11] != "/editions/2026-11-21" {
			r.t.Errorf("archive is %q", got)
		}
	})
}

func TestEditionIsReadable(t *testing.T) {
	each(t, func(r *room) {
		u, d := r.user("ann@example.org")
		p := post("صباح")
		p.Language = "ar"
		r.arrives(d, p)
		r.midnight()
		a := r.visitor().signIn(u).get("/").status(http.StatusOK)
		for selector, want := range map[string]int{"html[lang=en]": 1, "main": 1, "h1": 1, "article[lang=ar]": 1,
			"article[dir]": 1, "a.skip": 2, "nav[aria-label]": 2, "script": 2, "script[src]": 2, "[style]": 0} {
			if got := len(a.find(selector)); got != want {
				r.t.Errorf("%d of %q, want %d", got, selector, want)
			}
		}
		a.has("h3 a", "href", p.URL)
		if len(a.body) > 60<<10 {
			r.t.Errorf("page of %d bytes", len(a.body))
		}
	})
}

// TestHelp checks that everybody can open the page in List-Help, and that its links work.
func TestHelp(t *testing.T) {
	each(t, func(r *room) {
		a := r.visitor().get("/help").status(http.StatusOK).shows("h2", "Sign in", "Follow sites",
			"Change what you get", "Save posts and read offline", "Search", "Take a break", "Unsubscribe", "No email?",
			"Contact")
		if a.Header.Get("X-Robots-Tag") != "" || a.Header.Get("Cache-Control") != "private, max-age=3600" {
			r.t.Errorf("the help page comes with %v", a.Header)
		}
		v, _ := r.reader("ann@example.org")
		links := v.get("/help").attrs("main a", "href")
		if len(links) < 10 {
			r.t.Errorf("the help page leads to %q", links)
		}
		for _, path := range links {
			if !strings.HasPrefix(path, "mailto:") {
				v.get(path).status(http.StatusOK)
			}
		}
	})
}

func TestAssets(t *testing.T) {
	each(t, func(r *room) {
		a := r.visitor().get("/")
		paths := append(a.attrs("link[rel=stylesheet]", "href"), a.attrs("link[rel=icon]", "href")...)
		if len(paths) != 2 {
			r.t.Fatalf("static files %q", paths)
		}
		for i, kind := range []string{"text/css; charset=utf-8", "image/svg+xml"} {
			a := r.visitor().get(paths[i]).status(http.StatusOK)
			if a.Header.Get("Cache-Control") != "public, max-age=31536000, immutable" ||
				a.Header.Get("Content-Type") != kind {
				r.t.Errorf("%s: %v", paths[i], a.Header)
			}
		}
		r.visitor().get("/static/digest.css").status(http.StatusNotFound) // without its hash it could be cached wrongly
		r.visitor().get("/static/..%2fweb.go").status(http.StatusNotFound)
	})
}

func TestEveryAnswerIsGuarded(t *testing.T) {
	each(t, func(r *room) {
		for _, path := range []string{"/", "/sign-in", "/editions", "/editions/2026-11-20", "/e/x", "/unsubscribe/x",
			"/bot", "/status", "/status?url=https://a.example/", "/ping", "/healthz", "/robots.txt", "/static/x",
			"/nowhere"} {
			h := r.visitor().get(path).Header
			if got := h.Get("Content-Security-Policy"); !strings.HasPrefix(got, "default-src 'none';") ||
				strings.Contains(got, "unsafe") {
				r.t.Errorf("%s: policy %q", path, got)
			}
			if h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Referrer-Policy") != "same-origin" ||
				h.Get("X-Frame-Options") != "DENY" {
				r.t.Errorf("%s: headers %v", path, h)
			}
		}
	})
}

func TestWrongMethods(t *testing.T) {
	each(t, func(r *room) {
		for path, allow := range map[string]string{
			"/": "GET, HEAD", "/editions": "GET, HEAD", "/bot": "GET, HEAD", "/healthz": "GET, HEAD",
			"/status": "GET, HEAD", "/ping": "GET, HEAD, POST", "/RPC2": "POST",
			"/sign-in": "GET, HEAD, POST", "/sign-out": "POST", "/unsubscribe/x": "GET, HEAD, POST",
			"/unsubscribe/x/undo": "GET, HEAD, POST",
		} {
			a := r.visitor().do("DELETE", path, "", nil).status(http.StatusMethodNotAllowed)
			if got := a.Header.Get("Allow"); got != allow {
				r.t.Errorf("%s allows %q, want %q", path, got, allow)
			}
			if path != "/ping" && path != "/RPC2" { // see TestProgramsAreToldInALine
				a.shows("h1", "Method not allowed")
			}
		}
		r.visitor().get("/sign-out").status(http.StatusMethodNotAllowed)
	})
}

// TestEditionTellsOfFeeds checks that the page has the notices and late posts of the email.
func TestEditionTellsOfFeeds(t *testing.T) {
	each(t, func(r *room) {
		u, d := r.user("ann@example.org")
		r.arrives(d, post("on time"))
		r.midnight()
		yesterday := r.now
		f, err := r.store.Feeds.FeedByURL(r.t.Context(), "https://site.example/1")
		r.must(err)

		late := post("held up")
		late.Identity, late.FeedID, late.PublishedAt = "held-up", f.ID, yesterday.Add(-time.Hour)
		r.now = yesterday.Add(2 * time.Hour)
		late.SeenAt = r.now
		_, err = r.store.Feeds.Record(r.t.Context(), r.now,
			[]store.Polled{{Feed: f, Posts: []digest.Post{late}, Listed: []string{late.Identity}}})
		r.must(err)
		r.midnight()
		v := r.visitor().signIn(u)
		v.get("/").status(http.StatusOK).shows(".late", "From an earlier day").shows("article h3", "held up")

		f.GoneAt, f.LastStatus, f.Errors = r.now, http.StatusGone, 1
		_, err = r.store.Feeds.Record(r.t.Context(), r.now, []store.Polled{{Feed: f}})
		r.must(err)
		_, err = r.store.Feeds.Retire(r.t.Context(), r.now, []digest.FeedID{f.ID})
		r.must(err)
		r.midnight()
		a := v.get("/").status(http.StatusOK)
		if got := a.texts(".notice"); len(got) != 1 || !strings.Contains(got[0], "no longer follow it") {
			r.t.Errorf("the page of an edition without posts says %q", got)
		}
	})
}

// TestPagesAreFoundByName checks that only x_y.go or x.go shows the template x_y.html, in each package.
func TestPagesAreFoundByName(t *testing.T) {
	shown := regexp.MustCompile(`(?:s\.[sS]how(?:Page)?\(w, r|\.[sS]how\(\w+), [^"\n]*"([\w/]+)"`)
	pages := map[string]bool{}
	for _, source := range found(t, "*.go", "*/*.go") {
		text, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range shown.FindAllStringSubmatch(string(text), -1) {
			pages[match[1]] = true
			file := strings.TrimSuffix(strings.TrimPrefix(source, "page/"), ".go")
			if match[1] != file && !strings.HasPrefix(match[1], file+"_") {
				t.Errorf("%s.html is shown by %s", match[1], source)
			}
		}
	}
	if n := len(found(t, "templates/*.html", "*/templates/*.html")); n != len(pages)+1 { // and layout.html
		t.Errorf("%d templates, %d of them shown by name", n, len(pages))
	}
}

// found returns the paths of files by patterns.
func found(t *testing.T, patterns ...string) (paths []string) {
	for _, pattern := range patterns {
		some, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, some...)
	}
	return paths
}
