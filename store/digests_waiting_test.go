package store_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"digest"
	"digest/store"
	"digest/store/storetest"
)

// planFor plans the feeds at the given times.
func (w world) planFor(now time.Time, polls map[digest.FeedID]time.Time) {
	w.Helper()
	must(w.Feeds.Plan(w.ctx, now, func(f digest.Feed, _ time.Time) (time.Time, bool) {
		at, ok := polls[f.ID]
		return at, ok
	}))
}

// polled records a poll of a feed and queues it for next; zero: not queued.
func (w world) polled(now time.Time, f digest.Feed, next time.Time) store.RecordResult {
	w.Helper()
	f = w.feedAgain(f)
	f.PollAt = next
	r := w.poll(now, store.Polled{Feed: f})
	return r
}

// Only the feed that is polled last marks the digest, which is then released.
func TestToldByTheLastFeed(t *testing.T) {
	each(t, func(w world) {
		ada := w.reader("ada")
		a, b, c := w.feed("a.example"), w.feed("b.example"), w.feed("c.example")
		w.subscribe(ada, a, b, c)
		w.posted(b, "p")
		now := parisMidnight
		w.planFor(now, map[digest.FeedID]time.Time{a.ID: now.Add(time.Minute), b.ID: now.Add(3 * time.Minute),
			c.ID: now.Add(2 * time.Minute)})
		want(w, "released while all are queued", w.release(now), 0)
		want(w, "told by the first", w.polled(now.Add(time.Minute), a, time.Time{}).Told, 0)
		want(w, "told by the last", w.polled(now.Add(3*time.Minute), b, time.Time{}).Told, 1)
		want(w, "released while one is queued", w.release(now.Add(3*time.Minute)), 0)
		want(w, "told by the one left, asked again in time",
			w.polled(now.Add(4*time.Minute), c, now.Add(6*time.Minute)).Told, 1)
		want(w, "released while that is queued", w.release(now.Add(4*time.Minute)), 0)
		want(w, "told by it, asked again much later",
			w.polled(now.Add(6*time.Minute), c, now.Add(5*time.Hour)).Told, 1)
		want(w, "released", w.release(now.Add(6*time.Minute)), 1)
		want(w, "rows left", w.rows("waiting_digests"), 0)
	})
}

// If several workers find the same digests, one checks them and the others see this. Digests that were marked since,
// or are past their deadline, are checked again.
func TestLookedAtByAnother(t *testing.T) {
	each(t, func(w world) {
		const deadline = 30 * time.Minute
		ada := w.reader("ada")
		a, b := w.feed("a.example"), w.feed("b.example")
		w.subscribe(ada, a, b)
		now := parisMidnight
		w.planFor(now, map[digest.FeedID]time.Time{a.ID: now.Add(time.Minute), b.ID: now.Add(2 * time.Minute)})
		waits := func(what string, from, to digest.FeedID, now time.Time) {
			w.Helper()
			w.exec(`UPDATE waiting_digests SET feed_id = ?`, int64(from))
			w.ok(w.LookAtWaiting(w.ctx, []digest.DigestID{ada.ID}, now, deadline))
			want(w, what, w.rowsWhere("waiting_digests", fmt.Sprint("feed_id = ", to)), 1)
		}
		waits("told", 0, b.ID, now)
		waits("looked at by another", a.ID, a.ID, now)
		waits("to be released", -1, -1, now)
		waits("at its deadline", a.ID, -1, now.Add(deadline))
	})
}

// After a process was killed that had stored the last poll, another one releases the digest.
func TestToldOutlivesItsProcess(t *testing.T) {
	storetest.EachAddress(t, func(t *testing.T, database string) {
		w := newWorld(t, storetest.Open(t, database))
		ada, f := w.reader("ada"), w.feed("a.example")
		w.subscribe(ada, f)
		w.posted(f, "p")
		w.planFor(parisMidnight, map[digest.FeedID]time.Time{f.ID: parisMidnight.Add(time.Minute)})
		want(w, "released", w.release(parisMidnight), 0)
		w.polled(parisMidnight.Add(time.Minute), f, time.Time{})
		other := newWorld(t, storetest.Open(t, database))
		want(w, "released by another", other.release(parisMidnight.Add(2*time.Minute)), 1)
	})
}

