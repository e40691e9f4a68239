package store_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"digest"
	"digest/store"
)

func TestPauseSubscription(t *testing.T) {
	each(t, func(w world) {
		ada, bob := w.reader("ada", "Europe/Paris"), w.reader("bob", "Europe/Paris")
		f, other := w.feed("a.example"), w.feed("b.example")
		_, err := w.Subscriptions.Subscribe(w.ctx(), digest.Subscription{DigestID: ada.ID, FeedID: f.ID, Title: "Mine",
			Folder: "News", Display: digest.FullText}, noon)
		w.ok(err)
		w.subscribe(ada, other)
		w.subscribe(bob, f)
		w.record(noon, f, posts(noon, "a", "b"))
		w.record(noon, other, posts(noon, "o"))
		want(w.t, "waits", w.waiting(ada), "a b o")

		w.ok(w.Subscriptions.PauseSubscription(w.ctx(), ada.ID, f.ID))
		w.ok(w.Subscriptions.PauseSubscription(w.ctx(), ada.ID, f.ID))
		want(w.t, "goes with it", w.waiting(ada), "o")
		want(w.t, "others keep theirs", w.waiting(bob), "a b")
		want(w.t, "not taken", w.subscribed(ada), other.ID)
		paused, err := w.Subscriptions.PausedSubscriptions(w.ctx(), ada.ID)
		w.ok(err)
		want(w.t, "rests", len(paused), 1)
		want(w.t, "kept", paused[0].Subscription, digest.Subscription{DigestID: ada.ID, FeedID: f.ID, Title: "Mine",
			Folder: "News", Display: digest.FullText})
		info, err := w.Feeds.Feed(w.ctx(), f.ID)
		w.ok(err)
		want(w.t, "subscribers", info.Subscribers, 1)
		w.record(noon.Add(time.Hour), f, posts(noon, "c"), "a", "b")
		want(w.t, "nothing comes", w.waiting(ada), "o")
		w.hour(parisMidnight)

		w.ok(w.Subscriptions.ResumeSubscription(w.ctx(), ada.ID, f.ID, parisMidnight.Add(time.Hour)))
		w.ok(w.Subscriptions.ResumeSubscription(w.ctx(), ada.ID, f.ID, parisMidnight.Add(time.Hour)))
		want(w.t, "like a new subscription", w.waiting(ada), "a b c")
		subs, err := w.Subscriptions.Subscriptions(w.ctx(), ada.ID)
		w.ok(err)
		want(w.t, "as it was", subs[1].Subscription, paused[0].Subscription)
		w.hour(parisMidnight.Add(24 * time.Hour))
		w.ok(w.Subscriptions.PauseSubscription(w.ctx(), ada.ID, f.ID))
		w.ok(w.Subscriptions.ResumeSubscription(w.ctx(), ada.ID, f.ID, parisMidnight.Add(25*time.Hour)))
		want(w.t, "never twice", w.waiting(ada), "")

		want(w.t, "of no subscription", digest.KindOf(w.Subscriptions.PauseSubscription(w.ctx(), bob.ID, other.ID)),
			digest.NotFound)
		want(w.t, "of no rest", digest.KindOf(w.Subscriptions.ResumeSubscription(w.ctx(), bob.ID, other.ID, noon)),
			digest.NotFound)
	})
}

// TestPauseUntil: a pause with an end ends at that time, unless its reader has changed it since.
func TestPauseUntil(t *testing.T) {
	each(t, func(w world) {
		ada, bob, cyd := w.reader("ada", "Europe/Paris"), w.reader("bob", "Europe/Paris"),
			w.reader("cyd", "Europe/Paris")
		f := w.feed("a.example")
		until := noon.Add(72 * time.Hour)
		for _, d := range []digest.Digest{ada, bob, cyd} {
			w.subscribe(d, f)
			w.ok(w.Subscriptions.PauseSubscriptionUntil(w.ctx(), d.ID, f.ID, until))
		}
		sub, err := w.Subscriptions.Subscription(w.ctx(), ada.ID, f.ID)
		w.ok(err)
		want(w.t, "until", sub.PausedUntil, until)
		w.ok(w.Subscriptions.PauseSubscription(w.ctx(), bob.ID, f.ID)) // without an end
		w.ok(w.Subscriptions.PauseSubscriptionUntil(w.ctx(), cyd.ID, f.ID, until.Add(time.Hour)))
		ends := func(at time.Time, n int) {
			w.t.Helper()
			got, err := w.Editions.EndSubscriptionPauses(w.ctx(), at)
			w.ok(err)
			want(w.t, "pauses that are over", got, n)
		}
		ends(until.Add(-time.Second), 0)
		ends(until, 1)
		ends(until, 0)
		for d, n := range map[digest.DigestID]int{ada.ID: 1, bob.ID: 0, cyd.ID: 0} {
			subs, err := w.Subscriptions.Subscriptions(w.ctx(), d)
			w.ok(err)
			want(w.t, "subscriptions", len(subs), n)
		}
		sub, err = w.Subscriptions.Subscription(w.ctx(), ada.ID, f.ID)
		w.ok(err)
		want(w.t, "no end any more", sub.PausedUntil, time.Time{})
		ends(until.Add(time.Hour), 1)
		w.ok(w.Subscriptions.PauseSubscription(w.ctx(), cyd.ID, f.ID))
		ends(until.Add(1000*time.Hour), 0)
		want(w.t, "of no subscription", digest.KindOf(w.Subscriptions.PauseSubscriptionUntil(w.ctx(), cyd.ID, 999,
			until)), digest.NotFound)
	})
}

