package store_test

import (
	"testing"
	"time"

	"digest"
	"digest/store"
)

// ails records a poll of a feed that has failed since an instant. The zero time means that it works.
func (w world) ails(now time.Time, f digest.Feed, since time.Time) {
	w.Helper()
	f = w.feedAgain(f)
	p := store.Polled{Feed: f, Was: f, WasSick: f.Errors > 0}
	p.Feed.Errors, p.Feed.FailingSince, p.Feed.FirstErrorAt = 0, time.Time{}, time.Time{}
	if !since.IsZero() {
		p.Illness, p.Feed.Errors, p.Feed.FailingSince, p.Feed.FirstErrorAt = digest.NotThere, f.Errors+1, since, since
	}
	must(w.Feeds.Record(w.ctx, now, []store.Polled{p}))
}

// Each reader gets one notice of an illness, in the next edition, and a notice of another illness after a month at
// the earliest.
func TestTheSickAreToldOnce(t *testing.T) {
	each(t, func(w world) {
		ada, bob, cyd := w.reader("ada"), w.reader("bob"),
			w.reader("cyd")
		f := w.feed("f.example")
		w.ok(w.addTitled(ada, f, "Mine"))
		w.subscribe(bob, f)
		w.pauseFeed(bob, f)
		day := func(n int) time.Time { return noon.Add(time.Duration(n) * day) }
		since := day(-8)
		w.ails(noon, f, since)
		list := must(w.Editions.WaitingNotices(w.ctx, ada.ID))
		want(w, "told", describe(list), "sick Mine")
		want(w, "of what", list[0].Illness, digest.NotThere)
		want(w, "since when", list[0].From.UTC(), since)
		want(w, "bob, who has paused it", w.told(bob), "")
		want(w, "an edition of it alone", w.hour(parisMidnight), 1)
		want(w, "in it", w.editionNotices(ada), "2026-11-20 sick Mine")

		w.subscribe(cyd, f)
		for _, n := range []int{1, 2, 40} {
			w.ails(day(n), f, since)
		}
		want(w, "the same illness", w.told(ada), "")
		want(w, "cyd, who came later", w.told(cyd), "sick f.example")
		w.ails(day(41), f, time.Time{})
		want(w, "it is well before cyd was told", w.told(cyd), "")

		w.hour(day(59))
		w.ails(day(60), f, day(50))
		want(w, "another illness", w.told(ada), "sick Mine")
		w.hour(day(61))
		w.ails(day(62), f, time.Time{})
		w.ails(day(75), f, day(65))
		want(w, "one more, within a month", w.told(ada), "")
		w.hour(day(94))
		w.ails(day(95), f, day(65))
		want(w, "after a month", w.told(ada), "sick Mine")
	})
}

// The notice that a feed is dead replaces the one that it is sick.
func TestSickAndThenDead(t *testing.T) {
	each(t, func(w world) {
		ada, f := w.follows()
		w.setState(ada, digest.DigestPaused, noon)
		w.ails(noon, f, noon.Add(-8*day))
		want(w, "when she comes back", w.told(ada), "sick f.example")
		w.die(f, noon.Add(90*day))
		want(w, "dead by then", w.told(ada), "dead f.example")
	})
}

func TestReplaceSubscription(t *testing.T) {
	each(t, func(w world) {
		ada, bob := w.two()
		old, by := w.feed("old.example"), w.feed("new.example")
		w.ok(w.addTitled(ada, old, "Mine"))
		w.ok(w.Subscriptions.SetSubscription(w.ctx,
			digest.Subscription{DigestID: ada.ID, FeedID: old.ID, Title: "Mine",
				Folder: "News", Display: digest.Headlines}))
		w.subscribe(bob, old)
		must(w.Subscriptions.AddFilter(w.ctx, digest.Filter{DigestID: ada.ID, FeedID: old.ID, Words: "rain"},
			noon))
		oneLine(w, w.Subscriptions.ReplaceSubscription(w.ctx, ada.ID, old.ID,
			by.ID), digest.NotFound)
		w.subscribe(ada, by)
		w.ails(noon, old, noon.Add(-8*day))
		w.ok(w.Subscriptions.ReplaceSubscription(w.ctx, ada.ID, old.ID, by.ID))
		list := must(w.Subscriptions.AllSubscriptions(w.ctx, ada.ID))
		want(w, "subscriptions", len(list), 1)
		want(w, "is", list[0].Feed.ID, by.ID)
		want(w, "as decided", list[0].Title+list[0].Folder+string(list[0].Display), "MineNews"+
			string(digest.Headlines))
		w.holds("the filter", 1, `SELECT count(*) FROM filters WHERE feed_id = ?`, by.ID)
		want(w, "the notice goes", w.told(ada), "")
		want(w, "bob stays", w.told(bob), "sick old.example")
		oneLine(w, w.Subscriptions.ReplaceSubscription(w.ctx, ada.ID, old.ID, by.ID), digest.NotFound)
	})
}
