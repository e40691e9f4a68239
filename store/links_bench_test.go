package store_test

import (
	"fmt"
	"testing"
	"time"

	"digest"
	"digest/store"
	"digest/store/storetest"
)

// BenchmarkRecordLinks stores polls of ten new posts each, with ten links in each post and without links. "ratio" is
// the remaining speed with links, "B/link" the growth of the database for each link.
func BenchmarkRecordLinks(b *testing.B) {
	storetest.Bench(b, func(b *testing.B, s *store.Store) {
		_, d, err := s.Readers.AddUser(b.Context(), "ada@example.org", "UTC", noon)
		if err != nil {
			b.Fatal(err)
		}
		f, _, err := s.Feeds.EnsureFeed(b.Context(), digest.Feed{URL: "https://f.example/", Host: "f.example"})
		if err == nil {
			_, err = s.Subscriptions.Subscribe(b.Context(), digest.Subscription{DigestID: d.ID, FeedID: f.ID}, noon)
		}
		if err != nil {
			b.Fatal(err)
		}
		n := 0
		poll := func(links int) time.Duration {
			n++
			f.ParsedAt = noon.Add(time.Duration(n) * time.Hour)
			polled := store.Polled{Feed: f}
			for i := range 10 {
				p := post(fmt.Sprint(n, "-", i), f.ParsedAt)
				for k := range links {
					p.Links = append(p.Links, digest.Link{Key: int64(n*1000+i*100+k) * 0x9e3779b97f4a7c1 / 3,
						Site: int64(k)})
				}
				polled.Posts, polled.Listed = append(polled.Posts, p), append(polled.Listed, p.Identity)
			}
			start := time.Now()
			if _, err := s.Feeds.Record(b.Context(), f.ParsedAt, []store.Polled{polled}); err != nil {
				b.Fatal(err)
			}
			return time.Since(start)
		}
		var with, without time.Duration
		for b.Loop() {
			without += poll(0)
			with += poll(10)
		}
		b.ReportMetric(without.Seconds()/with.Seconds(), "ratio")
		before, err := s.Operator.Size(b.Context())
		for range 50 {
			poll(0)
		}
		between, err2 := s.Operator.Size(b.Context())
		for range 50 {
			poll(10)
		}
		after, err3 := s.Operator.Size(b.Context())
		if err != nil || err2 != nil || err3 != nil {
			b.Fatal(err, err2, err3)
		}
		b.ReportMetric(float64((after-between)-(between-before))/5000, "B/link")
	})
}