func TestPauseAndSubscribe(t *testing.T) {
	each(t, func(w world) {
		ada := w.reader("ada", "Europe/Paris")
		f := w.feed("a.example")
		_, err := w.Subscriptions.Subscribe(w.ctx(), digest.Subscription{DigestID: ada.ID, FeedID: f.ID, Title: "Mine"},
			noon)
		w.ok(err)
		w.ok(w.Subscriptions.PauseSubscription(w.ctx(), ada.ID, f.ID))
		r, err := w.Subscriptions.Import(w.ctx(), ada.ID, []store.ImportItem{{URL: f.URL, Host: f.Host}}, 1e6, noon)
		w.ok(err)
		want(w.t, "a list leaves it", r.Already, 1)
		w.holds("at rest", 0, `SELECT count(*) FROM subscriptions WHERE paused = 0`)
		created, err := w.Subscriptions.Subscribe(w.ctx(),
			digest.Subscription{DigestID: ada.ID, FeedID: f.ID, Folder: "New"}, noon)
		w.ok(err)
		want(w.t, "its address wakes it", created, true)
		subs, err := w.Subscriptions.Subscriptions(w.ctx(), ada.ID)
		w.ok(err)
		want(w.t, "with both", subs[0].Subscription, digest.Subscription{DigestID: ada.ID, FeedID: f.ID, Title: "Mine",
			Folder: "New"})
		w.filter(ada, "a", f)
		w.ok(w.Subscriptions.PauseSubscription(w.ctx(), ada.ID, f.ID))
		w.ok(w.Subscriptions.Unsubscribe(w.ctx(), ada.ID, f.ID))
		w.holds("nothing is left", 0, `SELECT (SELECT count(*) FROM subscriptions) + (SELECT count(*) FROM filters)`)
		w.ok(w.Readers.RemoveUser(w.ctx(), ada.UserID, noon))
	})
}

// TestPausedFeedMovesAndGoes: if the feed of a paused subscription is merged into another, the subscription to that
// is paused, unless one exists. A feed that is gone results in a notice.
func TestPausedFeedMovesAndGoes(t *testing.T) {
	each(t, func(w world) {
		ada, bob := w.reader("ada", "Europe/Paris"), w.reader("bob", "Europe/Paris")
		from, to := w.feed("old.example"), w.feed("new.example")
		w.subscribe(ada, from)
		w.subscribe(bob, from)
		w.ok(w.Subscriptions.PauseSubscription(w.ctx(), ada.ID, from.ID))
		moved := from
		moved.URL, moved.Host = to.URL, to.Host
		_, err := w.Feeds.Record(w.ctx(), noon,
			[]store.Polled{{Feed: moved, Posts: posts(noon, "x"), Listed: []string{"x"},
				Arrival: arrival(posts(noon, "x"), nil)}})
		w.ok(err)
		paused, err := w.Subscriptions.PausedSubscriptions(w.ctx(), ada.ID)
		w.ok(err)
		want(w.t, "rests", len(paused), 1)
		want(w.t, "there", paused[0].Feed.ID, to.ID)
		want(w.t, "waits for the other", w.waiting(ada)+w.waiting(bob), "x")
		w.say410(to, noon.Add(time.Hour))
		n, err := w.Feeds.Retire(w.ctx(), noon.Add(2*time.Hour), []digest.FeedID{to.ID})
		w.ok(err)
		want(w.t, "digests", n, 2)
		w.holds("rests no more", 0, `SELECT count(*) FROM subscriptions`)
		want(w.t, "told", w.told(ada), w.told(bob))
		if w.told(ada) == "" {
			w.t.Error("nobody is told")
		}
	})
}

