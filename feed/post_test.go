package feed

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

var seenAt = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// TestPictureOfAPost checks that the first picture that is neither an icon nor a portrait becomes the picture of a
// post.
func TestPictureOfAPost(t *testing.T) {
	for _, in := range []string{
		`<img src="/s.png" class="wp-smiley">`, `<img src="/s.png" class="emoji">`,
		`<img src="/s.png" class="avatar-48">`,
		`<img src="/smilies/s.png">`, `<img src="https://s.w.org/images/core/emoji/1.png">`,
		`<img src="https://secure.gravatar.com/avatar/1">`,
	} {
		_, c := sanitise(in+`<img src="/real.png">`, "https://example.org/blog/p")
		if c.picture != "https://example.org/real.png" {
			t.Errorf("after %s the picture is %s", in, c.picture)
		}
	}
}

func TestSanitise(t *testing.T) {
	const rel = ` rel="noopener noreferrer"`
	for _, c := range []struct{ reason, in, want string }{
		{"plain", `<p>Hello <b>you</b></p>`, `<p>Hello <b>you</b></p>`},
		{"script", `<p>a<script>alert(1)</script>b</p>`, `<p>ab</p>`},
		{"style", `<style>p{}</style><p style="color:red" class="x" onclick="y()">a</p>`, `<p>a</p>`},
		{"handler and javascript", `<a href="javascript:alert(1)" onclick="x">a</a>`, `a`},
		{"data image", `<img src="data:image/png;base64,xx">b`, `b`},
		{"link", `<a href="https://x.org/" target="_blank" rel="me">a</a>`,
			`<a href="https://x.org/" rel="noopener noreferrer">a</a>`},
		{"mail", `<a href="mailto:a@x.org">a</a>`, `<a href="mailto:a@x.org" rel="noopener noreferrer">a</a>`},
		{"other scheme", `<a href="ftp://x.org/">a</a>`, `a`},
		{"relative", `<a href="../c">a</a><img src="/i.png">`,
			`<a href="https://example.org/c" rel="noopener noreferrer">a</a><img src="https://example.org/i.png"/>`},
		{"a note and the way back", `a<sup><a href="#fn1">1</a></sup><ol><li id="fn1">b <a href="#r1">↩</a><a ` +
			`href="#r1" class="footnote-backref">back</a></ol>`, `a<sup>1</sup><ol><li>b </li></ol>`},
		{"a note by its whole address",
			`<a href="https://example.org/blog/p#fn1">1</a><a href="https://example.org/q#fn1">2</a>`,
			`1<a href="https://example.org/q#fn1" rel="noopener noreferrer">2</a>`},
		{"protocol-relative", `<img src="//cdn.org/i.png" alt="A">`, `<img src="https://cdn.org/i.png" alt="A"/>`},
		{"size kept", `<img src="/i.png" width="100" height="50" alt="x">`,
			`<img src="https://example.org/i.png" width="100" height="50" alt="x"/>`},
		{"late", `<img class="lazy" src="data:image/gif;base64,R0" data-src="/i.png" alt="A" width="9" height="8">`,
			`<img src="https://example.org/i.png" alt="A" width="9" height="8"/>`},
		{"late behind a placeholder", `<img src="/placeholder.svg" data-lazy-src="/i.png">`,
			`<img src="https://example.org/i.png"/>`},
		{"srcset alone", `<img srcset="/i.png 1x, /j.png 2x, /k.png 3x">`, `<img src="https://example.org/j.png"/>`},
		{"late srcset, smallest first", `<img data-srcset="/75.png 75w, /320.png 320w,/640.png 640w, /1280.png 1280w">`,
			`<img src="https://example.org/1280.png"/>`},
		{"srcset, largest first", `<img srcset="/2560.png 2560w, /1280.png 1280w, /640.png 640w, /75.png 75w">`,
			`<img src="https://example.org/1280.png"/>`},
		{"srcset of small ones", `<img srcset="/75.png 75w, /320.png 320w, /200.png 200w">`,
			`<img src="https://example.org/320.png"/>`},
		{"srcset without widths", `<img srcset="data:image/gif;base64,R0 1w, /a,b.png, /c.png 1.5x">`,
			`<img src="https://example.org/c.png"/>`},
		{"srcset of nonsense", `<img srcset=", , /a.png NaNw x, /b.png 1e999w">`,
			`<img src="https://example.org/a.png"/>`},
		{"noscript twin", `<img data-src="/i.png"><noscript><img src="/i.png"></noscript>`,
			`<img src="https://example.org/i.png"/>`},
		{"noscript alone", `<noscript><img src="/i.png"></noscript>`,
			`<div><img src="https://example.org/i.png"/></div>`},
		{"pixel by size", `a<img src="https://x.org/p.gif" width="1" height="1">`, `a`},
		{"pixel of no size", `a<img src="https://x.org/p.gif" width="0" height="0">`, `a`},
		{"pixel by style", `a<img src="https://x.org/p.gif" style="display: none">`, `a`},
		{"pixel by host", `a<img src="http://feeds.feedburner.com/~r/x/~4/y" width="1" height="1"><img src="https://pixel.wp.com/b.gif?x=1">`, `a`},
		{"hidden text", `a<div style="display:none">secret</div>`, `a`},
		{"feedflare", `a<div class="feedflare"><a href="https://x.org/">f</a></div>`, `a`},
		{"frame becomes a link", `<iframe src="https://www.youtube.com/embed/x"></iframe>`,
			`<a href="https://www.youtube.com/embed/x" rel="noopener noreferrer">Watch on YouTube</a>`},
		{"film becomes a link", `<video poster="/p.jpg"><source src="/v.mp4"></video>`,
			`<a href="https://example.org/v.mp4" rel="noopener noreferrer"><img src="https://example.org/p.jpg"/><br/>Watch at example.org</a>`},
		{"never closed", `<p>a<b>b<div>c`, `<p>a<b>b</b></p><div><b>c</b></div>`},
		{"closed too often", `a</div></p></b>`, `a<p></p>`},
		{"form", `<form action="/x"><input name="a"><p>b</p></form>`, `<div><p>b</p></div>`},
		{"tasks", `<ul><li><input type="checkbox" checked> a<li><input type="checkbox" disabled> b</ul>`,
			`<ul><li>☑ a</li><li>☐ b</li></ul>`},
		{"blocks that the policy does not know", `<address>a</address><center>b</center><main>c</main><dir><li>d</dir>`,
			`<div>a</div><div>b</div><div>c</div><ul><li>d</li></ul>`},
		{"obsolete elements", `<strike>a</strike><tt>b</tt><acronym title="x">c</acronym>`,
			`<s>a</s><code>b</code><abbr title="x">c</abbr>`},
		{"numbers of lines", `<pre><code><table><tr><td class="rouge-gutter gl"><pre class="lineno">1
2</pre></td><td><pre>a()</pre></td></tr></table></code></pre><p class="gutter">A gutter</p>`,
			`<pre><code><table><tbody><tr><td><pre>a()</pre></td></tr></tbody></table></code></pre><p>A gutter</p>`},
		{"what is not seen",
			`<span class="screen-reader-text">Skip</span>a<div class="x sharedaddy"><h3>Share</h3></div>`, `a`},
		{"comment", `a<!-- b -->c`, `ac`},
		{"svg", `a<svg><script>x</script></svg>b`, `ab`},
		{"mutation",
			`<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">`,
			``},
		{"table", `<table><tr><td colspan="2">a</td></tr></table>`,
			`<table><tbody><tr><td colspan="2">a</td></tr></tbody></table>`},
		{"direction", `<p dir="rtl" lang="he">a</p>`, `<p dir="rtl" lang="he">a</p>`},
		{"language by name", `<p lang="English">a</p>`, `<p lang="en">a</p>`},
		{"no language", `<p lang="utf-8">a<img lang="none" src="/i.png"></p>`,
			`<p>a<img src="https://example.org/i.png"/></p>`},

		{"a frame for counting",
			`a<iframe src="https://www.googletagmanager.com/ns.html?id=1" height="0" width="0" style="display:none"></iframe>`,
			`a`},
		{"a hidden frame", `a<iframe src="https://x.org/" style="visibility:hidden"></iframe>`, `a`},
		{"link", `<a href="/a?utm_source=rss">a</a>`, `<a href="https://example.org/a"` + rel + `>a</a>`},
		{"a link that shows itself", `<a href="https://x.org/a?utm_source=rss"> https://x.org/a?utm_source=rss</a>`,
			`<a href="https://x.org/a"` + rel + `>https://x.org/a</a>`},
		{"a link that shows something else",
			`<a href="https://x.org/a?utm_source=rss">https://y.org/?utm_source=rss</a>`, `<a href="https://x.org/a"` +
				rel + `>https://y.org/?utm_source=rss</a>`},
		{"picture", `<img src="/i.png?utm_source=rss&amp;w=9" alt="x">`,
			`<img src="https://example.org/i.png?w=9" alt="x"/>`},
		{"a picture behind a wrapper is what the site shows", `<img src="https://href.li/?https://x.org/i.png">`,
			`<img src="https://href.li/?https://x.org/i.png"/>`},
		{"opened", `a<img src="https://x.us1.list-manage.com/track/open.php?u=1">`, `a`},
		{"a wide line of a table", `<table width="1"><tbody><tr><td>a</td></tr></tbody></table>`,
			`<table><tbody><tr><td>a</td></tr></tbody></table>`},
		{"text that fades in is not hidden", `<p style="opacity:0">a</p>`, `<p>a</p>`},
	} {
		got, _ := sanitise(c.in, "https://example.org/blog/p")
		if got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.reason, got, c.want)
		}
	}
}

