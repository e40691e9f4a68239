package store_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"digest"
	"digest/store"
	"digest/store/storetest"
)

// TestNext: the earliest of NextMidnight, NextPoll and NextMail is the next event in the day of a digest.
func TestNext(t *testing.T) {
	each(t, func(w world) {
		next := func() (first time.Time) {
			for _, find := range []func(context.Context) (time.Time, bool, error){
				func(ctx context.Context) (time.Time, bool, error) { return w.Feeds.NextMidnight(ctx, time.Time{}) },
				w.Feeds.NextPoll,
				func(ctx context.Context) (time.Time, bool, error) {
					return w.Editions.NextMail(ctx, noon, digest.Limits{}, digest.Limits{})
				},
			} {
				at, ok := must2(find(w.ctx))
				want(w, "ok", ok, !at.IsZero())
				if ok && (first.IsZero() || at.Before(first)) {
					first = at
				}
			}
			return first
		}
		want(w, "nothing", next(), time.Time{})
		ada := w.reader("ada")
		want(w, "midnight", next(), parisMidnight)
		f := w.feed("f.example")
		w.subscribe(ada, f)
		w.ok(w.Enqueue(w.ctx, f.ID, noon.Add(time.Hour)))
		want(w, "a poll", next(), noon.Add(time.Hour))
		claimed := w.claim(noon.Add(time.Hour), 1, "t")
		want(w, "in flight: when its lease ends", next(), noon.Add(2*time.Hour))
		done := claimed[0].Feed
		done.PollAt = time.Time{}
		w.poll(noon, store.Polled{Feed: done, Token: "t", Posts: posts(noon, "p"), Listed: []string{"p"}})
		w.ok(w.Readers.SetDeliverAt(w.ctx, ada.ID, 7*time.Hour))
		w.hour(parisMidnight)
		send := parisMidnight.Add(7 * time.Hour)
		want(w, "an edition", next(), send)
		w.claimEditions(send, 1, "t")
		want(w, "the end of its lease", next(), send.Add(5*time.Minute))
	})
}

// NextMidnight skips midnights up to its argument.
func TestNextMidnightAfter(t *testing.T) {
	each(t, func(w world) {
		w.reader("ada")
		w.reader("bob", "Europe/London")
		for _, c := range []struct{ after, next time.Time }{
			{time.Time{}, parisMidnight},
			{parisMidnight.Add(-time.Second), parisMidnight},
			{parisMidnight, parisMidnight.Add(time.Hour)},
			{parisMidnight.Add(time.Hour), time.Time{}},
		} {
			next, ok := must2(w.Feeds.NextMidnight(w.ctx, c.after))
			want(w, fmt.Sprint("after ", c.after), next, c.next)
			want(w, "ok", ok, !c.next.IsZero())
		}
	})
}

// NextPoll ignores polls that are not allowed yet.
func TestNextPoll(t *testing.T) {
	each(t, func(w world) {
		f, g := w.newFeed("f.example"), w.newFeed("g.example")
		set := func(column string, at time.Time) {
			w.exec(`UPDATE feed_times SET `+column+` = ? WHERE feed_id = ?`, at.Unix(), f.ID)
		}
		next := func(what string, wanted time.Time) {
			w.Helper()
			at, ok := must2(w.Feeds.NextPoll(w.ctx))
			want(w, what, at, wanted)
			want(w, what+", ok", ok, !wanted.IsZero())
			if ok {
				want(w, what+", claimed before", len(w.claim(at.Add(-time.Second), 9, "early")), 0)
			}
		}
		minute := func(m int) time.Time { return noon.Add(time.Duration(m) * time.Minute) }
		next("nothing is queued", time.Time{})
		set("poll_at", noon)
		next("as queued", noon)
		set("last_attempt_at", minute(-58))
		next("the gap", minute(2))
		set("not_before", minute(4))
		next("asked to wait", minute(4))
		set("fresh_until", minute(6))
		next("fresh", minute(6))
		w.exec(`INSERT INTO hosts (host, lease_until, token) VALUES (?, ?, 'x')`, f.Host,
			minute(8).Unix())
		next("a busy host", minute(8))
		set("lease_until", minute(10))
		next("in flight", minute(10))
		w.ok(w.Enqueue(w.ctx, g.ID, minute(9)))
		next("another is earlier", minute(9))
		w.exec(`UPDATE feeds SET state = 'dead' WHERE id = ?`, g.ID)
		next("it is dead", minute(10))
		want(w, "claimed then", len(w.claim(minute(10), 9, "t")), 1)
	})
}