// A marked digest does not delay digests past their deadline.
func TestDeadlinesBesideWhoIsTold(t *testing.T) {
	each(t, func(w world) {
		ada, bob := w.reader("ada"), w.reader("bob", "UTC")
		slow, quick := w.feed("a.example"), w.feed("b.example")
		w.subscribe(ada, slow)
		w.subscribe(bob, quick)
		w.posted(slow, "p")
		now := parisMidnight.Add(45 * time.Minute)
		w.planFor(now, map[digest.FeedID]time.Time{slow.ID: now.Add(time.Minute)})
		want(w, "released while it is queued", w.release(now), 0)
		later := parisMidnight.Add(time.Hour)
		w.planFor(later, map[digest.FeedID]time.Time{quick.ID: later.Add(20 * time.Minute)})
		want(w, "released while both are queued", w.release(later), 0)
		late := now.Add(deadline)
		want(w, "told", w.polled(late, quick, late.Add(5*time.Minute)).Told, 1)
		want(w, "released at its deadline", w.release(late), 1)
	})
}

// A digest does not wait for a feed that leaves the queue without a poll.
func TestToldByAFeedThatLeaves(t *testing.T) {
	for what, leave := range map[string]func(w world, ada digest.Digest, f digest.Feed, now time.Time){
		"its only reader leaves it": func(w world, ada digest.Digest, f digest.Feed, now time.Time) {
			w.unsubscribe(ada, f)
		},
		"a rule for its host": func(w world, ada digest.Digest, f digest.Feed, now time.Time) {
			w.exec(`UPDATE feed_times SET last_attempt_at = ? WHERE feed_id = ?`,
				now.Add(-6*time.Hour).Unix(), f.ID)
			must(w.Operator.SetHostRule(w.ctx, digest.HostRule{Host: f.Host, Interval: day}, now))
		},
	} {
		t.Run(what, func(t *testing.T) {
			each(t, func(w world) {
				ada, read, leaves := w.reader("ada"), w.feed("a.example"), w.feed("b.example")
				w.subscribe(ada, read, leaves)
				w.posted(read, "p")
				now := parisMidnight
				w.planFor(now, map[digest.FeedID]time.Time{leaves.ID: now.Add(time.Minute)})
				want(w, "released while it is queued", w.release(now), 0)
				leave(w, ada, leaves, now)
				want(w, "released", w.release(now.Add(time.Minute)), 1)
			})
		})
	}
}

// A reader unsubscribes from a feed and subscribes again while their digest waits. Its edition contains the feed, even
// if it has no other readers.
func TestWaitsForAFeedThatComesBack(t *testing.T) {
	each(t, func(w world) {
		ada, read, other := w.reader("ada"), w.feed("a.example"), w.feed("b.example")
		w.subscribe(ada, read, other)
		w.posted(other, "p")
		now := parisMidnight
		w.planFor(now, map[digest.FeedID]time.Time{read.ID: now.Add(time.Minute), other.ID: now.Add(2 * time.Minute)})
		w.pauseFeed(ada, read)
		w.resumeFeed(ada, read, now)
		w.polled(now.Add(2*time.Minute), other, time.Time{})
		want(w, "released while it is queued", w.release(now.Add(2*time.Minute)), 0)
		w.polled(now.Add(3*time.Minute), read, time.Time{})
		want(w, "released when it was asked", w.release(now.Add(3*time.Minute)), 1)
	})
}

