package feed

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// oddLinks are unusual links, the page that a browser opens for each, and the identity of stored posts with the link.
// The identities are older than the reading of links as in browsers.
var oddLinks = []struct{ ref, page, identity string }{
	{"https://x.example/100%-sure", "https://x.example/100%-sure", "https://x.example/100%-sure"},
	{"/50%/a", "https://a.example/50%/a", "https://a.example/50%/a"},
	{"50%.html", "https://a.example/blog/50%.html", "50%.html"},
	{`posts\a.html`, "https://a.example/blog/posts/a.html", "https://a.example/blog/posts%5Ca.html"},
	{`\posts\a?b\c`, `https://a.example/posts/a?b\c`, `https://a.example/blog/%5Cposts%5Ca?b\c`},
	{`https://x.example\a\b`, "https://x.example/a/b", `https://x.example\a\b`},
	{`https:\\x.example\a`, "https://x.example/a", `https:\\x.example\a`},
	{"https://x.example/a b", "https://x.example/a b", "https://x.example/a b"},
	{"a b|c[1]", "https://a.example/blog/a%20b|c[1]", "https://a.example/blog/a%20b%7Cc%5B1%5D"},
	{"https://x.example/é|詹", "https://x.example/é|詹", "https://x.example/é|詹"},
}

// TestOddLinks checks that a post links to the page that a browser would open, and keeps its stored identity (I4).
func TestOddLinks(t *testing.T) {
	for _, c := range oddLinks {
		for kind, doc := range map[string]string{
			"RSS": `<rss version="2.0"><channel><link>https://a.example/blog/</link><item><title>T</title><link>` +
				`%s</link></item></channel></rss>`,
			"Atom": `<feed xmlns="http://www.w3.org/2005/Atom"><entry><title>T</title><link href="%s"/></entry></feed>`,
			"JSON": `{"version":"https://jsonfeed.org/version/1","items":[{"content_text":"T","url":"%s"}]}`,
		} {
			ref := c.ref
			if kind == "JSON" {
				ref = strings.ReplaceAll(ref, `\`, `\\`)
			}
			d, err := Parse([]byte(fmt.Sprintf(doc, ref)), "", "https://a.example/blog/")
			if err != nil || len(d.Posts) != 1 {
				t.Fatalf("%s, %s: %v", kind, c.ref, err)
			}
			if p := d.Posts[0]; p.Identity != c.identity || p.Link != c.identity {
				t.Errorf("%s, %s: identity %q of %q, want %q", kind, c.ref, p.Identity, p.Link, c.identity)
			}
			if got := d.Posts[0].Sanitise(time.Now()).URL; got != c.page {
				t.Errorf("%s, %s: leads to %q, want %q", kind, c.ref, got, c.page)
			}
		}
	}
}

// TestOddAddressesInText checks that links and pictures in HTML, and enclosures, resolve as in browsers.
func TestOddAddressesInText(t *testing.T) {
	for ref, want := range map[string]string{
		"https://b.example/css-unit-%/": "https://b.example/css-unit-%25/",
		"50%.jpg":                       "https://a.example/blog/50%25.jpg",
		`pics\a.jpg`:                    "https://a.example/blog/pics/a.jpg",
		`\\b.example\a.jpg`:             "https://b.example/a.jpg",
		"a b.jpg?c d":                   "https://a.example/blog/a%20b.jpg?c%20d",
		"é.jpg":                         "https://a.example/blog/%C3%A9.jpg",
		"https://BÜCHER.example/a.jpg":  "https://xn--bcher-kva.example/a.jpg",
		"a|b[1].jpg":                    "https://a.example/blog/a%7Cb%5B1%5D.jpg",
		"/x/../a.jpg":                   "https://a.example/a.jpg",
	} {
		got, c := sanitise(`<a href="`+ref+`">x</a><img src="`+ref+`"><img srcset="`+
			strings.ReplaceAll(ref, " ", "%20")+` 700w">`, "https://a.example/blog/")
		if strings.Count(got, `"`+want+`"`) != 3 || c.picture != want {
			t.Errorf("%s: %s, picture %s", ref, got, c.picture)
		}
	}
	const doc = `<rss version="2.0"><channel><link>https://a.example/blog/</link><item><title>T</title><enclosure ` +
		`url="%s" type="audio/mpeg"/></item></channel></rss>`
	for ref, want := range map[string]string{
		`sound\a.mp3`: "https://a.example/blog/sound/a.mp3", "50%.mp3": "https://a.example/blog/50%.mp3",
		`https://b.example\a.mp3`:    "https://b.example/a.mp3",
		"https://b.example/100%.mp3": "https://b.example/100%.mp3",
	} {
		d := mustParse(t, fmt.Sprintf(doc, ref), "https://a.example/blog/feed")
		if files := d.Posts[0].Sanitise(time.Now()).Enclosures; len(files) != 1 || files[0].URL != want {
			t.Errorf("%s: %+v", ref, files)
		}
	}
}

// TestOddOffers checks that pages and lists offer feeds at addresses that browsers can read.
func TestOddOffers(t *testing.T) {
	for ref, want := range map[string]string{
		"100%.xml": "https://a.example/blog/100%.xml", `feeds\a.xml`: "https://a.example/blog/feeds/a.xml",
		`https:\\b.example\a`: "https://b.example/a",
	} {
		d := parsePage(`<link rel=alternate type=application/rss+xml href="`+ref+`">`, "https://a.example/blog/")
		if len(d.Feeds) != 1 || d.Feeds[0].URL != want {
			t.Errorf("%s: %+v", ref, d.Feeds)
		}
	}
	for typed, want := range map[string]string{
		"a.example/100%.xml": "https://a.example/100%.xml", `https:\\a.example\feed?b\c`: `https://a.example/feed?b\c`,
		"https://a.example/a b":         "https://a.example/a b",
		"https://ann:se%@a.example/":    "https://ann:se%25@a.example/",
		`https://a.example\@b.example/`: "https://a.example/@b.example/",
	} {
		if got, err := NormalURL(typed); got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q %v, want %q", typed, got, err, want)
		}
	}
}
