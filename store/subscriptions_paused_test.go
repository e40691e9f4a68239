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
		ada, bob := w.two()
		f, other := w.feed("a.example"), w.feed("b.example")
		must(w.Subscriptions.Subscribe(w.ctx, digest.Subscription{DigestID: ada.ID, FeedID: f.ID, Title: "Mine",
			Folder: "News", Display: digest.FullText}, noon))
		w.subscribe(ada, other)
		w.subscribe(bob, f)
		w.posted(f, "a", "b")
		w.posted(other, "o")
		want(w, "waits", w.waiting(ada), "a b o")

		w.pauseFeed(ada, f)
		w.pauseFeed(ada, f)
		want(w, "goes with it", w.waiting(ada), "o")
		want(w, "others keep theirs", w.waiting(bob), "a b")
		want(w, "not taken", w.subscribed(ada), other.ID)
		paused := must(w.Subscriptions.PausedSubscriptions(w.ctx, ada.ID))
		want(w, "rests", len(paused), 1)
		want(w, "kept", paused[0].Subscription, digest.Subscription{DigestID: ada.ID, FeedID: f.ID, Title: "Mine",
			Folder: "News", Display: digest.FullText})
		want(w, "subscribers", must(w.Feeds.Feed(w.ctx, f.ID)).Subscribers, 1)
		w.record(noon.Add(time.Hour), f, posts(noon, "c"), "a", "b")
		want(w, "nothing comes", w.waiting(ada), "o")
		w.hour(parisMidnight)

		w.resumeFeed(ada, f, parisMidnight.Add(time.Hour))
		w.resumeFeed(ada, f, parisMidnight.Add(time.Hour))
		want(w, "like a new subscription", w.waiting(ada), "a b c")
		want(w, "as it was", must(w.Subscriptions.Subscriptions(w.ctx, ada.ID))[1].Subscription, paused[0].Subscription)
		w.hour(parisMidnight.Add(day))
		w.pauseFeed(ada, f)
		w.resumeFeed(ada, f, parisMidnight.Add(25*time.Hour))
		want(w, "never twice", w.waiting(ada), "")

		oneLine(w, w.Subscriptions.PauseSubscription(w.ctx, bob.ID, other.ID), digest.NotFound)
		oneLine(w, w.Subscriptions.ResumeSubscription(w.ctx, bob.ID, other.ID, noon), digest.NotFound)
	})
}

// TestPauseUntil: a pause with an end ends at that time, unless its reader has changed it since.
func TestPauseUntil(t *testing.T) {
	each(t, func(w world) {
		ada, bob, cyd := w.reader("ada"), w.reader("bob"),
			w.reader("cyd")
		f := w.feed("a.example")
		until := noon.Add(72 * time.Hour)
		for _, d := range []digest.Digest{ada, bob, cyd} {
			w.subscribe(d, f)
			w.ok(w.Subscriptions.PauseSubscriptionUntil(w.ctx, d.ID, f.ID, until))
		}
		sub := w.subscription(ada, f)
		want(w, "until", sub.PausedUntil, until)
		w.pauseFeed(bob, f) // without an end
		w.ok(w.Subscriptions.PauseSubscriptionUntil(w.ctx, cyd.ID, f.ID, until.Add(time.Hour)))
		ends := func(at time.Time, n int) {
			w.Helper()
			want(w, "pauses that are over", must(w.Editions.EndSubscriptionPauses(w.ctx, at)), n)
		}
		ends(until.Add(-time.Second), 0)
		ends(until, 1)
		ends(until, 0)
		for d, n := range map[digest.DigestID]int{ada.ID: 1, bob.ID: 0, cyd.ID: 0} {
			want(w, "subscriptions", len(must(w.Subscriptions.Subscriptions(w.ctx, d))), n)
		}
		sub = w.subscription(ada, f)
		want(w, "no end any more", sub.PausedUntil, time.Time{})
		ends(until.Add(time.Hour), 1)
		w.pauseFeed(cyd, f)
		ends(until.Add(1000*time.Hour), 0)
		oneLine(w, w.Subscriptions.PauseSubscriptionUntil(w.ctx, cyd.ID, 999,
			until), digest.NotFound)
	})
}

func TestPauseAndSubscribe(t *testing.T) {
	each(t, func(w world) {
		ada := w.reader("ada")
		f := w.feed("a.example")
		must(w.Subscriptions.Subscribe(w.ctx, digest.Subscription{DigestID: ada.ID, FeedID: f.ID, Title: "Mine"},
			noon))
		w.pauseFeed(ada, f)
		r := must(w.Subscriptions.Import(w.ctx, ada.ID, []store.ImportItem{{URL: f.URL, Host: f.Host}}, 1e6, noon))
		want(w, "a list leaves it", r.Already, 1)
		w.holds("at rest", 0, `SELECT count(*) FROM subscriptions WHERE paused = 0`)
		created := must(w.Subscriptions.Subscribe(w.ctx,
			digest.Subscription{DigestID: ada.ID, FeedID: f.ID, Folder: "New"}, noon))
		want(w, "its address wakes it", created, true)
		subs := must(w.Subscriptions.Subscriptions(w.ctx, ada.ID))
		want(w, "with both", subs[0].Subscription, digest.Subscription{DigestID: ada.ID, FeedID: f.ID, Title: "Mine",
			Folder: "New"})
		w.filter(ada, "a", f)
		w.pauseFeed(ada, f)
		w.unsubscribe(ada, f)
		w.holds("nothing is left", 0, `SELECT (SELECT count(*) FROM subscriptions) + (SELECT count(*) FROM filters)`)
		w.remove(ada.UserID, noon)
	})
}

