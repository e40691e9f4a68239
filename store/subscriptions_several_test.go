package store_test

import (
	"fmt"
	"testing"
	"time"

	"digest"
	"digest/store"
)

// TestSeveralSubscriptions: an action on several subscriptions changes only the reader's own, and skips former ones.
func TestSeveralSubscriptions(t *testing.T) {
	each(t, func(w world) {
		ada, bob := w.two()
		a, b, c := w.feed("a.example"), w.feed("b.example"), w.feed("c.example")
		w.subscribe(ada, a, b)
		w.subscribe(bob, a, b, c)
		all := []digest.FeedID{c.ID, b.ID, a.ID, a.ID, 999}

		did := func(doing string, n int, err error) {
			w.Helper()
			w.ok(err)
			want(w, doing, n, 2)
		}
		n, err := w.Subscriptions.SetFolder(w.ctx, ada.ID, all, "News")
		did("moved", n, err)
		n, err = w.Subscriptions.SetDisplay(w.ctx, ada.ID, all,
			digest.Subscription{Display: digest.Headlines, Most: 5, RollUp: 1 << time.Sunday})
		did("shown", n, err)
		n, err = w.Subscriptions.PauseSubscriptions(w.ctx, ada.ID, all, noon.Add(48*time.Hour))
		did("paused", n, err)
		for _, feed := range []digest.FeedID{a.ID, b.ID} {
			sub := must(w.Subscriptions.Subscription(w.ctx, ada.ID, feed))
			want(w, "changed", sub.Subscription, digest.Subscription{DigestID: ada.ID, FeedID: feed, Folder: "News",
				Display: digest.Headlines, Most: 5, RollUp: 1 << time.Sunday})
			want(w, "until", sub.PausedUntil, noon.Add(48*time.Hour))
		}
		subs := must(w.Subscriptions.Subscriptions(w.ctx, bob.ID))
		want(w, "of others", len(subs), 3)
		want(w, "as it was", subs[0].Subscription, digest.Subscription{DigestID: bob.ID, FeedID: a.ID})
		n = must(w.Subscriptions.SetFolder(w.ctx, ada.ID, nil, "Other"))
		want(w, "of none", n, 0)
	})
}

// TestResubscribe: it restores all settings of a former subscription, and nothing more.
func TestResubscribe(t *testing.T) {
	each(t, func(w world) {
		ada, bob := w.two()
		a, b, other := w.feed("a.example"), w.feed("b.example"), w.feed("other.example")
		w.posted(a, "a1", "a2")
		until := noon.Add(72 * time.Hour)
		own := digest.Subscription{DigestID: ada.ID, FeedID: a.ID, Title: "Mine", Folder: "News",
			Display: digest.FullText, Most: 3, RollUp: 1 << time.Monday}
		must(w.Subscriptions.Subscribe(w.ctx, own, noon))
		w.subscribe(ada, b)
		w.subscribe(bob, other)
		w.ok(w.Subscriptions.PauseSubscriptionUntil(w.ctx, ada.ID, b.ID, until))
		must(w.Subscriptions.AddFilter(w.ctx, digest.Filter{DigestID: ada.ID, FeedID: a.ID, Words: "football"},
			noon))
		want(w, "waits", w.waiting(ada), "a1 a2")
		w.ok(w.Readers.SetLead(w.ctx, ada.ID, a.ID))
		own.Leads = true

		left := must(w.Subscriptions.UnsubscribeSeveral(w.ctx, ada.ID, []digest.FeedID{b.ID, a.ID, other.ID}))
		want(w, "left", len(left), 2)
		want(w, "waits then", w.waiting(ada), "")
		former := must(w.Subscriptions.FormerSubscription(w.ctx, ada.ID, a.ID))
		want(w, "named as before", former.Title, "Mine")
		left = append(left, other.ID) // never subscribed
		for _, n := range []int{2, 0} {
			want(w, "again", must(w.Subscriptions.Resubscribe(w.ctx, ada.ID, left, noon.Add(time.Minute))), n)
		}
		want(w, "waits again", w.waiting(ada), "a1 a2")
		for _, feed := range []digest.Feed{a, other} {
			oneLine(w, err2(w.Subscriptions.FormerSubscription(w.ctx, ada.ID, feed.ID)), digest.NotFound)
		}
		sub := w.subscription(ada, a)
		want(w, "as before", sub.Subscription, own)
		sub = w.subscription(ada, b)
		want(w, "paused as before", sub.Paused && sub.PausedUntil.Equal(until), true)
		filters := must(w.Subscriptions.Filters(w.ctx, ada.ID))
		want(w, "filters", len(filters) == 1 && filters[0].Words == "football" && filters[0].FeedID == a.ID, true)
	})
}

