package store_test

import (
	"context"
	"database/sql"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"digest"
	"digest/store"
	"digest/store/storetest"
)

// claim claims feeds with a lease of one hour.
func (w world) claim(now time.Time, n int, token string) []store.ClaimedFeed {
	w.Helper()
	claimed, _ := must2(w.Feeds.ClaimFeeds(w.ctx, now, store.ClaimOptions{N: n, Lease: time.Hour, Token: token}))
	return claimed
}

func TestClaimFeeds(t *testing.T) {
	each(t, func(w world) {
		ada := w.reader("ada")
		f, g := w.newFeed("a.example"), w.newFeed("b.example")
		h, _ := must2(w.Feeds.EnsureFeed(w.ctx, digest.Feed{URL: "https://a.example/2", Host: "a.example"}))
		w.subscribe(ada, f)
		w.ok(w.Enqueue(w.ctx, h.ID, noon.Add(time.Minute)))
		w.ok(w.Enqueue(w.ctx, f.ID, noon))
		w.ok(w.Enqueue(w.ctx, g.ID, noon.Add(2*time.Hour)))

		want(w, "nothing is due yet", len(w.claim(noon.Add(-time.Second), 9, "t0")), 0)
		now := noon.Add(5 * time.Minute)
		first := w.claim(now, 9, "t1")
		if len(first) != 1 {
			w.Fatalf("one per host: got %d", len(first))
		}
		want(w, "the earliest", first[0].ID, f.ID)
		want(w, "subscribers", first[0].Subscribers, 1)
		want(w, "token", first[0].Token, "t1")
		want(w, "the attempt is committed", w.feedAgain(f).LastAttemptAt, now)
		want(w, "still queued while in flight", w.feedAgain(f).PollAt, noon)
		want(w, "the host is busy", len(w.claim(now, 9, "t2")), 0)

		done := first[0].Feed
		done.PollAt = now.Add(10 * time.Minute) // a retry
		w.poll(now, store.Polled{Feed: done, Token: "t1",
			HostFreeAt: now.Add(2 * time.Second)})
		want(w, "the host rests", len(w.claim(now.Add(time.Second), 9, "t3")), 0)
		next := w.claim(now.Add(2*time.Second), 9, "t4")
		if len(next) != 1 || next[0].ID != h.ID {
			w.Fatalf("the other feed of the host: %v", next)
		}
		late := w.claim(now.Add(59*time.Minute), 9, "t5")
		want(w, "neither within the gap nor before its time", len(late), 0)
		late = w.claim(now.Add(2*time.Hour), 1, "t6")
		want(w, "n is kept", len(late), 1)
	})
}

// Neither a new reader nor a ping causes a poll before the time that the site named (I5).
func TestQueueWaitsForTheSite(t *testing.T) {
	for _, c := range []struct {
		why string
		set func(*digest.Feed, time.Time)
	}{
		{"Retry-After of a week", func(f *digest.Feed, at time.Time) {
			f.NotBefore, f.Errors, f.LastStatus = at, 1,
				429
		}},
		{"fresh for a week", func(f *digest.Feed, at time.Time) { f.FreshUntil = at }},
	} {
		t.Run(c.why, func(t *testing.T) {
			each(t, func(w world) {
				ada, bob := w.two()
				items := []store.ImportItem{{URL: "https://a.example/feed", Host: "a.example"}}
				must(w.Subscriptions.Import(w.ctx, ada.ID, items, 1e6, noon))
				claimed := w.claim(noon, 9, "t")
				week := noon.Add(7 * day)
				f := claimed[0].Feed
				f.PollAt = time.Time{}
				c.set(&f, week)
				w.poll(noon, store.Polled{Feed: f, Was: claimed[0].Feed, Token: "t"})

				later := noon.Add(2 * time.Hour)
				must(w.Subscriptions.Import(w.ctx, bob.ID, items, 1e6, later))
				want(w, "queued by a second reader", w.feedAgain(f).PollAt, week)
				w.ok(w.Enqueue(w.ctx, f.ID, later))
				want(w, "queued by a ping", w.feedAgain(f).PollAt, week)
				w.exec(`UPDATE feed_times SET poll_at = ?`, later.Unix())
				want(w, "claimed however it was queued", len(w.claim(week.Add(-time.Second), 9, "u")), 0)
				want(w, "then", len(w.claim(week, 9, "u")), 1)
			})
		})
	}
}

