package feed

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/tools/txtar"

	"digest"
)

// addSamples seeds a fuzz target with the documents in testdata and with malformed beginnings.
func addSamples(f *testing.F) {
	files, _ := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	for _, file := range files {
		if archive, err := txtar.ParseFile(file); err == nil {
			f.Add(archive.Files[0].Data, "")
		}
	}
	for _, s := range []string{
		"<rss><item><title>", "<feed><entry><content type='xhtml'><a:div><b", "\xff\xfe<\x00",
		"{\"version\":\"https://jsonfeed.org/version/1\",\"items\":[{",
		"<opml><outline xmlUrl='", "<html><link rel=alternate type=application/rss+xml href=x>",
		"<!DOCTYPE a [<!ENTITY", "<rss><![CDATA[", "<rdf:RDF><item rdf:about='x'/>",
		"<CHANNEL HREF='http://x.org/'><ITEM HREF=a><A HREF=b>", "<!DOCTYPE a [<!ENTITY b '&b;<c>'>]><rss><title>&b;",
		"<rss>\u00c3\u00a9t\u00c3\u00a9s\u00c3\u00a9",
		"<rss><item><media:group><media:content url='/a.mp4' duration='1e30' fileSize='-1'>" +
			"<media:title>t</media:title></media:content></media:group><itunes:duration>9:9",
		"<rss><item><enclosure url='https://x.org/a.mp3'/><psc:chapters><psc:chapter start='0:99:1.5' title='&lt;" +
			"b&#0;'/><psc:chapter start='-1' title='x'/><psc:chapter title='1' start=':'",
		"<rss><item><enclosure url='javascript:x' length='99999999999999999999'/><podcast:chapters url='data:x'/>" +
			"<media:content medium='image' url='//x.org/i'><media:description>",
	} {
		f.Add([]byte(s), "text/xml; charset=utf-8")
	}
	for _, h := range hostiles {
		f.Add([]byte(h.make(300)), "")
	}
}

// FuzzParse checks that no document panics, that the result is clean, and that parsing is deterministic.
func FuzzParse(f *testing.F) {
	addSamples(f)
	f.Fuzz(func(t *testing.T, body []byte, contentType string) {
		d, err := Parse(body, contentType, "https://example.org/feed")
		if err != nil {
			checkRefusal(t, "fuzz", err)
			return
		}
		for _, s := range []string{d.Title, d.Link, d.Language, d.Description, d.Self} {
			if !utf8.ValidString(s) || bytes.IndexByte([]byte(s), 0) >= 0 {
				t.Fatalf("not clean: %q", s)
			}
		}
		if d.Interval() < 0 || d.Interval() > maxInterval || d.NewestAt(seenAt).After(seenAt) {
			t.Fatalf("interval %v, newest %v", d.Interval(), d.NewestAt(seenAt))
		}
		for i := range min(len(d.Posts), 5) {
			checkPost(t, "fuzz", d.Posts[i].Sanitise(seenAt))
		}
		again, err := Parse(body, contentType, "https://example.org/feed")
		if err != nil || !reflect.DeepEqual(Report(d), Report(again)) {
			t.Fatal("read twice, said two things")
		}
	})
}

// FuzzSanitise checks that the result is safe, and stays safe if sanitised again.
func FuzzSanitise(f *testing.F) {
	for _, s := range []string{
		"<p>a<b>b", "<img src=x onerror=alert(1)>",
		"<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror=x&gt;'>",
		"<svg></p><style><a id='</style><img src=1 onerror=x>'>", "<a href='java&#x0A;script:x'>",
		"<noscript><p title='</noscript><img src=x onerror=x>'>",
		"<iframe src=//x.org>", "<a href=//x.org/%>", "<select><option><script>", "<plaintext>",
		"<a href='http://[::1'>",
		"<math display=block><msup><mi>x</mi><mn>2</mn></msup><annotation encoding=tex>x<p>y</math>",
		"<p>a <img class=latex src=/a alt='$x$'> b<script type='math/tex; mode=display'>x</p></script>",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, _ := sanitise(cleanText(s), "https://example.org/p")
		body, ok := fragment(got)
		if !ok {
			t.Fatalf("not HTML: %q", got)
		}
		checkHTML(t, "fuzz", body)
	})
}

// FuzzOPML checks that the parser reads exported lists unchanged.
func FuzzOPML(f *testing.F) {
	f.Add("T", "https://x.org/?a&b", "Ti<t>le", "A/B & C")
	f.Fuzz(func(t *testing.T, title, address, name, folder string) {
		if !utf8.ValidString(title+address+name+folder) || cleanText(address+name+folder) != address+name+folder {
			return
		}
		var b bytes.Buffer
		if err := WriteOPML(&b, title, []Offer{{URL: address, Title: name, Folder: folder}}); err != nil {
			t.Fatal(err)
		}
		d, err := Parse(b.Bytes(), "", "")
		if err != nil || d.Kind != OPML || len(d.Feeds) > 1 {
			t.Fatalf("%v %+v\n%s", err, d, b.String())
		}
		if isWeb(address) && cleanAddress(address) == address && decodeEntities(address) == address &&
			(len(d.Feeds) != 1 || d.Feeds[0].URL != address) {
			t.Fatalf("%q became %+v\n%s", address, d.Feeds, b.String())
		}
	})
}

