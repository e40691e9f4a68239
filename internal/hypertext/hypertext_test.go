package hypertext

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// repeated fills a text of about size bytes with a part; each # in it is a number.
func repeated(size int, part string) string {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		b.WriteString(strings.ReplaceAll(part, "#", strconv.Itoa(i)))
	}
	return b.String()
}

// costly are texts that took the parser seconds or megabytes for some kilobytes.
var costly = map[string]func(size int) string{
	"attributes of html":      func(size int) string { return repeated(size, "<html a#=b>") },
	"a tag of attributes":     func(size int) string { return "<p" + repeated(size/2, " a#") + ">" + repeated(size/2, "<b a>") },
	"paragraphs in depth":     func(size int) string { return strings.Repeat("<div>", 480) + repeated(size, "<p>") },
	"styles in all that come": func(size int) string { return "<p>" + repeated(4000, "<font a=#>") + repeated(size, "<p>x") },
	"styles in each":          func(size int) string { return repeated(size, "<p><font a=#>x") },
	"styles and ends of none": func(size int) string { return repeated(size/4, "<b a=#><table></b></table>") + repeated(size, "<p>x") },
	"styles around blocks":    func(size int) string { return repeated(size, "<b a=#><i><div>x</b>") },
	"styles that SVG hides":   func(size int) string { return "<svg><style>" + repeated(4000, "<b a=#>") + repeated(size, "<p>x") },
	"styles that CDATA hides": func(size int) string {
		return "<svg><![CDATA[><!--]]></svg>" + repeated(4000, "<b a=#>") + repeated(size, "<p>x")
	},
	"tables in tables":  func(size int) string { return "<table><table></table>" + repeated(size, "<td><b a=#></td><p>x") },
	"nested alternates": func(size int) string { return repeated(size, "<a><nobr><div>x") },
}

