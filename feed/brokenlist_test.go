package feed

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/unicode"

	"digest/test/tier"
)

// A brokenList is a malformed list, its readable feeds as "title|address|folder", and its unreadable lines.
type brokenList struct {
	why, text string
	want      []string
	unread    []string
}

func brokenLists() []brokenList {
	one := []string{"A|https://a.org/f|"}
	return []brokenList{
		{"undeclared entities", "<opml><body>\n<outline text='Caf&eacute;&nbsp;&foo; & Co' " +
			"xmlUrl='https://a.org/?a=1&b=2'/></body></opml>",
			[]string{"Café\u00a0&foo; & Co|https://a.org/?a=1&b=2|"}, nil},
		{"truncated in an address",
			"<opml><body>\n<outline text='A' xmlUrl='https://a.org/f'/>\n<outline text='B' xmlUrl='https://b.org/lo",
			one, []string{"3 B: " + cutOff().Message}},
		{"truncated behind an address", "<opml><body>\n<outline text='A' xmlUrl='https://a.org/f' ht", one,
			[]string{"2 : the file is incomplete; the end of the list is missing"}},
		{"truncated between outlines", "<opml><body><outline text='F'>\n<outline text='A' xmlUrl='https://a.org/f'/>\n",
			[]string{"A|https://a.org/f|F"}, []string{"2 : the file is incomplete; the end of the list is missing"}},
		{"a page around it", "<!doctype html><html><head><title>x</title></head><body><p>My list:<pre>\n<opml " +
			"version='2.0'><body><outline text='A' xmlUrl='https://a.org/f'/></body></opml></pre></body></html>",
			one, nil},
		{"a page that shows its source",
			"<html><body><pre>&lt;opml&gt;\n&lt;outline text=&quot;A&quot; xmlUrl=&quot;https://a.org/f&quot;/&gt;" +
				"\n&lt;/opml&gt;</pre>", one, nil},
		{"no root", "\n\n<outline text='A' xmlUrl='https://a.org/f'/></opml>", one, nil},
		{"warnings before it", "<br /><b>Warning</b>: x() in /y on line 3<br />\n<?xml version='1.0'?><opml>" +
			"<outline text='A' xmlUrl='https://a.org/f'/></opml>", one, nil},
		{"upper case", "<OPML><BODY><OUTLINE TEXT='A' XMLURL='https://a.org/f'/></BODY></OPML>", one, nil},
		{"a quote never closed",
			"<opml><outline text=\"A xmlUrl=\"https://a.org/f\"/>\n<outline text=\"B\" " +
				"xmlUrl=\"https://b.org/f\"/>\n<outline text=\"C xmlUrl=\"https://c.org/f\"/></opml>",
			[]string{"A|https://a.org/f|", "B|https://b.org/f|", "C|https://c.org/f|"}, nil},
		{"an address never closed",
			"<opml><outline text='A' xmlUrl='https://a.org/f />\n<outline text='B' xmlUrl='https://b.org/f'/></opml>",
			[]string{"A|https://a.org/f|", "B|https://b.org/f|"}, nil},
		{"no address", "<opml>\n<outline type='rss' text='A' htmlUrl='https://a.org/'/>\n<outline type='include' " +
			"text='B' url='https://b.org/x.opml'/>\n<outline text='note'/></opml>", nil,
			[]string{"2 A: no feed address", "3 B: a link to another list or page, which we don’t import",
				"4 note: no feed address"}},
		{"null bytes", "<opml><outline text='\x00A' xmlUrl='https://a.org/\x00f'/></opml>", one, nil},
		{"two roots", "<opml><outline text='A' xmlUrl='https://a.org/f'/></opml>\n<opml><outline text='B' " +
			"xmlUrl='https://b.org/f'/></opml>", []string{"A|https://a.org/f|", "B|https://b.org/f|"}, nil},
		{"too many ends", "<opml></outline></outline></body><outline text='A' xmlUrl='https://a.org/f'/></opml>", one,
			nil},
		{"CDATA and comments", "<opml><!-- <outline text='X' xmlUrl='https://x.org/'/> --><![CDATA[<outline>]]>" +
			"<outline text='A' xmlUrl='https://a.org/f'/></opml>", one, nil},
		{"an entity bomb", "<!DOCTYPE o [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;&a;'>]><opml><outline text='A' " +
			"xmlUrl='https://a.org/f'/></opml>", one, nil},
		{"markup in names", "<opml><outline text='&lt;b>A&lt;/b>' xmlUrl='https://a.org/f'/></opml>", one, nil},
	}
}

