package render

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"digest"
)

func TestByline(t *testing.T) {
	seen := time.Date(2026, 11, 20, 1, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		post digest.Post
		want string
	}{
		{digest.Post{Author: "Ada", SeenAt: seen, PublishedAt: seen.Add(-71 * time.Hour)}, "Ada"},
		// old enough for a date
		{digest.Post{Author: "Ada", SeenAt: seen, PublishedAt: seen.Add(-73 * time.Hour)}, "Ada · 17 November 2026"},
		{digest.Post{SeenAt: seen, Content: strings.Repeat("<p class='not words'>one two</p>", 345)}, "3 min read"},
		{digest.Post{SeenAt: seen, Content: strings.Repeat("漢字", 900)}, "4 min read"},
		{digest.Post{SeenAt: seen, Content: "a few words"}, ""}, // a minute is not shown
		{digest.Post{Author: "רנה", Language: "he", Content: strings.Repeat("word ", 460)},
			"\u200f\u2068רנה\u2069 · \u20682 min read\u2069"},
	} {
		c.post.Title = c.post.Author
		if got := plain.Post(c.post).Byline; got != c.want {
			t.Errorf("byline %q, want %q", got, c.want)
		}
	}
}

func TestBlockNames(t *testing.T) {
	for _, c := range []struct {
		post           digest.Post
		title, excerpt string
	}{
		{digest.Post{Title: " A\n\ttitle ", Summary: "Text."}, "A title", "Text."},
		{digest.Post{Title: "Same", Summary: "Same"}, "Same", ""}, // not twice
		{digest.Post{Summary: "Only a text."}, "Only a text.", "Only a text."},
		{digest.Post{Title: "\x00\u202e"}, "Untitled", ""},
		{digest.Post{Title: "AT&amp;T <b>"}, "AT&amp;T <b>", ""}, // titles are text, so nothing is decoded
	} {
		if b := plain.Post(c.post); b.Title != c.title || b.Excerpt != c.excerpt {
			t.Errorf("%q, %q, want %q, %q", b.Title, b.Excerpt, c.title, c.excerpt)
		}
	}
}

func TestCut(t *testing.T) {
	for _, c := range []struct {
		in   string
		cols int
		want string
	}{
		{"short", 5, "short"},
		{"one two three", 10, "one two…"},
		{"one, two three", 6, "one…"},      // no comma before the dots
		{"onetwothreefour", 8, "onetwot…"}, // no space near
		{"日本語日本語", 12, "日本語日本語"},           // two columns each
		{"日本語日本語", 11, "日本語日本…"},
		{"abcde\u0301fgh", 6, "abcde\u0301…"}, // the accent stays with its letter
		{"👩‍👩‍👧x yyyyyyy", 6, "👩‍👩…"},         // no trailing joiner
	} {
		if got := cut(c.in, c.cols); got != c.want {
			t.Errorf("cut(%q, %d) = %q, want %q", c.in, c.cols, got, c.want)
		}
	}
}

func TestCleanBoundsBytesToo(t *testing.T) {
	piled := "a" + strings.Repeat("\u0301", 100_000)
	if got := clean(piled, 180); len(got) > 20 {
		t.Errorf("%d bytes of marks", len(got))
	}
	if got := clean("\u200d\u200d a"+strings.Repeat("\u200d", 5000), 10); len(got) > 40 {
		t.Errorf("%d bytes of joiners", len(got))
	}
	const wales = "🏴\U000e0067\U000e0062\U000e0077\U000e006c\U000e0073\U000e007f"
	if got := clean(wales+"a\U000e0061🏴\U000e0068", 80); got != wales+"a🏴" {
		t.Errorf("tags: %+q", got)
	}
	if got := clean("a\xffb\u2028c\u00add", 80); got != "a\ufffdb cd" || !utf8.ValidString(got) {
		t.Errorf("%q", got)
	}
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		in   string
		cols int
		want string
	}{
		{"aaa bbb ccc", 7, "aaa bbb|ccc|"},
		{"aaa bbbbbbbbbb c", 5, "aaa|bbbbbbbbbb|c|"}, // a long word stays whole
		{"bbbbbbbbbb c", 5, "bbbbbbbbbb|c|"},
		{"日本語日本語", 6, "日本語|日本語|"},  // no spaces needed
		{"日本語、日本", 6, "日本|語、日|本|"}, // no line begins with a comma
		{"日本 abcdef", 6, "日本|abcdef|"},
		{"", 6, ""},
	} {
		got := ""
		for s := c.in; s != ""; {
			end, next := lineEnd(s, c.cols)
			got += s[:end] + "|"
			s = s[next:]
		}
		if got != c.want {
			t.Errorf("%q in %d columns is %q, want %q", c.in, c.cols, got, c.want)
		}
	}
}

