package feed

import (
	"strconv"
	"strings"
)

// A hostile document costs its reader more than its author.
type hostile struct {
	name string
	make func(size int) string // size is approximate
}

func fill(head, part, tail string) func(int) string {
	return func(size int) string {
		return head + strings.Repeat(part, max(1, (size-len(head)-len(tail))/len(part))) + tail
	}
}

// numbered is like fill, but replaces each # in part with a number, so that all parts differ.
func numbered(head, part, tail string) func(int) string {
	return func(size int) string {
		var b strings.Builder
		b.WriteString(head)
		for i := 0; b.Len() < size-len(tail); i++ {
			b.WriteString(strings.ReplaceAll(part, "#", strconv.Itoa(i)))
		}
		return b.String() + tail
	}
}

func halves(first, second func(int) string) func(int) string {
	return func(size int) string { return first(size/2) + second(size/2) }
}

const channel = `<rss version="2.0"><channel><title>T</title>`

// hostiles are known attacks on this parser or others.
var hostiles = []hostile{
	{"root attributes", numbered(`<rss version="2.0"`, ` a#=""`, `><channel><title>T</title></channel></rss>`)},
	{"root bare attributes", fill(`<rss`, ` a`, `><channel/></rss>`)},
	{"root attributes never closed", fill(`<rss`, ` a=b`, ``)},
	{"root namespaces, then elements", halves(numbered(`<rss`, ` xmlns:a#=""`, `>`), fill(`<channel>`, `<zz:y/>`, ``))},
	{"namespaces in depth", numbered(channel, `<atom:author xmlns:a#="urn:#">`, ``)},
	{"namespaces of publishers' own", fill(channel, `<author xmlns="urn:x"><atom:author>`, ``)},
	{"attributes of an item", fill(channel+`<item`, ` a=""`, `></item></channel></rss>`)},
	{"attributes of a link", fill(channel+`<item><atom:link`, ` href=""`, `/></item></channel></rss>`)},
	{"attributes in content",
		fill(channel+`<item><description><p`, ` a=""`, `>x</p></description></item></channel></rss>`)},
	{"quote without end", fill(channel+`<item><link a="`, ` b='`, ``)},
	{"billion laughs", func(size int) string {
		s := `<!DOCTYPE rss [<!ENTITY l0 "lol">`
		for i := 1; i < 20; i++ {
			s += `<!ENTITY l` + strconv.Itoa(i) + ` "` + strings.Repeat("&l"+strconv.Itoa(i-1)+";", 10) + `">`
		}
		return fill(s+`]>`+channel+`<item><title>`, `&l19;`, `</title></item></channel></rss>`)(size)
	}},
	{"quadratic entity", func(size int) string {
		return `<!DOCTYPE rss [<!ENTITY a "` + strings.Repeat("a", size/2) + `">]>` + channel + `<item><title>` +
			strings.Repeat("&a;", size/6) + `</title></item></channel></rss>`
	}},
	{"doctypes", fill(``, `<!DOCTYPE a [`, channel)},
	{"doctype of elements", numbered(`<!DOCTYPE rss [`, `<!ENTITY a# "x">`, `]>`+channel+`</channel></rss>`)},
	{"external entity", fill(`<!DOCTYPE rss [<!ENTITY x SYSTEM "file:///etc/passwd">]>`+channel+`<item><title>`, `&x;`,
		`</title></item></channel></rss>`)},
	{"numeric references", fill(channel+`<item><title>`, `&#65;`, `</title></item></channel></rss>`)},
	{"unknown entities", fill(channel+`<item><description>`, `&abcdefgh;`, `</description></item></channel></rss>`)},
	{"depth of unknowns", fill(channel, `<a>`, ``)},
	{"depth of groups", fill(channel+`<item>`, `<media:group>`, ``)},
	{"depth of authors", fill(channel+`<item>`, `<atom:author>`, ``)},
	{"depth of items", fill(channel, `<item>`, ``)},
	{"depth of channels", fill(`<rss>`, `<channel>`, ``)},
	{"depth in a title", fill(channel+`<item><title>`, `<b>`, ``)},
	{"depth in content", fill(channel+`<item><description>`, `<b>`, ``)},
	{"depth in content, ended", func(size int) string {
		n := size / len("<title></title>")
		return channel + `<item>` +
			strings.Repeat("<title>", n) + strings.Repeat("</title>", n) + `</item></channel></rss>`
	}},
	{"ends that nothing begins", fill(channel, `</a>`, ``)},
	{"ends with long names", fill(channel+strings.Repeat("<atom:author>", 99), `</`+strings.Repeat("autho", 100)+`>`,
		``)},
	{"long prefix", func(size int) string {
		p := strings.Repeat("p", size/200)
		return `<rss xmlns:` + p + `="http://www.w3.org/2005/Atom"><channel>` +
			strings.Repeat("<"+p+":author>", 99) + strings.Repeat("</"+p+":authos>", 99)
	}},
	{"one long name", func(size int) string { return channel + "<" + strings.Repeat("a", size) }},
	{"comments", fill(channel, `<!---->`, `</channel></rss>`)},
	{"comments without end", fill(channel, `<!--`, ``)},
	{"instructions without end", fill(channel, `<?a`, ``)},
	{"sections without end", fill(channel+`<item><title>`, `<![CDATA[`, ``)},
	{"sections", fill(channel+`<item><description>`, `<![CDATA[]]>`, `</description></item></channel></rss>`)},
	{"less-than signs", fill(channel+`<item><description>`, `<`, `</description></item></channel></rss>`)},
	{"namespaces beside elements", halves(numbered(channel+`<atom:author`, ` xmlns:a#=""`, `>`),
		fill(``, `<zz:y/>`, ``))},
	{"items", fill(channel, `<item/>`, `</channel></rss>`)},
	{"small items", fill(channel, `<item><title>a</title></item>`, `</channel></rss>`)},
	{"same guid", fill(channel, `<item><guid>a</guid><title>t</title></item>`, `</channel></rss>`)},
	{"enclosures", fill(channel+`<item>`, `<enclosure/>`, `</item></channel></rss>`)},
	{"media", fill(channel+`<item>`, `<media:content url="a"/>`, `</item></channel></rss>`)},
	{"media in items", fill(channel, `<item>`+strings.Repeat(`<media:content/>`, 50)+`</item>`, `</channel></rss>`)},
	{"links of a channel", fill(channel, `<atom:link href="a"/>`, `</channel></rss>`)},
	{"plain links of a channel", fill(channel, `<link>a</link>`, `</channel></rss>`)},
	{"creators", fill(channel+`<item>`, `<dc:creator>a</dc:creator>`, `</item></channel></rss>`)},
	{"hours", fill(channel+`<skipHours>`, `<hour>1</hour>`, `</skipHours></channel></rss>`)},
	{"days", fill(channel+`<skipDays>`, `<day>Monday</day>`, `</skipDays></channel></rss>`)},
	{"bases", fill(channel, `<item xml:base="a/"><link>b</link></item>`, `</channel></rss>`)},
	{"bases in depth", fill(`<rss xml:base="http://x.org/"><channel>`,
		`<author xml:base="aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/">`, ``)},
	{"a long base and links", func(size int) string {
		return `<rss xml:base="http://x.org/` + strings.Repeat("a/", size/4) + `"><channel><item>` +
			strings.Repeat(`<atom:link href="b"/>`, size/50) + `</item></channel></rss>`
	}},
	{"a long base and items", func(size int) string {
		return `<rss xml:base="http://x.org/` + strings.Repeat("a/", size/4) + `"><channel>` +
			strings.Repeat(`<item><link>b</link></item>`, size/54) + `</channel></rss>`
	}},
	{"a long link and items", func(size int) string {
		return `<rss><channel><link>http://x.org/` + strings.Repeat("a/", size/4) + `</link>` +
			strings.Repeat(`<item><link>b</link></item>`, size/54) + `</channel></rss>`
	}},
	{"a long language and items", func(size int) string {
		return `<rss xml:lang="` + strings.Repeat("a_", size/4) + `"><channel>` +
			strings.Repeat(`<item><title>b</title></item>`, size/58) + `</channel></rss>`
	}},
	{"long dates", fill(channel, `<item><pubDate>`+strings.Repeat("1:", 60)+`</pubDate></item>`, `</channel></rss>`)},
	{"persons", fill(channel, `<item><author>`+strings.Repeat("a@(", 250)+`</author></item>`, `</channel></rss>`)},
	{"persons with spaces", fill(channel, `<item><author>`+strings.Repeat("a@b.c ", 130)+`</author></item>`,
		`</channel></rss>`)},
	{"titles", fill(channel, `<item><title>`+strings.Repeat("&amp;amp;lt;", 1300)+`</title></item>`,
		`</channel></rss>`)},
	{"base64", fill(`<feed xmlns="http://www.w3.org/2005/Atom"><entry><content mode="base64">`, `QUFB`,
		`</content></entry></feed>`)},
	{"xhtml", fill(`<feed xmlns="http://www.w3.org/2005/Atom"><entry><content type="xhtml">`, `<a:b>`,
		`</content></entry></feed>`)},
	{"atom links", fill(`<feed xmlns="http://www.w3.org/2005/Atom"><entry>`, `<link href="a"/>`, `</entry></feed>`)},
	{"atom authors", fill(`<feed xmlns="http://www.w3.org/2005/Atom"><entry>`, `<author><name>a</name></author>`,
		`</entry></feed>`)},
	{"atom sources", fill(`<feed xmlns="http://www.w3.org/2005/Atom"><entry>`,
		`<source><author><name>a</name></author></source>`, `</entry></feed>`)},
	{"rdf abouts", fill(`<rdf:RDF>`, `<item rdf:about="a"/>`, `</rdf:RDF>`)},
	{"roots that are none", fill(``, `<a>`, ``)},
	{"nul bytes", fill(`<rss>`, "\x00", ``)},
	{"bad utf-8", fill(channel+`<item><title>`, "\xff\xfe", `</title></item></channel></rss>`)},
	{"utf-16", fill("\xff\xfe<\x00", "a\x00", ``)},
	{"utf-7", fill(`<?xml version="1.0" encoding="utf-7"?>`+channel, "+ADw-", ``)},
	{"iso-2022-jp", fill(`<?xml version="1.0" encoding="iso-2022-jp"?>`+channel, "\x1b$B!!\x1b(B", ``)},
	{"entities in place", fill(`<!DOCTYPE rss [<!ENTITY a "bc">]>`+channel+`<item><title>`, `&a;`,
		`</title></item></channel></rss>`)},
	{"entities beside sections", fill(`<!DOCTYPE rss [<!ENTITY a "bc">]>`+channel+`<item><title>`, `<![CDATA[&a;`,
		`</title></item></channel></rss>`)},
	{"encoded twice", fill(channel+`<item><title>`, "\u00c3\u00a9", `</title></item></channel></rss>`)},
	{"sections of white space", fill(channel, `<item>`+
		strings.Repeat(`<description><![CDATA[ ]]></description>`, 50)+`</item>`, `</channel></rss>`)},
	{"cdf items", fill(`<CHANNEL HREF="http://x.org/">`, `<ITEM HREF="a">`, `</CHANNEL>`)},
	{"cdf titles without end", fill(`<CHANNEL HREF="http://x.org/"><ITEM>`, `<TITLE>`, ``)},
	{"cdf links without end", fill(`<CHANNEL HREF="http://x.org/">`, `<ITEM><A HREF="b">`, ``)},
	{"cdf channels", fill(`<CHANNEL HREF="http://x.org/">`, `<CHANNEL>`, ``)},
	{"json fields", numbered(`{"version":"https://jsonfeed.org/version/1"`, `,"a#":0`, `}`)},
	{"json colons", fill(`{"version"`, `:`, `}`)},
	{"opml outlines", fill(`<opml><body>`, `<outline xmlUrl="a"/>`, `</body></opml>`)},
	{"opml folders", fill(`<opml><body>`, `<outline text="a">`, ``)},
	{"opml capitals", fill(`<opml><body>`, `<OUTLINE>`, ``)},
	{"opml torn", fill(`<opml><body>`, `<OUTLINE a>`+strings.Repeat(" xmlUrl", 100), ``)},
	{"opml long folders", func(size int) string {
		folders := strings.Repeat(`<outline text="`+strings.Repeat("a", size/200)+`">`, 99)
		return `<opml><body>` + folders + strings.Repeat(`<outline xmlUrl="b"/>`, size/42) + `</body></opml>`
	}},
	{"page tags", fill(`<html>`, `<link rel=alternate type=application/rss+xml href=x>`, ``)},
	{"page attributes", fill(`<html><link`, ` a=b`, `>`)},
	{"page of big tags", fill(`<html>`, `<link`+strings.Repeat(" a", 1<<17)+`>`, ``)},
	{"page title", fill(`<html><title>`, `&amp;lt;`, `</title>`)},
	{"page text", fill(`<html><p>`, `<`, ``)},
	{"json array", fill(`{"version":"https://jsonfeed.org/version/1","items":[`, `0,`, `0]}`)},
	{"json items", fill(`{"version":"https://jsonfeed.org/version/1","items":[`, `{},`, `{}]}`)},
	{"json depth", fill(`{"version":"https://jsonfeed.org/version/1","a":`, `[`, ``)},
	{"json objects in depth", fill(`{"version":"https://jsonfeed.org/version/1","a":`, `{"a":`, ``)},
	{"json elsewhere", fill(`{"version":"https://jsonfeed.org/version/1","title":1,"a":[`, `{},`, `{}]}`)},
	{"json tags", fill(`{"version":"https://jsonfeed.org/version/1","items":[{"id":"a","tags":[`, `"",`, `""]}]}`)},
	{"json authors", fill(`{"version":"https://jsonfeed.org/version/1","items":[{"id":"a","authors":[`, `{"name":"a"},`,
		`{}]}]}`)},
	{"json attachments", fill(`{"version":"https://jsonfeed.org/version/1","items":[{"id":"a","attachments":[`, `{},`,
		`{}]}]}`)},
	{"json hubs", fill(`{"version":"https://jsonfeed.org/version/1","hubs":[`, `{},`, `{}]}`)},
	{"json members", numbered(`{"version":"https://jsonfeed.org/version/1","title":1`, `,"#":0`, `}`)},
	{"json controls", fill(`{"version":"https://jsonfeed.org/version/1","title":"`, "\x01", `"}`)},
	{"json backslashes", fill(`{"version":"https://jsonfeed.org/version/1","title":"`, `\`, `"}`)},
	{"json commas", fill(`{"version":"https://jsonfeed.org/version/1","a":[`, `, `, `]}`)},
	{"json comma brackets", fill(`{"version":"https://jsonfeed.org/version/1","a":[`, ` ]`, ``)},
	{"html tables", fill(channel+`<item><description><![CDATA[`, `<table><td>`,
		`]]></description></item></channel></rss>`)},
	{"html formatting", numbered(channel+`<item><description><![CDATA[`, `<b a=#><p>`,
		`]]></description></item></channel></rss>`)},
	{"html formatting ended", numbered(channel+`<item><description><![CDATA[`, `<b a=#></p>`,
		`]]></description></item></channel></rss>`)},
	{"html adoption", numbered(channel+`<item><description><![CDATA[`, `<a><b a=#><div></a>`,
		`]]></description></item></channel></rss>`)},
	{"html attributes", fill(channel+`<item><description><![CDATA[<p`, ` a`,
		`>]]></description></item></channel></rss>`)},
	{"html many attributes",
		numbered(channel+`<item><description><![CDATA[<p`, ` a#`, `>]]></description></item></channel></rss>`)},
	{"html lists", fill(channel+`<item><description><![CDATA[`, `<li><p>`, `]]></description></item></channel></rss>`)},
	{"html objects", fill(channel+`<item><description><![CDATA[`, `<object>`,
		`]]></description></item></channel></rss>`)},
	{"html comments", fill(channel+`<item><description><![CDATA[`, `<!---->`,
		`]]></description></item></channel></rss>`)},
	{"html noscript", fill(channel+`<item><description><![CDATA[`, `a<noscript></noscript>`,
		`]]></description></item></channel></rss>`)},
	{"html unclosed comments",
		fill(channel+`<item><description><![CDATA[`, `<!--`, `]]></description></item></channel></rss>`)},
	{"html pictures", fill(channel+`<item><description><![CDATA[`, `<img src=a>`,
		`]]></description></item></channel></rss>`)},
	{"html attributes of html", numbered(channel+`<item><description><![CDATA[`, `<html a#=b>`,
		`]]></description></item></channel></rss>`)},
	{"html tables and text", fill(channel+`<item><description><![CDATA[<table>`, `a<tr>`,
		`]]></description></item></channel></rss>`)},
	{"html styles in all that follows", func(size int) string {
		return numbered(channel+`<item><description><![CDATA[<p>`, `<font a=#>`, ``)(4000) + fill(``, `<p>x`,
			`]]></description></item></channel></rss>`)(size)
	}},
	{"html pictures again", fill(channel+`<item><description><![CDATA[<img src=http://x.org/a>`,
		`a<noscript></noscript>`, `]]></description></item></channel></rss>`)},
	{"page attributes, then tags", halves(numbered(`<html><p`, ` a#`, `>`), fill(``, `<b a>`, ``))},
	{"html styles", fill(channel+`<item><description><![CDATA[<p style="`, `a: b;`,
		`">]]></description></item></channel></rss>`)},
	{"html frameset", fill(channel+`<item><description><![CDATA[`, `<select><option>`,
		`]]></description></item></channel></rss>`)},
	{"html links on a long base", func(size int) string {
		return channel + `<item><link>http://x.org/` + strings.Repeat("a/", 1000) + `</link><description><![CDATA[` +
			strings.Repeat(`<a href=b>x</a>`, size/15) + `]]></description></item></channel></rss>`
	}},
	{"html pictures on a long base", func(size int) string {
		return channel + `<item><link>http://x.org/` + strings.Repeat("a/", 1000) + `</link><description><![CDATA[` +
			strings.Repeat(`<img src=b>`, size/11) + `]]></description></item></channel></rss>`
	}},
	{"html quotes", fill(channel+`<item><description><![CDATA[<p>`, `"`, `]]></description></item></channel></rss>`)},
	{"html text", fill(channel+`<item><description>`, "a\n\n", `</description></item></channel></rss>`)},
	{"html tagless", fill(channel+`<item><description>`, "a&lt;", `</description></item></channel></rss>`)},
	{"hosts of other letters", fill(`<feed xmlns="http://www.w3.org/2005/Atom" xml:base="http://`+
		otherLetters(250)+`/">`, `<entry><link href="b"/></entry>`, `</feed>`)},
	{"hosts longer than any", fill(`<feed xmlns="http://www.w3.org/2005/Atom" xml:base="http://`+
		otherLetters(650)+`/">`, `<entry><link href="b"/></entry>`, `</feed>`)},
	{"hosts of the channel", fill(`<rss version="2.0"><channel><link>http://`+otherLetters(250)+`/</link>`,
		`<item><link>b</link></item>`, `</channel></rss>`)},
	{"hosts of a post", fill(channel+`<item><link>http://`+otherLetters(250)+`/</link><description><![CDATA[`,
		`<a href=b>x</a>`, `]]></description></item></channel></rss>`)},
	{"hosts of a page", fill(`<html><base href="http://`+otherLetters(250)+`/">`,
		`<link rel=alternate type=application/rss+xml href=x>`, ``)},
	{"notes", numbered(outbox,
		`{"type":"Create","object":{"type":"Note","id":"https://x.org/#","content":"a","to":"as:Public"}},`, `{}]}`)},
	{"notes in depth", fill(outbox, `{"object":`, ``)},
	{"notes in lists", func(size int) string {
		return outbox + strings.Repeat(strings.Repeat(`[`, 9000)+strings.Repeat(`]`, 9000)+`,`, size/18001) + `0]}`
	}},
	{"accounts of Bluesky", fill(`{"feed":[`,
		`{"post":{"uri":"at://did:plc:a/app.bsky.feed.post/1","author":{"did":"did:plc:a","handle":"a.b"},"record":{"text":"a"}}},`, `{}]}`)},
	{"marked: rels", numbered(marked, `<a rel=x href=#></a>`, ``)},
	{"marked: rels of one address", numbered(marked, `<a rel="a# b#" href=x></a>`, ``)},
	{"marked: rels of one link", numbered(marked+`<a href=x rel="`, `a# `, `">`)},
	{"marked: rels and classes", halves(fill(`<html><body class=hentry><a href=x rel="`, `tag `, ``),
		fill(`" class="category `, `x `, `">`))},
	{"marked: old names", halves(fill(`<html><body class="`, `hentry `, ``), fill(`">`, `<b class=x></b>`, ``))},
	{"marked: authors", numbered(marked,
		`<div class=h-entry><a class=u-author href=#>x</a><a class=u-url href=#>x</a></div>`, ``)},
	{"marked: includes", fill(marked+`<div id=x class=hentry>`, `<a class=include href="#x"></a>`, ``)},
	{"marked: a long base and rels", halves(fill(`<html><body class=h-entry><base href="http://x.org/`, `a`, ``),
		numbered(`/">`, `<a rel=x href=#></a>`, ``))},
	{"a base and links", numbered(`<html><body><base href="http://x.org/`+strings.Repeat("a", 2000)+`/">`,
		`<a href=feed>rss</a>`, ``)},
	{"a base and alternates", numbered(`<html><body><base href="http://x.org/`+strings.Repeat("a", 2000)+`/">`,
		`<a rel=feed href=x>b</a>`, ``)},
	{"links never closed", fill(`<html><body>`, `<a href=feed class=rss title=rss>`, ``)},
	{"marked: a base and rels", numbered(marked+`<base href="http://x.org/`+strings.Repeat("a", 2000)+`/">`,
		`<a rel=x href=#></a>`, ``)},
}

const (
	outbox = `{"@context":"https://www.w3.org/ns/activitystreams","type":"OrderedCollection","orderedItems":[`
	marked = `<!doctype html><html><body class=h-feed>`
)

// otherLetters returns a host of n different characters that are not ASCII.
func otherLetters(n int) string {
	var b strings.Builder
	for i := range n {
		const label = 63
		if i%label == label-1 {
			b.WriteByte('.')
			continue
		}
		b.WriteRune(rune('一' + 37*i))
	}
	return b.String()
}
