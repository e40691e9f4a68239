package render

import (
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"digest"
)

func webText(content string, level int) string {
	r := New(func(src string) string { return "https://paper.example/image/mac/" + src[len(src)-1:] })
	b := r.Post(digest.Post{ID: 7, Title: "A title", URL: "https://a.example/", Content: content})
	t, _ := b.WebText(level, true, nil)
	return t.HTML
}

// TestTablesInALanguage: the label of a table for screen readers is in the reader's language, not the post's.
func TestTablesInALanguage(t *testing.T) {
	const table = `<table><tr><th>Name</th><th>n</th></tr><tr><td>x</td><td>12</td></tr></table>`
	p := New(nil).Speaking("de").Post(digest.Post{Title: "A title", URL: "https://a.example/", Content: table +
		"<p>and</p>" + table})
	got, _ := p.WebText(2, false, nil)
	if !strings.Contains(got.HTML, `aria-label="Tabelle 1"`) || !strings.Contains(got.HTML, `aria-label="Tabelle 2"`) {
		t.Error(got.HTML)
	}
}

func TestWebText(t *testing.T) {
	for _, c := range []struct{ name, content, want string }{
		{"the headline once more is left out", `<h1>A title</h1><p>text</p>`, "<p>text</p>\n"},
		{"headings begin below the page's, and none is skipped", `<h4>a</h4><h1>b</h1><h4>c</h4><h6>d</h6><h1>e</h1>`,
			"<h2>a</h2>\n<h2>b</h2>\n<h3>c</h3>\n<h4>d</h4>\n<h2>e</h2>\n"},
		{"a picture of a known size",
			`<img src="https://p.example/a" alt="Fog" width="300" height="200" class="x" onload="y">`,
			`<p><img src="/image/mac/a" alt="Fog" width="300" height="200" loading="lazy" decoding="async"></p>` +
				"\n"},
		{"a wide picture fills the column", `<img src="https://p.example/a" width="1200" height="800">`,
			`<p><img src="/image/mac/a" alt="" class="wide" width="1200" height="800" loading="lazy" ` +
				`decoding="async"></p>` + "\n"},
		{"a tall one does not", `<img src="https://p.example/a" width="400" height="2000">`,
			`<p><img src="/image/mac/a" alt="" width="400" height="2000" loading="lazy" decoding="async"></p>` + "\n"},
		{"a film in a text", `<p>a</p><a href="https://youtu.be/x"><img src="https://p.example/f" width="480" ` +
			`height="360"><br>Watch: Fog</a>`,
			"<p>a</p>\n" + `<p><a href="https://youtu.be/x" rel="noopener noreferrer" class="film"><img ` +
				`src="/image/mac/f" alt="Video" class="wide" width="480" height="360" loading="lazy" ` +
				`decoding="async"></a></p>` + "\n" +
				`<p><a href="https://youtu.be/x" rel="noopener noreferrer">Watch: Fog</a></p>` + "\n"},
		{"a picture of an unknown one", `<img src="https://p.example/b">`,
			`<p><img src="/image/mac/b" alt="" class="unsized" loading="lazy" decoding="async"></p>` + "\n"},
		{"a picture and its caption", `<figure><img src="https://p.example/c"><figcaption>Fog</figcaption></figure>`,
			"<figure>\n" +
				`<img src="/image/mac/c" alt="" class="unsized" loading="lazy" decoding="async">` +
				`<figcaption>Fog</figcaption>` +
				"\n</figure>\n"},
		{"a table may be wider than the page", `<table><tr><th>Name</th><th>n</th></tr><tr><td>` +
			strings.Repeat("x", 60) + `</td><td>12</td></tr></table>`,
			`<div class="scroll" role="group" tabindex="0" aria-label="Table 1"><table>` + "\n" +
				`<tr><th scope="col">Name</th><th scope="col" class="number">n</th></tr>` + "\n" +
				`<tr><td>` + strings.Repeat("x", 60) + `</td><td class="number">12</td></tr>` + "\n</table></div>\n"},
		{"lines of code", "<pre class=go>if a &lt; b {\n\n  c()\n}</pre>",
			"<pre dir=\"ltr\"><code>if a &lt; b {\n\n  c()\n}</code></pre>\n"},
		{"a list in a list", `<ol start=3><li><p>a</p><ul><li>b</ul></ol>`,
			"<ol start=\"3\">\n<li>a\n<ul>\n<li>b</li>\n</ul>\n</li>\n</ol>\n"},
		{"an item with a number", `<ol><li value=7>a<li>b<li value=3>c</ol>`,
			"<ol start=\"7\">\n<li>a</li>\n<li>b</li>\n<li value=\"3\">c</li>\n</ol>\n"},
		{"a reversed list", `<ol reversed type=A><li>a<li>b</ol>`,
			"<ol type=\"A\" start=\"2\">\n<li>a</li>\n<li value=\"1\">b</li>\n</ol>\n"},
		{"directions", `<p dir="rtl" lang="he">אבג</p><p>abc def ghi</p>`, `<p dir="rtl" lang="he">אבג</p>` +
			"\n<p>abc def ghi</p>\n"},
		{"a link", `<p><a href="https://b.example/?a&amp;b" target=x style=y>b</a> <a href="javascript:x">c</a></p>`,
			`<p><a href="https://b.example/?a&amp;b" rel="noopener noreferrer">b</a> c</p>` + "\n"},
		{"nothing but the title", `<h2>A title</h2>`, ""},
	} {
		if got := webText(c.content, 2); got != c.want {
			t.Errorf("%s:\n%q, want\n%q", c.name, got, c.want)
		}
	}
	if got := webText("<h1>x</h1><h2>y</h2><p>z</p>", 6); got != "<h6>x</h6>\n<h6>y</h6>\n<p>z</p>\n" {
		t.Errorf("deep down: %q", got)
	}
}

