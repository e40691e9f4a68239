package feed

import (
	"fmt"
	"strings"
	"testing"
)

// TestElements reads a malformed document: it keeps the elements and attributes that vocabulary.go lists.
func TestElements(t *testing.T) {
	doc := `<rss><channel><title>Tom & Jerry</title><link>https://x.org/</link>
		<item><title type="x">One</title><guid isPermaLink=false>1</guid><pubDate>today</pubDate>
			<enclosure url='/a.mp3?b&c' length="5"/><strange:thing>nothing <b>to us</strange:thing>
		<item xml:base="https://x.org/two/"><link>.</link><content:encoded><![CDATA[<p>Two]]></content:encoded></ITEM>
		<item><title>Three, cut off`
	d, feed, items := readFeed(&source{text: doc, address: "https://x.org/feed", kind: RSS})
	var got strings.Builder
	for _, all := range append([]elements{feed}, items...) {
		for _, e := range all {
			fmt.Fprintf(&got, "%s %v %s; ", e.name, e.attrs, e.content())
		}
		got.WriteString("\n")
	}
	want := `title [] Tom & Jerry; link [{href https://x.org/}] https://x.org/; ` + `
title [] One; guid [{isPermaLink false}] 1; pubdate [] today; enclosure [{url /a.mp3?b&c} {length 5}] ; ` + `
link [{href https://x.org/two/}] .; content:encoded [] <p>Two; ` + "\n"
	if got.String() != want {
		t.Errorf("%s\nwant\n%s", got.String(), want)
	}
	if repairs := strings.Join(d.Repairs, "; "); repairs != "an item without end; "+endsEarly {
		t.Errorf("repairs: %s", repairs)
	}
}

// TestAddressesOfAtom checks that the addresses of links are equal to the document's, byte for byte.
func TestAddressesOfAtom(t *testing.T) {
	d := mustParse(t, `<feed xmlns="http://www.w3.org/2005/Atom"><link href="HTTP://詹姆斯.com/詹"/><link rel="hub" href="https://hub.example/é%zz"/>
<entry><id>a</id><link href="http://詹姆斯.com/a b?q=é|{}"/><link rel="enclosure" href="/詹.mp3"/></entry>
<entry xml:base="http://x.org/é/"><id>b</id><link href="7"/><source><link href="http://y.org/"/></source></entry><entry><id>c</id><link/></entry></feed>`, "http://z.org/feed")
	p := d.Posts
	if d.Link != "HTTP://詹姆斯.com/詹" || d.Hubs[0] != "https://hub.example/é%zz" ||
		p[0].Link != "http://詹姆斯.com/a b?q=é|{}" ||
		p[0].Enclosures[0].URL != "HTTP://詹姆斯.com/%E8%A9%B9.mp3" &&
			p[0].Enclosures[0].URL != "http://xn--8ws00zhy3a.com/%E8%A9%B9.mp3" ||
		p[1].Link != "http://x.org/%C3%A9/7" || p[2].Link != "" {
		t.Errorf("%+v", d)
	}
}

func TestOddJSONFeeds(t *testing.T) {
	d := mustParse(t, `{"version":"1.0","title":"T","home_page_url":"https://x.org/","items":[
{"id":"1","content_html":["<p>a</p>","b"],"authors":[{"name":"Ann"},{"name":"Bob"},{"name":"Ann"}]},{"id":"2","title":[[]]}]}`, "")
	if d.Kind != JSONFeed || len(d.Posts) != 2 || d.Posts[0].Author != "Ann, Bob" ||
		d.Posts[0].Sanitise(seenAt).Content != "<p>a</p>" {
		t.Errorf("%+v", d)
	}
	for _, doc := range []string{`{"items":[]}`, `{"title":"T","items":[{"id":"1"}]}`,
		`{"feed_url":"https://x.org/","items":{}}`} {
		if _, err := Parse([]byte(doc), "", ""); err == nil {
			t.Errorf("%s is a feed", doc)
		}
	}
}
