package poller

import (
	"fmt"
	"strings"
	"testing"
)

func notes(visitors int, names ...string) string {
	var b strings.Builder
	for _, name := range names {
		fmt.Fprintf(&b, `<li class="h-entry"><a class="u-url p-name" href="/%[1]s">%[1]s</a></li>`, name)
	}
	return fmt.Sprintf(
		`<html><head><title>Notes</title></head><body><p>%d visitors</p><ul class="h-feed">%s</ul></body></html>`,
		visitors, b.String())
}

func TestFindPageAsFeed(t *testing.T) {
	for why, test := range map[string]struct {
		bodies     map[string]string
		kind, path string
	}{
		"a page that offers no feed": {map[string]string{"/": notes(1, "one")}, "hfeed", "/"},
		"a page that offers another": {map[string]string{"/": strings.Replace(notes(1, "one"), "</head>",
			`<link rel="alternate" type="application/atom+xml" href="/a"></head>`, 1), "/a": atom(1)}, "atom", "/a"},
		"a page that says so of itself": {map[string]string{"/": strings.Replace(notes(1, "one"), "</head>",
			`<link rel="feed" type="text/html" href="/"></head>`, 1)}, "hfeed", "/"},
	} {
		s := newSite(t, paths(test.bodies))
		r := newReader(t, s.url("/"))
		found, err := find(r.p, s.url("/"))
		if err != nil || found.Feed.Kind != test.kind || found.Feed.URL != s.url(test.path) ||
			len(found.Document.Posts) != 1 {
			t.Errorf("%s: %+v, %v", why, found.Feed, err)
		}
	}
}

func TestPollPageAsFeed(t *testing.T) {
	s := newSite(t, nil)
	s.says(200, notes(1, "one"))
	r := newReader(t, s.url("/notes"))
	r.want(Changed)
	s.says(200, notes(2, "one"))
	if result := r.want(Unchanged); result.Document != nil {
		t.Error("the posts are handed on again")
	}
	s.says(200, notes(3, "two", "one"))
	if result := r.want(Changed); len(result.Document.Posts) != 2 || r.feed.Kind != "hfeed" {
		t.Errorf("%+v", r.feed)
	}
	s.says(200, strings.Replace(notes(3, "two", "one"), "</head>",
		`<link rel="alternate" type="application/atom+xml" href="/a"></head>`, 1))
	r.want(Unchanged)
	hash := r.feed.BodyHash
	s.says(200, page())
	if r.want(Failed); r.feed.BodyHash != hash || !strings.Contains(r.feed.LastError, "a web page") {
		t.Errorf("%+v", r.feed)
	}
}

// TestPageInPlaceOfAFeed holds that a page in the place of a feed is no news, whatever its markup.
func TestPageInPlaceOfAFeed(t *testing.T) {
	s := newSite(t, nil)
	s.says(200, atom(1))
	r := newReader(t, s.url("/feed"))
	r.want(Changed)
	s.says(200, notes(1, "one"))
	if r.want(Failed); r.feed.Kind != "atom" {
		t.Errorf("%+v", r.feed)
	}
}
