package feed

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"

	"digest"
)

func mustParse(t *testing.T, body, address string) *Document {
	t.Helper()
	d, err := Parse([]byte(body), "", address)
	if err != nil {
		t.Fatalf("%v\n%s", err, body)
	}
	return d
}

func item(inside string) string {
	return `<rss version="2.0"><channel><title>T</title><link>https://example.org/</link><item>` +
		inside + `</item></channel></rss>`
}

func entry(inside string) string {
	return `<feed xmlns="http://www.w3.org/2005/Atom"><title>T</title><entry>` + inside + `</entry></feed>`
}

func first(t *testing.T, body string) *Post {
	t.Helper()
	d := mustParse(t, body, "https://example.org/blog/feed.xml")
	if len(d.Posts) == 0 {
		t.Fatalf("no entries in %s", body)
	}
	return &d.Posts[0]
}

func TestRepairs(t *testing.T) {
	const whole = `<rss><channel><title>T</title><item><title>one</title></item><item><title>two</title></item>` +
		`</channel></rss>`
	for _, c := range []struct{ reason, body, titles string }{
		{"as it should be", whole, "one,two"},
		{"byte order mark", "\uFEFF" + whole, "one,two"},
		{"blank lines before the declaration", "\n\n <?xml version='1.0'?>" + whole, "one,two"},
		{"stray words before the document", "Warning: mysql in line 3\n" + whole, "one,two"},
		{"a script's HTML before the document", "<br />\n<b>Warning</b>: x in <b>/y.php</b><br />\n" +
			whole, "one,two"},
		{"a comment and an instruction first", "<!-- c --><?xml-stylesheet href='a'?>" + whole, "one,two"},
		{"controls", strings.ReplaceAll(whole, "one", "o\x00n\x08e\x1f"), "one,two"},
		{"references to controls", strings.ReplaceAll(whole, "one", "o&#x1F;n&#0;e&#31;"), "one,two"},
		{"bare ampersand", strings.ReplaceAll(whole, "one", "A & B &c; AT&T"), "A & B &c; AT&T,two"},
		{"entities of HTML", strings.ReplaceAll(whole, "one", "caf&eacute; &hellip; &copy;"), "café … ©,two"},
		{"]]> outside of CDATA", strings.ReplaceAll(whole, "one", "one ]]> more"), "one ]]> more,two"},
		{"undeclared prefix", strings.ReplaceAll(whole, "<title>one", "<dc:creator>x</dc:creator><foo:bar/><title>one"),
			"one,two"},
		{"cut off in an item", whole[:strings.Index(whole, "two")+1], "one"},
		{"cut off in a tag", whole[:strings.Index(whole, "two")-3], "one"},
		{"cut off after an item", whole[:strings.Index(whole, "</channel>")], "one,two"},
		{"item without end", strings.Replace(whole, "</item>", "", 1), "one,two"},
		{"title without end", strings.Replace(whole, "</title></item>", "</item>", 1), "one,two"},
		{"an end that nothing begins", strings.ReplaceAll(whole, "<item>", "</b><item></i>"), "one,two"},
		{"CDATA without end", `<rss><channel><item><title>one</title></item><item><title><![CDATA[two`, "one"},
		{"entity bomb", `<!DOCTYPE r [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>` + strings.ReplaceAll(whole, "one", "&b;"),
			"haha,two"},
		{"external entity", `<!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/passwd">]>` +
			strings.ReplaceAll(whole, "one", "&a;"), "&a;,two"},
		{"markup in an entity", `<!DOCTYPE r [<!ENTITY a "<p>1 > 0</p><br/><title>x</title>">]>` + whole, "one,two"},
		{"a DOCTYPE whose quote and subset never end", `<!DOCTYPE r [<!ENTITY a "ha>` + whole, "one,two"},
		{"capital letters", strings.ToUpper(whole), "ONE,TWO"},
		{"no root", `<channel><item><title>one</title></item></channel>`, "one"},
		{"bytes that are no UTF-8", strings.ReplaceAll(whole, "one", "caf\xe9 – é"), "café – é,two"},
		{"windows-1252 in references", strings.ReplaceAll(whole, "one", "it&#146;s"), "it’s,two"},
		{"C1 controls", strings.ReplaceAll(whole, "one", "it\u0092s"), "it’s,two"},
		{"bogus default namespace", strings.Replace(whole, "<rss>", `<rss xmlns="http://example.org/mine">`, 1),
			"one,two"},
		{"two channels", `<rss><channel><item><title>one</title></item></channel><channel><title>U</title><item>` +
			`<title>two</title></item></channel></rss>`, "one,two"},
		{"bogus namespace further down",
			strings.Replace(whole, "<channel>", `<channel xmlns="http://example.org/mine">`, 1), "one,two"},
		{"Atom as default namespace of RSS",
			strings.Replace(whole, "<rss>", `<rss xmlns="http://www.w3.org/2005/Atom">`, 1), "one,two"},
	} {
		d := mustParse(t, c.body, "")
		var titles []string
		for _, e := range d.Posts {
			titles = append(titles, e.Title)
		}
		if got := strings.Join(titles, ","); got != c.titles {
			t.Errorf("%s: got %q, want %q", c.reason, got, c.titles)
		}
	}
}

