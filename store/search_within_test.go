package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/store"
)

// A search within sites, days and links finds, with and without words, the same as reading. The latest posts are
// first.
func TestSearchWithin(t *testing.T) {
	each(t, func(w world) {
		ada, bob := w.reader("ada", "Pacific/Auckland"), w.reader("bob", "Pacific/Auckland")
		f, g, h := w.feed("f.example"), w.feed("g.example"), w.feed("h.example")
		w.subscribe(ada, f, g)
		w.subscribe(bob, h)
		midnight := time.Date(2026, 11, 20, 11, 0, 0, 0, time.UTC) // 21 November there
		for day := range 4 {
			for _, feed := range []digest.Feed{f, g, h} {
				one := written(fmt.Sprintf("%s%d", feed.Host[:1], 21+day), "Kernel news", "<p>the kernel</p>")
				one.Links = []digest.Link{{Key: int64(day), Site: int64(day % 2)}}
				w.record(midnight.Add(-time.Hour), feed, []digest.Post{one})
			}
			w.hour(midnight)
			w.send(midnight)
			midnight = midnight.Add(24 * time.Hour)
		}
		w.indexed()
		w.unsubscribe(ada, g)
		on := func(day int) digest.Date { return digest.Date{Year: 2026, Month: 11, Day: day} }
		for _, words := range []string{"", "kernel", "nowhere"} {
			for _, c := range []struct {
				q    store.SearchQuery
				want string
			}{
				{store.SearchQuery{}, "g24 f24 g23 f23 g22 f22 g21 f21"},
				{store.SearchQuery{Feeds: []digest.FeedID{f.ID}}, "f24 f23 f22 f21"},
				{store.SearchQuery{Feeds: []digest.FeedID{g.ID}}, "g24 g23 g22 g21"}, // the reader has unsubscribed
				{store.SearchQuery{Feeds: []digest.FeedID{h.ID}}, ""},                // of another reader
				{store.SearchQuery{Feeds: []digest.FeedID{}}, ""},
				{store.SearchQuery{From: on(23)}, "g24 f24 g23 f23"},
				{store.SearchQuery{Until: on(22)}, "g21 f21"},
				{store.SearchQuery{From: on(22), Until: on(23)}, "g22 f22"},
				{store.SearchQuery{From: on(25)}, ""},
				{store.SearchQuery{Links: 1}, "g24 f24 g22 f22"},
				{store.SearchQuery{Links: 1, Feeds: []digest.FeedID{f.ID}, Until: on(24)}, "f22"},
				{store.SearchQuery{Saved: true}, ""},
			} {
				c.q.Now, c.q.Limit = midnight, 1
				if words != "" {
					c.q.Query = w.query(words)
				}
				if words == "nowhere" {
					c.want = ""
				}
				want(w, fmt.Sprintf("%q, %+v", words, c.q), w.searches(ada, c.q), c.want)
			}
		}
		w.save(ada, midnight, "f22", "g24")
		for _, c := range []struct {
			q    store.SearchQuery
			want string
		}{
			{store.SearchQuery{Saved: true}, "g24 f22"},
			{store.SearchQuery{Saved: true, From: on(23)}, "g24"},
			{store.SearchQuery{Saved: true, Feeds: []digest.FeedID{f.ID}}, "f22"},
		} {
			c.q.Now, c.q.Limit = midnight, 1
			want(w, fmt.Sprintf("saved, %+v", c.q), w.searches(ada, c.q), c.want)
		}
		sites := must(w.Posts.ReaderSites(w.ctx, ada.UserID))
		var hosts []string
		for _, s := range sites {
			hosts = append(hosts, s.Host)
		}
		slices.Sort(hosts)
		want(w, "sites", strings.Join(hosts, " "), "f.example g.example")
	})
}

// TestSearchWithinPlan: the conditions of a search use indexes, whatever statistics the database has of its tables.
func TestSearchWithinPlan(t *testing.T) {
	each(t, func(w world) {
		w.crowd(500, 300, 5)
		w.exec(`INSERT INTO editions (digest_id, local_date, due_at, send_at, number, state, date,
			next_at, expires_at)
			WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 20)
			SELECT d.id, '2026-01-' || CAST(10 + n.i AS TEXT), n.i, n.i, n.i, 'sent', 0, 0, 0 FROM digests d
			CROSS JOIN n`)
		for _, when := range []string{"never analysed", "analysed"} {
			plans := must(w.SearchPlans(w.ctx))
			for name, plan := range plans {
				for _, whole := range []string{"Seq Scan on editions", "Seq Scan on digest_posts",
					"Seq Scan on post_links", "SCAN x\n", "SCAN dp\n", "SCAN p\n", "SCAN l\n"} {
					// Indexes gain nothing on empty tables.
					if strings.Contains(plan+"\n", whole) &&
						!(when == "analysed" && (name != "editions" || strings.Contains(whole, "digest_posts"))) {
						w.Errorf("%s, %s: %q in\n%s", name, when, whole, plan)
					}
				}
			}
			w.exec(`ANALYZE`)
		}
	})
}
