package store_test

import (
	"testing"
	"time"

	"digest"
	"digest/store"
)

// ails records a poll of a feed that has failed since an instant. The zero time means that it works.
func (w world) ails(now time.Time, f digest.Feed, since time.Time) {
	w.t.Helper()
	f = w.feedAgain(f)
	p := store.Polled{Feed: f, Was: f, WasSick: f.Errors > 0}
	p.Feed.Errors, p.Feed.FailingSince, p.Feed.FirstErrorAt = 0, time.Time{}, time.Time{}
	if !since.IsZero() {
		p.Illness, p.Feed.Errors, p.Feed.FailingSince, p.Feed.FirstErrorAt = digest.NotThere, f.Errors+1, since, since
	}
	_, err := w.Feeds.Record(w.ctx(), now, []store.Polled{p})
	w.ok(err)
}

// Each reader gets one notice of an illness, in the next edition, and a notice of another illness after a month at
// the earliest.
func TestTheSickAreToldOnce(t *testing.T) {
	each(t, func(w world) {
		ada, bob, cyd := w.reader("ada", "Europe/Paris"), w.reader("bob", "Europe/Paris"),
			w.reader("cyd", "Europe/Paris")
		f := w.feed("f.example")
		w.ok(w.addTitled(ada, f, "Mine"))
		w.subscribe(bob, f)
		w.ok(w.Subscriptions.PauseSubscription(w.ctx(), bob.ID, f.ID))
		day := func(n int) time.Time { return noon.Add(time.Duration(n) * 24 * time.Hour) }
		since := day(-8)
		w.ails(noon, f, since)
		list, err := w.Editions.WaitingNotices(w.ctx(), ada.ID)
		w.ok(err)
		want(w.t, "told", describe(list), "sick Mine")
		want(w.t, "of what", list[0].Illness, digest.NotThere)
		want(w.t, "since when", list[0].From.UTC(), since)
		want(w.t, "bob, who has paused it", w.told(bob), "")
		want(w.t, "an edition of it alone", w.hour(parisMidnight), 1)
		want(w.t, "in it", w.editionNotices(ada), "2026-11-20 sick Mine")

		w.subscribe(cyd, f)
		for _, n := range []int{1, 2, 40} {
			w.ails(day(n), f, since)
		}
		want(w.t, "the same illness", w.told(ada), "")
		want(w.t, "cyd, who came later", w.told(cyd), "sick f.example")
		w.ails(day(41), f, time.Time{})
		want(w.t, "it is well before cyd was told", w.told(cyd), "")

		w.hour(day(59))
		w.ails(day(60), f, day(50))
		want(w.t, "another illness", w.told(ada), "sick Mine")
		w.hour(day(61))
		w.ails(day(62), f, time.Time{})
		w.ails(day(75), f, day(65))
		want(w.t, "one more, within a month", w.told(ada), "")
		w.hour(day(94))
		w.ails(day(95), f, day(65))
		want(w.t, "after a month", w.told(ada), "sick Mine")
	})
}

// The notice that a feed is dead replaces the one that it is sick.
func TestSickAndThenDead(t *testing.T) {
	each(t, func(w world) {
		ada := w.reader("ada", "Europe/Paris")
		f := w.feed("f.example")
		w.subscribe(ada, f)
		w.ok(w.Readers.SetDigestState(w.ctx(), ada.ID, digest.DigestPaused, noon))
		w.ails(noon, f, noon.Add(-8*24*time.Hour))
		want(w.t, "when she comes back", w.told(ada), "sick f.example")
		w.die(f, noon.Add(90*24*time.Hour))
		want(w.t, "dead by then", w.told(ada), "dead f.example")
	})
}

func TestReplaceSubscription(t *testing.T) {
	each(t, func(w world) {
		ada, bob := w.reader("ada", "Europe/Paris"), w.reader("bob", "Europe/Paris")
		old, by := w.feed("old.example"), w.feed("new.example")
		w.ok(w.addTitled(ada, old, "Mine"))
		w.ok(w.Subscriptions.SetSubscription(w.ctx(),
			digest.Subscription{DigestID: ada.ID, FeedID: old.ID, Title: "Mine",
				Folder: "News", Display: digest.Headlines}))
		w.subscribe(bob, old)
		_, err := w.Subscriptions.AddFilter(w.ctx(), digest.Filter{DigestID: ada.ID, FeedID: old.ID, Words: "rain"},
			noon)
		w.ok(err)
		want(w.t, "without the other", digest.KindOf(w.Subscriptions.ReplaceSubscription(w.ctx(), ada.ID, old.ID,
			by.ID)), digest.NotFound)
		w.subscribe(ada, by)
		w.ails(noon, old, noon.Add(-8*24*time.Hour))
		w.ok(w.Subscriptions.ReplaceSubscription(w.ctx(), ada.ID, old.ID, by.ID))
		list, err := w.Subscriptions.AllSubscriptions(w.ctx(), ada.ID)
		w.ok(err)
		want(w.t, "subscriptions", len(list), 1)
		want(w.t, "is", list[0].Feed.ID, by.ID)
		want(w.t, "as decided", list[0].Title+list[0].Folder+string(list[0].Display), "MineNews"+
			string(digest.Headlines))
		w.holds("the filter", 1, `SELECT count(*) FROM filters WHERE feed_id = ?`, by.ID)
		want(w.t, "the notice goes", w.told(ada), "")
		want(w.t, "bob stays", w.told(bob), "sick old.example")
		want(w.t, "twice", digest.KindOf(w.Subscriptions.ReplaceSubscription(w.ctx(), ada.ID, old.ID, by.ID)),
			digest.NotFound)
	})
}
