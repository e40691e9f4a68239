package store_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"digest"
	"digest/store"
	"digest/store/storetest"
)

// TestStoringExcludesReleasing checks I8: posts are stored while midnights pass. Each must be in one edition, or
// wait. Released editions must not change.
func TestStoringExcludesReleasing(t *testing.T) {
	const nPosts, readers, storers = 80, 5, 3
	each(t, func(w world) {
		var feeds []digest.Feed
		for _, h := range hosts(storers) {
			feeds = append(feeds, w.feed(h))
		}
		for i := range readers {
			w.subscribe(w.reader(fmt.Sprint("reader", i)), feeds...)
		}
		var wg sync.WaitGroup
		for i, f := range feeds {
			wg.Go(func() {
				for n := range nPosts {
					id := fmt.Sprintf("%d-%d", i, n)
					p := store.Polled{Feed: f, Posts: posts(noon, id), Listed: []string{id}}
					p.Feed.ParsedAt = noon
					if _, err := w.Feeds.Record(w.ctx, noon, []store.Polled{p}); err != nil {
						w.Error(err)
						return
					}
				}
			})
		}
		stored := make(chan struct{})
		go func() { wg.Wait(); close(stored) }()
		sealed := make(map[digest.EditionID]int)
		for now, done := parisMidnight, false; !done; now = now.Add(day) {
			select {
			case <-stored:
				done = true
			default:
			}
			w.hour(now)
			for _, e := range w.claimEditions(now, 1000, "t") {
				refs := must(w.Editions.EditionPosts(w.ctx, []digest.Delivery{e}))
				sealed[e.ID] = len(refs[e.ID])
			}
		}
		w.holds("posts that no edition shows", 0,
			`SELECT count(*) FROM digest_posts dp JOIN digests d ON d.id = dp.digest_id
			WHERE dp.visible_at <= d.last_due_at AND NOT EXISTS
			(SELECT 1 FROM editions e WHERE e.digest_id = dp.digest_id AND e.due_at = dp.visible_at)`)
		w.holds("rows", nPosts*readers*storers, `SELECT count(*) FROM digest_posts`)
		if len(sealed) < 2*readers {
			w.Logf("only %d editions came while storing", len(sealed))
		}
		for id, n := range sealed {
			w.holds("posts of a sealed edition", n, `SELECT count(*) FROM digest_posts dp JOIN editions e
				ON e.digest_id = dp.digest_id AND e.due_at = dp.visible_at WHERE e.id = ?`, id)
		}
	})
}

// holds fails the test unless a query returns a number.
func (w world) holds(what string, n int, query string, args ...any) {
	w.Helper()
	have := w.count(query, args...)
	want(w, what, have, n)
}

// TestSubscribingMeetsStoring subscribes while a post of the same feed is stored. The later transaction sees the
// result of the earlier one.
func TestSubscribingMeetsStoring(t *testing.T) {
	const rounds = 40
	each(t, func(w world) {
		for i := range rounds {
			d := w.reader(fmt.Sprint("reader", i))
			f := w.feed(fmt.Sprintf("f%d.example", i))
			var wg sync.WaitGroup
			wg.Go(func() {
				p := store.Polled{Feed: f, Posts: posts(noon, "p"), Listed: []string{"p"}}
				if _, err := w.Feeds.Record(w.ctx, noon, []store.Polled{p}); err != nil {
					w.Error(err)
				}
			})
			wg.Go(func() {
				if _, err := w.Subscriptions.Subscribe(w.ctx, digest.Subscription{DigestID: d.ID, FeedID: f.ID},
					noon); err != nil {
					w.Error(err)
				}
			})
			wg.Wait()
			want(w, "waiting", w.waiting(d), "p")
		}
	})
}

// TestPlanIsExact has eight workers plan one midnight.
func TestPlanIsExact(t *testing.T) {
	each(t, func(w world) {
		f := w.feed("f.example")
		for i := range 30 {
			w.subscribe(w.reader(fmt.Sprint("reader", i)), f)
		}
		var mu sync.Mutex
		var total store.PlanResult
		var asked atomic.Int32
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				r, err := w.Feeds.Plan(w.ctx, parisMidnight, func(digest.Feed, time.Time) (time.Time, bool) {
					asked.Add(1)
					return parisMidnight, true
				})
				if err != nil {
					w.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				total.Digests += r.Digests
				total.Feeds += r.Feeds
			})
		}
		wg.Wait()
		want(w, "planned once", total, store.PlanResult{Digests: 30, Feeds: 1})
		want(w, "thought about once", asked.Load(), 1)
	})
}

// TestReleaseIsExact has eight workers release one midnight.
func TestReleaseIsExact(t *testing.T) {
	each(t, func(w world) {
		f := w.feed("f.example")
		for i := range 30 {
			w.subscribe(w.reader(fmt.Sprint("reader", i), []string{"Europe/Paris", "Africa/Lagos"}[i%2]), f)
		}
		w.posted(f, "p")
		must(w.Feeds.Plan(w.ctx, parisMidnight, queueNothing))
		var mu sync.Mutex
		total := 0
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				n, err := w.Editions.Release(w.ctx, parisMidnight, deadline)
				if err != nil {
					w.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				total += n
			})
		}
		wg.Wait()
		want(w, "editions", total, 30)
		w.holds("editions stored", 30, `SELECT count(*) FROM editions`)
	})
}

// A worker that finds everything planned does not wait for a release. (On PostgreSQL only: on SQLite a release is the
// only writer, and finding does not write.)
func TestPlanWaitsForNobody(t *testing.T) {
	w := newWorld(t, storetest.Open(t, storetest.Postgres(t)))
	w.subscribe(w.reader("ada"), w.feed("a.example"))
	planned := must(w.Feeds.Plan(w.ctx, parisMidnight, queueNothing))
	want(t, "planned", planned.Digests, 1)
	w.ok(w.Together(w.ctx, func() {
		ctx, cancel := context.WithTimeout(w.ctx, time.Minute)
		defer cancel()
		planned := must(w.Feeds.Plan(ctx, parisMidnight.Add(time.Second), queueNothing))
		want(t, "planned again", planned.Digests, 0)
	}, `SELECT pg_advisory_xact_lock(110403869045621)`))
}