func TestKinds(t *testing.T) {
	for _, c := range []struct {
		reason, body, contentType string
		kind                      Kind
	}{
		{"rss", item(""), "text/plain", RSS},
		{"rss 1.0", `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" ` +
			`xmlns="http://purl.org/rss/1.0/"><channel/><item><title>x</title></item></rdf:RDF>`, "", RDF},
		{"atom", entry(""), "text/html", Atom},
		{"atom with a prefix", `<a:feed xmlns:a="http://www.w3.org/2005/Atom"><a:entry/></a:feed>`, "", Atom},
		{"one entry alone", `<entry xmlns="http://www.w3.org/2005/Atom"><title>x</title></entry>`, "", Atom},
		{"json feed", `{"version":"https://jsonfeed.org/version/1.1","items":[]}`, "text/html", JSONFeed},
		{"opml", `<opml><body/></opml>`, "application/xml", OPML},
		{"page", `<!doctype html><title>x</title>`, "application/rss+xml", HTML},
		{"page without html element", `<p>Hello`, "text/html", HTML},
		{"page that shows a feed", `<html><body><p>Hi<rss><channel></channel></rss></body></html>`, "text/html", HTML},
	} {
		d, err := Parse([]byte(c.body), c.contentType, "")
		if err != nil {
			t.Errorf("%s: %v", c.reason, err)
		} else if d.Kind != c.kind {
			t.Errorf("%s: kind %q, want %q", c.reason, d.Kind, c.kind)
		}
	}
}

func TestRefusals(t *testing.T) {
	for _, c := range []struct{ body, says string }{
		{"", "empty"},
		{" \n\t", "empty"},
		{"hello there", "plain text"},
		{"\x89PNG\r\n\x1a\n\x00\x00", "image/png"},
		{"%PDF-1.4 ...", "application/pdf"},
		{"\x00\x01\x02\x03\xff\xfe\x00", "an unreadable file"},
		{`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url/></urlset>`, "<urlset>"},
		{`{"@context":"https://www.w3.org/ns/activitystreams","type":"Note"`, "ActivityStreams"},
		{`{"a":1}`, "JSON"},
		{`{"version":`, "JSON"},
		{`[1,2]`, "JSON file"},
	} {
		_, err := Parse([]byte(c.body), "", "")
		var e *digest.Error
		if !errors.As(err, &e) || e.Kind != digest.Invalid || !strings.Contains(e.Message, c.says) ||
			strings.Contains(e.Message, "\n") {
			t.Errorf("%.20q: error %v, want one line with %q", c.body, err, c.says)
		}
	}
}