// Times are stored in whole seconds. No wait is shorter by a fraction (I5).
func TestFractionsOfASecond(t *testing.T) {
	each(t, func(w world) {
		f := w.newFeed("a.example")
		other, _ := must2(w.Feeds.EnsureFeed(w.ctx, digest.Feed{URL: "https://a.example/2", Host: "a.example"}))
		w.subscribe(w.reader("ada"), f, other)
		now := noon.Add(900 * time.Millisecond)
		second := func(n int) time.Time { return noon.Add(time.Duration(n) * time.Second) }
		w.ok(w.Enqueue(w.ctx, f.ID, now))
		claimed := w.claim(now, 9, "t")
		want(w, "the attempt", claimed[0].LastAttemptAt, second(1))
		last := claimed[0].Feed
		last.LastAttemptAt = now.Add(5 * time.Second) // a second request
		last.PollAt, last.NotBefore, last.FreshUntil = now, now.Add(time.Second), now.Add(2*time.Second)
		w.poll(now, store.Polled{Feed: last, Was: claimed[0].Feed, Token: "t", HostFreeAt: now.Add(2 * time.Second)})
		f = w.feedAgain(f)
		want(w, "last attempt", f.LastAttemptAt, second(6))
		want(w, "queued", f.PollAt, second(1))
		want(w, "not before", f.NotBefore, second(2))
		want(w, "fresh", f.FreshUntil, second(3))
		w.ok(w.Enqueue(w.ctx, other.ID, now))
		want(w, "the host rests", len(w.claim(second(2).Add(999*time.Millisecond), 9, "u")), 0)
		want(w, "then", len(w.claim(second(3), 9, "u")), 1)

		f.LastAttemptAt = noon
		w.poll(now, store.Polled{Feed: f})
		want(w, "an attempt is not forgotten", w.feedAgain(f).LastAttemptAt, second(6))
	})
}

// TestClaimIsExact empties one queue with eight workers.
func TestClaimIsExact(t *testing.T) {
	const workers, perHost, nHosts = 8, 3, 60
	each(t, func(w world) {
		var items []store.ImportItem
		for i := range perHost { // apart in the queue, so that different workers find them
			for _, h := range hosts(nHosts) {
				items = append(items, store.ImportItem{URL: fmt.Sprintf("https://%s/%d", h, i), Host: h})
			}
		}
		must(w.Subscriptions.Import(w.ctx, w.reader("ada", "UTC").ID, items, 1e6, noon))
		var (
			mu    sync.Mutex
			busy  = make(map[string]bool)
			asked = make(map[digest.FeedID]int)
			wg    sync.WaitGroup
		)
		left := func() int {
			mu.Lock()
			defer mu.Unlock()
			return len(items) - len(asked)
		}
		for i := range workers {
			wg.Go(func() {
				for round := 0; left() > 0 && round < 10_000; round++ {
					token := fmt.Sprintf("w%d-%d", i, round)
					claimed, _, err := w.Feeds.ClaimFeeds(w.ctx, noon,
						store.ClaimOptions{N: 5, Lease: time.Hour, Token: token})
					if err != nil {
						w.Error(err)
						return
					}
					var polls []store.Polled
					mu.Lock()
					for _, f := range claimed {
						if busy[f.Host] {
							w.Errorf("two polls of %s in flight", f.Host)
						}
						busy[f.Host] = true
						asked[f.ID]++
						f.PollAt = time.Time{}
						polls = append(polls, store.Polled{Feed: f.Feed, Token: token, HostFreeAt: noon})
					}
					mu.Unlock()
					runtime.Gosched() // other workers may claim here
					mu.Lock()
					for _, p := range polls {
						busy[p.Feed.Host] = false // before another worker can claim the host
					}
					mu.Unlock()
					r, err := w.Feeds.Record(w.ctx, noon, polls)
					if err != nil || r.Stale > 0 {
						w.Errorf("recording: %v, %d stale", err, r.Stale)
						return
					}
				}
			})
		}
		wg.Wait()
		want(w, "feeds asked", len(asked), len(items))
		for id, n := range asked {
			if n != 1 {
				w.Errorf("feed %d was claimed %d times", id, n)
			}
		}
	})
}

// Two workers find two feeds of one host before either leases it. On SQLite the second waits for the first.
func TestClaimLeasesAHostOnce(t *testing.T) {
	w := newWorld(t, storetest.Open(t, storetest.Postgres(t)))
	f := w.newFeed("a.example")
	w.ok(w.Enqueue(w.ctx, f.ID, noon))
	won := must(w.ClaimFeedsWith(w.ctx, noon, "slow", func() {
		g, _ := must2(w.Feeds.EnsureFeed(w.ctx, digest.Feed{URL: "https://a.example/2", Host: "a.example"}))
		w.ok(w.Enqueue(w.ctx, g.ID, noon))
		want(t, "quick", len(w.claim(noon, 9, "quick")), 1)
	}))
	want(t, "slow", won, 0)
}

