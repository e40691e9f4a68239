package worker_test

import (
	"testing"

	"digest/store"
	"digest/store/storetest"
)

// TestOddLinksAreKnown: after an upgrade the program recognises posts that it stored before it read addresses as
// browsers do, and does not store them again (I4). old are the stored posts.
func TestOddLinksAreKnown(t *testing.T) {
	const items = `<item><title>A</title><link>posts\a.html</link></item>
		<item><title>B</title><link>50%.html</link><pubDate>Wed, 18 Nov 2026 10:00:00 GMT</pubDate></item>
		<item><title>C</title><link>http://example.org/100%</link><guid>c</guid></item>
		<item><title>D</title><link>http://example.org\d</link></item>
		<item><title>E</title><link>e f|g.html</link></item>`
	old := map[string]struct{ identity, url string }{
		"A": {"http://example.org/blog/posts%5Ca.html", "http://example.org/blog/posts%5Ca.html"},
		"B": {"50%.html", "http://example.org/blog/"},
		"C": {"c", "http://example.org/100%"},
		"D": {`http://example.org\d`, `http://example.org\d`},
		"E": {"http://example.org/blog/e%20f%7Cg.html", "http://example.org/blog/e%20f%7Cg.html"},
	}
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		in := newIntake(t, st)
		was := in.prepare(items, false)
		was.FirstRead = true
		for i := range was.Posts {
			p := &was.Posts[i]
			if p.Identity != old[p.Title].identity {
				t.Errorf("%s: identity %s", p.Title, p.Identity)
			}
			p.URL = old[p.Title].url
		}
		if r, err := st.Feeds.Record(t.Context(), in.now, []store.Polled{was}); err != nil || r.Posts != len(old) {
			t.Fatalf("stored %+v %v", r, err)
		}
		again := in.prepare(items, false)
		again.FirstRead = false
		if r, err := st.Feeds.Record(t.Context(), in.now.AddDate(0, 0, 1), []store.Polled{again}); err != nil ||
			len(again.Posts) > 0 || r.Posts > 0 {
			t.Errorf("of the same document %d posts are new or edited: %+v %v", len(again.Posts), r, err)
		}
	})
}