// TestWebTextWithoutPictures: without pictures, a page loads none.
func TestWebTextWithoutPictures(t *testing.T) {
	b := plain.Post(digest.Post{Title: "A title",
		Content: `<p>a</p><img src="https://p.example/a" alt="Fog"><img src="https://p.example/b">`})
	for _, pictures := range []bool{true, false} {
		if got, _ := b.WebText(2, pictures, nil); got.HTML != "<p>a</p>\n"+
			`<p><span class="absent">[Picture: Fog]</span></p>`+"\n" {
			t.Errorf("%q", got.HTML)
		}
	}
}

func TestReadable(t *testing.T) {
	for _, c := range []struct {
		content, summary string
		want             bool
	}{
		{"", "a", false},
		{"<p>The same words.</p>", "The same words.", false},
		{"<p>The same words, and two.</p>", "The same words.", false},
		{"<p>The same words.</p><p>" + strings.Repeat("More of them. ", 10), "The same words.", true},
		{"<p>The same words, and two.</p>", "The same words…", true},
		{`<p>The same words.</p><img src="https://p.example/a">`, "The same words.", true},
	} {
		if got := plain.Post(digest.Post{Title: "A title", Content: c.content,
			Summary: c.summary}).Readable; got != c.want {
			t.Errorf("%q beside %q: %v", c.content, c.summary, got)
		}
	}
}

// allowed matches every complete tag that WebText writes.
var allowed = regexp.MustCompile(
	`^<(/?(p|h[2-6]|ul|ol|li|blockquote|div|pre|code|table|tr|td|th|figure|figcaption|strong|em|del|sub|sup|small|mark|span|a)|br|hr|img)` +
		`( (dir="(ltr|rtl)"|lang="[A-Za-z0-9-]+"|start="-?\d+"|value="-?\d+"|type="[aAiI]"|scope="(col|row)"|` +
		`tabindex="0"|role="group"|` +
		`aria-label="Table \d+"|loading="lazy"|decoding="async"|rel="noopener noreferrer"|width="\d+"|height="\d+"` +
		`|class="(scroll|number|set-in|caption|term|upright|absent|small|unsized|wide|film)"|src="/image/[^"<>\s]*"|alt="[^"<>]*"|href="(https?://|(?i:https?://|mailto:))[^"<>\s]*"))*>$`)

// FuzzWebText: a page gets only allowed tags from any feed, and every element is closed.
func FuzzWebText(f *testing.F) {
	for _, seed := range []string{"<p>a<b>b</p>c", `<a href="x"><table><td><pre><img src=https://a.example/1 alt='"'>`,
		"<ol reversed type=i><li value=-4><h1>a<ul><blockquote><dl><dt>x<dd>y", hostile} {
		f.Add(seed, 2)
	}
	f.Fuzz(func(t *testing.T, content string, level int) {
		got := webText(content, level)
		z, open := html.NewTokenizer(strings.NewReader(got)), []string(nil)
		for {
			kind := z.Next()
			if kind == html.ErrorToken {
				break
			}
			raw := string(z.Raw())
			if kind != html.TextToken && !allowed.MatchString(raw) {
				t.Fatalf("%q has %q", got, raw)
			}
			name, _ := z.TagName()
			switch tag := string(name); {
			case kind == html.StartTagToken && tag != "br" && tag != "hr" && tag != "img":
				open = append(open, tag)
			case kind == html.EndTagToken:
				if len(open) == 0 || open[len(open)-1] != tag {
					t.Fatalf("%q ends %s in %q", got, tag, open)
				}
				open = open[:len(open)-1]
			}
		}
		if len(open) > 0 {
			t.Fatalf("%q leaves %q open", got, open)
		}
	})
}

const hostile = `<p onclick=x style=y class=z id=q dir="rtl&quot;><script>" lang='"><script>'>a</p><img ` +
	`src='https://a.example/"><script>' alt='"><script>' width="1e9"><script>x</script>`
