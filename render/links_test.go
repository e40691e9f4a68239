package render

import (
	"strings"
	"testing"

	"digest"
)

// TestCandidLinks: a headline that begins like another site's address gets quotation marks. A link that shows only such
// an address shows the true one.
func TestCandidLinks(t *testing.T) {
	for _, c := range [][3]string{
		{"https://news.example/1", "Amazon.com buys it", "“Amazon.com” buys it"},
		{"https://news.example/1", "www.youtube.com", "“www.youtube.com”"},
		{"https://news.example/1", "https://bank.co.uk/login?a=1 and more",
			"“https://bank.co.uk/login?a=1” and more"},
		{"https://aws.amazon.com/1", "Amazon.com buys it", "Amazon.com buys it"},
		{"https://user.github.io/1", "other.github.io moves", "“other.github.io” moves"},
		{"https://news.example/1", "Node.js 24 is out", "Node.js 24 is out"},
		{"https://news.example/1", "3.5 reasons", "3.5 reasons"},
		{"https://news.example/1", "Why Amazon.com buys it", "Why Amazon.com buys it"},
		{"https://news.example/1", "Amazon.com’s plan", "Amazon.com’s plan"},
		{"https://news.example/1", "Amazon.com, Inc.", "Amazon.com, Inc."},
		{"https://news.example/1", "www.amazon.com, again", "“www.amazon.com”, again"},

		{"https://news.example/1", "Visit www.paypal.com/security now", "Visit “www.paypal.com/security” now"},
		{"https://news.example/1", "Sign in at https://paypal.com/", "Sign in at “https://paypal.com/”"},
		{"https://news.example/1", "Your account (paypal.com/login) and www.bank.com",
			"Your account (“paypal.com/login”) and “www.bank.com”"},
		{"https://news.example/1", "paypal.com or www.bank.com", "“paypal.com” or “www.bank.com”"},
		{"https://news.example/1", "user@paypal.com", "“user@paypal.com”"},
		{"https://news.example/1", "From user@paypal.com", "From “user@paypal.com”"},
		{"https://news.example/1", "paypal。com", "“paypal。com”"},
		{"https://news.example/1", "paypal．com/login", "“paypal．com/login”"},
		{"https://news.example/1", "Now www｡paypal｡com again", "Now “www｡paypal｡com” again"},
		{"https://www.paypal.com/1", "Visit www.paypal.com/security now", "Visit www.paypal.com/security now"},
		{"https://paypal.com/1", "paypal。com", "paypal。com"},
		{"https://example.com/1", "What I learned at example.com", "What I learned at example.com"},
		{"https://news.example/1", "What I learned at example.com", "What I learned at example.com"},
		{"https://news.example/1", "Node.js 22 released", "Node.js 22 released"},
		{"https://news.example/1", "ASP.NET core", "ASP.NET core"},
		{"https://news.example/1", "The routes of ASP.NET/MVC and of Node.js/Express",
			"The routes of ASP.NET/MVC and of Node.js/Express"},
		{"https://news.example/1", "v1.2.3", "v1.2.3"},
		{"https://news.example/1", "Now v1.2.3/4 is out, and 3.5/4", "Now v1.2.3/4 is out, and 3.5/4"},
		{"https://news.example/1", "end of sentence.Next one", "end of sentence.Next one"},
		{"https://news.example/1", "Hear @ann@mastodon.social", "Hear @ann@mastodon.social"},
		{"https://news.example/1", "新しいiPhone。com端子", "新しいiPhone。com端子"},
		{"https://news.example/1", "www. and www.", "www. and www."},
		{"https://news.example/1", "Sign in: Bank.com/login", "Sign in: “Bank.com/login”"},
		{"https://news.example/1", "Sign in [https://bank.com/x]", "Sign in [“https://bank.com/x”]"},
		{"https://news.example/1", "Sign in <www.bank.com>", "Sign in <“www.bank.com”>"},
		{"https://news.example/1", "Contact: press@who.int, now", "Contact: “press@who.int”, now"},
		{"https://news.example/1", "See https://user@bank.com/x", "See “https://user@bank.com/x”"},
		{"https://news.example/1", "Show HN: setup.py/cfg and main.rs/lib.rs",
			"Show HN: setup.py/cfg and main.rs/lib.rs"},
	} {
		if got := candid(c[1], c[0]); got != c[2] {
			t.Errorf("%q leading to %s becomes %q, want %q", c[1], c[0], got, c[2])
		}
	}
	if got := plain.Section("Amazon.com buys it", "https://news.example/",
		"en").parts.head.html.decoded(); !strings.Contains(got, "“Amazon.com” buys it") {
		t.Errorf("the name of a site is shown as %s", got)
	}
	for content, want := range map[string]string{
		`<a href="https://evil.example/in">https://bank.example/</a>`:       ">evil.example/in</a>",
		`<a href="https://evil.example/in"><b>www</b>.bank.com says</a>`:    "><strong>“www</strong>.bank.com” says</a>",
		`<a href="https://www.bank.example/in">https://bank.example/…</a>`:  ">https://bank.example/…</a>",
		`<a href="https://evil.example/">See <i>https://bank.example/</i>.`: ">See <em>https://bank.example/</em>.</a>",
		`<a href="https://evil.com/"><b>Bank.com</b>’s</a>`:                 "><strong>Bank.com</strong>’s</a>",
		`<a href="mailto:a@evil.example">www.bank.com</a>`:                  ">www.bank.com</a>",
	} {
		var w mailWriter
		w.line(parseTree(content, digest.NoImages, nil)[0].line)
		if got := w.out.String(); !strings.HasSuffix(got, want) {
			t.Errorf("%s becomes %s, want %s", content, got, want)
		}
	}
}

