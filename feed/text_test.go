package feed

import (
	"strings"
	"testing"
)

func TestEmptyTexts(t *testing.T) {
	for raw, want := range map[string]bool{
		"": true, " \n": true, "<![CDATA[]]>": true, "<![CDATA[ \n]]> <![CDATA[]]>": true, "<!-- nothing -->": true,
		"<![CDATA[": true,
		"a":         false, "<![CDATA[a]]>": false, "<![CDATA[]]>a": false, "<!-- a --><img/>": false, "<br/>": false,
		"&#160;": false,
	} {
		if got := (text{raw: raw}).empty(); got != want {
			t.Errorf("%q is empty: %t, want %t", raw, got, want)
		}
	}
}

// TestEmptyCDATA checks that an element with an empty CDATA section counts as absent.
func TestEmptyCDATA(t *testing.T) {
	long := strings.Repeat("All of it. ", 40) + "End"
	d := mustParse(t, channel+
		`<item><title>a</title><content:encoded><![CDATA[]]></content:encoded><description>`+long+`</description></item>
		<item><title><![CDATA[]]></title><content:encoded><![CDATA[ ]]></content:encoded><description><![CDATA[]]></description><description>b</description></item>
		<item><title>c</title><description><![CDATA[]]></description></item></channel></rss>`, "")
	if p := d.Posts[0].Sanitise(seenAt); p.Content != "<p>"+long+"</p>" {
		t.Errorf("content %q", p.Content)
	}
	r := Report(d)
	if !r.Posts[0].HasContent || !r.Posts[1].HasContent || r.Posts[2].HasContent || r.Posts[1].Title != nil {
		t.Errorf("%+v", r.Posts)
	}
}

// TestTagsSpokenOf checks that plain titles keep words that look like tags.
func TestTagsSpokenOf(t *testing.T) {
	const want = "How to use <b>, <br> and <img> in HTML"
	escaped := "How to use &lt;b&gt;, &lt;br&gt; and &lt;img&gt; in HTML"
	for name, doc := range map[string]string{
		"JSON Feed": `{"version":"https://jsonfeed.org/version/1.1","title":"J","items":[{"id":"1",` +
			`"url":"https://e.example/1","title":"` + want + `"}]}`,
		"Atom": `<feed xmlns="http://www.w3.org/2005/Atom"><title>A</title><id>x</id><entry><id>1</id><title ` +
			`type="text">` + escaped + `</title></entry></feed>`,
		"h-feed": `<div class="h-feed"><div class="h-entry"><h2 class="p-name">` +
			escaped +
			`</h2><a class="u-url" href="https://e.example/1">x</a><div class="e-content">c</div></div></div>`,
	} {
		d := mustParse(t, doc, "")
		if len(d.Posts) != 1 || d.Posts[0].Title != want {
			t.Errorf("%s: %+v", name, d.Posts)
		}
	}
}

// TestRaised checks that superscripts and subscripts do not become digits of the number before them.
func TestRaised(t *testing.T) {
	for in, want := range map[string]string{
		"10<sup>6</sup> people":                      "10⁶ people",
		"10<sup>-12</sup> m":                         "10⁻¹² m",
		"H<sub>2</sub>O<sub></sub>":                  "H₂O",
		"a note<sup><a href='#1'>1</a></sup>, 5":     "a note¹, 5",
		"a note<a href='#1'><sup>[1]</sup></a>":      "a note[1]",
		"the 19<sup>th</sup> of 20 (<a>3</a>)":       "the 19th of 20 (3)",
		"x<sup></sup>7 <sup>+</sup><sup/>8<br>9<hr>": "x7 +8 9",
		"a<sup>2</sup>3<sub>4</sub>5":                "a²3₄5",
	} {
		if got := excerpt(in, 100); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
		if got := singleSpaced(stripTags(in)); got != want {
			t.Errorf("as a title %q: %q, want %q", in, got, want)
		}
	}
}

func TestShorten(t *testing.T) {
	for in, want := range map[string]string{
		"nine chars":         "nine chars",
		"one two three":      "one two…",
		"when you… The post": "when you…",
		"when I, and so on":  "when I…",
		"我们都知道的很多……不知道":      "我们都知道的很多…",
		"unspaceddd":         "unspaceddd",
		"unspaceddde":        "unspacedd…",
	} {
		if got := shorten(in, 10); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestCodeInExcerpts(t *testing.T) {
	for in, want := range map[string]string{
		"<pre>main = 1</pre><p>A <code>let</code>.</p>": "A let.", "<pre>main = 1</pre>": "main = 1",
	} {
		if got := excerpt(in, 100); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
}

func TestStruckInExcerpts(t *testing.T) {
	if got := excerpt("<p>Entry is <s>10</s> <del>12</del> 8 euro<strike>s</strike>.</p>",
		100); got != "Entry is 8 euro." {
		t.Errorf("%q", got)
	}
}