func TestPost(t *testing.T) {
	for _, group := range []struct {
		get   func(*Post) string
		cases [][3]string
	}{ // reason, document, what is got
		{postTitle, [][3]string{
			{"title of the document", item(`<title>A &amp;amp; B</title><description>x</description>`), "A & B"},
			{"title made of the first sentence",
				item(`<description>&lt;p&gt;This is the first sentence. And more.&lt;/p&gt;</description>`),
				"This is the first sentence"},
			{"title made of the first words", item(`<description>` + strings.Repeat("word ", 40) + `</description>`),
				strings.TrimSpace(strings.Repeat("word ", 16)) + "…"},
			{"title made of Japanese", item(`<description>経営は有限です。つづき</description>`), "経営は有限です。"},
			{"title of a picture", item(`<description>&lt;img src="/a.png" alt="A red house"&gt;</description>`),
				"A red house"},
			{"title of nothing", item(`<link>/p</link>`), "T"},
		}},
		{postAuthor, [][3]string{
			{"author of the feed",
				`<feed xmlns="http://www.w3.org/2005/Atom"><author><name>Ann</name></author><entry><title>x</title></entry></feed>`,
				"Ann"},
			{"author of the source",
				`<feed xmlns="http://www.w3.org/2005/Atom"><author><name>Ann</name></author><entry><source><author><name>Bob</name></author></source></entry></feed>`,
				"Bob"},
			{"author in elements", item(
				`<author><name>Anna Bee</name><title>Editor</title><company></company></author>`), "Anna Bee"},
			{"author of the channel",
				`<rss><channel><managingEditor>a@x.org (Ann)</managingEditor><item><title>x</title></item></channel></rss>`,
				"Ann"},
		}},
		{postURL, [][3]string{
			{"author's own page", item(
				`<link>https://feedproxy.google.com/~r/x/1</link><feedburner:origLink xmlns:feedburner="http://rssnamespace.org/feedburner/ext/1.0">https://x.org/1</feedburner:origLink>`),
				"https://x.org/1"},
			{"a file that is no picture",
				item(
					`<guid>12</guid><enclosure url="https://x.org/a.jpg" type="image/jpeg"/><enclosure url="https://x.org/a.mp3" type="audio/mpeg"/>`),
				"https://x.org/a.mp3"},
			{"a picture alone", item(`<guid>12</guid><enclosure url="https://x.org/a.jpg" type="image/jpeg"/>`),
				"https://x.org/a.jpg"},
			{"file where there is no page", item(`<guid>12</guid><enclosure url="https://x.org/a.mp3"/>`),
				"https://x.org/a.mp3"},
			{"site where there is nothing", item(`<title>x</title>`), "https://example.org/"},
		}},
		{postDate, [][3]string{
			{"an event to come", item(`<pubDate>Tue, 01 Dec 2026 00:00:00 GMT</pubDate>`), "0001-01-01T00:00:00Z"},
			{"a zone that is wrong", item(`<pubDate>Fri, 20 Nov 2026 20:00:00 GMT</pubDate>`), "2026-11-20T12:00:00Z"},
			{"past", item(`<pubDate>Sun, 01 Nov 2026 00:00:00 GMT</pubDate>`), "2026-11-01T00:00:00Z"},
			{"no date", item(`<title>x</title>`), "0001-01-01T00:00:00Z"},
		}},
		{postContent, [][3]string{
			{"content before description",
				item(`<description>short</description><content:encoded>&lt;p&gt;long&lt;/p&gt;</content:encoded>`),
				"<p>long</p>"},
			{"description where content is empty",
				item(
					`<description>&lt;p&gt;all there is&lt;/p&gt;</description><content:encoded><![CDATA[ ]]></content:encoded>`),
				"<p>all there is</p>"},
			{"description where content shows nothing",
				item(
					`<description>all there is</description><content:encoded><![CDATA[<img width="1" src="/t.gif"/>]]></content:encoded>`),
				"<p>all there is</p>"},
			{"the longer of two descriptions",
				item(`<description>one</description><description>&lt;p&gt;one and two&lt;/p&gt;</description>`),
				"<p>one and two</p>"},
			{"the first if it is longer", item(`<description>one and two</description><description>one</description>`),
				"<p>one and two</p>"},
		}},
		{postSummary, [][3]string{
			{"summary of two descriptions",
				item(`<description>The author wrote this about the post below.</description><description>` +
					strings.Repeat("All of it. ", 9) + `</description>`),
				"The author wrote this about the post below."},
		}},
		{postContent, [][3]string{
			{"escaped twice", item(`<description>&amp;lt;p&amp;gt;A &amp;lt;a ` +
				`href="https://b.example/"&amp;gt;page&amp;lt;/a&amp;gt;&amp;lt;/p&amp;gt;</description>`),
				`<p>A <a href="https://b.example/" rel="noopener noreferrer">page</a></p>`},
			{"escaped in CDATA", item(`<description><![CDATA[&lt;p&gt;one &amp;amp; two&lt;br&gt;three&lt;/p&gt; ` +
				`&lt;ul&gt;&lt;li&gt;four&lt;/ul&gt;]]></description>`),
				"<p>one &amp; two<br/>three</p> <ul><li>four</li></ul>"},
			{"escaped twice in Atom", entry(`<content type="html">&amp;lt;p&amp;gt;one&amp;lt;/p&amp;gt;</content>`),
				"<p>one</p>"},
			{"text about a tag",
				item(`<description>&amp;lt;p&amp;gt; begins a paragraph &amp;lt;/p&amp;gt;, we say.</description>`),
				"<p>&lt;p&gt; begins a paragraph &lt;/p&gt;, we say.</p>"},
			{"tags that do not match", item(`<description>&amp;lt;div&amp;gt;one&amp;lt;/p&amp;gt;</description>`),
				"<p>&lt;div&gt;one&lt;/p&gt;</p>"},
			{"tags that nobody knows", item(
				`<description>&amp;lt;config&amp;gt;one&amp;lt;/config&amp;gt;</description>`),
				"<p>&lt;config&gt;one&lt;/config&gt;</p>"},
			{"tags beside an element",
				item(`<description>&lt;b&gt;x&lt;/b&gt; &amp;lt;p&amp;gt;one&amp;lt;/p&amp;gt;</description>`),
				"<b>x</b> &lt;p&gt;one&lt;/p&gt;"},
			{"text that is text by the book", entry(`<content type="text">&lt;p&gt;one&lt;/p&gt;</content>`),
				"<p>&lt;p&gt;one&lt;/p&gt;</p>"},
			{"numbers of a list", item(`<description>&lt;ol start="-2" reversed type="a"&gt;&lt;li ` +
				`value="7"&gt;x&lt;/ol&gt;&lt;ol start="x" type="disc"&gt;&lt;li ` +
				`value="9999999"&gt;y&lt;/ol&gt;</description>`),
				`<ol start="-2" reversed="" type="a"><li value="7">x</li></ol><ol><li>y</li></ol>`},
			{"ruby alone", item(`<description>&lt;ruby&gt;漢&lt;rt&gt;kan&lt;/rt&gt;&lt;/ruby&gt;</description>`),
				"<ruby>漢<rt>kan</rt></ruby>"},
			{"a picture in the text itself",
				item(`<description>&lt;img src="data:image/png;base64,` +
					`AAAA" alt="plot of tides" width="120"&gt;</description>`),
				`<img alt="plot of tides" width="120"/>`},
			{"a picture in a mail", item(`<description>x&lt;img src="cid:1@x" alt="plot of tides"&gt;</description>`),
				`x<img alt="plot of tides"/>`},
			{"one without words", item(`<description>x&lt;img src="data:image/png;base64,AAAA"&gt;</description>`),
				"x"},
			{"one that counts readers", item(`<description>x&lt;img src="data:image/gif;base64,AAAA" alt="plot of ` +
				`tides" width="1" height="1"&gt;</description>`), "x"},
			{"one that a script replaces", item(`<description>&lt;img src="data:image/gif;base64,AAAA" alt="tides"&gt; ` +
				`&lt;noscript&gt;&lt;img src="https://x.org/t.png" alt="tides"&gt;&lt;/noscript&gt;</description>`),
				`<div><img src="https://x.org/t.png" alt="tides"/></div>`},
			{"one of a picture element", item(`<description>&lt;picture&gt;&lt;source srcset="https://x.org/t.webp ` +
				`700w"&gt;&lt;img src="data:image/gif;base64,AAAA" alt="tides"&gt;&lt;/picture&gt;</description>`),
				`<img src="https://x.org/t.webp" alt="tides"/>`},
			{"plain text", item("<description>one &amp;lt; two\n\nthree</description>"),
				"<p>one &lt; two</p><p>three</p>"},
			{"unescaped HTML", item(`<description><p>one<br/>two &amp; three</p></description>`),
				"<p>one<br/>two &amp; three</p>"},
			{"xhtml", entry(
				`<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>a<a name="x"/>b &lt; c</p></div></content>`),
				"<p>ab &lt; c</p>"},
			{"xhtml with a prefix", entry(
				`<content type="xhtml"><x:div xmlns:x="http://www.w3.org/1999/xhtml"><x:p>a</x:p></x:div></content>`),
				"<p>a</p>"},
			{"atom text is not HTML", entry(`<content type="text">a &lt;b&gt; c</content>`), "<p>a &lt;b&gt; c</p>"},
			{"atom html", entry(`<content type="html">a &lt;b&gt;c&lt;/b&gt;</content>`), "a <b>c</b>"},
			{"base64", entry(`<content mode="base64">PGI+YTwvYj4=</content>`), "<b>a</b>"},
			{"xml:base in content", entry(
				`<link href="https://x.org/p/"/><content type="html" xml:base="https://b.org/">&lt;a href="q"&gt;q&lt;/a&gt;</content>`),
				`<a href="https://b.org/q" rel="noopener noreferrer">q</a>`},
			{"relative to the entry's page",
				entry(`<link href="https://x.org/p/"/><content type="html">&lt;a href="q"&gt;q&lt;/a&gt;</content>`),
				`<a href="https://x.org/p/q" rel="noopener noreferrer">q</a>`},
			{"media:description", entry(
				`<media:group xmlns:media="http://search.yahoo.com/mrss/"><media:description>d</media:description></media:group>`),
				"<p>d</p>"},
		}},
		{postSummary, [][3]string{
			{"summary of its own", item(
				`<description>The author wrote this about the post below.</description><content:encoded>words</content:encoded>`),
				"The author wrote this about the post below."},
			{"summary of the content",
				item(
					`<content:encoded>&lt;h2&gt;Head&lt;/h2&gt;&lt;p&gt;one&lt;/p&gt;&lt;p&gt;two&lt;/p&gt;</content:encoded>`),
				"Head one two"},
			{"summary cut at a word", item(`<description>` + strings.Repeat("twelve chars ", 40) + `</description>`),
				strings.TrimSpace(strings.Repeat("twelve chars ", 23)) + "…"},
		}},
		{postLanguage, [][3]string{
			{"language of the post", item(`<dc:language>de_AT</dc:language>`), "de-AT"},
			{"language of the feed",
				`<rss><channel><language>English</language><item><dc:language>nonsense</dc:language></item></channel></rss>`,
				"en"},
			{"no language", `<rss><channel><language>utf-8</language><item><title>x</title></item></channel></rss>`,
				""},
		}},
		{postFiles, [][3]string{
			{"files", item(`<enclosure url="/a.mp3?utm_source=rss" type="audio/mpeg" length="1234"/><enclosure url="" type="x"/><enclosure url="ftp://x.org/b"/>` +
				`<enclosure url="https://x.org/c.pdf" length="-1"/><enclosure url="/a.mp3"/>` +
				`<enclosure url="http://a b/"/><enclosure url="http://[::bad"/><enclosure url="http://:80/"/>`),
				"https://example.org/a.mp3 audio/mpeg 1234, https://x.org/c.pdf  0"},
			{"files of Atom", entry(
				`<link rel="enclosure" href="https://x.org/a.ogg" type="audio/ogg" length="5"/><link rel="Enclosure" href="https://x.org/b.ogg"/>`),
				"https://x.org/a.ogg audio/ogg 5, https://x.org/b.ogg  0"},
			{"files of JSON Feed",
				`{"version":"https://jsonfeed.org/version/1.1","items":[{"id":"1","attachments":[{"url":"https://x.org/a","mime_type":"video/mp4","size_in_bytes":7},{"url":"https://x.org/b"}]}]}`,
				"https://x.org/a video/mp4 7, https://x.org/b  0"},
		}},
		{postImage, [][3]string{
			{"image in the content",
				item(
					`<description>&lt;img src="https://x.org/t.gif" width="1"&gt;&lt;img src="/i.png"&gt;</description>`),
				"https://example.org/i.png"},
			{"image beside it", item(`<media:thumbnail url="https://x.org/t.png"/>`), "https://x.org/t.png"},
			{"image enclosed", item(`<enclosure url="https://x.org/e.png" type="image/png"/>`), "https://x.org/e.png"},
			{"an emoji is none", item(
				`<description>&lt;img src="https://s.w.org/images/core/emoji/1.png" class="wp-smiley"&gt;</description>`),
				""},
			{"an avatar is none", item(`<media:content url="https://2.gravatar.com/avatar/x" medium="image"/>`), ""},
		}},
	} {
		for _, c := range group.cases {
			if got := group.get(first(t, c[1])); got != c[2] {
				t.Errorf("%s:\n got %q\nwant %q", c[0], got, c[2])
			}
		}
	}
}