// TestPicturesInLinks: the description of a picture in a link counts as the beginning of the link.
func TestPicturesInLinks(t *testing.T) {
	content := `<p><a href="https://news.com/"><img src="https://news.com/1.png" alt="bank.com"> bank.com</a></p>`
	var w mailWriter
	w.line(parseTree(content, digest.ProxiedImages, func(string) string { return "https://paper.com/1" })[0].line)
	if got := w.out.String(); !strings.Contains(got, `alt="“bank.com”"`) {
		t.Errorf("%s becomes %s", content, got)
	}
}

// TestPicturesAreSaid: descriptions of hidden pictures are escaped, in email and on pages. So is the host of a site
// without a name.
func TestPicturesAreSaid(t *testing.T) {
	const said = `&lt;script&gt;"&amp;'`
	content := `<p>See <img src="https://news.example/1.png" alt='<script>"&amp;&#39;'></p><p><a ` +
		`href="https://news.example/"><img src="https://news.example/2.png" alt='<script>"&amp;&#39;'></a></p>`
	p := plain.Post(written("https://news.example/1", "T", "en", content))
	web, _ := p.WebText(2, false, nil)
	for _, got := range []string{p.body(digest.NoImages, nil).all.html.decoded(), web.HTML} {
		if plainer := strings.NewReplacer("&#34;", `"`, "&quot;", `"`, "&#39;", "'").Replace(got); strings.Contains(got,
			"<script>") || strings.Count(plainer, said) < 2 {
			t.Errorf("it is said so: %s", got)
		}
	}
	if s := plain.Section("", "https://"+strings.Repeat("a.", 100)+"example/", ""); widthOf(s.Title) > siteColumns ||
		!strings.HasPrefix(s.Title, "a.a.") {
		t.Errorf("a site is called %q", s.Title)
	}
}

// TestNoSpaceAtTheEndOfALine: some clients show such a space, and it has a meaning in format=flowed.
func TestNoSpaceAtTheEndOfALine(t *testing.T) {
	content := "<pre>a\n\n  b  \n</pre><ul><li><ul><li>x</li></ul></li><li><pre>c\n\nd</pre></li><li></li>" +
		"<li>y<br><br></li></ul><blockquote><p>z</p><p>z</p><pre>e\n\nf</pre></blockquote>"
	text := plain.Post(written("https://news.example/1", "T", "en", content)).body(digest.NoImages,
		nil).all.text.decoded()
	for line := range strings.Lines(text) {
		if line = strings.TrimSuffix(line, "\n"); line != strings.TrimRight(line, " ") {
			t.Errorf("a line is %q", line)
		}
	}
}
