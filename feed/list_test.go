package feed

import (
	"bytes"
	"reflect"
	"testing"
)

func TestOPML(t *testing.T) {
	d := mustParse(t, `<?xml version="1.0"?><opml version="1.0"><head><title>Mine &amp; yours</title></head><body>
		<outline text="News & Co"><outline text="Inner">
			<outline type="rss" text="A & B" xmlUrl="https://a.org/?x=1&y=2"/>
			<outline text="Torn" description="see <a href="https://z.org" rel="x">z</a> now" xmlUrl="https://b.org/feed" type="rss" />
		</outline>
		<outline title="C" xmlurl='/c.xml'></outline>
		</outline>
		<outline text="just a note"/>
		<outline text="" xmlUrl="https://d.org/"/>
		<outline text="https://e.org/feed" xmlUrl="https://e.org/feed"/>
		<outline text="/f.xml" title="/f.xml" xmlUrl="/f.xml"/>
		<outline text="https://g.org/" xmlUrl="https://ann:secret@g.org/"/>
		<outline text="HTTPS://H.org/Feed" xmlUrl="https://h.org/feed/"/>
	</body>`, "https://lists.org/my.opml")
	want := []Offer{
		{URL: "https://a.org/?x=1&y=2", Title: "A & B", Type: "rss", Folder: "News & Co/Inner", Line: 3},
		{URL: "https://b.org/feed", Title: "Torn", Type: "rss", Folder: "News & Co/Inner", Line: 4},
		{URL: "https://lists.org/c.xml", Title: "C", Folder: "News & Co", Line: 6},
		{URL: "https://d.org/", Line: 9},
		{URL: "https://e.org/feed", Line: 10}, // the address is no title
		{URL: "https://lists.org/f.xml", Line: 11},
		{URL: "https://ann:secret@g.org/", Line: 12},
		{URL: "https://h.org/feed/", Line: 13},
	}
	if d.Kind != OPML || d.Title != "Mine & yours" || !reflect.DeepEqual(d.Feeds, want) {
		t.Errorf("title %q\n got %+v\nwant %+v", d.Title, d.Feeds, want)
	}
}

func TestOPMLThereAndBack(t *testing.T) {
	list := []Offer{
		{URL: "https://a.org/?x=1&y=<2>", Title: `"A" & <b>`, Type: "rss"},
		{URL: "https://b.org/", Title: "B", Type: "rss", Folder: "News"},
		{URL: "https://c.org/", Title: "Ç日", Type: "rss", Folder: "News/In & out"},
		{URL: "https://d.org/", Title: "D", Type: "rss", Folder: "Other", Paused: true},
		{URL: "https://ann:secret@e.org/", Type: "rss", Folder: "Untitled"},
	}
	var b bytes.Buffer
	if err := WriteOPML(&b, "T & <t>", list); err != nil {
		t.Fatal(err)
	}
	d := mustParse(t, b.String(), "")
	for i := range d.Feeds {
		if d.Feeds[i].Line == 0 {
			t.Errorf("no line: %+v", d.Feeds[i])
		}
		d.Feeds[i].Line = 0
	}
	if d.Title != "T & <t>" || !reflect.DeepEqual(d.Feeds, list) {
		t.Errorf("title %q\n got %+v\nwant %+v\n%s", d.Title, d.Feeds, list, b.String())
	}
}

func TestPage(t *testing.T) {
	d := mustParse(t, `<!DOCTYPE html><html lang="de"><head><title>A &amp; B</title><base href="/sub/">
		<link rel="stylesheet" href="x.css">
		<link rel="alternate" hreflang="en" href="/en">
		<link rel="ALTERNATE" type="Application/RSS+XML; charset=utf-8" title=" One
			feed" href="one.xml">
		<link rel=alternate type=application/atom+xml href=//cdn.org/two.xml>
		<link rel="alternate" type="application/rss+xml" href="one.xml">
		<link rel="alternate stylesheet" type="text/css" href="y.css">
		<link rel="alternate" type="application/json" href="https://example.org/wp-json/wp/v2/pages/7">
		<link rel="alternate" type="application/json+oembed" href="https://example.org/oembed">
		<link rel="feed" href="three">
		<link rel="alternate" type="application/atom" href="www.x.org/five">
		</head><body><link rel="alternate" type="application/feed+json" href="https://x.org/four.json"></body>`, "https://example.org/a/b")
	want := []Offer{
		{URL: "https://example.org/sub/one.xml", Title: "One feed", Type: "application/rss+xml"},
		{URL: "https://cdn.org/two.xml", Type: "application/atom+xml"},
		{URL: "https://example.org/sub/three"},
		{URL: "https://www.x.org/five", Type: "application/atom"},
		{URL: "https://x.org/four.json", Type: "application/feed+json"},
	}
	if d.Kind != HTML || d.Title != "A & B" || d.Language != "de" || !reflect.DeepEqual(d.Feeds, want) {
		t.Errorf("title %q, language %q\n got %+v\nwant %+v", d.Title, d.Language, d.Feeds, want)
	}
}
