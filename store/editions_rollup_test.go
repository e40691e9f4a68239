package store_test

import (
	"testing"
	"time"

	"digest"
)

// rollUp makes a subscription a roll-up.
func (w world) rollUp(d digest.Digest, f digest.Feed, day time.Weekday) {
	w.Helper()
	sub := w.subscription(d, f).Subscription
	sub.RollUp = 1 << day
	w.ok(w.Subscriptions.SetSubscription(w.ctx, sub))
}

// TestRollUp: the posts of a roll-up wait for their day and come together in that edition, once each. A night with
// nothing else has no edition. Other readers of the site get its posts every day.
func TestRollUp(t *testing.T) {
	each(t, func(w world) {
		ada, bob := w.two()
		daily, weekly := w.feed("d.example"), w.feed("w.example")
		w.subscribe(ada, daily, weekly)
		w.subscribe(bob, weekly)
		for _, d := range []digest.Digest{ada, bob} {
			w.ok(w.Readers.SetMailed(w.ctx, d.ID, false, noon)) // no edition carries undelivered ones
		}
		w.rollUp(ada, weekly, time.Monday)
		var known []string
		for i, name := range []string{"fri", "sat", "sun", "mon", "tue"} {
			now := parisMidnight.Add(time.Duration(i)*day - time.Hour)
			w.record(now, weekly, posts(now, "w-"+name), known...)
			known = append(known, "w-"+name)
			if name == "sat" {
				w.record(now, daily, nil, "d-fri")
			} else {
				w.record(now, daily, posts(now, "d-"+name), "d-fri")
			}
			w.hour(now.Add(time.Hour))
		}
		want(w, "ada's", w.editions(ada), "2026-11-20 d-fri; 2026-11-22 d-sun; "+
			"2026-11-23 w-fri w-sat w-sun w-mon d-mon; 2026-11-24 d-tue")
		want(w, "waits", w.waiting(ada), "w-tue")
		came := must(w.Subscriptions.LastEditions(w.ctx, ada.ID, weekly.ID, parisMidnight.Add(4*day)))
		want(w, "as they came", rehearsed(came), "2026-11-24 0-0+0; 2026-11-23 1-0+0; 2026-11-22 2-0+0; "+
			"2026-11-20 1-0+0")
		want(w, "bob's", w.editions(bob), "2026-11-20 w-fri; 2026-11-21 w-sat; 2026-11-22 w-sun; 2026-11-23 w-mon; "+
			"2026-11-24 w-tue")
		sub := w.subscription(ada, weekly).Subscription
		sub.RollUp = 0
		w.ok(w.Subscriptions.SetSubscription(w.ctx, sub))
		w.hour(parisMidnight.Add(5 * day))
		want(w, "after the change", w.latest(ada).LocalDate, digest.Date{Year: 2026, Month: 11, Day: 25})
		want(w, "nothing waits", w.waiting(ada), "")
	})
}

// TestRollUpAway: a pause over the day of a roll-up, another zone and days without an edition lose and repeat no post.
// The first edition after them has the posts, and so has an early first edition.
func TestRollUpAway(t *testing.T) {
	each(t, func(w world) {
		away, west, workdays, first := w.reader("away"), w.reader("west"), w.reader("workdays"), w.reader("first")
		f := w.feed("f.example")
		for _, d := range []digest.Digest{away, west, workdays, first} {
			w.subscribe(d, f)
			w.rollUp(d, f, time.Sunday)
			w.ok(w.Readers.SetMailed(w.ctx, d.ID, false, noon))
		}
		w.setCadence(workdays, digest.Workdays, noon)
		w.posted(f, "p")
		must(w.Editions.SendFirst(w.ctx, first.ID, noon))
		want(w, "at once", w.editions(first), "2026-11-19 p")
		w.hour(parisMidnight)
		w.pause(away, parisMidnight.Add(4*day), parisMidnight.Add(time.Hour))
		w.setZone(west, "America/Los_Angeles", parisMidnight.Add(time.Hour))
		for i := range 6 * 24 {
			now := parisMidnight.Add(time.Duration(i+2) * time.Hour)
			w.endPauses(now)
			w.record(now, f, nil, "p")
			w.hour(now)
		}
		want(w, "after a pause", w.editions(away), "2026-11-24 p")
		want(w, "in another zone", w.editions(west), "2026-11-22 p")
		want(w, "on workdays", w.editions(workdays), "2026-11-23 p")
		want(w, "the first", w.editions(first), "2026-11-19 p")
	})
}
