package store_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/internal/words"
	"digest/store"
	"digest/store/storetest"
)

// archive is the database of a reader with 1,000 posts among 20,000, in 500
// editions: words as in a language, from one that is in every text to one that is
// in few. With DIGEST_BENCH_LARGE it is ten times as large, and takes minutes to fill.
func archive(b *testing.B, s *store.Store) (digest.UserID, time.Time) {
	b.Helper()
	ctx := b.Context()
	const days = 500
	all := 20_000
	if os.Getenv("DIGEST_BENCH_LARGE") != "" {
		all *= 10
	}
	f := benchWorld(b, s, 1)
	exec := func(statement string, args ...any) {
		b.Helper()
		if err := s.Exec(ctx, statement, args...); err != nil {
			b.Fatal(err)
		}
	}
	// PostgreSQL makes an index of many rows faster than it adds to one.
	exec(`DROP INDEX IF EXISTS post_words_words`)
	words := rand.NewZipf(rand.New(rand.NewPCG(1, 2)), 1.1, 8, 60_000)
	for from := 0; from < all; from += 1000 {
		var list []digest.Post
		for i := range 1000 {
			var text strings.Builder
			for range 120 {
				fmt.Fprintf(&text, "w%d ", words.Uint64())
			}
			if from+i == all/400*140 {
				text.WriteString("needle in hay")
			}
			p := post(fmt.Sprint(from+i), noon)
			p.Content = "<p>everywhere " + text.String() + "</p>"
			if (from+i)%20 != 0 { // of another reader
				p.Content += "<p>never mine</p>"
			}
			list = append(list, p)
		}
		if _, err := s.Record(ctx, noon, []store.Polled{{Feed: f, Posts: list}}); err != nil {
			b.Fatal(err)
		}
		for n := 1; n > 0; {
			var err error
			if n, err = s.IndexPosts(ctx, 1000); err != nil {
				b.Fatal(err)
			}
		}
	}
	_ = s.Exec(ctx, `CREATE INDEX post_words_words ON post_words USING gin (words) WITH (fastupdate = off)`) // SQLite has none
	empty(b, s)
	day := int64(24 * 3600)
	start := parisMidnight.Unix() - days*day
	exec(`INSERT INTO editions (digest_id, local_date, due_at, send_at, number, state, date, next_at, expires_at)
		WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < 500)
		SELECT 1, CAST(1500 + i AS TEXT) || '-01-01', CAST(? AS BIGINT) + i * 86400, 0, i, 'sent', 0, 0, 0 FROM n`, start)
	exec(`UPDATE editions SET local_date = '2026-11-20' WHERE number = 499`)
	exec(`INSERT INTO digest_posts (digest_id, visible_at, post_id)
		SELECT 1, CAST(? AS BIGINT) + (id - 1) / CAST(? AS BIGINT) * 86400, id FROM posts WHERE id % 20 = 1 ORDER BY id`, start, all/days)
	exec(`ANALYZE`)
	exec(`UPDATE digests SET last_due_at = ?`, parisMidnight.Unix())
	var user digest.UserID = 1
	return user, parisMidnight
}

// BenchmarkSearch finds a page of posts, or none, in an archive.
func BenchmarkSearch(b *testing.B) {
	storetest.Bench(b, func(b *testing.B, s *store.Store) {
		user, now := archive(b, s)
		for _, typed := range []string{
			"needle", "everywhere", "w40000", "w300", "w20 w30 w40", `"w1 w2"`, `"w90 w91"`, "w123 -w1", "eve", "w59", "never", `"never everywhere"`, "everywhere -w0", "nowhere", "never mine w5",
		} {
			q, err := words.Parse(typed)
			if err != nil {
				b.Fatal(err)
			}
			b.Run(strings.ReplaceAll(typed, " ", "_"), func(b *testing.B) {
				n := 0
				var took []time.Duration
				for b.Loop() {
					start := time.Now()
					found, err := s.Search(context.Background(), user, store.SearchQuery{Query: q, Now: now, Limit: 25})
					if err != nil {
						b.Fatal(err)
					}
					n = len(found.Posts)
					took = append(took, time.Since(start))
				}
				slices.Sort(took)
				b.ReportMetric(float64(n), "found")
				b.ReportMetric(took[len(took)/2].Seconds()*1000, "ms")
				b.ReportMetric(took[0].Seconds()*1000, "least-ms")
				b.ReportMetric(0, "ns/op")
			})
		}
	})
}
