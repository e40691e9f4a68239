package render

import (
	"strings"
	"testing"

	"digest"
)

// TestLinkPosts: a post about another site names it, in both forms that feeds use. Other posts do not.
func TestLinkPosts(t *testing.T) {
	const home = "https://blog.example.org/"
	for name, c := range map[string]struct {
		post         digest.Post
		byline, file string
	}{
		"its own page": {digest.Post{URL: "https://www.example.org/1", SiteURL: home}, "", ""},
		"the address leads there": {digest.Post{URL: "https://www.theverge.com/2026/x", SiteURL: home},
			"→ theverge.com", ""},
		"it names the page": {digest.Post{URL: "https://blog.example.org/1", SiteURL: home,
			LeadsTo: "https://www.theverge.com/2026/x"}, "", "→ theverge.com"},
		"where an episode plays": {digest.Post{URL: "https://player.example.com/1", SiteURL: home,
			Enclosures: []digest.Enclosure{{URL: "https://cdn.example/1.mp3"}}}, "", "Listen"},
		"a detour home": {digest.Post{URL: "http://feedproxy.google.com/~r/blog/~3/x/", SiteURL: home}, "",
			""},
		"no site is known": {digest.Post{URL: "https://www.theverge.com/2026/x"}, "", ""},
		// its host is the link
		"without a title": {digest.Post{URL: "https://www.theverge.com/2026/x", SiteURL: home, Untitled: true,
			Summary: "Some words."}, "", ""},
		"from right to left": {digest.Post{URL: "https://www.theverge.com/2026/x", SiteURL: home,
			Title: "המפה"}, "\u200f← theverge.com", ""},
		"comments elsewhere": {digest.Post{URL: "https://blog.example.org/1", SiteURL: home,
			Comments: "https://news.example/item?id=1"}, "", "Comments"},
		"comments by a script": {digest.Post{URL: "https://blog.example.org/1", SiteURL: home,
			Comments: "javascript:alert(1)"}, "", ""},
		"no address": {digest.Post{URL: "https://blog.example.org/1", SiteURL: home,
			LeadsTo: "javascript:alert(1)"}, "", ""},
	} {
		if c.post.Title == "" {
			c.post.Title = "A link"
		}
		p := plain.Post(c.post)
		file := ""
		if len(p.Files) > 0 {
			file = p.Files[0].Label
		}
		if p.Byline != c.byline || file != c.file {
			t.Errorf("%s: %q, %q", name, p.Byline, file)
		}
	}
	p := page()
	p.Sections = []Section{{Title: "Links", URL: home,
		Posts: []*Post{plain.Post(digest.Post{URL: home + "1", SiteURL: home,
			LeadsTo: "https://www.theverge.com/2026/x?a=1&b=2", Comments: "https://news.example/1", Author: "Ann",
			Title: "A link"})}}}
	m := checkedMail(t, p)
	if !strings.Contains(m.HTML,
		`href="https://www.theverge.com/2026/x?a=1&amp;b=2" style="color:#6b655c">→ theverge.com</a>`) ||
		!strings.Contains(m.HTML, `Ann · <a class="by" href="https://news.example/1" `+
			`style="color:#6b655c">Comments</a>`) ||
		!strings.Contains(m.Text, "Comments:\nhttps://news.example/1\n") ||
		!strings.Contains(m.Text, "→ theverge.com:\nhttps://www.theverge.com/2026/x?a=1&b=2\n") {
		t.Errorf("%s\n%s", m.HTML, m.Text)
	}
}

// TestUntitledByItsFeed: if a feed gives no title, the generated title for lists does not become a headline.
func TestUntitledByItsFeed(t *testing.T) {
	p := page(sampleSite{"Pier", "https://pier.example/", "en", []digest.Post{{
		URL: "https://pier.example/a", Title: "The ferry was an hour late", Untitled: true,
		Summary: "The ferry was an hour late. Nobody minded.",
	}}})
	m := checkedMail(t, p)
	_, shown, _ := strings.Cut(shownText(t, m.HTML), "No. 128")
	if strings.Contains(m.HTML, "<h3") || strings.Count(shown, "The ferry") != 1 ||
		strings.Count(m.Text, "The ferry") != 1 {
		t.Errorf("%s", m.Text)
	}
}
