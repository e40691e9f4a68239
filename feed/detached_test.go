package feed

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/test/tier"
)

// TestDetached checks that posts and documents do not keep the whole input in memory.
func TestDetached(t *testing.T) {
	tier.Alone(t)
	const size = 4 << 20
	much := strings.Repeat("x ", size/2)
	item := `<link>https://site.example/1</link><guid>one</guid><dc:creator>Someone</dc:creator><dc:language>de</dc:language>
		<media:thumbnail url="https://site.example/p.jpg"/><enclosure url="https://site.example/s.mp3" type="audio/mpeg" length="9"/>`
	documents := map[string]string{
		"RSS": `<rss version="2.0" xml:lang="fr" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:media="http://search.yahoo.com/mrss/"><channel>
			<title>A title</title><link>https://site.example/</link><item><title>Much</title><description>` + much + `</description></item>
			<item><title>Little</title>` + item + `<description>A few words.</description></item></channel></rss>`,
		"Atom": `<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="fr"><title>A title</title><link href="https://site.example/"/>
			<entry><id>much</id><title>Much</title><content>` + much + `</content></entry>
			<entry xml:lang="de"><id>one</id><title>Little</title><link href="https://site.example/1"/><author><name>Someone</name></author>
			<link rel="enclosure" href="https://site.example/s.mp3" type="audio/mpeg"/><content>A few words.</content></entry></feed>`,
		"JSON": `{"version":"https://jsonfeed.org/version/1.1","title":"A title","language":"fr","home_page_url":"https://site.example/","items":[
			{"id":"much","content_text":"` + much + `"},{"id":"one","title":"Little","url":"https://site.example/1","authors":[{"name":"Someone"}],
			"language":"de","image":"https://site.example/p.jpg","content_text":"A few words.","attachments":[{"url":"https://site.example/s.mp3","mime_type":"audio/mpeg"}]}]}`,
	}
	for kind, document := range documents {
		t.Run(kind, func(t *testing.T) {
			const n = 8
			var kept []any
			before := live()
			for i := range n {
				kept = append(kept, keep(t, strings.Replace(document, "one", fmt.Sprint(i), 1)))
			}
			if more := live() - before; more > size {
				t.Errorf("of %d documents of %d bytes %d are kept", n, size, more)
			}
			runtime.KeepAlive(kept)
		})
	}
}

// keep returns the values of a document that stay in memory.
func keep(t *testing.T, document string) any {
	d, err := Parse([]byte(document), "", "https://site.example/feed")
	if err != nil || len(d.Posts) != 2 {
		t.Fatalf("%v, %v", d, err)
	}
	post := d.Posts[1].Sanitise(time.Unix(1e9, 0))
	if post.Title != "Little" || post.Author != "Someone" || len(post.Enclosures) != 1 {
		t.Errorf("%+v", post)
	}
	return []any{post, digest.Feed{Title: d.Title, SiteURL: CleanURL(d.Link), Language: Language(d.Language)},
		d.Posts[1].Identity}
}

func live() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