// TestImportOfPausedSubscriptions: a list adds its paused feeds as paused, does not poll them, and does not resume or
// duplicate present ones.
func TestImportOfPausedSubscriptions(t *testing.T) {
	each(t, func(w world) {
		d := w.reader("ann", "Europe/Paris")
		f, g := w.feed("a.example"), w.feed("b.example")
		w.subscribe(d, f, g)
		w.ok(w.Subscriptions.PauseSubscription(w.ctx(), d.ID, f.ID))
		list := []store.ImportItem{
			{URL: f.URL, Host: f.Host, Title: "F"},
			{URL: g.URL, Host: g.Host, Title: "G", Paused: true},
			{URL: "https://new.example/", Host: "new.example", Title: "N", Folder: "Aside", Paused: true},
		}
		r, err := w.Subscriptions.Import(w.ctx(), d.ID, list, 9, noon)
		w.ok(err)
		taken, err := w.Subscriptions.Subscriptions(w.ctx(), d.ID)
		w.ok(err)
		paused, err := w.Subscriptions.PausedSubscriptions(w.ctx(), d.ID)
		w.ok(err)
		if r.Added != 1 || r.Already != 2 || len(taken) != 1 || taken[0].FeedID != g.ID || len(paused) != 2 ||
			paused[1].Title != "N" || paused[1].Folder != "Aside" {
			t.Errorf("%+v; taken %+v; paused %+v", r, taken, paused)
		}
		if !paused[1].Feed.PollAt.IsZero() {
			t.Error("a feed that rests is queued")
		}
		w.ok(w.Subscriptions.SetSubscription(w.ctx(),
			digest.Subscription{DigestID: d.ID, FeedID: f.ID, Folder: "Other"}))
		if got, err := w.Subscriptions.Subscription(w.ctx(), d.ID,
			f.ID); err != nil || !got.Paused || got.Folder != "Other" {
			t.Errorf("%+v %v %v", got, got.Paused, err)
		}
		if folders, err := w.Subscriptions.Folders(w.ctx(), d.ID); err != nil ||
			!slices.Equal(folders, []string{"", "Aside", "Other"}) {
			t.Errorf("%q %v", folders, err)
		}
	})
}

// TestResumeBringsBackWhatWaited: resuming a subscription loses no post of a weekly digest. A pause that ends at its
// time brings recent posts only, and so does a pause after which the waiting posts are old.
func TestResumeBringsBackWhatWaited(t *testing.T) {
	each(t, func(w world) {
		ada := w.reader("ada", "Europe/Paris")
		f := w.feed("a.example")
		w.subscribe(ada, f)
		w.ok(w.Readers.SetCadence(w.ctx(), ada.ID, digest.Cadence(1<<time.Friday), noon))
		for day := range 3 {
			at := noon.Add(time.Duration(24*day) * time.Hour)
			w.record(at, f, posts(at, fmt.Sprint("day ", day)))
		}
		now, until := noon.Add(5*24*time.Hour), noon.Add(6*24*time.Hour)
		all := "day 0 day 1 day 2"
		want(w.t, "waits", w.waiting(ada), all)
		for range 2 {
			for range 2 {
				w.ok(w.Subscriptions.PauseSubscriptionUntil(w.ctx(), ada.ID, f.ID, until))
			}
			want(w.t, "waits then", w.waiting(ada), "")
			w.ok(w.Subscriptions.ResumeSubscription(w.ctx(), ada.ID, f.ID, now))
			want(w.t, "waits again", w.waiting(ada), all)
		}
		w.ok(w.Subscriptions.PauseSubscription(w.ctx(), ada.ID, f.ID))
		left, err := w.Subscriptions.UnsubscribeSeveral(w.ctx(), ada.ID, []digest.FeedID{f.ID})
		w.ok(err)
		w.resubscribed(ada, left, now, 1)
		w.ok(w.Subscriptions.ResumeSubscription(w.ctx(), ada.ID, f.ID, now))
		want(w.t, "left while it was paused", w.waiting(ada), all)

		w.ok(w.Subscriptions.PauseSubscriptionUntil(w.ctx(), ada.ID, f.ID, until))
		_, err = w.Editions.EndSubscriptionPauses(w.ctx(), until)
		w.ok(err)
		want(w.t, "over by itself", w.waiting(ada), "day 2")
		w.record(until, f, posts(until, "day 6"))
		w.ok(w.Subscriptions.PauseSubscription(w.ctx(), ada.ID, f.ID))
		w.ok(w.Subscriptions.ResumeSubscription(w.ctx(), ada.ID, f.ID, until.Add(60*24*time.Hour)))
		want(w.t, "months later", w.waiting(ada), "day 6")
	})
}

func (w world) resubscribed(d digest.Digest, feeds []digest.FeedID, now time.Time, n int) {
	w.t.Helper()
	got, err := w.Subscriptions.Resubscribe(w.ctx(), d.ID, feeds, now)
	w.ok(err)
	want(w.t, "subscribed again", got, n)
}