// The next feed that may be requested can be far back in the queue.
func TestNextPollBehindABusyHost(t *testing.T) {
	each(t, func(w world) {
		ada := w.reader("ada", "UTC")
		var items []store.ImportItem
		for i := range 450 {
			items = append(items, store.ImportItem{URL: fmt.Sprintf("https://big.example/%d", i), Host: "big.example"})
		}
		must(w.Subscriptions.Import(w.ctx, ada.ID, items, 1e6, noon))
		want(w, "one of the host", len(w.claim(noon, 9, "t")), 1)
		f := w.newFeed("f.example")
		w.ok(w.Enqueue(w.ctx, f.ID, noon.Add(time.Minute)))
		at, _ := must2(w.Feeds.NextPoll(w.ctx))
		want(w, "the other host's", at, noon.Add(time.Minute))
	})
}

// A feed is not polled in its skipped hours and days, and NextPoll returns their end.
func TestSkippedTimeIsKept(t *testing.T) {
	each(t, func(w world) {
		_, f := w.follows()
		thursday := noon // 19 November 2026, 12:00 UTC
		for _, test := range []struct {
			hours, days int64
			wanted      time.Time
		}{
			{0, 0, thursday},
			{1 << 11, 0, thursday},
			{1<<12 | 1<<13, 0, thursday.Add(2 * time.Hour)},
			{0, 1 << time.Thursday, thursday.Add(12 * time.Hour)},
			{1, 1 << time.Thursday, thursday.Add(13 * time.Hour)},
			{0, 1<<7 - 1, thursday}, // impossible, so it has no effect
		} {
			w.exec(`UPDATE feed_times SET poll_at = NULL, lease_until = 0, last_attempt_at = 0
				WHERE feed_id = ?`, f.ID)
			w.exec(`UPDATE feeds SET skip_hours = ?, skip_days = ? WHERE id = ?`,
				test.hours, test.days, f.ID)
			w.ok(w.Enqueue(w.ctx, f.ID, thursday))
			w.exec(`DELETE FROM hosts`)
			at, ok := must2(w.Feeds.NextPoll(w.ctx))
			want(w, "queued", ok, true)
			want(w, "next", at, test.wanted)
			if test.days == 1<<7-1 {
				continue
			}
			want(w, "claimed before", len(w.claim(test.wanted.Add(-time.Second), 1, "t")), 0)
			want(w, "claimed then", len(w.claim(test.wanted, 1, "t")), 1)
		}
	})
}

// TestSkippedTimeComesAround: a feed that was not claimed in time is not polled in the next skipped hours.
func TestSkippedTimeComesAround(t *testing.T) {
	each(t, func(w world) {
		f, other := w.newFeed("f.example"), w.newFeed("g.example")
		w.subscribe(w.reader("ada"), f, other)
		w.exec(`UPDATE feeds SET skip_hours = ? WHERE id = ?`, 1<<14|1<<15, f.ID)
		w.ok(w.Enqueue(w.ctx, f.ID, noon))
		late := noon.Add(2*time.Hour + time.Minute)
		w.ok(w.Enqueue(w.ctx, other.ID, late))
		claimed := w.claim(late, 1, "t")
		want(w, "claimed", len(claimed), 1)
		want(w, "the one behind it", claimed[0].ID, other.ID)
		w.end(late, claimed[0], well)
		next, _ := must2(w.Feeds.NextPoll(w.ctx))
		want(w, "next", next, noon.Add(4*time.Hour))
		want(w, "claimed before", len(w.claim(noon.Add(4*time.Hour-time.Second), 1, "u")), 0)
		want(w, "claimed then", len(w.claim(noon.Add(4*time.Hour), 1, "u")), 1)
	})
}

// TestPollGapChanges: a worker with another poll gap uses it from its first claim on, longer or shorter.
func TestPollGapChanges(t *testing.T) {
	each(t, func(w world) {
		f := w.newFeed("f.example")
		w.subscribe(w.reader("ada"), f)
		w.ok(w.Enqueue(w.ctx, f.ID, noon))
		w.end(noon, w.one(noon, "t"), well)
		for _, gap := range []time.Duration{3 * time.Hour, 20 * time.Minute, 2 * time.Hour} {
			w.Policy = storetest.Policy(gap)
			w.ok(w.Feeds.NotePollGap(w.ctx, noon.Add(time.Minute), gap))
			w.exec(`UPDATE hosts SET lease_until = 0`)
			w.ok(w.Enqueue(w.ctx, f.ID, noon.Add(time.Minute)))
			next, _ := must2(w.Feeds.NextPoll(w.ctx))
			want(w, "next", next.After(noon.Add(gap)), false)
			want(w, "too early", len(w.claim(noon.Add(min(gap, 20*time.Minute)-time.Second), 1, "u")), 0)
		}
		w.Policy = storetest.Policy(2*time.Hour + time.Minute) // before NotePollGap
		want(w, "not noted, too early", len(w.claim(noon.Add(2*time.Hour), 1, "v")), 0)
		want(w, "not noted, then", len(w.claim(noon.Add(2*time.Hour+time.Minute), 1, "v")), 1)
	})
}
