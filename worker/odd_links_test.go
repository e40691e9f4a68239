package worker_test

import (
	"testing"
	"time"

	"digest"
	"digest/feed"
	"digest/poller"
	"digest/store"
	"digest/store/storetest"
	"digest/worker"
)

// TestOddLinksAreKnown: after an upgrade the program recognises posts that it stored before it read addresses as
// browsers do, and does not store them again (I4). old are the stored posts.
func TestOddLinksAreKnown(t *testing.T) {
	const doc = `<rss version="2.0"><channel><title>S</title><link>http://example.org/blog/</link>
		<item><title>A</title><link>posts\a.html</link></item>
		<item><title>B</title><link>50%.html</link><pubDate>Wed, 18 Nov 2026 10:00:00 GMT</pubDate></item>
		<item><title>C</title><link>http://example.org/100%</link><guid>c</guid></item>
		<item><title>D</title><link>http://example.org\d</link></item>
		<item><title>E</title><link>e f|g.html</link></item></channel></rss>`
	old := map[string]struct{ identity, url string }{
		"A": {"http://example.org/blog/posts%5Ca.html", "http://example.org/blog/posts%5Ca.html"},
		"B": {"50%.html", "http://example.org/blog/"},
		"C": {"c", "http://example.org/100%"},
		"D": {`http://example.org\d`, `http://example.org\d`},
		"E": {"http://example.org/blog/e%20f%7Cg.html", "http://example.org/blog/e%20f%7Cg.html"},
	}
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		now := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
		f, _, err := st.Feeds.EnsureFeed(t.Context(), digest.Feed{URL: "http://example.org/feed", Host: "example.org",
			State: digest.FeedActive})
		if err != nil {
			t.Fatal(err)
		}
		poll := func(first bool) store.Polled {
			parsed, err := feed.Parse([]byte(doc), "", f.URL)
			if err != nil {
				t.Fatal(err)
			}
			res := poller.Result{Feed: f, Outcome: poller.Changed, Document: parsed, Address: f.URL}
			in, err := worker.PrepareRecord(t.Context(), st, f, res, now)
			if err != nil {
				t.Fatal(err)
			}
			in.FirstRead = first
			return in
		}
		was := poll(true)
		for i := range was.Posts {
			p := &was.Posts[i]
			if p.Identity != old[p.Title].identity {
				t.Errorf("%s: identity %s", p.Title, p.Identity)
			}
			p.URL = old[p.Title].url
		}
		if r, err := st.Feeds.Record(t.Context(), now, []store.Polled{was}); err != nil || r.Posts != len(old) {
			t.Fatalf("stored %+v %v", r, err)
		}
		again := poll(false)
		if r, err := st.Feeds.Record(t.Context(), now.AddDate(0, 0, 1), []store.Polled{again}); err != nil ||
			len(again.Posts) > 0 || r.Posts > 0 {
			t.Errorf("of the same document %d posts are new or edited: %+v %v", len(again.Posts), r, err)
		}
	})
}