func TestBlank(t *testing.T) {
	for in, want := range map[string]bool{
		`<link>https://x.org/1</link>`: true,
		`<guid>1</guid><title> </title><description>&lt;p&gt;&amp;nbsp;&amp;#8203;&lt;/p&gt;&lt;img ` +
			`src="https://x.org/t.gif" width="1" height="1"&gt;</description>`: true,
		`<title>x</title>`:                                                        false,
		`<description>x</description>`:                                            false,
		`<enclosure url="https://x.org/a.mp3"/>`:                                  false,
		`<media:thumbnail url="https://x.org/t"/>`:                                false,
		`<description>&lt;img src="https://x.org/a"&gt;</description>`:            false,
		`<description>&lt;img src="data:x" alt="plot of tides"&gt;</description>`: false,
	} {
		post := first(t, `<rss><channel><title>T</title><item>`+in+`</item></channel></rss>`).Sanitise(seenAt)
		if Blank(post) != want {
			t.Errorf("%s: %v", in, !want)
		}
	}
}

func postTitle(e *Post) string    { return e.Sanitise(seenAt).Title }
func postAuthor(e *Post) string   { return e.Sanitise(seenAt).Author }
func postURL(e *Post) string      { return e.Sanitise(seenAt).URL }
func postDate(e *Post) string     { return e.Sanitise(seenAt).PublishedAt.Format(time.RFC3339) }
func postContent(e *Post) string  { return e.Sanitise(seenAt).Content }
func postSummary(e *Post) string  { return e.Sanitise(seenAt).Summary }
func postImage(e *Post) string    { return e.Sanitise(seenAt).ImageURL }
func postLanguage(e *Post) string { return e.Sanitise(seenAt).Language }
func postFiles(e *Post) string {
	var files []string
	for _, f := range e.Sanitise(seenAt).Enclosures {
		files = append(files, fmt.Sprintf("%s %s %d", f.URL, f.Type, f.Length))
	}
	return strings.Join(files, ", ")
}