// TestPausedFeedMovesAndGoes: if the feed of a paused subscription is merged into another, the subscription to that
// is paused, unless one exists. A feed that is gone results in a notice.
func TestPausedFeedMovesAndGoes(t *testing.T) {
	each(t, func(w world) {
		ada, bob := w.two()
		from, to := w.feed("old.example"), w.feed("new.example")
		w.subscribe(ada, from)
		w.subscribe(bob, from)
		w.pauseFeed(ada, from)
		moved := from
		moved.URL, moved.Host = to.URL, to.Host
		w.poll(noon, store.Polled{Feed: moved, Posts: posts(noon, "x"), Listed: []string{"x"},
			Arrival: arrival(posts(noon, "x"), nil)})
		paused := must(w.Subscriptions.PausedSubscriptions(w.ctx, ada.ID))
		want(w, "rests", len(paused), 1)
		want(w, "there", paused[0].Feed.ID, to.ID)
		want(w, "waits for the other", w.waiting(ada)+w.waiting(bob), "x")
		w.say410(to, noon.Add(time.Hour))
		want(w, "digests", must(w.Feeds.Retire(w.ctx, noon.Add(2*time.Hour), []digest.FeedID{to.ID})), 2)
		w.holds("rests no more", 0, `SELECT count(*) FROM subscriptions`)
		want(w, "told", w.told(ada), w.told(bob))
		if w.told(ada) == "" {
			w.Error("nobody is told")
		}
	})
}

// TestImportOfPausedSubscriptions: a list adds its paused feeds as paused, does not poll them, and does not resume or
// duplicate present ones.
func TestImportOfPausedSubscriptions(t *testing.T) {
	each(t, func(w world) {
		d := w.reader("ann")
		f, g := w.feed("a.example"), w.feed("b.example")
		w.subscribe(d, f, g)
		w.pauseFeed(d, f)
		list := []store.ImportItem{
			{URL: f.URL, Host: f.Host, Title: "F"},
			{URL: g.URL, Host: g.Host, Title: "G", Paused: true},
			{URL: "https://new.example/", Host: "new.example", Title: "N", Folder: "Aside", Paused: true},
		}
		r := must(w.Subscriptions.Import(w.ctx, d.ID, list, 9, noon))
		taken := must(w.Subscriptions.Subscriptions(w.ctx, d.ID))
		paused := must(w.Subscriptions.PausedSubscriptions(w.ctx, d.ID))
		if r.Added != 1 || r.Already != 2 || len(taken) != 1 || taken[0].FeedID != g.ID || len(paused) != 2 ||
			paused[1].Title != "N" || paused[1].Folder != "Aside" {
			t.Errorf("%+v; taken %+v; paused %+v", r, taken, paused)
		}
		if !paused[1].Feed.PollAt.IsZero() {
			t.Error("a feed that rests is queued")
		}
		w.ok(w.Subscriptions.SetSubscription(w.ctx,
			digest.Subscription{DigestID: d.ID, FeedID: f.ID, Folder: "Other"}))
		if got, err := w.Subscriptions.Subscription(w.ctx, d.ID,
			f.ID); err != nil || !got.Paused || got.Folder != "Other" {
			t.Errorf("%+v %v %v", got, got.Paused, err)
		}
		if folders, err := w.Subscriptions.Folders(w.ctx, d.ID); err != nil ||
			!slices.Equal(folders, []string{"", "Aside", "Other"}) {
			t.Errorf("%q %v", folders, err)
		}
	})
}

// TestResumeBringsBackWhatWaited: resuming a subscription loses no post of a weekly digest. A pause that ends at its
// time brings recent posts only, and so does a pause after which the waiting posts are old.
func TestResumeBringsBackWhatWaited(t *testing.T) {
	each(t, func(w world) {
		ada, f := w.follows()
		w.setCadence(ada, digest.Cadence(1<<time.Friday), noon)
		for day := range 3 {
			at := noon.Add(time.Duration(24*day) * time.Hour)
			w.record(at, f, posts(at, fmt.Sprint("day ", day)))
		}
		now, until := noon.Add(5*day), noon.Add(6*day)
		all := "day 0 day 1 day 2"
		want(w, "waits", w.waiting(ada), all)
		for range 2 {
			for range 2 {
				w.ok(w.Subscriptions.PauseSubscriptionUntil(w.ctx, ada.ID, f.ID, until))
			}
			want(w, "waits then", w.waiting(ada), "")
			w.resumeFeed(ada, f, now)
			want(w, "waits again", w.waiting(ada), all)
		}
		w.pauseFeed(ada, f)
		left := must(w.Subscriptions.UnsubscribeSeveral(w.ctx, ada.ID, []digest.FeedID{f.ID}))
		w.resubscribed(ada, left, now, 1)
		w.resumeFeed(ada, f, now)
		want(w, "left while it was paused", w.waiting(ada), all)

		w.ok(w.Subscriptions.PauseSubscriptionUntil(w.ctx, ada.ID, f.ID, until))
		must(w.Editions.EndSubscriptionPauses(w.ctx, until))
		want(w, "over by itself", w.waiting(ada), "day 2")
		w.record(until, f, posts(until, "day 6"))
		w.pauseFeed(ada, f)
		w.resumeFeed(ada, f, until.Add(60*day))
		want(w, "months later", w.waiting(ada), "day 6")
	})
}

func (w world) resubscribed(d digest.Digest, feeds []digest.FeedID, now time.Time, n int) {
	w.Helper()
	want(w, "subscribed again", must(w.Subscriptions.Resubscribe(w.ctx, d.ID, feeds, now)), n)
}