// A claim skips a host that another transaction has locked, and claims the others. This only happens on PostgreSQL.
func TestClaimWaitsForNoHost(t *testing.T) {
	w := newWorld(t, storetest.Open(t, storetest.Postgres(t)))
	for _, host := range []string{"a.example", "b.example"} {
		w.ok(w.Enqueue(w.ctx, w.newFeed(host).ID, noon))
		w.exec(`INSERT INTO hosts (host) VALUES (?)`, host)
	}
	w.ok(w.Together(w.ctx, func() {
		ctx, cancel := context.WithTimeout(w.ctx, time.Minute)
		defer cancel()
		claimed, left := must2(w.Feeds.ClaimFeeds(ctx, noon, store.ClaimOptions{N: 9, Lease: time.Hour, Token: "t"}))
		want(t, "claimed", len(claimed), 1)
		want(t, "of", claimed[0].Host, "b.example")
		want(t, "left", left, true)
	}, `UPDATE hosts SET token = 'other' WHERE host = 'a.example'`))
	want(t, "then", len(w.claim(noon, 9, "u")), 1)
}

// TestCandidatesAreLocked: no transaction can change the times of a candidate before its lease.
func TestCandidatesAreLocked(t *testing.T) {
	storetest.EachAddress(t, func(t *testing.T, database string) {
		w := newWorld(t, storetest.Open(t, database))
		f := w.newFeed("a.example")
		w.ok(w.Enqueue(w.ctx, f.ID, noon))
		driver, name, refusal := "sqlite3", "file:"+database+"?_txlock=immediate&_pragma=busy_timeout(0)", "locked"
		if strings.HasPrefix(database, "postgres") {
			driver, name, refusal = "postgres", database, "could not obtain lock"
		}
		other := must(sql.Open(driver, name))
		defer other.Close()
		change := func() error {
			tx, err := other.Begin()
			if err != nil {
				return err
			}
			defer tx.Rollback() //nolint:errcheck // after a commit it does nothing
			if driver == "postgres" {
				if _, err := tx.Exec(`SELECT feed_id FROM feed_times FOR UPDATE NOWAIT`); err != nil {
					return err
				}
			}
			if _, err := tx.Exec(`UPDATE feed_times SET not_before = 1`); err != nil {
				return err
			}
			return tx.Commit()
		}
		won := must(w.ClaimFeedsWith(w.ctx, noon, "t", func() {
			if err := change(); err == nil || !strings.Contains(err.Error(), refusal) {
				t.Errorf("a candidate was changed: %v", err)
			}
		}))
		want(t, "won", won, 1)
		w.ok(change())
	})
}

// Up to a thousand subscribers are counted exactly.
func TestToldSubscribers(t *testing.T) {
	each(t, func(w world) {
		w.crowd(1100, 2, 1)
		for i, c := range []struct{ left, told int }{{150, 950}, {100, 1000}, {10, 1100}} {
			w.exec(`UPDATE subscriptions SET feed_id = 1`)
			w.exec(`UPDATE digests SET state = 'active'`)
			w.exec(`UPDATE digests SET state = 'left' WHERE id <= ?`, c.left)
			w.exec(`UPDATE hosts SET lease_until = 0`)
			w.exec(`UPDATE feeds SET domain = host WHERE id = 1`)
			w.exec(`UPDATE feed_times SET lease_until = 0, lease_token = '',
				last_attempt_at = 0, counted_at = 0, poll_at = ? WHERE feed_id = 1`, noon.Unix())
			want(w, fmt.Sprint("told where so many have left: ", c.left),
				w.claim(noon, 1, fmt.Sprint("t", i))[0].Subscribers, c.told)
		}
	})
}

// The number of readers in a request is correct for few readers, and at most one day old for many. This does not
// depend on later subscriptions or a wrong clock.
func TestToldWithinADay(t *testing.T) {
	each(t, func(w world) {
		w.crowd(18, 1, 1)
		w.exec(`UPDATE feeds SET domain = host`)
		ada, bob := w.two()
		feed := w.feedAgain(digest.Feed{URL: "u1"})
		told := func(after time.Duration) int {
			w.Helper()
			w.exec(`UPDATE feed_times SET poll_at = ?, askable_at = 0, lease_until = 0,
				last_attempt_at = 0`, noon.Add(-day).Unix())
			w.exec(`UPDATE hosts SET lease_until = 0`)
			return w.claim(noon.Add(after), 1, fmt.Sprint("t", after))[0].Subscribers
		}
		const day = day
		want(w, "at first", told(0), 18)
		w.subscribe(ada, feed)
		w.subscribe(bob, feed)
		want(w, "not counted again", told(day-time.Second), 18)
		want(w, "a day later", told(day), 20)
		w.ok(w.Subscriptions.Unsubscribe(w.ctx, ada.ID, 1))
		w.setState(bob, digest.DigestPaused, noon)
		want(w, "not counted again", told(2*day-time.Second), 20)
		want(w, "two days later", told(2*day), 18)
		w.subscribe(ada, feed)
		want(w, "counted by a clock that was fast", told(2*day-time.Second), 19)
		w.exec(`DELETE FROM subscriptions WHERE digest_id > 2`)
		want(w, "few are left", told(3*day), 2)
		w.subscribe(bob, feed)
		w.setState(bob, digest.DigestActive, noon)
		want(w, "few are counted each time", told(3*day), 3)
	})
}
