package store_test

import (
	"fmt"
	"testing"
	"time"

	"digest"
	"digest/store"
	"digest/store/storetest"
)

// benchWorld fills a database with many readers of one feed.
func benchWorld(b *testing.B, s *store.Store, readers int) digest.Feed {
	b.Helper()
	ctx := b.Context()
	f, _, err := s.Feeds.EnsureFeed(ctx, digest.Feed{URL: "https://bench.example/feed", Host: "bench.example"})
	if err != nil {
		b.Fatal(err)
	}
	f.ParsedAt = noon
	if _, err := s.Feeds.Record(ctx, noon, []store.Polled{{Feed: f}}); err != nil {
		b.Fatal(err)
	}
	for _, statement := range []string{
		`INSERT INTO users (email, email_key, time_zone, created_at)
			WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
			SELECT 'r' || i, 'r' || i, 'Europe/Paris', 0 FROM n`,
	} {
		if err := s.Exec(ctx, statement, readers); err != nil {
			b.Fatal(err)
		}
	}
	for _, statement := range []string{
		fmt.Sprintf(`INSERT INTO digests (user_id, name, next_due_at) SELECT id, '', %d FROM users ORDER BY id`,
			parisMidnight.Unix()),
		`INSERT INTO subscriptions (digest_id, feed_id, created_at) SELECT id, 1, 0 FROM digests ORDER BY id`,
		`ANALYZE`,
	} {
		if err := s.Exec(ctx, statement); err != nil {
			b.Fatal(err)
		}
	}
	return f
}

// BenchmarkHiddenRows stores ten posts of one feed for many readers. It compares this with the bare INSERT … SELECT of
// the same rows.
func BenchmarkHiddenRows(b *testing.B) {
	const readers, nPosts = 100_000, 10
	storetest.Bench(b, func(b *testing.B, s *store.Store) {
		ctx := b.Context()
		f := benchWorld(b, s, readers)
		var ours, bare time.Duration
		round, rows := 0, 0
		for b.Loop() {
			round++
			var list []digest.Post
			for i := range nPosts {
				list = append(list, post(fmt.Sprintf("%d-%d", round, i), noon))
			}
			var listed []string
			for _, p := range list {
				listed = append(listed, p.Identity)
			}
			empty(b, s)
			start := time.Now()
			r, err := s.Feeds.Record(ctx, noon, []store.Polled{{Feed: f, Posts: list, Listed: listed}})
			ours += time.Since(start)
			if err != nil || r.Hidden != readers*nPosts {
				b.Fatalf("%+v, %v", r, err)
			}
			rows += r.Hidden
			empty(b, s)
			start = time.Now()
			err = s.Exec(ctx, `INSERT INTO digest_posts (digest_id, visible_at, post_id)
				SELECT s.digest_id, d.next_due_at, p.id
				FROM posts p JOIN subscriptions s ON s.feed_id = p.feed_id JOIN digests d ON d.id = s.digest_id
				WHERE p.id > (SELECT MAX(id) - ? FROM posts) AND d.state = 'active' ORDER BY s.digest_id, p.id`, nPosts)
			bare += time.Since(start)
			if err != nil {
				b.Fatal(err)
			}
		}
		report(b, "rows", rows, ours, bare)
	})
}

// empty empties the table of hidden rows, so that both measurements start equally.
func empty(b *testing.B, s *store.Store) {
	b.Helper()
	if err := s.Empty(b.Context()); err != nil {
		b.Fatal(err)
	}
}

