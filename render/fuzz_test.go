package render

import (
	"strings"
	"testing"

	"digest"
)

// FuzzEdition feeds whatever a feed may hold to a page and checks what
// TestAnyEdition does.
func FuzzEdition(f *testing.F) {
	f.Add("A title", "https://a.example/", "Ada", "A summary.", "en", "A site", "<p>Content</p>", 1)
	f.Add("\r\n<script>", "javascript:x", "\u202e", "日本語", "ja\"", "</h2>", "<", 300)
	f.Add("\xff\xfe", "https://[::1", "\u200d", strings.Repeat("a\u0301", 300), "x-", "\x00", "<<<>", 40)
	f.Add("24 \u05e9\u05e2\u05d5\u05ea", "https://a.example/", "", "\u2069 \u05d0 \u2068", "he", "\u2068", "", 0)
	f.Fuzz(func(t *testing.T, title, url, author, summary, language, site, content string, n int) {
		p := page()
		b := NewBlock(digest.Post{URL: url, Title: title, Author: author, Summary: summary, Language: language, Content: content})
		s := Site{Title: site, URL: url, Language: language}
		for range max(0, min(n, 400)) {
			s.Blocks = append(s.Blocks, b)
		}
		s.Late = n / 2
		p.Sites = []Site{s}
		p.Notices = []string{title, SiteName(summary, url), "From " + SiteName(title, url) + " between 09:10 and 23:50", content}
		p.Name, p.Recipient = site, author
		m, err := Edition(p)
		if err != nil {
			t.Fatal(err)
		}
		coded, err := Encoded(p)
		if err != nil {
			t.Fatal(err)
		}
		checkSizes(t, m, coded)
		checkDecodes(t, coded.HTML, m.HTML)
		checkDecodes(t, coded.Text, m.Text)
		doc := parse(t, m.HTML)
		checkLinks(t, doc, m.Text)
		checkMarks(t, m, doc)
		if !strings.Contains(m.HTML, p.UnsubscribeURL) || !strings.Contains(m.Text, p.UnsubscribeURL) {
			t.Error("no way out")
		}
	})
}
