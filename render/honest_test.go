package render

import (
	"strings"
	"testing"

	"digest"
)

// TestCandidLinks: a headline that begins like another site's address says so,
// and a link that shows nothing but such an address shows the true one.
func TestCandidLinks(t *testing.T) {
	for _, c := range [][3]string{
		{"https://news.example/1", "Amazon.com buys it", "“Amazon.com” buys it"},
		{"https://news.example/1", "www.youtube.com", "“www.youtube.com”"},
		{"https://news.example/1", "https://bank.co.uk/login?a=1 and more", "“https://bank.co.uk/login?a=1” and more"},
		{"https://aws.amazon.com/1", "Amazon.com buys it", "Amazon.com buys it"},
		{"https://user.github.io/1", "other.github.io moves", "“other.github.io” moves"},
		{"https://news.example/1", "Node.js 24 is out", "Node.js 24 is out"},
		{"https://news.example/1", "3.5 reasons", "3.5 reasons"},
		{"https://news.example/1", "Why Amazon.com buys it", "Why Amazon.com buys it"},
		{"https://news.example/1", "Amazon.com’s plan", "Amazon.com’s plan"},
		{"https://news.example/1", "Amazon.com, Inc.", "Amazon.com, Inc."},
		{"https://news.example/1", "www.amazon.com, again", "“www.amazon.com”, again"},
	} {
		if got := candid(c[1], c[0]); got != c[2] {
			t.Errorf("%q leading to %s becomes %q, want %q", c[1], c[0], got, c[2])
		}
	}
	for content, want := range map[string]string{
		`<a href="https://evil.example/in">https://bank.example/</a>`:       ">evil.example/in</a>",
		`<a href="https://evil.example/in"><b>www</b>.bank.com says</a>`:    "><strong>“www</strong>.bank.com” says</a>",
		`<a href="https://www.bank.example/in">https://bank.example/…</a>`:  ">https://bank.example/…</a>",
		`<a href="https://evil.example/">See <i>https://bank.example/</i>.`: ">See <em>https://bank.example/</em>.</a>",
		`<a href="https://evil.com/"><b>Bank.com</b>’s</a>`:                 "><strong>Bank.com</strong>’s</a>",
		`<a href="mailto:a@evil.example">www.bank.com</a>`:                  ">www.bank.com</a>",
	} {
		s := &setter{}
		s.inlineHTML(grow(content, digest.NoImages, nil)[0].line, where{})
		if got := s.w.String(); !strings.HasSuffix(got, want) {
			t.Errorf("%s becomes %s, want %s", content, got, want)
		}
	}
}

// TestAddressesIn holds the count to what rspamd 3.4 counts in such messages.
func TestAddressesIn(t *testing.T) {
	for _, c := range []struct {
		html, text string
		want       int
	}{
		{`<a href="https://boston.com/a">the words</a>`, "the words [1]\n\n[1] https://boston.com/a\n", 2},
		{`<a href="https://www.boston.com">Boston.com</a>`, "Boston.com [2]\n\n[2] https://www.boston.com\n", 2},
		{`<a href="http://x.com">x.com</a>`, "x.com [2]\n\n[2] http://x.com\n", 3},
		{`<a href="https://boston.com/a/b">https://boston.com/a</a>`, "https://boston.com/a [1]\n\n[1] https://boston.com/a/b\n", 2},
		{`<a href="https://boston.com/a">https://boston.com/a</a>`, "https://boston.com/a\n", 4},
		{`<a href="https://a.com/?u=https%3A%2F%2Fb.com">it</a>`, "it:\nhttps://a.com/?u=https%3A%2F%2Fb.com\n", 3},
		{`see boston.com, or https://boston.com/a`, "see boston.com, or https://boston.com/a", 2},
		{`<a href="https://a.com/?u=it%20https://b.com">it</a>`, "it:\nhttps://a.com/?u=it%20https://b.com\n", 3},
		{`<a href="https://boston.com/(x)">it</a>`, "it:\nhttps://boston.com/(x)\n", 1},
		{`<a href="https://boston.com/x%20(x)">it</a>`, "it:\nhttps://boston.com/x%20(x)\n", 2},
		{`<a href="https://a.com/it&#39;s">it</a>`, "it:\nhttps://a.com/it's\n", 1},
		{`<a href="https://a.com/">“www.boston.com” is</a>`, "www.boston.com is\nhttps://a.com/\n", 3},
		{`<a href="https://a.com/">see www.boston.com</a>`, "see www.boston.com\nhttps://a.com/\n", 4},
		{`<a href="http://a.com/">www.a.com</a>.`, "www.a.com [1].\n\n[1] http://a.com/\n", 3},
		{`<strong><a href="http://a.com/">www.a.com</a></strong>.`, "www.a.com [1].\n\n[1] http://a.com/\n", 3},
		{`<a href="http://a.com/">www.a.com</a>,`, "www.a.com [1],\n\n[1] http://a.com/\n", 2},
		{`<a href="http://a.com/">www.a.com/x</a>,`, "www.a.com/x [1],\n\n[1] http://a.com/\n", 3},
		{`<a href="http://x.com">x.com is it</a>`, "x.com is it [2]\n\n[2] http://x.com\n", 3},
		{`www.a.com… www.a.com: www.a.com, (www.a.com) "www.a.com" Http://a.com/`, "", 3},
		{`<img src="https://a.com/1"> 1 &lt; 2`, "1 < 2, (http://127.0.0.1/), http://site.example/", 2},
	} {
		if got := addressesIn(c.html) + mentions(c.text); got%2 != c.want%2 {
			t.Errorf("%d addresses in\n%s\n%s\nwant %d, or as odd", got, c.html, c.text, c.want)
		}
	}
}

// TestPicturesInLinks: what a picture in a link says is how the link begins.
func TestPicturesInLinks(t *testing.T) {
	content := `<p><a href="https://news.com/"><img src="https://news.com/1.png" alt="bank.com"> bank.com</a></p>`
	s := &setter{}
	s.inlineHTML(grow(content, digest.ProxiedImages, func(string) string { return "https://paper.com/1" })[0].line, where{})
	if got := s.w.String(); !strings.Contains(got, `alt="“bank.com”"`) {
		t.Errorf("%s becomes %s", content, got)
	}
}