func TestCharsets(t *testing.T) {
	const doc = `<?xml version="1.0" encoding="LABEL"?><rss><channel><title>TEXT</title></channel></rss>`
	const (
		chinese = "今天我们在北京的图书馆里看书，学习中文和历史，大家都很高兴。"
		tradit  = "今天我們在臺北的圖書館裡看書，學習中文和歷史，大家都很高興。"
		japan   = "きょうは図書館で本を読んで、日本の歴史についてべんきょうしました。"
		korea   = "오늘 우리는 도서관에서 책을 읽고 역사를 공부했습니다. 모두 " +
			"즐거웠습니다."
		russia = "Сегодня мы читали книги в библиотеке и учили " +
			"историю, все были довольны этой поездкой."
		hebrew = "היום קראנו ספרים בספרייה ולמדנו היסטוריה וכולם היו " +
			"שמחים מאוד"
		greek = "Σήμερα διαβάσαμε βιβλία στη βιβλιοθήκη και μάθαμε " +
			"ιστορία, όλοι ήταν ευχαριστημένοι."
		thailand = "วันนี้พวกเราอ่านหนังสือในห้องสมุดและเรียนประวัติศาสตร์ทุกคนมีความสุขมาก"
		french   = "Aujourd'hui, l'été était très chaud à Orléans – « déjà » vu, où ça ?"
	)
	le := unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	for _, c := range []struct {
		reason, label, text string
		encoding            encoding.Encoding
		contentType         string
	}{
		{"utf-8", "utf-8", japan, encoding.Nop, ""},
		{"misspelt", "utf8", japan, encoding.Nop, "text/xml; charset=UTF_8"},
		{"unknown name", "x-nonsense", japan, encoding.Nop, ""},
		{"declared utf-16, is utf-8", "utf-16", japan, encoding.Nop, ""},
		{"declared latin-1, is utf-8", "iso-8859-1", french, encoding.Nop, ""},
		{"header latin-1, declared and is utf-8", "utf-8", french, encoding.Nop, "text/xml; charset=iso-8859-1"},
		{"declared utf-8, is windows-1252", "utf-8", french, charmap.Windows1252, ""},
		{"declared utf-8, header says the truth", "utf-8", russia, charmap.KOI8R, "text/xml; charset=koi8-r"},
		{"header utf-8, declaration says the truth", "windows-1251", russia, charmap.Windows1251,
			"text/xml; charset=utf-8"},
		{"shift_jis", "Shift_JIS", japan, japanese.ShiftJIS, ""},
		{"iso-2022-jp", "ISO-2022-JP", japan, japanese.ISO2022JP, ""},
		{"gb2312 means gb18030", "gb2312", chinese, simplifiedchinese.GB18030, ""},
		{"utf-16 with mark", "utf-16", japan, unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), ""},
		{"utf-16 without mark", "utf-16", japan, le, ""},
		{"utf-16, header lies", "utf-16", japan, le, "text/xml; charset=utf-8"},
		{"utf-32", "utf-32", japan, utf32.UTF32(utf32.BigEndian, utf32.UseBOM), ""},
		{"detect gb", "", chinese, simplifiedchinese.GBK, ""},
		{"detect big5", "", tradit, traditionalchinese.Big5, ""},
		{"detect euc-jp", "", japan, japanese.EUCJP, ""},
		{"detect shift_jis", "", japan, japanese.ShiftJIS, ""},
		{"detect euc-kr", "", korea, korean.EUCKR, ""},
		{"detect windows-1251", "", russia, charmap.Windows1251, ""},
		{"detect koi8-r", "", russia, charmap.KOI8R, ""},
		{"detect windows-1255", "", hebrew, charmap.Windows1255, ""},
		{"detect windows-1253", "", greek, charmap.Windows1253, ""},
		{"detect windows-874", "", thailand, charmap.Windows874, ""},
		{"detect windows-1252", "", french, charmap.Windows1252, ""},
	} {
		text := strings.NewReplacer("LABEL", c.label, "TEXT", c.text).Replace(doc)
		body, err := c.encoding.NewEncoder().String(strings.ReplaceAll(text, ` encoding=""`, ""))
		if err != nil {
			t.Fatal(err)
		}
		d, err := Parse([]byte(body), c.contentType, "")
		if err != nil || d.Title != c.text {
			t.Errorf("%s: %+v %v", c.reason, d, err)
		}
	}
}

