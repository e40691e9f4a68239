package feed

import (
	"strings"
	"testing"
)

// TestFrame shows what becomes of a broken document: gofeed is shown sound XML
// without texts, and the texts stay with their items.
func TestFrame(t *testing.T) {
	doc := `<rss><channel><title>Tom & Jerry</title><link>https://x.org/</link>
		<item><title type="x">One</title><guid isPermaLink=false>1</guid><pubDate>today</pubDate>
			<enclosure url='/a.mp3?b&c' length="5"/><strange:thing>nothing <b>to us</strange:thing>
		<item xml:base="https://x.org/two/"><link>.</link><content:encoded><![CDATA[<p>Two]]></content:encoded></ITEM>
		<item><title>Three, cut off`
	f := repair(&source{text: doc, address: "https://x.org/feed", kind: RSS})
	want := `<rss version="2.0"><channel><link>https://x.org/</link>` +
		`<item><guid isPermaLink="false">1</guid><enclosure url="/a.mp3?b&amp;c" length="5"></enclosure></item>` +
		`<item><link>https://x.org/two/</link></item></channel></rss>`
	if string(f.xml) != want {
		t.Errorf("gofeed is shown\n%s\nwant\n%s", f.xml, want)
	}
	if len(f.items) != 2 || f.feed.line("title") != "Tom & Jerry" || f.items[0].line("title") != "One" || f.items[0].value("pubdate") != "today" ||
		f.items[1].line("title") != "" || f.items[1].value("description", "content:encoded") != "<p>Two" {
		t.Errorf("texts %+v\nof items %+v", f.feed, f.items)
	}
	if repairs := strings.Join(f.repairs, "; "); repairs != "an item without end; "+endsEarly {
		t.Errorf("repairs: %s", repairs)
	}
}
