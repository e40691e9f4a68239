package render

import (
	"strings"
	"testing"
	"unicode/utf8"

	"digest"
)

// FuzzEdition renders arbitrary text of a feed and checks the same properties as TestAnyEdition.
func FuzzEdition(f *testing.F) {
	f.Add("A title", "https://a.example/", "Ada", "A summary.", "en", "A site", "<p>Content</p>", 1)
	f.Add("\r\n<script>", "javascript:x", "\u202e", "日本語", "ja\"", "</h2>", "<", 300)
	f.Add("\xff\xfe", "https://[::1", "\u200d", strings.Repeat("a\u0301", 300), "x-", "\x00", "<<<>", 40)
	f.Add("24 \u05e9\u05e2\u05d5\u05ea", "https://a.example/", "", "\u2069 \u05d0 \u2068", "he", "\u2068", "", 0)
	f.Fuzz(func(t *testing.T, title, url, author, summary, language, site, content string, n int) {
		p := page()
		b := plain.Post(digest.Post{URL: url, Title: title, Author: author, Summary: summary, Language: language,
			Content: content})
		s := Section{Title: site, URL: url, Language: language}
		for range max(0, min(n, 400)) {
			s.Posts = append(s.Posts, b)
		}
		s.Late = n / 2
		p.Sections = []Section{s}
		p.Notices = append(said(title, SiteName(summary, url), "From "+SiteName(title, url)+" between 09:10 and 23:50",
			content), movedNotice(title, url, summary))
		p.Name, p.Recipient = site, author
		m := checkedMail(t, p)
		doc := parse(t, m.HTML)
		checkLinks(t, doc, m.Text)
		checkMarks(t, m, doc)
		if !strings.Contains(m.HTML, p.UnsubscribeURL) || !strings.Contains(m.Text, p.UnsubscribeURL) {
			t.Error("no way out")
		}
	})
}

// FuzzFullText renders arbitrary content as full text. The page must be well formed and use only supported features.
// All its links and pictures must be allowed ones.
func FuzzFullText(f *testing.F) {
	for _, s := range []sampleSite{workshop(), toldInHebrew(), toldInArabic(), toldInJapanese(), toldInChinese()} {
		f.Add(s.posts[0].Content, s.language, uint8(2), 3)
	}
	f.Add(strings.Repeat("<ul><li>", 300)+"<p>deep<pre>a\n\tb</pre>", "en", uint8(0), 200)
	f.Add("<table><tr><td rowspan=9 colspan=99>a<td>b<tr><th>c</table><a href='javascript:x'><img src=//x onerror=y>",
		"x-", uint8(1), 40)
	f.Add("<p style='x' onclick=y>\u202e\x00<b><i></b>\xff<svg><script>z</script></svg><plaintext>", "ja\"",
		uint8(2), 1)
	f.Fuzz(func(t *testing.T, content, language string, images uint8, n int) {
		look := digest.Look{Layout: digest.FullText, Images: []digest.Images{digest.NoImages, digest.LinkedImages,
			digest.ProxiedImages}[images%3]}
		s := sampleSite{"A site", "https://a.example/", language,
			[]digest.Post{{URL: "https://a.example/1", Title: "A title", Content: content, Language: language}}}
		p := looking(look, s)
		for range max(0, min(n, 30)) {
			p.Sections[0].Posts = append(p.Sections[0].Posts, p.Sections[0].Posts[0])
		}
		m := checkedMail(t, p)
		for _, fault := range faultsOf(t, m) {
			if !strings.HasSuffix(fault, "of the words are in both versions") { // with few words the share means little
				t.Error(fault)
			}
		}
		if !strings.Contains(m.HTML, p.UnsubscribeURL) || !strings.Contains(m.Text, p.UnsubscribeURL) {
			t.Error("no way out")
		}
	})
}

// FuzzNotice inserts arbitrary names into a sentence. The sentence must stay one line, and its direction must not leak.
func FuzzNotice(f *testing.F) {
	f.Add("The Harbour Log", "https://harbour.example/feed")
	f.Add("\u2069\u05d0\u2068\u2068", "https://[::1]:8080/")
	f.Add(strings.Repeat("\u05e9\u05b7", 300), "")
	f.Add("\xff\u202e\r\n\u2067a", "x://y@z")
	f.Fuzz(func(t *testing.T, title, address string) {
		name := SiteName(title, address)
		notice := "You may have missed posts from " + name +
			" on Thursday 19 November, 09:10–23:50. Look for them on its website."
		if widthOf(name) > siteColumns || strings.TrimSpace(name) == "" {
			t.Errorf("the name %q", name)
		}
		if got := cleanNotice(notice); got != notice {
			t.Errorf("%q becomes %q", notice, got)
		}
		raw := cleanNotice("From " + title + " at 09:10")
		if paired(raw) != raw || widthOf(raw) > noticeColumns || strings.ContainsAny(raw, "\r\n\u202e\u2067\ufffd") &&
			!strings.Contains(title, "\ufffd") && utf8.ValidString(title) {
			t.Errorf("%q becomes %q", title, raw)
		}
		if again := cleanNotice(raw); again != raw {
			t.Errorf("%q becomes %q", raw, again)
		}
	})
}