// TestPrivateFeed checks that stored posts contain no credentials of the feed's address, and that these do not change
// the post.
func TestPrivateFeed(t *testing.T) {
	const doc = `<rss version="2.0"><channel><item><link>/a</link><enclosure url="/a.mp3"/><description>&lt;img src="/p.png"&gt; ` +
		`&lt;a href="b"&gt;text&lt;/a&gt;</description></item><item><title>None</title><description>&lt;a href="c"&gt;text&lt;/a&gt;</description></item></channel></rss>`
	d := mustParse(t, doc, "http://ann:secret@example.org/feed.xml")
	for i := range d.Posts {
		p := d.Posts[i].Sanitise(seenAt)
		if shown := fmt.Sprint(p.URL, p.ImageURL, p.Content, p.Summary, p.Title, p.Enclosures); strings.Contains(shown,
			"secret") || !strings.Contains(shown, "http://example.org/") {
			t.Errorf("stored: %s", shown)
		}
	}
	if p := d.Posts[0].Sanitise(seenAt); p.Identity != "http://ann:secret@example.org/a" ||
		p.ContentHash != "80129c2376a676f7d5119272d4627653" {
		t.Errorf("the post is another one: identity %q, hash %q", p.Identity, p.ContentHash)
	}
}

func TestPostIsBounded(t *testing.T) {
	e := first(t, item(`<title>`+strings.Repeat("é ", 5000)+`</title><author>`+
		strings.Repeat("a ", 5000)+`</author><description>`+strings.Repeat("wörd ", 1<<18)+`</description>`))
	p := e.Sanitise(seenAt)
	if utf8.RuneCountInString(p.Title) > maxTitle || utf8.RuneCountInString(p.Author) > maxName ||
		utf8.RuneCountInString(p.Summary) > maxSummary {
		t.Errorf("title of %d, author of %d, summary of %d bytes", len(p.Title), len(p.Author), len(p.Summary))
	}
	if len(p.Content) > maxContent+1024 || !utf8.ValidString(p.Content) {
		t.Errorf("content of %d bytes", len(p.Content))
	}
}