// Whatever changes at the same time: a planned digest waits while one of its feeds is queued for an instant before its
// deadline, but not longer.
func TestReleaseFollowsTheRule(t *testing.T) {
	const rule = `SELECT count(*) FROM digests d WHERE d.state = 'active' AND d.next_due_at <= ?
		AND d.planned_due_at = d.next_due_at
		AND (d.planned_at <= ? OR NOT EXISTS (SELECT 1 FROM subscriptions s JOIN feed_times t ON t.feed_id = s.feed_id
			WHERE s.digest_id = d.id AND s.paused = 0 AND t.poll_at <= d.planned_at + ?))`
	each(t, func(w world) {
		chance := rand.New(rand.NewPCG(4, 1))
		feeds, readers := make([]digest.Feed, 12), make([]digest.Digest, 20)
		for i := range feeds {
			feeds[i] = w.feed(fmt.Sprintf("f%d.example", i))
		}
		for i := range readers {
			readers[i] = w.reader(fmt.Sprint("r", i), []string{"Europe/Paris", "Europe/Berlin", "UTC"}[i%3])
			for _, k := range chance.Perm(len(feeds))[:1+chance.IntN(5)] {
				w.subscribe(readers[i], feeds[k])
			}
		}
		released := 0
		for now, step := parisMidnight.Add(-time.Minute), 0; step < 200; step++ {
			now = now.Add(time.Duration(chance.IntN(90)) * time.Second)
			f, d := feeds[chance.IntN(len(feeds))], readers[chance.IntN(len(readers))]
			soon := now.Add(time.Duration(chance.IntN(45)) * time.Minute)
			switch chance.IntN(12) {
			case 0, 1, 2:
				polls := map[digest.FeedID]time.Time{}
				for _, f := range feeds {
					polls[f.ID] = now.Add(time.Duration(chance.IntN(20)) * time.Minute)
				}
				w.planFor(now, polls)
			case 3, 4, 5:
				w.polled(now, f, time.Time{})
			case 6:
				w.polled(now, f, soon)
			case 7:
				_ = w.Subscriptions.Unsubscribe(w.ctx, d.ID, f.ID)
				w.subscribe(d, f)
			case 8:
				if err := w.Subscriptions.PauseSubscription(w.ctx, d.ID, f.ID); err == nil && chance.IntN(2) == 0 {
					w.resumeFeed(d, f, now)
				}
			default:
				w.disturb(chance, now, d, f, feeds[chance.IntN(len(feeds))])
			}
			due := w.count(rule, now.Unix(), now.Add(-deadline).Unix(), int64(deadline/time.Second))
			before := w.rowsWhere("digests", "released_at > 0 AND planned_due_at = 0")
			w.release(now)
			still := w.count(rule, now.Unix(), now.Add(-deadline).Unix(), int64(deadline/time.Second))
			if still != 0 {
				w.Fatalf("step %d: %d of %d digests that need not wait were not released", step, still, due)
			}
			if after := w.rowsWhere("digests", "released_at > 0 AND planned_due_at = 0"); after-before != due {
				w.Fatalf("step %d: %d digests were released, and %d needed not wait", step, after-before, due)
			}
			released += due
		}
		if released < len(readers)/2 {
			w.Errorf("only %d digests were released", released)
		}
	})
}

// disturb makes a random change to a digest or to feeds.
func (w world) disturb(chance *rand.Rand, now time.Time, d digest.Digest, f, to digest.Feed) {
	w.Helper()
	switch chance.IntN(4) {
	case 0:
		w.pause(d, time.Time{}, now)
		w.ok(w.Readers.ResumeDigest(w.ctx, d.ID, now))
	case 1:
		w.setZone(d, []string{"Europe/Paris", "Asia/Tokyo", "UTC"}[chance.IntN(3)], now)
	case 2:
		if f, to = w.feedAgain(f), w.feedAgain(to); f.ID != to.ID {
			f.URL, f.Host, f.ParsedAt = to.URL, to.Host, now
			w.poll(now, store.Polled{Feed: f, ReadAt: to.URL, Arrival: store.Arrival{Read: true, Abroad: true}})
		}
	case 3:
		moves := must(w.Subscriptions.Moves(w.ctx, d.ID))
		for _, m := range moves {
			_ = w.Subscriptions.UndoMove(w.ctx, d.ID, m.FeedID,
				now) // an earlier undo may have removed the subscription
		}
	}
}

func (w world) rowsWhere(table, where string) int {
	w.Helper()
	return w.rows(table + ` WHERE ` + where)
}
