package feed

import (
	"fmt"
	"strings"
	"testing"

	"digest"
)

func TestLinks(t *testing.T) {
	const page = "https://anna.example/boats"
	key := func(address string, own bool) digest.Link {
		return digest.Link{Key: LinkKey(address), Site: SiteKey(address), Own: own}
	}
	var many strings.Builder
	for i := range 3 * mostLinks {
		fmt.Fprintf(&many, `<a href="https://x%d.example/">x</a>`, i)
	}
	for name, c := range map[string]struct {
		url, content string
		want         []digest.Link
	}{
		"none": {page, "<p>No link.</p>", nil},
		"others and own": {page, `<a href="https://b.example/1">b</a> <a href="https://blog.anna.example/x">a</a>`,
			[]digest.Link{key("https://b.example/1", false), key("https://blog.anna.example/x", true)}},
		"each once": {page,
			`<a href="http://www.b.example/1/?utm_source=x#y">b</a> <a href="https://b.example/1">b</a>`,
			[]digest.Link{key("https://b.example/1", false)}},
		"not itself": {page, `<a href="https://anna.example/boats#top">top</a>`, nil},
		"an ampersand": {page, `<a href="https://b.example/?a=1&amp;b=2">b</a>`,
			[]digest.Link{key("https://b.example/?a=1&b=2", false)}},
		"no web address": {page, `<a href="mailto:a@b.example">b</a><a href="tel:1">c</a>`, nil},
		"a link post": {"https://far.example/x",
			`<a href="https://far.example/x">x</a> <a href="https://anna.example/y">y</a> <a ` +
				`href="https://far.example/z">z</a>`,
			[]digest.Link{key("https://far.example/x", false), key("https://anna.example/y", true),
				key("https://far.example/z", false)}},
		"a broken ending": {page, `<a href="https://b.example/1`, []digest.Link{key("https://b.example/1", false)}},
	} {
		got := Links(digest.Post{URL: c.url, Content: c.content}, "https://feeds.example/anna", "https://anna.example/")
		if fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	if got := len(Links(digest.Post{URL: page, Content: many.String()}, "https://feeds.example/anna",
		"https://anna.example/")); got != mostLinks {
		t.Errorf("of very many links %d are known, want %d", got, mostLinks)
	}
}

// The store contains keys: they must not change between versions.
func TestLinkKeys(t *testing.T) {
	for address, want := range map[string]int64{
		"https://www.example.org/a/?utm_medium=x": LinkKey("http://example.org/a"), "mailto:x": 0, "": 0} {
		if got := LinkKey(address); got != want {
			t.Errorf("%s: %d, want %d", address, got, want)
		}
	}
	if got := LinkKey("https://example.org/a"); got != -7757377756152207103 {
		t.Errorf("the key of an address has become %d", got)
	}
	if got := SiteKey("https://blog.example.org/a"); got != SiteKey("Example.org") || got != -8160016599133139436 {
		t.Errorf("the key of a site has become %d", got)
	}
	for _, site := range []string{"", "localhost", "https://", "x y"} {
		if got := SiteKey(site); got != 0 {
			t.Errorf("%q: %d", site, got)
		}
	}
}