func report(b *testing.B, what string, n int, ours, limit time.Duration) {
	b.Helper()
	b.ReportMetric(float64(n)/ours.Seconds(), what+"/s")
	b.ReportMetric(float64(n)/limit.Seconds(), "limit/s")
	b.ReportMetric(limit.Seconds()/ours.Seconds(), "ratio")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkRelease releases one midnight of many readers with 15 posts each and all 24 delivery hours. It compares
// this with the bare INSERT of the same editions.
func BenchmarkRelease(b *testing.B) { benchRelease(b, 0) }

// BenchmarkReleaseFiltered is BenchmarkRelease, but one reader in 20 has filters that match nothing.
func BenchmarkReleaseFiltered(b *testing.B) { benchRelease(b, 20) }

func benchRelease(b *testing.B, oneIn int) {
	const readers, nPosts, nFilters = 20_000, 15, 20
	storetest.Bench(b, func(b *testing.B, s *store.Store) {
		ctx := b.Context()
		f := benchWorld(b, s, readers)
		if err := s.Exec(ctx, `UPDATE digests SET deliver_at = (id % 24) * 3600`); err != nil {
			b.Fatal(err)
		}
		for i := range nFilters * min(oneIn, 1) {
			if err := s.Exec(ctx, `INSERT INTO filters (digest_id, feed_id, words, created_at)
				SELECT id, 0, ?, 0 FROM digests WHERE id % ? = 0`,
				fmt.Sprint("word", i), oneIn); err != nil {
				b.Fatal(err)
			}
		}
		if err := s.Exec(ctx, `UPDATE digests SET filtered = 1 WHERE id IN (SELECT digest_id
			FROM filters)`); err != nil {
			b.Fatal(err)
		}
		var ours, bare time.Duration
		now, round, editions := parisMidnight, 0, 0
		for b.Loop() {
			round++
			var list []digest.Post
			for i := range nPosts {
				list = append(list, post(fmt.Sprintf("%d-%d", round, i), noon))
			}
			if _, err := s.Feeds.Record(ctx, noon, []store.Polled{{Feed: f, Posts: list}}); err != nil {
				b.Fatal(err)
			}
			if _, err := s.Feeds.Plan(ctx, now, queueNothing); err != nil {
				b.Fatal(err)
			}
			start := time.Now()
			n, err := s.Editions.Release(ctx, now, deadline)
			ours += time.Since(start)
			if err != nil || n != readers {
				b.Fatalf("%d editions, %v", n, err)
			}
			editions += n
			start = time.Now()
			err = s.Exec(ctx, `INSERT INTO editions (digest_id, local_date, due_at, send_at, number,
				state, date, next_at, expires_at)
				SELECT id, 'bench ' || ?, last_due_at + 1, last_due_at, edition_count, 'sent',
				last_due_at, last_due_at, last_due_at
				FROM digests ORDER BY id`, fmt.Sprint(round))
			bare += time.Since(start)
			if err != nil {
				b.Fatal(err)
			}
			// otherwise the next editions carry them
			if err := s.Exec(ctx, `UPDATE editions SET state = 'sent' WHERE state = 'ready'`); err != nil {
				b.Fatal(err)
			}
			now = now.Add(day)
		}
		report(b, "editions", editions, ours, bare)
	})
}

// BenchmarkRead claims editions in batches and reads the keys of their posts. It compares this with one ordered scan
// of the keys.
func BenchmarkRead(b *testing.B) {
	const readers, nPosts, batch = 20_000, 15, 500
	storetest.Bench(b, func(b *testing.B, s *store.Store) {
		ctx := b.Context()
		f := benchWorld(b, s, readers)
		var list []digest.Post
		for i := range nPosts {
			list = append(list, post(fmt.Sprint(i), noon))
		}
		if _, err := s.Feeds.Record(ctx, noon, []store.Polled{{Feed: f, Posts: list}}); err != nil {
			b.Fatal(err)
		}
		if _, err := s.Feeds.Plan(ctx, parisMidnight, queueNothing); err != nil {
			b.Fatal(err)
		}
		if _, err := s.Editions.Release(ctx, parisMidnight, deadline); err != nil {
			b.Fatal(err)
		}
		var ours, bare, marks time.Duration
		editions := 0
		for b.Loop() {
			for {
				start := time.Now()
				got, err := s.Editions.ClaimEditions(ctx, parisMidnight,
					digest.Claim{Most: batch, Lease: time.Hour, Token: "t"})
				if err != nil {
					b.Fatal(err)
				}
				refs, err := s.Editions.EditionPosts(ctx, got)
				if err != nil || len(refs) != len(got) {
					b.Fatal(len(refs), err)
				}
				ours += time.Since(start)
				if len(got) == 0 {
					break
				}
				editions += len(got)
				dots, done := make([]digest.Dot, len(got)), make([]digest.Mark, len(got))
				for i, e := range got {
					dots[i] = digest.Dot{ID: e.ID, MessageID: "m", Date: parisMidnight}
					done[i] = digest.Mark{ID: e.ID, State: digest.EditionReady, NextAt: parisMidnight.Add(time.Second)}
				}
				start = time.Now()
				if _, err := s.Editions.MarkEditions(ctx, parisMidnight, "t", nil, dots); err != nil {
					b.Fatal(err)
				}
				if _, err := s.Editions.MarkEditions(ctx, parisMidnight, "t", done, nil); err != nil {
					b.Fatal(err)
				}
				marks += time.Since(start)
			}
			if err := s.Exec(ctx, `UPDATE editions SET next_at = ?`, parisMidnight.Unix()); err != nil {
				b.Fatal(err)
			}
			start := time.Now()
			if n, err := s.Scan(ctx,
				`SELECT post_id FROM digest_posts ORDER BY digest_id, visible_at, post_id`); err != nil ||
				n != readers*nPosts {
				b.Fatal(n, err)
			}
			bare += time.Since(start)
		}
		b.ReportMetric(float64(editions)/marks.Seconds(), "marks/s")
		report(b, "editions", editions, ours, bare)
	})
}

// BenchmarkUnchangedPolls claims feeds and records unchanged polls, 200 in each transaction. It compares this with an
// UPDATE of one column of the same number of rows.
func BenchmarkUnchangedPolls(b *testing.B) {
	const feeds, batch = 20_000, 200
	storetest.Bench(b, func(b *testing.B, s *store.Store) {
		ctx := b.Context()
		if err := s.Exec(ctx, `INSERT INTO feeds (url, host, etag, last_modified, body_hash, parsed_at)
			WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
			SELECT 'https://h' || i || '.example/feed', 'h' || i || '.example', 'etag', 'date', 'hash', 1 FROM n`,
			feeds); err != nil {
			b.Fatal(err)
		}
		var ours, bare time.Duration
		now, polls := noon, 0
		for b.Loop() {
			now = now.Add(day)
			if err := s.Exec(ctx, `UPDATE feed_times SET poll_at = ?`, now.Unix()); err != nil {
				b.Fatal(err)
			}
			start := time.Now()
			for {
				claimed, _, err := s.Feeds.ClaimFeeds(ctx, now,
					store.ClaimOptions{N: batch, Lease: time.Hour, Token: "t"})
				if err != nil {
					b.Fatal(err)
				}
				if len(claimed) == 0 {
					break
				}
				done := make([]store.Polled, len(claimed))
				for i, f := range claimed {
					was := f.Feed
					f.PollAt, f.LastOKAt, f.LastStatus = time.Time{}, now, 304
					done[i] = store.Polled{Feed: f.Feed, Was: was, Token: "t", HostFreeAt: now,
						Poll: store.PollRecord{At: now, Outcome: "unchanged", Status: 304, Requests: 1,
							Took: time.Second}}
				}
				if _, err := s.Feeds.Record(ctx, now, done); err != nil {
					b.Fatal(err)
				}
				polls += len(done)
			}
			ours += time.Since(start)
			start = time.Now()
			for from := 0; from < feeds; from += batch {
				if err := s.Exec(ctx, `UPDATE feed_times SET last_ok_at = ? WHERE feed_id > ? AND id <= ?`,
					now.Unix()+1, from, from+batch); err != nil {
					b.Fatal(err)
				}
			}
			bare += time.Since(start)
		}
		report(b, "polls", polls, ours, bare)
	})
}
