package feed

import (
	"strings"
	"testing"
)

// TestElements shows what is kept of a broken document: each item has its own
// elements, with addresses resolved, and what is strange is left out.
func TestElements(t *testing.T) {
	doc := `<rss><channel><title>Tom & Jerry</title><link>https://x.org/</link>
		<item><title type="x">One</title><guid isPermaLink=false>1</guid><pubDate>today</pubDate>
			<enclosure url='/a.mp3?b&c' length="5"/><strange:thing>nothing <b>to us</strange:thing>
			<atom:author><atom:name>Ann</atom:name><title>Dr</title></atom:author>
		<item xml:base="https://x.org/two/"><link>.</link><content:encoded><![CDATA[<p>Two]]></content:encoded></ITEM>
		<item><title>Three, cut off`
	r := readFeed(doc, "https://x.org/feed", token{}, RSS)
	if len(r.items) != 2 {
		t.Fatalf("%d items", len(r.items))
	}
	var got strings.Builder
	for _, of := range []elements{r.feed, r.items[0], r.items[1]} {
		for _, e := range of {
			got.WriteString(e.name + "=" + e.raw)
			for _, a := range e.attrs {
				got.WriteString(" " + a.name + "=" + a.value)
			}
			got.WriteString("; ")
		}
		got.WriteString("\n")
	}
	want := "title=Tom & Jerry; link=https://x.org/ href=https://x.org/; \n" +
		"title=One; guid=1 isPermaLink=false; pubdate=today; enclosure= url=/a.mp3?b&c length=5; atom:author= name=Ann; \n" +
		"link=. href=https://x.org/two/; content:encoded=<![CDATA[<p>Two]]>; \n"
	if got.String() != want {
		t.Errorf("kept\n%s\nwant\n%s", got.String(), want)
	}
	if r.feed.line("title") != "Tom & Jerry" || r.items[1].value("description", "content:encoded") != "<p>Two" {
		t.Errorf("elements %+v\nof items %+v", r.feed, r.items)
	}
	if repairs := strings.Join(r.repairs, "; "); repairs != "an item without end; "+endsEarly {
		t.Errorf("repairs: %s", repairs)
	}
}