func TestTitles(t *testing.T) {
	for _, c := range []struct{ reason, element, want string }{
		{"plain", `<title>A</title>`, "A"},
		{"escaped once", `<title>A &amp; B</title>`, "A & B"},
		{"escaped twice", `<title>A &amp;amp; B &amp;#8217;s</title>`, "A & B ’s"},
		{"escaped three times", `<title>A &amp;amp;amp; B</title>`, "A & B"},
		{"CDATA with entities", `<title><![CDATA[A &amp; B &#39;c&#39;]]></title>`, "A & B 'c'"},
		{"CDATA in pieces", `<title>A <![CDATA[&]]> B</title>`, "A & B"},
		{"tags", `<title>A &lt;em&gt;very&lt;/em&gt; good&lt;br/&gt;day</title>`, "A very good day"},
		{"tags unescaped", `<title>A <em>very</em> good day</title>`, "A very good day"},
		{"a tag that is spoken of", `<title>The &lt;b&gt; element</title>`, "The <b> element"},
		{"tags that are spoken of", `<title>How to use &lt;b&gt; and &lt;img&gt; in HTML</title>`,
			"How to use <b> and <img> in HTML"},
		{"a picture", `<title>A &lt;img src="a.png"&gt; B</title>`, "A B"},
		{"less and more", `<title>1 &lt; 2 &gt; 0</title>`, "1 < 2 > 0"},
		{"white space", "<title>\n A\n\t B </title>", "A B"},
		{"spaces of typography", "<title>「A」\u3000B\u00a0: C</title>", "「A」\u3000B\u00a0: C"},
		{"generic type", `<title>List&amp;lt;String&amp;gt; in Java</title>`, "List<String> in Java"},
		{"numeric", `<title>&#x1F600; &#8364;</title>`, "😀 €"},
	} {
		if got := first(t, item(c.element)).Title; got != c.want {
			t.Errorf("rss, %s: got %q, want %q", c.reason, got, c.want)
		}
	}
	for _, c := range []struct{ reason, element, want string }{
		{"html", `<title type="html">A &amp;amp; &lt;i&gt;B&lt;/i&gt;</title>`, "A & B"},
		{"html in CDATA", `<title type="html"><![CDATA[A &amp; <i>B</i>]]></title>`, "A & B"},
		{"xhtml", `<title type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">A &amp; <i>B</i></div></title>`,
			"A & B"},
		{"text", `<title type="text">A &amp; B</title>`, "A & B"},
		{"text with tags", `<title type="text">How to use &lt;br&gt; and &lt;img&gt; in HTML</title>`,
			"How to use <br> and <img> in HTML"},
		{"html tag spoken of", `<title type="html">The &amp;lt;b&amp;gt; element</title>`, "The <b> element"},
		{"html about tags", `<title type="html">&lt;code&gt;&amp;lt;p&amp;gt;a&amp;lt;/p&amp;gt;&lt;/code&gt;</title>`,
			"<p>a</p>"},
		{"html that is none", `<title type="html">a &lt; b</title>`, "a < b"},
		{"atom 0.3", `<title type="text/html" mode="escaped">A &lt;b&gt;B&lt;/b&gt;</title>`, "A B"},
	} {
		if got := first(t, entry(c.element)).Title; got != c.want {
			t.Errorf("atom, %s: got %q, want %q", c.reason, got, c.want)
		}
	}
}
