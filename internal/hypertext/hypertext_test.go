package hypertext

import (
	"errors"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"digest/test/grammar"
)

// costly lists texts for which the parser needed seconds or megabytes for some kilobytes.
var costly = map[string]func(size int) string{
	"attributes of html": func(size int) string { return grammar.Repeated(size, "<html a#=b>") },
	"a tag of attributes": func(size int) string {
		return "<p" + grammar.Repeated(size/2, " a#") + ">" + grammar.Repeated(size/2, "<b a>")
	},
	"paragraphs in depth": func(size int) string {
		return strings.Repeat("<div>", 480) + grammar.Repeated(size,
			"<p>")
	},
	"styles in all that come": func(size int) string {
		return "<p>" + grammar.Repeated(4000, "<font a=#>") + grammar.Repeated(size, "<p>x")
	},
	"styles in each": func(size int) string { return grammar.Repeated(size, "<p><font a=#>x") },
	"styles and ends of none": func(size int) string {
		return grammar.Repeated(size/4, "<b a=#><table></b></table>") + grammar.Repeated(size, "<p>x")
	},
	"styles around blocks": func(size int) string { return grammar.Repeated(size, "<b a=#><i><div>x</b>") },
	"styles that SVG hides": func(size int) string {
		return "<svg><style>" + grammar.Repeated(4000, "<b a=#>") + grammar.Repeated(size, "<p>x")
	},
	"styles that CDATA hides": func(size int) string {
		return "<svg><![CDATA[><!--]]></svg>" + grammar.Repeated(4000, "<b a=#>") + grammar.Repeated(size, "<p>x")
	},
	"tables in tables": func(size int) string {
		return "<table><table></table>" + grammar.Repeated(size, "<td><b a=#></td><p>x")
	},
	"nested alternates": func(size int) string { return grammar.Repeated(size, "<a><nobr><div>x") },
}

