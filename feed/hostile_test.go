package feed

import (
	"regexp"
	"slices"
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

// hostilesOf reads attacks, one a line, between a common head and tail. It repeats the texts in ⟦⟧ until together they
// fill the size. ⟨3 a⟩ means aaa.
func hostilesOf(head, tail, lines string) (all []hostile) {
	shorts := strings.NewReplacer("LETTERS", otherLetters(250), "OUTBOX", outbox, "CHANNEL", channel,
		"END", "</channel></rss>", "ATOM", `<feed xmlns="http://www.w3.org/2005/Atom"`)
	repeated := regexp.MustCompile(`⟨(\d+) ([^⟩]*)⟩`)
	for line := range strings.Lines(strings.TrimSpace(lines)) {
		name, text, _ := strings.Cut(strings.TrimSpace(line), " | ")
		text = repeated.ReplaceAllStringFunc(shorts.Replace(text), func(s string) string {
			m := repeated.FindStringSubmatch(s)
			n, _ := strconv.Atoi(m[1])
			return strings.Repeat(m[2], n)
		})
		all = append(all, hostile{name, func(size int) (doc string) {
			parts := strings.Split(head+text+tail, "⟦")
			before := parts[0]
			for _, p := range parts[1:] {
				part, after, _ := strings.Cut(p, "⟧")
				enlarge := fill
				if strings.Contains(part, "#") {
					enlarge = numbered
				}
				doc += enlarge(before, part, after)(size / (len(parts) - 1))
				before = ""
			}
			return doc
		}})
	}
	return all
}

const channel = `<rss version="2.0"><channel><title>T</title>`

// hostiles are known attacks on this parser or others.
var hostiles = slices.Concat([]hostile{
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
	{"numeric references", fill(channel+`<item><title>`, `&#65;`, `</title></item></channel></rss>`)},
	{"depth in content, ended", func(size int) string {
		n := size / len("<title></title>")
		return channel + `<item>` +
			strings.Repeat("<title>", n) + strings.Repeat("</title>", n) + `</item></channel></rss>`
	}},
	{"long prefix", func(size int) string {
		p := strings.Repeat("p", size/200)
		return `<rss xmlns:` + p + `="http://www.w3.org/2005/Atom"><channel>` +
			strings.Repeat("<"+p+":author>", 99) + strings.Repeat("</"+p+":authos>", 99)
	}},
	{"one long name", func(size int) string { return channel + "<" + strings.Repeat("a", size) }},
	{"nul bytes", fill(`<rss>`, "\x00", ``)},
	{"bad utf-8", fill(channel+`<item><title>`, "\xff\xfe", `</title></item></channel></rss>`)},
	{"utf-16", fill("\xff\xfe<\x00", "a\x00", ``)},
	{"iso-2022-jp", fill(`<?xml version="1.0" encoding="iso-2022-jp"?>`+channel, "\x1b$B!!\x1b(B", ``)},
	{"encoded twice", fill(channel+`<item><title>`, "\u00c3\u00a9", `</title></item></channel></rss>`)},
	{"opml long folders", func(size int) string {
		folders := strings.Repeat(`<outline text="`+strings.Repeat("a", size/200)+`">`, 99)
		return `<opml><body>` + folders + strings.Repeat(`<outline xmlUrl="b"/>`, size/42) + `</body></opml>`
	}},
	{"json controls", fill(`{"version":"https://jsonfeed.org/version/1","title":"`, "\x01", `"}`)},
	{"html styles in all that follows", func(size int) string {
		return numbered(channel+`<item><description><![CDATA[<p>`, `<font a=#>`, ``)(4000) + fill(``, `<p>x`,
			`]]></description></item></channel></rss>`)(size)
	}},
	{"html text", fill(channel+`<item><description>`, "a\n\n", `</description></item></channel></rss>`)},
	{"hosts longer than any", fill(`<feed xmlns="http://www.w3.org/2005/Atom" xml:base="http://`+
		otherLetters(650)+`/">`, `<entry><link href="b"/></entry>`, `</feed>`)},
	{"notes in lists", func(size int) string {
		return outbox + strings.Repeat(strings.Repeat(`[`, 9000)+strings.Repeat(`]`, 9000)+`,`, size/18001) + `0]}`
	}},
	{"marked: includes", fill(marked+`<div id=x class=hentry>`, `<a class=include href="#x"></a>`, ``)},
},
	hostilesOf("", "", `
	root attributes | <rss version="2.0"⟦ a#=""⟧><channel><title>T</title>END
	root bare attributes | <rss⟦ a⟧><channel/></rss>
	root attributes never closed | <rss⟦ a=b⟧
	doctypes | ⟦<!DOCTYPE a [⟧CHANNEL
	doctype of elements | <!DOCTYPE rss [⟦<!ENTITY a# "x">⟧]>CHANNELEND
	external entity | <!DOCTYPE rss [<!ENTITY x SYSTEM "file:///etc/passwd">]>CHANNEL<item><title>⟦&x;⟧</title></item>END
	depth of channels | <rss>⟦<channel>⟧
	bases in depth | <rss xml:base="http://x.org/"><channel>⟦<author xml:base="⟨48 a⟩/">⟧
	rdf abouts | <rdf:RDF>⟦<item rdf:about="a"/>⟧</rdf:RDF>
	roots that are none | ⟦<a>⟧
	utf-7 | <?xml version="1.0" encoding="utf-7"?>CHANNEL⟦+ADw-⟧
	entities in place | <!DOCTYPE rss [<!ENTITY a "bc">]>CHANNEL<item><title>⟦&a;⟧</title></item>END
	entities beside sections | <!DOCTYPE rss [<!ENTITY a "bc">]>CHANNEL<item><title>⟦<![CDATA[&a;⟧</title></item>END
	cdf items | <CHANNEL HREF="http://x.org/">⟦<ITEM HREF="a">⟧</CHANNEL>
	cdf titles without end | <CHANNEL HREF="http://x.org/"><ITEM>⟦<TITLE>⟧
	cdf links without end | <CHANNEL HREF="http://x.org/">⟦<ITEM><A HREF="b">⟧
	cdf channels | <CHANNEL HREF="http://x.org/">⟦<CHANNEL>⟧
	json colons | {"version"⟦:⟧}
	opml outlines | <opml><body>⟦<outline xmlUrl="a"/>⟧</body></opml>
	opml folders | <opml><body>⟦<outline text="a">⟧
	opml capitals | <opml><body>⟦<OUTLINE>⟧
	page tags | <html>⟦<link rel=alternate type=application/rss+xml href=x>⟧
	page attributes | <html><link⟦ a=b⟧>
	page title | <html><title>⟦&amp;lt;⟧</title>
	page text | <html><p>⟦<⟧
	notes in depth | OUTBOX⟦{"object":⟧
	accounts of Bluesky | {"feed":[⟦{"post":{"uri":"at://did:plc:a/app.bsky.feed.post/1","author":{"did":"did:plc:a","handle":"a.b"},"record":{"text":"a"}}},⟧{}]}
	links never closed | <html><body>⟦<a href=feed class=rss title=rss>⟧
	notes | OUTBOX⟦{"type":"Create","object":{"type":"Note","id":"https://x.org/#","content":"a","to":"as:Public"}},⟧{}]}
	root namespaces, then elements | <rss⟦ xmlns:a#=""⟧><channel>⟦<zz:y/>⟧
	namespaces beside elements | CHANNEL<atom:author⟦ xmlns:a#=""⟧>⟦<zz:y/>⟧
	a long base and links | <rss xml:base="http://x.org/⟦a/⟧"><channel><item>⟦<atom:link href="b"/>⟧</item>END
	a long base and items | <rss xml:base="http://x.org/⟦a/⟧"><channel>⟦<item><link>b</link></item>⟧END
	a long link and items | <rss><channel><link>http://x.org/⟦a/⟧</link>⟦<item><link>b</link></item>⟧END
	a long language and items | <rss xml:lang="⟦a_⟧"><channel>⟦<item><title>b</title></item>⟧END
	opml torn | <opml><body>⟦<OUTLINE a>⟨100  xmlUrl⟩⟧
	page of big tags | <html>⟦<link⟨131072  a⟩>⟧
	page attributes, then tags | <html><p⟦ a#⟧>⟦<b a>⟧
	hosts of the channel | <rss version="2.0"><channel><link>http://LETTERS/</link>⟦<item><link>b</link></item>⟧END
	hosts of a page | <html><base href="http://LETTERS/">⟦<link rel=alternate type=application/rss+xml href=x>⟧
	hosts of other letters | ATOM xml:base="http://LETTERS/">⟦<entry><link href="b"/></entry>⟧</feed>
	marked: rels and classes | <html><body class=hentry><a href=x rel="⟦tag ⟧" class="category ⟦x ⟧">
	marked: old names | <html><body class="⟦hentry ⟧">⟦<b class=x></b>⟧
	marked: a long base and rels | <html><body class=h-entry><base href="http://x.org/⟦a⟧/">⟦<a rel=x href=#></a>⟧
	a base and links | <html><body><base href="http://x.org/⟨2000 a⟩/">⟦<a href=feed>rss</a>⟧
	a base and alternates | <html><body><base href="http://x.org/⟨2000 a⟩/">⟦<a rel=feed href=x>b</a>⟧`),
	hostilesOf(channel, "", `
	namespaces in depth | ⟦<atom:author xmlns:a#="urn:#">⟧
	namespaces of publishers' own | ⟦<author xmlns="urn:x"><atom:author>⟧
	quote without end | <item><link a="⟦ b='⟧
	depth of unknowns | ⟦<a>⟧
	depth of groups | <item>⟦<media:group>⟧
	depth of authors | <item>⟦<atom:author>⟧
	depth of items | ⟦<item>⟧
	depth in a title | <item><title>⟦<b>⟧
	depth in content | <item><description>⟦<b>⟧
	ends that nothing begins | ⟦</a>⟧
	comments without end | ⟦<!--⟧
	instructions without end | ⟦<?a⟧
	sections without end | <item><title>⟦<![CDATA[⟧
	ends with long names | ⟨99 <atom:author>⟩⟦</⟨100 autho⟩>⟧`),
	hostilesOf(channel, `</channel></rss>`, `
	attributes of an item | <item⟦ a=""⟧></item>
	comments | ⟦<!---->⟧
	items | ⟦<item/>⟧
	small items | ⟦<item><title>a</title></item>⟧
	same guid | ⟦<item><guid>a</guid><title>t</title></item>⟧
	links of a channel | ⟦<atom:link href="a"/>⟧
	plain links of a channel | ⟦<link>a</link>⟧
	hours | <skipHours>⟦<hour>1</hour>⟧</skipHours>
	days | <skipDays>⟦<day>Monday</day>⟧</skipDays>
	bases | ⟦<item xml:base="a/"><link>b</link></item>⟧
	attributes of a link | <item><atom:link⟦ href=""⟧/></item>
	enclosures | <item>⟦<enclosure/>⟧</item>
	media | <item>⟦<media:content url="a"/>⟧</item>
	creators | <item>⟦<dc:creator>a</dc:creator>⟧</item>
	media in items | ⟦<item>⟨50 <media:content/>⟩</item>⟧
	long dates | ⟦<item><pubDate>⟨60 1:⟩</pubDate></item>⟧
	persons | ⟦<item><author>⟨250 a@(⟩</author></item>⟧
	persons with spaces | ⟦<item><author>⟨130 a@b.c ⟩</author></item>⟧
	titles | ⟦<item><title>⟨1300 &amp;amp;lt;⟩</title></item>⟧
	sections of white space | ⟦<item>⟨50 <description><![CDATA[ ]]></description>⟩</item>⟧
	html links on a long base | <item><link>http://x.org/⟨1000 a/⟩</link><description><![CDATA[⟦<a href=b>x</a>⟧]]></description></item>
	html pictures on a long base | <item><link>http://x.org/⟨1000 a/⟩</link><description><![CDATA[⟦<img src=b>⟧]]></description></item>
	hosts of a post | <item><link>http://LETTERS/</link><description><![CDATA[⟦<a href=b>x</a>⟧]]></description></item>`),
	hostilesOf(channel+`<item><description>`, `</description></item></channel></rss>`, `
	attributes in content | <p⟦ a=""⟧>x</p>
	unknown entities | ⟦&abcdefgh;⟧
	sections | ⟦<![CDATA[]]>⟧
	less-than signs | ⟦<⟧
	html tagless | ⟦a&lt;⟧`),
	hostilesOf(channel+`<item><description><![CDATA[`, `]]></description></item></channel></rss>`, `
	html tables | ⟦<table><td>⟧
	html formatting | ⟦<b a=#><p>⟧
	html formatting ended | ⟦<b a=#></p>⟧
	html adoption | ⟦<a><b a=#><div></a>⟧
	html attributes | <p⟦ a⟧>
	html many attributes | <p⟦ a#⟧>
	html lists | ⟦<li><p>⟧
	html objects | ⟦<object>⟧
	html comments | ⟦<!---->⟧
	html noscript | ⟦a<noscript></noscript>⟧
	html unclosed comments | ⟦<!--⟧
	html pictures | ⟦<img src=a>⟧
	html attributes of html | ⟦<html a#=b>⟧
	html tables and text | <table>⟦a<tr>⟧
	html pictures again | <img src=http://x.org/a>⟦a<noscript></noscript>⟧
	html styles | <p style="⟦a: b;⟧">
	html frameset | ⟦<select><option>⟧
	html quotes | <p>⟦"⟧`),
	hostilesOf(`{"version":"https://jsonfeed.org/version/1"`, "", `
	json fields | ⟦,"a#":0⟧}
	json array | ,"items":[⟦0,⟧0]}
	json items | ,"items":[⟦{},⟧{}]}
	json depth | ,"a":⟦[⟧
	json objects in depth | ,"a":⟦{"a":⟧
	json elsewhere | ,"title":1,"a":[⟦{},⟧{}]}
	json tags | ,"items":[{"id":"a","tags":[⟦"",⟧""]}]}
	json authors | ,"items":[{"id":"a","authors":[⟦{"name":"a"},⟧{}]}]}
	json attachments | ,"items":[{"id":"a","attachments":[⟦{},⟧{}]}]}
	json hubs | ,"hubs":[⟦{},⟧{}]}
	json members | ,"title":1⟦,"#":0⟧}
	json backslashes | ,"title":"⟦\⟧"}
	json commas | ,"a":[⟦, ⟧]}
	json comma brackets | ,"a":[⟦ ]⟧`),
	hostilesOf(`<feed xmlns="http://www.w3.org/2005/Atom">`, `</feed>`, `
	base64 | <entry><content mode="base64">⟦QUFB⟧</content></entry>
	xhtml | <entry><content type="xhtml">⟦<a:b>⟧</content></entry>
	atom links | <entry>⟦<link href="a"/>⟧</entry>
	atom authors | <entry>⟦<author><name>a</name></author>⟧</entry>
	atom sources | <entry>⟦<source><author><name>a</name></author></source>⟧</entry>`),
	hostilesOf(marked, "", `
	marked: rels | ⟦<a rel=x href=#></a>⟧
	marked: rels of one address | ⟦<a rel="a# b#" href=x></a>⟧
	marked: rels of one link | <a href=x rel="⟦a# ⟧">
	marked: authors | ⟦<div class=h-entry><a class=u-author href=#>x</a><a class=u-url href=#>x</a></div>⟧
	marked: a base and rels | <base href="http://x.org/⟨2000 a⟩/">⟦<a rel=x href=#></a>⟧`),
)

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