func TestFields(t *testing.T) {
	for _, group := range []struct {
		get   func(*Post) string
		cases [][3]string
	}{ // reason, document, what is got
		{link, [][3]string{
			{"guid is the link", item(`<guid>https://x.org/p</guid>`), "https://x.org/p"},
			{"guid is no link", item(`<guid isPermaLink="false">https://x.org/p</guid>`), ""},
			{"guid that is no address", item(`<guid>12-34</guid>`), ""},
			{"relative link", item(`<link>/p/1</link>`), "https://example.org/p/1"},
			{"link in href", item(`<link href="https://x.org/h"/>`), "https://x.org/h"},
			{"link as atom:link", item(`<atom:link rel="alternate" href="https://x.org/a"/>`), "https://x.org/a"},
			{"first of two links that is not empty", item(`<link> </link><link>https://x.org/1</link>`),
				"https://x.org/1"},
			{"line breaks in a link", item("<link>\nhttps://x.org/a\nb </link>"), "https://x.org/ab"},
			{"query stays", item(`<link>https://x.org/?a=1&amp;copy=2&b=%C3%A9</link>`),
				"https://x.org/?a=1&copy=2&b=%C3%A9"},
			{"atom alternate preferred",
				entry(
					`<link rel="self" href="https://x.org/s"/><link rel="enclosure" href="https://x.org/e"/><link ` +
						`rel="alternate" type="application/json" href="https://x.org/j"/><link ` +
						`href="https://x.org/p"/>`), "https://x.org/p"},
			{"xml:base", entry(`<link xml:base="https://b.org/x/" href="p"/>`), "https://b.org/x/p"},
			{"id that is a page", entry(`<id>https://x.org/p</id>`), "https://x.org/p"},
			{"id that is a name", entry(`<id>urn:x:1</id>`), ""},
		}},
		{author, [][3]string{
			{"atom:author with names of no namespace", item(`<atom:author><name>Ann</name></atom:author>`), "Ann"},
		}},
		{link, [][3]string{
			{"no alternate", entry(`<link rel="self" href="https://x.org/s"/>`), ""},
		}},
		{author, [][3]string{
			{"person over address", item(`<author>me@x.org (Ann Example)</author>`), "Ann Example"},
			{"address in angles", item(`<author>Ann Example &lt;me@x.org&gt;</author>`), "Ann Example"},
			{"address alone", item(`<author>me@x.org</author>`), "me@x.org"},
			{"dc:creator", item(`<dc:creator><![CDATA[Ann &amp; Bob]]></dc:creator>`), "Ann & Bob"},
			{"several creators", item(`<dc:creator>Ann</dc:creator><dc:creator>Bob</dc:creator>`), "Ann, Bob"},
			{"itunes:author", item(`<itunes:author>Ann</itunes:author>`), "Ann"},
			{"atom person", entry(`<author><name>Ann</name><email>a@x.org</email></author>`), "Ann"},
			{"atom address alone", entry(`<author><email>a@x.org</email></author>`), "a@x.org"},
			{"atom in rss", item(`<atom:author><atom:name>Ann</atom:name></atom:author>`), "Ann"},
			{"not the source's", entry(`<source><author><name>Cid</name></author></source>`), ""},
		}},
		{guid, [][3]string{
			{"guid", item(`<guid isPermaLink="false"> x:1 </guid>`), "x:1"},
			{"guid behind a default namespace",
				item(`<post-id xmlns="com-wordpress:feed-additions:1">7</post-id><guid>g</guid>`), "g"},
			{"atom id stays as it is", entry(`<id>HTTP://Example.ORG/a b</id>`), "HTTP://Example.ORG/a b"},
		}},
		{languageOf, [][3]string{
			{"xml:lang",
				`<feed xmlns="http://www.w3.org/2005/Atom"><entry xml:lang="fr"><title>x</title></entry></feed>`, "fr"},
			{"dc:language", item(`<dc:language>pt</dc:language>`), "pt"},
		}},
		{content, [][3]string{
			{"content:encoded counts", item(`<content:encoded>x</content:encoded>`), "yes"},
			{"empty description does not", item(`<description></description>`), "no"},
			{"blank does not", item(`<description> </description>`), "no"},
		}},
		{file, [][3]string{
			{"enclosure", item(`<enclosure url="a.mp3" type="audio/mpeg" length="12"/>`),
				"https://example.org/a.mp3 audio/mpeg 12"},
			{"atom enclosure", entry(`<link rel="enclosure" href="https://x.org/a.mp3" type="audio/mpeg"/>`),
				"https://x.org/a.mp3 audio/mpeg 0"},
			{"empty enclosure", item(`<enclosure url="" length="x"/>`), ""},
		}},
		{published, [][3]string{
			{"dc:date", item(`<dc:date>2006-01-02T15:04:05Z</dc:date>`), "2006-01-02T15:04:05Z"},
			{"published before updated",
				entry(`<updated>2007-01-02T15:04:05Z</updated><published>2006-01-02T15:04:05Z</published>`),
				"2006-01-02T15:04:05Z"},
			{"updated alone", entry(`<updated>2007-01-02T15:04:05Z</updated>`), "2007-01-02T15:04:05Z"},
			{"a date that is none, then one", item(`<pubDate>soon</pubDate><dc:date>2006-01-02</dc:date>`),
				"2006-01-02T00:00:00Z"},
		}},
	} {
		for _, c := range group.cases {
			if got := group.get(first(t, c[1])); got != c[2] {
				t.Errorf("%s:\n got %q\nwant %q", c[0], got, c[2])
			}
		}
	}
}