func TestAddress(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"https://a.example/x?y=z&a=%20#f", "https://a.example/x?y=z&a=%20#f"}, // unchanged
		{" http://a.example ", "http://a.example"},
		{"HTTPS://a.example/", "HTTPS://a.example/"},
		{"https://a.example/a b\"<>", "https://a.example/a%20b%22%3C%3E"},
		{"https://a.example/é", "https://a.example/%C3%A9"},
		{"https://a.example/100%-sure?%", "https://a.example/100%-sure?%"}, // as in browsers
		{`https:\\a.example\b?c\d`, "https://a.example/b?c%5Cd"},
		{`https://a.example\@b.example/`, "https://a.example/@b.example/"},
		{"https://[2001:db8::1]/", "https://[2001:db8::1]/"},
		{"javascript:alert(1)", ""},
		{"//a.example/", ""},
		{"/path", ""},
		{"https://", ""},
		{"https://user@a.example/", ""},    // shows one host and links to another
		{"https://a.example/\r\nX: y", ""}, // control characters are not valid
		{"https://a.example/" + strings.Repeat("x", 2000), ""},
		{"mailto:a@b.example", ""},
	} {
		if got := address(c.in); got != c.want {
			t.Errorf("address(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func TestLanguage(t *testing.T) {
	for _, c := range []struct{ tag, text, want string }{
		{"en_GB", "", "en-GB"},
		{"zh-Hant-TW", "", "zh-Hant-TW"},
		{`en" x="`, "", ""},
		{"e", "", ""},
		{"english (UK)", "", ""},
		{"English", "", ""},
		{"root", "", ""},
		{"jp", "", ""}, // a country, not a language
		{"zh_CN.UTF-8", "", "zh"},
		{"en-GB,en;q=0.9", "", "en"},
		{"en-" + strings.Repeat("x", 40), "", ""},
		{"i-klingon", "", "i-klingon"},
		{"", "銭湯の", "ja"},
		{"", "Go 言語", "zh"},
		{"", "한국어", "ko"},
		{"", "ברכבת", "he"},
		{"", "Привет", ""}, // many languages use this script
		{"", "المخبز", ""},
	} {
		b := plain.Post(digest.Post{Title: "x " + c.text, Language: c.tag})
		if b.Language != c.want {
			t.Errorf("language of %q, %q: %q, want %q", c.tag, c.text, b.Language, c.want)
		}
	}
}

// TestDirection: most letters decide the direction. If some letters run from right to left, the language decides.
func TestDirection(t *testing.T) {
	for _, c := range []struct{ text, language, want string }{
		{"ברכבת Go", "", "rtl"},
		{"Linux 7 ברכבת", "", "auto"},
		{"Linux and Windows ברכבת", "he", "rtl"},
		{"Linux and Windows ברכבת", "en", "auto"},
		{"Linux", "he", "auto"},
		{"24", "ar", "auto"},
	} {
		if got := direction(c.text, c.language); got != c.want {
			t.Errorf("%q in %q runs %s, want %s", c.text, c.language, got, c.want)
		}
	}
}

// TestShortKeepsTheRest: a short post is the complete one with less of its excerpt.
func TestShortKeepsTheRest(t *testing.T) {
	b := plain.Post(harbour().posts[0])
	s := b.short()
	if len(s.html.decoded()) >= len(b.rest.html.decoded()) || !strings.Contains(s.html.decoded(), "…</p>") ||
		!strings.Contains(s.text.decoded(), b.URL) {
		t.Errorf("%s", s.html.decoded())
	}
}

// TestAuthorOnce: a section whose posts have one author names them at its first post.
func TestAuthorOnce(t *testing.T) {
	for _, l := range []digest.Layout{digest.Headlines, digest.Excerpts} {
		p := page(harbour(), garden())
		p.Layout = l
		m := mailOf(t, p)
		for name, version := range map[string]string{"HTML": m.HTML, "text": m.Text} {
			if n := strings.Count(version, "Maud Pell"); n != 1 || !strings.Contains(version, "3 min read") {
				t.Errorf("%s of %q names the author of two posts %d times", name, l, n)
			}
		}
		if n := strings.Count(m.Text, "Ines & Tom"); n != 2 {
			t.Errorf("%q names one of the authors of a site %d times", l, n)
		}
	}
}
