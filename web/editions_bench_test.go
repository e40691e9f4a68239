package web_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"digest"
	"digest/store"
	"digest/store/storetest"
)

// BenchmarkReading requests the pages of a reader with an archive of 10,000 posts: 500 editions of
// 20 posts. It reports the median and the 99th percentile of the milliseconds from the request to
// the last byte, over loopback. The limit is 50.
func BenchmarkReading(b *testing.B) {
	storetest.Bench(b, func(b *testing.B, s *store.Store) {
		r := newRoom(b, s)
		v, last := r.longArchive(500, 20)
		for _, page := range []struct{ name, path string }{
			{"today", "/"}, {"editions", "/editions"}, {"month", "/editions/2027-03"},
			{"edition", "/editions/2026-11-21"}, {"post", last},
			{"feed", "/feeds/1"}, {"feeds", "/feeds"}, {"filters", "/filters"},
		} {
			b.Run(page.name, func(b *testing.B) {
				var took []time.Duration
				for b.Loop() {
					start := time.Now()
					v.get(page.path).status(http.StatusOK)
					took = append(took, time.Since(start))
				}
				slices.Sort(took)
				ms := func(i int) float64 { return float64(took[i]) / float64(time.Millisecond) }
				b.ReportMetric(ms(len(took)/2), "ms/median")
				b.ReportMetric(ms(len(took)*99/100), "ms/p99")
				b.ReportMetric(50, "ms/limit")
			})
		}
	})
}

// longArchive creates a reader with many editions and returns the path of a post of the last one.
func (r *room) longArchive(editions, each int) (v *visitor, path string) {
	r.t.Helper()
	u, d := r.user("ann@example.org")
	r.brings(digest.Subscription{DigestID: d.ID}, "Site", posts(1, "First")...)
	f, err := r.store.Feeds.FeedByURL(r.t.Context(), "https://site.example/1")
	r.must(err)
	for n := range editions {
		f.ParsedAt, f.LastOKAt = r.now, r.now
		polled := store.Polled{Feed: f}
		for _, p := range posts(each, fmt.Sprintf("Day %d", n)) {
			p.Identity, p.URL = fmt.Sprint(n, p.Identity), fmt.Sprint(p.URL, "-", n)
			p.FeedID, p.SeenAt, p.PublishedAt, p.ReadBefore = f.ID, r.now, r.now, r.now.Add(-time.Hour)
			polled.Posts, polled.Listed = append(polled.Posts, p), append(polled.Listed, p.Identity)
		}
		_, err := r.store.Feeds.Record(r.t.Context(), r.now, []store.Polled{polled})
		r.must(err)
		r.midnight()
	}
	v = r.visitor().signIn(u)
	return v, v.get("/").status(http.StatusOK).postPaths()[each/2]
}
