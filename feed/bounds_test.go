package feed

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// spent returns the bytes and the number of allocations of f: a measure of work that is the same on any machine.
func spent(f func()) (bytes, pieces uint64) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc, after.Mallocs - before.Mallocs
}

// TestHostile checks that each hostile document results in an error or a valid document, with work proportional to
// its size. Work without memory, such as a search among a million names, shows as a test that does not end.
func TestHostile(t *testing.T) {
	size := 300_000 // the next test reads the costliest at full size
	if raced {
		size = 60_000
	}
	for _, h := range hostiles {
		body := []byte(h.make(size))
		var d *Document
		var err error
		bytes, pieces := spent(func() { d, err = Parse(body, "", "https://example.org/feed") })
		if most := uint64(16*len(body) + 64<<20); !raced && (bytes > most || pieces > uint64(len(body)+1<<20)) {
			t.Errorf("%s: %d bytes in %d pieces for %d", h.name, bytes, pieces, len(body))
		}
		if err != nil {
			checkRefusal(t, h.name, err)
			if len(err.Error()) > 300 {
				t.Errorf("%s: an error of %d bytes", h.name, len(err.Error()))
			}
			continue
		}
		checkDocument(t, h.name, d)
	}
}

func checkDocument(t *testing.T, name string, d *Document) {
	t.Helper()
	for what, s := range map[string]struct {
		text string
		most int
	}{
		"title": {d.Title, maxTitle * utf8.UTFMax}, "description": {d.Description, maxTitle * utf8.UTFMax},
		"language": {d.Language, maxLanguage}, "link": {d.Link, maxAddress}, "self": {d.Self, maxAddress},
	} {
		if len(s.text) > s.most || !utf8.ValidString(s.text) {
			t.Errorf("%s: a %s of %d bytes", name, what, len(s.text))
		}
	}
	if len(d.Posts) > maxRead+1 || len(d.Feeds) > maxFeeds || len(d.Repairs) > 25 || len(d.Hubs) > maxSame {
		t.Errorf("%s: %d entries, %d feeds, %d repairs, %d hubs", name, len(d.Posts), len(d.Feeds), len(d.Repairs),
			len(d.Hubs))
	}
	for _, o := range d.Feeds[:min(len(d.Feeds), 1000)] {
		if len(o.Folder) > 1000 || len(o.Title) > maxTitle*utf8.UTFMax {
			t.Fatalf("%s: a feed in a folder of %d bytes, with a title of %d", name, len(o.Folder), len(o.Title))
		}
	}
	entries := d.Newest(MaxPosts)
	if len(entries) > MaxPosts {
		t.Errorf("%s: %d posts", name, len(entries))
	}
	for i := range min(len(entries), 3) {
		var grown int
		bytes, _ := spent(func() {
			p := entries[i].Sanitise(seenAt)
			grown = len(p.Content)
			checkPost(t, name, p)
		})
		if grown > 8*maxContent || !raced && bytes > 300*maxContent {
			t.Errorf("%s: a post of %d bytes for %d", name, grown, bytes)
		}
	}
}

// TestHostileAtFullSize limits the memory for the costliest documents at the largest size that a poll accepts.
func TestHostileAtFullSize(t *testing.T) {
	if raced {
		t.Skip("counted without the race detector")
	}
	const size, most = 10 << 20, 256 << 20
	for _, name := range []string{
		"root attributes", "root namespaces, then elements", "namespaces beside elements", "a long base and links",
		"a long base and items",
		"media", "media in items", "items", "small items", "bases", "long dates", "json items", "links of a channel",
		"hours", "atom authors", "same guid",
		"opml capitals", "opml outlines", "opml long folders", "json array", "json attachments", "json members",
		"json depth",
	} {
		i := slices.IndexFunc(hostiles, func(h hostile) bool { return h.name == name })
		body := []byte(hostiles[i].make(size))
		bytes, pieces := spent(func() {
			if _, err := Parse(body, "", "https://example.org/feed"); err != nil {
				checkRefusal(t, name, err)
			}
		})
		if bytes > most || pieces > 4_000_000 {
			t.Errorf("%s: %d MB in %d pieces", name, bytes>>20, pieces)
		}
	}
}