// FuzzList checks that no list panics, that its feeds can be stored, that line numbers increase, and that an export
// of the result reads back unchanged.
func FuzzList(f *testing.F) {
	for _, s := range brokenLists() {
		f.Add([]byte(s.text))
	}
	for _, text := range []string{"https://a.example/f boats \"~A\"\n\"query:U:x\"\n",
		"Account address,Show boosts\nann@a.example,true\n",
		`[{"title":"A","feed_url":"https://a.example/f"}]`, "A: https://a.example/f\n@ News\n",
		"Title;Feed URL\nA;https://a.example/f\n"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		d, err := ReadList(body)
		if err != nil {
			checkRefusal(t, "fuzz", err)
			return
		}
		checkList(t, d)
		var b bytes.Buffer
		if err := WriteOPML(&b, d.Title, d.Feeds); err != nil {
			t.Fatal(err)
		}
		again, err := ReadList(b.Bytes())
		if err != nil || len(again.Feeds) > len(d.Feeds) {
			t.Fatalf("%d feeds, then %d, %v", len(d.Feeds), len(again.Feeds), err)
		}
	})
}

// FuzzDate checks that dates are zero or within the years that a database accepts.
func FuzzDate(f *testing.F) {
	for _, s := range []string{"Thu, 01 Jan 2004 19:48:21 GMT", "2003-12-31T10:14:55.1-08:00", "1/2/06 3:04 PM",
		"2004-május-1", "20031231T10"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if d := parseDate(s); !d.IsZero() && (d.Year() < 1 || d.Year() > 10000) {
			t.Fatalf("%q is %v", s, d)
		}
	})
}

func FuzzNormalURL(f *testing.F) {
	for _, s := range []string{"example.org", "HTTP://A:80/?x#y", "feed:x.org", "http://[::1]:80", "//a",
		"a.org/x #y"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		once, err := NormalURL(s)
		if err != nil {
			return
		}
		if twice, err := NormalURL(once); err != nil || twice != once {
			t.Fatalf("%q, then %q, %v", once, twice, err)
		}
	})
}

// FuzzRhythm checks that all polling hints are within their limits, and leave some hour for polls.
func FuzzRhythm(f *testing.F) {
	for _, s := range []string{"60", "24", "mon", "hourly", "-1", "1e999", "3:00", "0,1,2,3", "NaN",
		"99999999999999999999 d"} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		words := elements{{name: "skiphours", text: text{raw: a}},
			{name: "skiphours", text: text{raw: b}}}.list("skiphours", "hour")
		d := Document{TTL: minutes(a), UpdateEvery: updateEvery(a, b), SkipHours: hoursOf(words),
			SkipDays: daysOf(words)}
		if d.TTL < 0 || d.TTL > maxStated || d.UpdateEvery < 0 || d.UpdateEvery > maxStated ||
			d.Interval() > maxInterval {
			t.Fatalf("%v %v", d.TTL, d.UpdateEvery)
		}
		if d.SkipHours >= 1<<24-1 || d.SkipDays >= digest.EveryDay {
			t.Fatalf("%b %b", d.SkipHours, d.SkipDays)
		}
		if once := Domain(a); Domain(once) != once {
			t.Fatalf("%q, then %q", once, Domain(once))
		}
	})
}

func FuzzEntities(f *testing.F) {
	f.Add(`<!ENTITY a "b"><!ENTITY c '&a;&a;'>`, "&c;<![CDATA[&a;]]>&a")
	f.Add(`<!ENTITY a SYSTEM "x"><!ENTITY amp "no"><!ENTITY b "&#60;a>">`, "&a;&amp;&b;")
	f.Fuzz(func(t *testing.T, declared, used string) {
		texts := declaredEntities(declared)
		for name, text := range texts {
			if len(text) > maxEntityText+1 || len(texts) > maxEntities {
				t.Fatalf("%q is %d bytes, one of %d", name, len(text), len(texts))
			}
		}
		left := maxGrowth
		if got := replaceEntities(used, texts, &left); len(got) > len(used)+maxGrowth || len(texts) == 0 &&
			got != used {
			t.Fatalf("%d bytes became %d", len(used), len(got))
		}
	})
}

// FuzzTwice checks that decodeTwice restores text that was certainly encoded twice.
func FuzzTwice(f *testing.F) {
	f.Add("L’été à Lyon", "naïve")
	f.Fuzz(func(t *testing.T, s, other string) {
		if _, certain := decodeTwice(other); certain && !utf8.ValidString(other) {
			t.Fatalf("%q is certain", other)
		}
		if !utf8.ValidString(s) {
			return
		}
		if got, certain := decodeTwice(again(t, s, charmap.ISO8859_1)); certain && got != s {
			t.Fatalf("%q became %q", s, got)
		}
	})
}

// FuzzFieldsOfJSON compares the fields of an object with the result of encoding/json.
func FuzzFieldsOfJSON(f *testing.F) {
	f.Add(`{"version":"1","items":[{"a":{"version":2}}],"x\"y":null}`)
	f.Fuzz(func(t *testing.T, doc string) {
		fields := fieldsOf(doc)
		if len(fields) > maxFields {
			t.Fatalf("%d fields", len(fields))
		}
		var object map[string]json.RawMessage
		if json.Unmarshal([]byte(doc), &object) != nil || strings.Contains(doc, `\`) || !utf8.ValidString(doc) {
			return
		}
		for name := range fields {
			if _, known := object[name]; !known {
				t.Fatalf("%q has no field %q", doc, name)
			}
		}
		if len(fields) < min(len(object), maxFields) {
			t.Fatalf("%q has %d fields, not %d", doc, len(object), len(fields))
		}
	})
}