func link(e *Post) string       { return e.Link }
func author(e *Post) string     { return e.Author }
func guid(e *Post) string       { return e.GUID }
func languageOf(e *Post) string { return e.Language }
func content(e *Post) string {
	if len(e.bodies) > 0 {
		return "yes"
	}
	return "no"
}

func published(e *Post) string {
	if e.Published.IsZero() {
		return ""
	}
	return e.Published.Format(time.RFC3339)
}

func file(e *Post) string {
	if len(e.Enclosures) == 0 {
		return ""
	}
	first := e.Enclosures[0]
	return fmt.Sprintf("%s %s %d", first.URL, first.Type, first.Length)
}

func TestFeedFields(t *testing.T) {
	d := mustParse(t, `<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel>
		<title>Caf&amp;eacute; &amp;amp; Co</title><link>/</link><language> de-AT </language>
		<atom:link rel="self" href="https://example.org/feed.xml"/><atom:link rel="hub" href="https://hub.example/"/>
		<ttl>90</ttl><skipHours><hour>24</hour><hour>3</hour><hour>x</hour></skipHours><skipDays><day>sunday</day></skipDays>
		<sy:updatePeriod>daily</sy:updatePeriod><sy:updateFrequency>4</sy:updateFrequency>
		<image><title>not this</title><link>https://no.example/</link></image>
	</channel></rss>`, "https://example.org/feed.xml")
	if d.Title != "Café & Co" || d.Link != "https://example.org/" || d.Language != "de-AT" {
		t.Errorf("title %q, link %q, language %q", d.Title, d.Link, d.Language)
	}
	if d.Self != "https://example.org/feed.xml" || len(d.Hubs) != 1 || d.Hubs[0] != "https://hub.example/" {
		t.Errorf("self %q, hubs %q", d.Self, d.Hubs)
	}
	if d.TTL != 90*time.Minute || d.SkipHours != 1|1<<3 || d.SkipDays != 1<<time.Sunday ||
		d.UpdateEvery != 6*time.Hour {
		t.Errorf("ttl %v, hours %v, days %v, every %v", d.TTL, d.SkipHours, d.SkipDays, d.UpdateEvery)
	}
}