func TestRootOfMillionAttributes(t *testing.T) {
	const attributes = 1_600_000
	doc := []byte("<rss" + strings.Repeat(` a=""`, attributes) + "><channel/></rss>")
	var err error
	bytes, pieces := spent(func() { _, err = Parse(doc, "text/xml", "") })
	if want := "not a feed but XML whose <rss> has more than 1000 attributes"; err == nil ||
		!strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
	if !raced && (bytes > uint64(len(doc))+1<<20 || pieces > 1000) { // one copy, as a string
		t.Errorf("%d bytes in %d pieces for %d", bytes, pieces, len(doc))
	}
}

// TestBoundsOfElements checks the limits that keep parsing linear: the reader searches names among all bindings, and
// consumers search the elements of a post.
func TestBoundsOfElements(t *testing.T) {
	namespaces := numbered(channel+"<atom:author", ` xmlns:a#="urn:x"`,
		">")(20_000) + strings.Repeat(`<atom:author xmlns:b="urn:x">`, 300)
	r := &reader{scanner: scanner{doc: namespaces}, Document: &Document{Kind: RSS}, rules: rssElements}
	r.begin()
	r.walk()
	if len(r.bindings) != maxBindings || len(r.stack) != maxDepth || len(r.Repairs) == 0 {
		t.Errorf("%d bindings, %d open elements, repairs %q", len(r.bindings), len(r.stack), r.Repairs)
	}
	media := `<item>` + strings.Repeat(`<media:content url="a"/><enclosure/><link>x</link>`, 500) + `</item>`
	_, _, items := readFeed(&source{text: channel + media + "</channel></rss>", kind: RSS})
	for _, name := range []string{"media:content", "enclosure", "link"} {
		if n := len(items[0].named(name)); n != maxSame {
			t.Errorf("%d of <%s>, want %d", n, name, maxSame)
		}
	}
	_, _, items = readFeed(&source{text: channel + strings.Repeat("<item>"+strings.Repeat("<media:content/>", 90)+
		"</item>", 4000) + "</channel></rss>", kind: RSS})
	n := len(items)
	for _, item := range items {
		n += len(item)
	}
	if n > maxElements+maxSame || n < maxElements/2 {
		t.Errorf("%d elements, want about %d", n, maxElements)
	}
}

// TestTenThousandItems checks that the newest of ten thousand items become posts, in any order.
func TestTenThousandItems(t *testing.T) {
	const items = 10_000
	first := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, dayOf := range map[string]func(i int) int{
		"newest first": func(i int) int { return items - i },
		"oldest first": func(i int) int { return i + 1 },
		"shuffled":     func(i int) int { return i*7919%items + 1 },
	} {
		var b strings.Builder
		b.WriteString(channel)
		for i := range items {
			fmt.Fprintf(&b, "<item><title>Post %d</title><link>https://example.org/%[1]d</link><guid>%[1]d</guid>"+
				"<pubDate>%s</pubDate><description>%s</description></item>",
				dayOf(i), first.AddDate(0, 0, dayOf(i)).Format(time.RFC1123Z), strings.Repeat("words and ", 30))
		}
		b.WriteString("</channel></rss>")
		body := []byte(b.String())
		var d *Document
		bytes, pieces := spent(func() { d = mustParse(t, string(body), "") })
		if !raced && (bytes > 24*uint64(len(body)) || pieces > 120*items) {
			t.Errorf("%s: %d MB in %d pieces for %d MB", name, bytes>>20, pieces, len(body)>>20)
		}
		posts := d.Newest(MaxPosts)
		if len(d.Posts) != items || len(posts) != MaxPosts {
			t.Fatalf("%s: %d entries, %d posts", name, len(d.Posts), len(posts))
		}
		for _, e := range posts {
			if e.Published.Before(first.AddDate(0, 0, items-MaxPosts+1)) {
				t.Errorf("%s: %s is none of the newest", name, e.Title)
			}
		}
	}
}

// TestLongBase limits the growth of short links in a post by their base.
func TestLongBase(t *testing.T) {
	link := "https://example.org/" + strings.Repeat("a/", 1000)
	for _, part := range []string{`<a href=b>x</a>`, `<img src=b>`, `<iframe src=b></iframe>`} {
		d := mustParse(t, channel+"<item><link>"+link+"</link><description><![CDATA["+strings.Repeat(part, 50_000)+
			"]]></description></item></channel></rss>", "")
		if n := len(d.Posts[0].Sanitise(seenAt).Content); n > 4*maxContent {
			t.Errorf("%s: %d bytes of content", part, n)
		}
	}
}