func TestCostlyTextsAreNotParsed(t *testing.T) {
	for name, make := range costly {
		if _, err := Fragment(make(1 << 18)); !errors.Is(err, ErrCostly) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestOrdinaryTextsAreParsed holds that what people and their programs write is
// parsed, however much of it there is.
func TestOrdinaryTextsAreParsed(t *testing.T) {
	for _, part := range []string{
		"<p>words <b>and</b> words</p>", "<p>words <i>and</i> words", "<div><span style='a'>x</span> y</div>\n", "<li>x", "<br>words",
		`<p><a href="https://example.org/#" title="#"><img src="https://example.org/#.png" alt="x"></a></p>`,
		`<strong data-start="#" data-end="#">x</strong> words `, "<h2 id=h#><a name=#></a>x</h2>", "<dl><dt>x<dd>y</dl>",
		`<table><tr><td><font face="a" size=2>x<td><font face="a" size=2>y</table>`, "<table><tbody><tr><td>x</td></tr></tbody></table>",
		`<pre><code><span class="k">x</span><span class="p">y</span></code></pre>`, "<blockquote><p>x</p></blockquote>", "words & words < words ",
		`<svg><title>x</title><path d="M0"/><path d="M1"></path></svg><script>x</script>`, "<ul><li><p>x</p><ul><li>y</ul></ul>",
		"<math><mi>x</mi><mo>=</mo><mn>#</mn></math> words", "<script><!-- x --></script>",
		`<a href="#"><div><h3>x</h3><p>y</p></div></a>`, "<style>p > a {}</style><!-- <p> --><p>x</p>",
	} {
		if s := repeated(1<<20, part); !Affordable(s) {
			t.Errorf("%s: %d steps for %d bytes", part, steps(s), len(s))
		}
		if s := "<div><font face=a><table><tr><td><div>" + repeated(1<<18, part); !Affordable(s) {
			t.Errorf("in a layout, %s: %d steps for %d bytes", part, steps(s), len(s))
		}
	}
}

// TestMistakesAreParsed holds that what people write by hand may be wrong as often as
// people are.
func TestMistakesAreParsed(t *testing.T) {
	for _, part := range []string{
		"<p><em>x<p>y</em> words and words", "<b><i>x</b></i> ", "<p><font size=#>x", "<div><b>x</div>", "<a href=#>x<p>y", "<b>x<p>y</b>",
		"<i><li>x</i>", "<td>x", "</p></div>x", "<center><font size=2><table><tr><td><b>x</center>",
	} {
		if s := strings.Repeat("<p>words</p>", 200) + repeated(30*len(part), part); !Affordable(s) {
			t.Errorf("%s: %d steps for %d bytes", part, steps(s), len(s))
		}
	}
}

// A grammar is a text of any size, made of parts that are drawn at random.
func grammar(seed uint64) func(size int) string {
	names := strings.Fields(`a b i font nobr em code p div span li ul ol dd dt dl table tr td th tbody caption colgroup col select
		option optgroup button svg math mi mtext foreignObject desc title style script textarea template object marquee applet
		frameset frame html body head form input img br hr h1 h2 pre plaintext xmp iframe noscript noframes ruby rt rp x y-z
		blockquote section video source details summary annotation-xml mglyph image`)
	others := []string{"<!---->", "<!--", "-->", "<![CDATA[", "]]>", "<?x>", "</>", "&amp;", "\x00", " ", "<!doctype html>", "<", `"`, "'", ">", "x"}
	r := rand.New(rand.NewPCG(seed, 0))
	piece := func() string {
		name := names[r.IntN(len(names))]
		if r.IntN(3) == 0 {
			name = names[r.IntN(12)]
		}
		forms := []string{"<%s>", "<%s>", "</%s>", "</%s>", "<%s a=#>", "<%s a# b=c>", "<%s/>", "<%s" + strings.Repeat(" a# b", 1+r.IntN(40)) + ">",
			"<%s>x", "<%[1]s></%[1]s>", `<%s href="http://x.org/#" src=http://x.org/#>`}
		if form := r.IntN(len(forms) + 2); form < len(forms) {
			return fmt.Sprintf(forms[form], name)
		}
		return others[r.IntN(len(others))]
	}
	var parts []string
	for range 1 + r.IntN(3) { // one after the other
		var part strings.Builder
		for range 1 + r.IntN(5) {
			part.WriteString(piece())
		}
		parts = append(parts, part.String())
	}
	first := r.IntN(4000)
	return func(size int) string {
		var b strings.Builder
		for i, part := range parts {
			if i == len(parts)-1 {
				first = size
			}
			b.WriteString(repeated(first, part))
		}
		return b.String()
	}
}

// TestTreesAreInProportion holds that what is parsed makes a tree in proportion to
// its bytes, whatever they are.
func TestTreesAreInProportion(t *testing.T) {
	parsed := 0
	for seed := range uint64(300) {
		s := grammar(seed)(1 << 14)
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

// TestStepsAreInProportion holds that reckoning itself, which ends at the bound, is
// never about more than the bound and one tag.
func TestStepsAreInProportion(t *testing.T) {
	for name, make := range costly {
		s := make(1 << 20)
		if n := steps(s); n > 3*(stepsFree+stepsPerByte*len(s)) {
			t.Errorf("%s: %d steps for %d bytes", name, n, len(s))
		}
	}
}

func TestWords(t *testing.T) {
	s := "<p" + repeated(1<<14, " a#") + ">a <b>b</b>&amp;<i>c"
	if got := Words(s); got != "a  b & c " {
		t.Errorf("%q", got)
	}
	if got := Bounded("<p>a</p>" + s + "<p>"); got != "<p>a</p>a <b>b</b>&amp;<i>c<p>" {
		t.Errorf("%q", got)
	}
}

// FuzzScanner holds that the scanner finds the tags that the tokenizer finds.
func FuzzScanner(f *testing.F) {
	for _, s := range []string{
		"<p a='<b>' c=d/>x</p >", "<!--><b>--><i>", "<!-- --!><b>", "<!--->x<b>", "<script><!--<b></script><i>", "<style></styl><b></style a=b><i>",
		"</><b></1><i><?x>", "<!doctype a><b =a= b=c/d /e=f>", "<textarea><b></textarea x><i>", "<plaintext><b>", "<b", "<b a='", "<b/ a=\"x\"b>", "<noscript><b></noscript>",
	} {
		f.Add(s)
	}
	for seed := range uint64(50) {
		f.Add(grammar(seed)(300))
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
			if kind == html.ErrorToken || string(z.Raw()) != ours.tag.written || at != ours.tag.from || (kind == html.EndTagToken) != ours.tag.end {
				t.Fatalf("%q: %q at %d, want %v %q at %d", s, ours.tag.written, ours.tag.from, kind, z.Raw(), at)
			}
			at += len(z.Raw())
			if theirs := z.Token(); theirs.DataAtom != ours.tag.name || len(theirs.Attr) > ours.tag.attributes && !ours.tag.end {
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