func TestJSONFeed(t *testing.T) {
	d := mustParse(t, `{"version":"https://jsonfeed.org/version/1.1","title":"T &amp; U","home_page_url":"https://example.org/","language":"sv",
		"hubs":[{"type":"WebSub","url":"https://hub.example/"}],"authors":[{"name":"Owner"}],
		"items":[{"id":7,"url":"/a","title":"A","content_text":"1 < 2","date_published":"2026-11-20T01:00:00+01:00","authors":[{"name":"Ann"},{"name":"Bob"}],
		"attachments":[{"url":"https://x.org/a.mp3","mime_type":"audio/mpeg","size_in_bytes":5}]},{"id":"https://example.org/b","content_html":"<p>B</p>"}]}`, "")
	if d.Kind != JSONFeed || d.Title != "T & U" || d.Language != "sv" || len(d.Hubs) != 1 || len(d.Posts) != 2 {
		t.Fatalf("%+v", d)
	}
	a, b := d.Posts[0], d.Posts[1]
	if a.GUID != "7" || a.Link != "https://example.org/a" || a.Author != "Ann, Bob" ||
		published(&a) != "2026-11-20T00:00:00Z" || a.Enclosures[0].Length != 5 {
		t.Errorf("%+v", a)
	}
	if b.Link != "https://example.org/b" || b.Author != "" || b.Sanitise(time.Now()).Author != "Owner" {
		t.Errorf("%+v", b)
	}
	if p := a.Sanitise(time.Now()); p.Content != "<p>1 &lt; 2</p>" {
		t.Errorf("content %q", p.Content)
	}
}

func TestJSONMended(t *testing.T) {
	for _, c := range []struct {
		reason, doc string
		items       int
	}{
		{"raw line break in a string",
			"{\"version\":\"https://jsonfeed.org/version/1\",\"items\":[{\"id\":\"a\",\"title\":\"x\ny\"}]}", 1},
		{"comma before a bracket", `{"version":"https://jsonfeed.org/version/1","items":[{"id":"a",},]}`, 1},
		{"cut off", `{"version":"https://jsonfeed.org/version/1","items":[{"id":"a"},{"id":"b","title":"x`, 1},
		{"author is a string", `{"version":"https://jsonfeed.org/version/1","author":"Ann","items":[{"id":"a",` +
			`"authors":{"name":"x"},"title":5}]}`, 1},
		{"null item", `{"version":"https://jsonfeed.org/version/1","items":[null,{"id":"a"}]}`, 1},
	} {
		d, err := Parse([]byte(c.doc), "", "")
		if err != nil {
			t.Errorf("%s: %v", c.reason, err)
		} else if len(d.Posts) != c.items {
			t.Errorf("%s: %d items, want %d", c.reason, len(d.Posts), c.items)
		}
	}
}

func TestNewest(t *testing.T) {
	d := &Document{}
	for i := range 10 {
		d.Posts = append(d.Posts, Post{Identity: string(rune('a' + i)), Published: time.Unix(int64(i%5)*1000, 0)})
	}
	d.Posts = append(d.Posts, Post{Identity: "a"})
	got := ""
	for _, e := range d.Newest(4) {
		got += e.Identity
	}
	if got != "deij" {
		t.Errorf("newest of ten: %q, want the four with the latest dates in document order", got)
	}
	if n := len(d.Newest(100)); n != 10 {
		t.Errorf("%d entries, want each identity once", n)
	}
}