// TestPrivateIsNotLeftWithOthers: the credentials of a private feed could not be restored.
func TestPrivateIsNotLeftWithOthers(t *testing.T) {
	each(t, func(w world) {
		ada := w.reader("ada")
		a := w.feed("a.example")
		private, _ := must2(w.Feeds.EnsureFeed(w.ctx,
			digest.Feed{URL: digest.Credential{Address: "https://b.example/feed"}.PrivateAddress("x"),
				Host: "b.example"}))
		w.subscribe(ada, a, private)
		left := must(w.Subscriptions.UnsubscribeSeveral(w.ctx, ada.ID, []digest.FeedID{a.ID, private.ID}))
		want(w, "left", len(left), 1)
		want(w, "kept", w.subscribed(ada), private.ID)
		w.unsubscribe(ada, private)
		n := must(w.Subscriptions.Resubscribe(w.ctx, ada.ID, []digest.FeedID{private.ID}, noon))
		want(w, "no way to a private feed", n, 0)
		oneLine(w, err2(w.Subscriptions.FormerSubscription(w.ctx, ada.ID, private.ID)), digest.NotFound)
	})
}

// TestMoveKeepsPause: after a feed is merged into another, a pause keeps its end, and the subscription its number of
// posts.
func TestMoveKeepsPause(t *testing.T) {
	each(t, func(w world) {
		ada := w.reader("ada")
		a, b := w.feed("a.example"), w.feed("b.example")
		own := digest.Subscription{DigestID: ada.ID, FeedID: a.ID, Most: 7, RollUp: 1 << time.Monday}
		must(w.Subscriptions.Subscribe(w.ctx, own, noon))
		until := noon.Add(240 * time.Hour)
		w.ok(w.Subscriptions.PauseSubscriptionUntil(w.ctx, ada.ID, a.ID, until))
		moved := a
		moved.URL, moved.Host, moved.ParsedAt = b.URL, b.Host, noon
		w.poll(noon, store.Polled{Feed: moved, ReadAt: b.URL, Arrival: arrival(nil, nil)})
		sub := w.subscription(ada, b)
		want(w, "until", sub.PausedUntil, until)
		want(w, "most", sub.Most, 7)
		want(w, "roll-up", sub.RollUp, 1<<time.Monday)
	})
}

// TestResubscribeBringsBackWhatWaited: it restores the posts that waited for days in a weekly digest, but none that
// the reader has had or that were excluded. A site leads again, unless another one leads by then.
func TestResubscribeBringsBackWhatWaited(t *testing.T) {
	each(t, func(w world) {
		ada := w.reader("ada")
		a, b := w.feed("a.example"), w.feed("b.example")
		w.subscribe(ada, a, b)
		w.posted(a, "had")
		w.hour(parisMidnight)
		w.send(parisMidnight)
		w.setCadence(ada, digest.Cadence(1<<time.Friday), parisMidnight)
		for day := range 3 {
			at := parisMidnight.Add(time.Duration(24*day+12) * time.Hour)
			w.record(at, a, posts(at, fmt.Sprint("day ", day)))
			w.record(at, b, posts(at, fmt.Sprint("other ", day)))
		}
		now := parisMidnight.Add(5 * day)
		waited := w.waiting(ada)
		w.ok(w.Readers.SetLead(w.ctx, ada.ID, a.ID))
		left := must(w.Subscriptions.UnsubscribeSeveral(w.ctx, ada.ID, []digest.FeedID{a.ID}))
		want(w, "again", must(w.Subscriptions.Resubscribe(w.ctx, ada.ID, left, now)), 1)
		want(w, "waits again", w.waiting(ada), waited)
		sub := w.subscription(ada, a)
		want(w, "leads again", sub.Leads, true)

		left = must(w.Subscriptions.UnsubscribeSeveral(w.ctx, ada.ID, []digest.FeedID{a.ID}))
		w.ok(w.Readers.SetLead(w.ctx, ada.ID, b.ID))
		must(w.Subscriptions.Resubscribe(w.ctx, ada.ID, left, now))
		sub = w.subscription(ada, a)
		want(w, "another one leads", sub.Leads, false)
	})
}
