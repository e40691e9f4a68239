package feed

import (
	"testing"
	"time"
)

func TestCDF(t *testing.T) {
	d := mustParse(t, `<?XML VERSION="1.0"?><!DOCTYPE Channel SYSTEM "http://example.org/cdf.dtd">
<CHANNEL HREF="http://example.org/" BASE="http://example.org/a/" LASTMOD="1997-01-01">
 <TITLE>Sport &amp; more</TITLE><ABSTRACT>All of it</ABSTRACT><LOGO HREF="logo.gif"/>
 <ITEM HREF="one.html" LASTMOD="1997-01-02T03:04"><TITLE>One</TITLE><ABSTRACT>The <![CDATA[<b>first</b>]]></ABSTRACT><AUTHOR VALUE="Ann"/></ITEM>
 <CHANNEL HREF="sub/"><TITLE>Scores</TITLE>
  <ITEM HREF="http://x.org/two"><TITLE>Two<ABSTRACT>No end
  <ITEM><A HREF="three">Three</A><PUBLICATIONDATE VALUE="1997.01.03"/></ITEM></CHANNEL>
 <ITEM HREF="four"/>
</CHANNEL> <ITEM HREF="none"/>`, "http://example.org/feed.cdf")
	if d.Kind != CDF || d.Title != "Sport & more" || d.Link != "http://example.org/" || d.Description != "All of it" ||
		len(d.Posts) != 4 || d.Repairs != nil {
		t.Fatalf("%+v", d)
	}
	for i, want := range []Post{
		{Link: "http://example.org/a/one.html", Title: "One", Author: "Ann",
			Published: time.Date(1997, 1, 2, 3, 4, 0, 0, time.UTC)},
		{Link: "http://x.org/two", Title: "Two No end"},
		{Link: "http://example.org/a/three", Title: "Three", Published: time.Date(1997, 1, 3, 0, 0, 0, 0, time.UTC)},
		{Link: "http://example.org/a/four"},
	} {
		p := &d.Posts[i]
		if p.Link != want.Link || p.Title != want.Title || p.Author != want.Author ||
			!p.Published.Equal(want.Published) || p.Identity == "" {
			t.Errorf("%d: %+v", i, p)
		}
	}
	if c := d.Posts[0].Sanitise(seenAt).Content; c != "The <b>first</b>" {
		t.Errorf("content %q", c)
	}
	for doc, want := range map[string]Kind{
		`<CHANNEL><TITLE>t</TITLE></CHANNEL>`: CDF, `<Channel href="http://x.org/"/>`: CDF,
		`<channel><title>t</title></channel>`: RSS,
	} {
		if d := mustParse(t, doc, ""); d.Kind != want {
			t.Errorf("%s is %s", doc, d.Kind)
		}
	}
	if d := mustParse(t, `<CHANNEL><ITEM HREF="http://x.org/"><TITLE>a`, ""); len(d.Posts) != 1 ||
		d.Repairs[0] != endsEarly {
		t.Errorf("%+v", d)
	}
}

// TestRSS11 reads the example in the specification (http://inamidst.com/rss1.1/).
func TestRSS11(t *testing.T) {
	d := mustParse(t, `<Channel xmlns="http://purl.org/net/rss1.1#" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" rdf:about="http://x.org/news.rss" xml:lang="en">
<title>XML.com</title><link>http://x.org/pub</link><description>News</description>
<items rdf:parseType="Collection"><item rdf:about="http://x.org/a"><title>A</title><link>http://x.org/a.html</link></item><item rdf:about="http://x.org/b"><title>B</title><link>http://x.org/b.html</link></item></items></Channel>`, "")
	if d.Kind != RDF || d.Title != "XML.com" || d.Language != "en" || len(d.Posts) != 2 ||
		d.Posts[1].GUID != "http://x.org/b" || d.Posts[1].Link != "http://x.org/b.html" {
		t.Errorf("%+v", d)
	}
}