func TestCostlyTextsAreNotParsed(t *testing.T) {
	for name, make := range costly {
		if _, err := Fragment(make(1 << 18)); !errors.Is(err, ErrCostly) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestOrdinaryTextsAreParsed checks that ordinary markup of any size is parsed.
func TestOrdinaryTextsAreParsed(t *testing.T) {
	for _, part := range []string{
		"<p>words <b>and</b> words</p>", "<p>words <i>and</i> words", "<div><span style='a'>x</span> y</div>\n",
		"<li>x", "<br>words",
		`<p><a href="https://example.org/#" title="#"><img src="https://example.org/#.png" alt="x"></a></p>`,
		`<strong data-start="#" data-end="#">x</strong> words `, "<h2 id=h#><a name=#></a>x</h2>",
		"<dl><dt>x<dd>y</dl>",
		`<table><tr><td><font face="a" size=2>x<td><font face="a" size=2>y</table>`,
		"<table><tbody><tr><td>x</td></tr></tbody></table>",
		`<pre><code><span class="k">x</span><span class="p">y</span></code></pre>`, "<blockquote><p>x</p></blockquote>",
		"words & words < words ",
		`<svg><title>x</title><path d="M0"/><path d="M1"></path></svg><script>x</script>`,
		"<ul><li><p>x</p><ul><li>y</ul></ul>",
		"<math><mi>x</mi><mo>=</mo><mn>#</mn></math> words", "<script><!-- x --></script>",
		`<a href="#"><div><h3>x</h3><p>y</p></div></a>`, "<style>p > a {}</style><!-- <p> --><p>x</p>",
	} {
		if s := grammar.Repeated(1<<20, part); !Affordable(s) {
			t.Errorf("%s: %d steps for %d bytes", part, steps(s), len(s))
		}
		if s := "<div><font face=a><table><tr><td><div>" + grammar.Repeated(1<<18, part); !Affordable(s) {
			t.Errorf("in a layout, %s: %d steps for %d bytes", part, steps(s), len(s))
		}
	}
}

// TestMistakesAreParsed checks that markup with ordinary mistakes is parsed.
func TestMistakesAreParsed(t *testing.T) {
	for _, part := range []string{
		"<p><em>x<p>y</em> words and words", "<b><i>x</b></i> ", "<p><font size=#>x", "<div><b>x</div>",
		"<a href=#>x<p>y", "<b>x<p>y</b>",
		"<i><li>x</i>", "<td>x", "</p></div>x", "<center><font size=2><table><tr><td><b>x</center>",
	} {
		if s := strings.Repeat("<p>words</p>", 200) + grammar.Repeated(30*len(part), part); !Affordable(s) {
			t.Errorf("%s: %d steps for %d bytes", part, steps(s), len(s))
		}
	}
}

// TestShowable checks that only markup that is repeated in each line is rejected.
func TestShowable(t *testing.T) {
	for _, size := range []int{1 << 12, 1 << 14, 1 << 18} {
		for _, part := range []string{
			"<p>words <b>and</b> <a href='https://example.org/'><em>more</em></a></p>", "<code><span>x</span></code>",
			"<ul><li><i>x</i></li></ul>",
			"<td><b><i><u>x</u></i></b></td>", "<q><q><q><q>x</q></q></q></q>", "<a><b><sub>x</sub></b></a><br>",
		} {
			if !Showable(grammar.Repeated(size, part)) {
				t.Errorf("not %d bytes of %s", size, part)
			}
		}
		for _, part := range []string{"<div>x</div>", "<li>x", "<br>x", "<tr><td>x", "<p>x"} {
			if Showable(strings.Repeat("<em>", 150) + grammar.Repeated(size, part)) {
				t.Errorf("in many elements: %d bytes of %s", size, part)
			}
		}
	}
}

func TestShown(t *testing.T) {
	text := func(s string, want bool) (text string) {
		nodes, dropped := Shown(s)
		if dropped != want {
			t.Errorf("%.40q: its markup was dropped: %t", s, dropped)
		}
		for _, n := range nodes {
			for d := range n.Descendants() {
				text += d.Data
			}
			text += n.Data
		}
		return text
	}
	if got := text("<p>a <b>b</b>", false); got != "a bbp" {
		t.Errorf("%q", got)
	}
	if got := text("<p>a"+strings.Repeat("<b>b", 500), true); !strings.HasPrefix(got, "a b") ||
		!strings.HasSuffix(got, "b b ") {
		t.Errorf("%q", got)
	}
	if got := text(Noted("<p>a <b>b</b>"), true); got != "a bbp" {
		t.Errorf("%q", got)
	}
}

// TestTreesAreInProportion checks that the size of a parsed tree is proportional to the size of its text.
func TestTreesAreInProportion(t *testing.T) {
	parsed := 0
	for seed := range uint64(300) {
		s := grammar.Text(seed)(1 << 14)
		nodes, err := Fragment(s)
		if err != nil {
			continue
		}
		parsed++
		n := 0
		for _, top := range nodes {
			for range top.Descendants() {
				n++
			}
		}
		if n > len(s)+2000 {
			t.Errorf("%.100q: %d nodes of %d bytes", s, n, len(s))
		}
	}
	if parsed < 100 {
		t.Errorf("only %d of 300 texts were parsed", parsed)
	}
}

// TestStepsAreInProportion checks that counting itself stops soon after the limit.
func TestStepsAreInProportion(t *testing.T) {
	for name, make := range costly {
		s := make(1 << 20)
		if n := steps(s); n > 3*(stepsFree+stepsPerByte*len(s)) {
			t.Errorf("%s: %d steps for %d bytes", name, n, len(s))
		}
	}
}

func TestWords(t *testing.T) {
	s := "<p" + grammar.Repeated(1<<14, " a#") + ">a <b>b</b>&amp;<i>c"
	if got := Words(s); got != "a  b & c " {
		t.Errorf("%q", got)
	}
	if got := Bounded("<p>a</p>" + s + "<p>"); got != "<p>a</p>a <b>b</b>&amp;<i>c<p>" {
		t.Errorf("%q", got)
	}
}

// FuzzScanner checks that the scanner finds the same tags as the tokenizer.
func FuzzScanner(f *testing.F) {
	for _, s := range []string{
		"<p a='<b>' c=d/>x</p >", "<!--><b>--><i>", "<!-- --!><b>", "<!--->x<b>", "<script><!--<b></script><i>",
		"<style></styl><b></style a=b><i>",
		"</><b></1><i><?x>", "<!doctype a><b =a= b=c/d /e=f>", "<textarea><b></textarea x><i>", "<plaintext><b>", "<b",
		"<b a='", "<b/ a=\"x\"b>", "<noscript><b></noscript>",
	} {
		f.Add(s)
	}
	for seed := range uint64(50) {
		f.Add(grammar.Text(seed)(300))
	}
	f.Fuzz(func(t *testing.T, s string) {
		z, ours := html.NewTokenizer(strings.NewReader(s)), scanner{text: s, plain: true}
		at := 0
		for ours.next() && !ours.doubt {
			kind := z.Next()
			for kind == html.TextToken || kind == html.CommentToken || kind == html.DoctypeToken {
				at += len(z.Raw())
				kind = z.Next()
			}
			if kind == html.ErrorToken || string(z.Raw()) != ours.tag.written || at != ours.tag.from ||
				(kind == html.EndTagToken) != ours.tag.end {
				t.Fatalf("%q: %q at %d, want %v %q at %d", s, ours.tag.written, ours.tag.from, kind, z.Raw(), at)
			}
			at += len(z.Raw())
			if theirs := z.Token(); theirs.DataAtom != ours.tag.name || len(theirs.Attr) > ours.tag.attributes &&
				!ours.tag.end {
				t.Fatalf("%q: %+v, want %+v", s, ours.tag, theirs)
			}
		}
		for kind := z.Next(); !ours.doubt && kind != html.ErrorToken; kind = z.Next() {
			if kind == html.StartTagToken || kind == html.EndTagToken || kind == html.SelfClosingTagToken {
				t.Fatalf("%q: %q was not found", s, z.Raw())
			}
		}
	})
}
