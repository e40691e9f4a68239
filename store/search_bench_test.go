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
	"digest/internal/textsearch"
	"digest/store"
	"digest/store/storetest"
)

// archive fills the database of a reader of 100 of 2,000 feeds, who has 1,000 of 20,000 posts in 500 editions. Words
// are distributed as in a language, from one in every text to one in few. With DIGEST_BENCH_LARGE it is ten times as
// large, and takes minutes to fill.
func archive(b *testing.B, s *store.Store) (digest.UserID, time.Time) {
	b.Helper()
	ctx := b.Context()
	const days = 500
	all := 20_000
	if os.Getenv("DIGEST_BENCH_LARGE") != "" {
		all *= 10
	}
	benchWorld(b, s, 1)
	exec := func(statement string, args ...any) {
		b.Helper()
		if err := s.Exec(ctx, statement, args...); err != nil {
			b.Fatal(err)
		}
	}
	exec(`INSERT INTO feeds (url, host) WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n
		WHERE i < 2000) SELECT 'f' || i, '' FROM n`)
	exec(`INSERT INTO subscriptions (digest_id, feed_id, created_at) SELECT 1, id, 0 FROM feeds WHERE id > 1
		AND id % 20 = 1`)
	addTexts(b, s, all, func(i int) string {
		text := "everywhere"
		if i == all/400*140 {
			text += " needle in hay"
		}
		if i%20 != 0 { // of another reader
			text += " never mine"
		}
		return text
	})
	indexAll(b, s)
	empty(b, s)
	day := int64(24 * 3600)
	start := parisMidnight.Unix() - days*day
	exec(`INSERT INTO editions (digest_id, local_date, due_at, send_at, number, state, date, next_at, expires_at)
		WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < 500)
		SELECT 1, CAST(1500 + i AS TEXT) || '-01-01', CAST(? AS BIGINT) + i * 86400, 0, i, 'sent', 0, 0, 0 FROM n`,
		start)
	exec(`UPDATE editions SET local_date = '2026-11-20' WHERE number = 499`)
	exec(`INSERT INTO digest_posts (digest_id, visible_at, post_id)
		SELECT 1, CAST(? AS BIGINT) + (id - 1) / CAST(? AS BIGINT) * 86400, id FROM posts WHERE id % 20 = 1
		ORDER BY id`, start, all/days)
	if _, err := s.Count(ctx, `SELECT COUNT(*) FROM pg_class`); err == nil {
		exec(`ANALYZE`) // on SQLite it would make each query of FTS5 slower, and digest never does this
	}
	exec(`UPDATE digests SET last_due_at = ?`, parisMidnight.Unix())
	var user digest.UserID = 1
	return user, parisMidnight
}

// addTexts adds posts to 2,000 feeds in turn, each with 120 random words and the words that more returns.
func addTexts(b *testing.B, s *store.Store, n int, more func(int) string) {
	b.Helper()
	const step = 1000
	word := rand.NewZipf(rand.New(rand.NewPCG(1, 2)), 1.1, 8, 60_000)
	for from := 0; from < n; from += step {
		var rows []string
		var args []any
		for i := from; i < min(n, from+step); i++ {
			text := []string{"<p>", more(i)}
			for range 120 {
				text = append(text, fmt.Sprintf("w%d", word.Uint64()))
			}
			rows = append(rows, fmt.Sprintf("(%d, %d, 0, 0, ?, ?)", i%2000+1, noon.Unix()))
			args = append(args, fmt.Sprint(i), strings.Join(text, " "))
		}
		err := s.Exec(b.Context(),
			`INSERT INTO posts (feed_id, seen_at, listed_at, shown_at, identity, content, fingerprint)
			WITH v (feed_id, seen_at, listed_at, shown_at, identity, content) AS (VALUES `+
				strings.Join(rows, ",")+`) SELECT v.*, '' FROM v`, args...)
		if err != nil {
			b.Fatal(err)
		}
	}
	if err := s.Exec(b.Context(), `INSERT INTO index_queue (post_id) SELECT id FROM posts`); err != nil {
		b.Fatal(err)
	}
}

func indexAll(b *testing.B, s *store.Store) {
	b.Helper()
	for n := 1; n > 0; {
		var err error
		if n, err = s.Posts.IndexPosts(b.Context(), 50); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkIndex indexes posts, and for comparison stores the words of as many posts as rows of text. On PostgreSQL
// it also reports the bytes written to the log.
func BenchmarkIndex(b *testing.B) {
	const n = 2000
	storetest.Bench(b, func(b *testing.B, s *store.Store) {
		exec := func(statement string) {
			b.Helper()
			if err := s.Exec(b.Context(), statement); err != nil {
				b.Fatal(err)
			}
		}
		benchWorld(b, s, 1)
		exec(`INSERT INTO feeds (url, host) WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n
			WHERE i < 2000) SELECT 'f' || i, '' FROM n`)
		exec(`CREATE TABLE bare (id BIGINT PRIMARY KEY, words TEXT NOT NULL)`)
		addTexts(b, s, n, func(int) string { return "everywhere" })
		indexAll(b, s) // so that the index has words
		const written = `SELECT CAST(pg_current_wal_insert_lsn() - '0/0' AS BIGINT)`
		before, err := s.Count(b.Context(), written)
		onPostgres := err == nil
		var ours, bare time.Duration
		var log, rounds int
		for b.Loop() {
			rounds++
			exec(`DELETE FROM bare`)
			exec(`INSERT INTO index_queue (post_id) SELECT id FROM posts`)
			if onPostgres {
				before, _ = s.Count(b.Context(), written)
			}
			start := time.Now()
			indexAll(b, s)
			ours += time.Since(start)
			if onPostgres {
				after, _ := s.Count(b.Context(), written)
				log += after - before
			}
			start = time.Now()
			exec(`INSERT INTO bare (id, words) SELECT id, content FROM posts ORDER BY id`)
			bare += time.Since(start)
		}
		if onPostgres {
			b.ReportMetric(float64(log)/float64(rounds*n)/1000, "log-KB/post")
		}
		b.ReportMetric(ours.Seconds()*1000/float64(rounds*n), "ms/post")
		report(b, "posts", rounds*n, ours, bare)
	})
}

// BenchmarkSearch finds a page of posts, or none, in an archive.
func BenchmarkSearch(b *testing.B) {
	storetest.Bench(b, func(b *testing.B, s *store.Store) {
		user, now := archive(b, s)
		for _, typed := range []string{
			"needle", "everywhere", "w40000", "w300", "w20 w30 w40", `"w1 w2"`, `"w90 w91"`, "w123 -w1", "eve*", "w59*",
			"never", `"never everywhere"`, "everywhere -w0", "nowhere", "never mine w5",
		} {
			q, err := textsearch.Parse(typed)
			if err != nil {
				b.Fatal(err)
			}
			b.Run(strings.ReplaceAll(typed, " ", "_"), func(b *testing.B) {
				n := 0
				var took []time.Duration
				for b.Loop() {
					start := time.Now()
					found, err := s.Posts.Search(context.Background(), user,
						store.SearchQuery{Query: q, Now: now, Limit: 25})
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