func listed(d *Document) (feeds, unread []string) {
	for _, o := range d.Feeds {
		feeds = append(feeds, o.Title+"|"+o.URL+"|"+o.Folder)
	}
	for _, u := range d.BadLines {
		unread = append(unread, fmt.Sprintf("%d %s: %s", u.Line, u.Title, u.Why))
	}
	return feeds, unread
}

func checkList(t *testing.T, d *Document) {
	t.Helper()
	line := 0
	for _, o := range d.Feeds {
		if o.Line < max(line, 1) || o.URL == "" || !utf8.ValidString(o.URL+o.Title+o.Folder) ||
			strings.ContainsAny(o.URL+o.Title+o.Folder, "\n\x00") ||
			utf8.RuneCountInString(o.Title) > maxTitle && o.Title != o.URL || len(o.Folder) > maxFolder {
			t.Fatalf("%d %+.200v", line, o)
		}
		line = o.Line
	}
	line = 0
	for _, u := range d.BadLines {
		if u.Line < max(line, 1) || u.Why.Error() == "" || !utf8.ValidString(u.Title) {
			t.Fatalf("%d %+.200v", line, u)
		}
		line = u.Line
	}
}

func TestBrokenLists(t *testing.T) {
	for _, test := range brokenLists() {
		d, err := ReadList([]byte(test.text))
		if err != nil {
			t.Errorf("%s: %v", test.why, err)
			continue
		}
		checkList(t, d)
		feeds, unread := listed(d)
		if test.want == nil && test.unread == nil {
			continue
		}
		if strings.Join(feeds, "\n") != strings.Join(test.want, "\n") ||
			strings.Join(unread, "\n") != strings.Join(test.unread, "\n") {
			t.Errorf("%s:\n got %q %q\nwant %q %q", test.why, feeds, unread, test.want, test.unread)
		}
	}
}

func TestNoList(t *testing.T) {
	for text, says := range map[string]string{
		"": "an empty file", " \n": "an empty file", "hello": "plain text", "{}": "JSON", "<html><p>x": "a web page",
		"<rss><channel/></rss>": "a feed", "<svg></svg>": "<svg>", "PK\x03\x04\x00": "application/zip",
		"\x00\x01\x02\xff": "an unreadable file",
		"%PDF-1.4\n":       "application/pdf",
	} {
		if _, err := ReadList([]byte(text)); err == nil || !strings.Contains(err.Error(), says) ||
			!strings.Contains(err.Error(), "not an OPML file") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestListEncodings reads lists in all encodings that programs write, declared or not.
func TestListEncodings(t *testing.T) {
	list := func(declared, name string) string {
		return "<?xml version=\"1.0\"" + declared + "?><opml><body><outline text=\"" + name + " " + "of the day" +
			"\" xmlUrl=\"https://a.org/f\"/></body></opml>"
	}
	encode := func(e interface{ String(string) (string, error) }, s string) string {
		out, err := e.String(s)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	for why, c := range map[string]struct{ body, name string }{
		"UTF-8 with a mark": {"\uFEFF" + list("", "Größe"), "Größe"},
		"UTF-16 with a mark": {encode(unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder(),
			list(` encoding="UTF-16"`, "日本")), "日本"},
		"UTF-16 without one": {encode(unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM).NewEncoder(),
			list(` encoding="utf-8"`, "日本")), "日本"},
		"windows-1251, declared": {encode(charmap.Windows1251.NewEncoder(),
			list(` encoding="windows-1251"`, "Новости")), "Новости"},
		"windows-1251, as UTF-8": {encode(charmap.Windows1251.NewEncoder(),
			list(` encoding="utf-8"`, "Новости науки и техники каждый день")),
			"Новости науки и техники каждый день"},
		"windows-1252, not declared": {encode(charmap.Windows1252.NewEncoder(), list("", "Die Größe der Dinge")),
			"Die Größe der Dinge"},
		"UTF-8, declared as 8859-1": {list(` encoding="iso-8859-1"`, "Größe"), "Größe"},
		"Shift JIS": {encode(japanese.ShiftJIS.NewEncoder(),
			list(` encoding="Shift_JIS"`, "ニュース")), "ニュース"},
		"an encoding that is not one": {list(` encoding="klingon"`, "Größe"), "Größe"},
		"half UTF-8, half something": {list("", "Größe") + "<outline text='\xe4\xff\xfe' xmlUrl='https://b.org/'/>",
			"Größe"},
	} {
		d, err := ReadList([]byte(c.body))
		if err != nil || len(d.Feeds) == 0 || !strings.HasPrefix(d.Feeds[0].Title, c.name+" ") ||
			d.Feeds[0].URL != "https://a.org/f" {
			t.Errorf("%s: %+.200v %v", why, d, err)
			continue
		}
		checkList(t, d)
	}
}

// TestHugeLists checks that the parser reads lists of any size and depth, and that the result needs little memory. It
// does not check the memory during parsing, because pools release their buffers under the race detector.
func TestHugeLists(t *testing.T) {
	tier.Alone(t)
	feeds := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "<outline text='%d' xmlUrl='http://a.b/%d'/>\n", i, i)
		}
		return b.String()
	}
	for why, c := range map[string]struct {
		text  string
		feeds int
		last  string // the folder of the last feed
	}{
		"200,000 outlines": {"<opml>" + feeds(200_000) + "</opml>", maxFeeds, ""},
		"10,000 deep": {"<opml>" +
			strings.Repeat("<outline text='d'>", 10_000) + feeds(1) + strings.Repeat("</outline>", 10_000) +
			"<outline text='Last'>" + feeds(1) + "</outline></opml>", 2, "Last"},
		"10,000 deep, never closed": {"<opml>" +
			strings.Repeat("<outline text='"+strings.Repeat("d", 200)+"'>", 10_000) + feeds(1), 1, ""},
		"a name of a million": {"<opml><outline text='" + strings.Repeat("ö", 1_000_000) +
			"' xmlUrl='http://a.b/'/></opml>", 1, ""},
		"an address of a million": {"<opml><outline text='a' xmlUrl='http://a.b/" + strings.Repeat("x", 1_000_000) +
			"'/>" + feeds(1) + "</opml>", 2, ""},
		"a million quotes":           {"<opml>" + strings.Repeat("<outline text='", 100_000) + feeds(1), 1, ""},
		"a million attributes":       {"<opml><outline " + strings.Repeat("a=b ", 500_000) + ">" + feeds(1), 1, ""},
		"a million bare brackets":    {"<opml>" + strings.Repeat("<", 1_000_000) + feeds(1), 1, ""},
		"folders without their ends": {"<opml>" + strings.Repeat("<outline text=x>", 200_000) + feeds(1), 1, ""},
	} {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		d, err := ReadList([]byte(c.text))
		runtime.GC()
		runtime.ReadMemStats(&after)
		if err != nil {
			t.Errorf("%s: %v", why, err)
			continue
		}
		checkList(t, d)
		grown := int(after.HeapAlloc) - int(before.HeapAlloc)
		if len(d.Feeds) != c.feeds || c.last != "" && d.Feeds[c.feeds-1].Folder != c.last {
			t.Errorf("%s: %d feeds, want %d; the last in %.50q", why, len(d.Feeds), c.feeds,
				d.Feeds[len(d.Feeds)-1].Folder)
		}
		if grown > 64<<20 {
			t.Errorf("%s: %d MB are held", why, grown>>20)
		}
		runtime.KeepAlive(d)
	}
}

// TestCorpusLists checks that all feeds with an address are read from the lists of the corpus.
func TestCorpusLists(t *testing.T) {
	lists := 0
	for _, dir := range []string{"dev", "derived", "suites"} {
		walk(t, filepath.Join(sharedDir(t), "corpus", dir), func(path string, body []byte) {
			if !strings.HasSuffix(path, ".opml") {
				return
			}
			lists++
			d, err := ReadList(body)
			if err != nil {
				if filepath.Base(path) != "missingOpml.opml" {
					t.Errorf("%s: %v", path, err)
				}
				return
			}
			checkList(t, d)
			if want := strings.Count(strings.ToLower(string(body)), "xmlurl="); len(d.Feeds) < want {
				t.Errorf("%s: %d feeds of %d; %+v", path, len(d.Feeds), want, d.BadLines)
			}
		})
	}
	t.Logf("%d lists", lists)
}
