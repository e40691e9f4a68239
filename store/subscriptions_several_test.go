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
		ada, bob := w.reader("ada", "Europe/Paris"), w.reader("bob", "Europe/Paris")
		a, b, c := w.feed("a.example"), w.feed("b.example"), w.feed("c.example")
		w.subscribe(ada, a, b)
		w.subscribe(bob, a, b, c)
		all := []digest.FeedID{c.ID, b.ID, a.ID, a.ID, 999}

		did := func(doing string, n int, err error) {
			w.t.Helper()
			w.ok(err)
			want(w.t, doing, n, 2)
		}
		n, err := w.Subscriptions.SetFolder(w.ctx(), ada.ID, all, "News")
		did("moved", n, err)
		n, err = w.Subscriptions.SetDisplay(w.ctx(), ada.ID, all, digest.Headlines, 5)
		did("shown", n, err)
		n, err = w.Subscriptions.PauseSubscriptions(w.ctx(), ada.ID, all, noon.Add(48*time.Hour))
		did("paused", n, err)
		for _, feed := range []digest.FeedID{a.ID, b.ID} {
			sub, err := w.Subscriptions.Subscription(w.ctx(), ada.ID, feed)
			w.ok(err)
			want(w.t, "changed", sub.Subscription, digest.Subscription{DigestID: ada.ID, FeedID: feed, Folder: "News",
				Display: digest.Headlines, Most: 5})
			want(w.t, "until", sub.PausedUntil, noon.Add(48*time.Hour))
		}
		subs, err := w.Subscriptions.Subscriptions(w.ctx(), bob.ID)
		w.ok(err)
		want(w.t, "of others", len(subs), 3)
		want(w.t, "as it was", subs[0].Subscription, digest.Subscription{DigestID: bob.ID, FeedID: a.ID})
		n, err = w.Subscriptions.SetFolder(w.ctx(), ada.ID, nil, "Other")
		w.ok(err)
		want(w.t, "of none", n, 0)
	})
}

// TestResubscribe: it restores all settings of a former subscription, and nothing more.
func TestResubscribe(t *testing.T) {
	each(t, func(w world) {
		ada, bob := w.reader("ada", "Europe/Paris"), w.reader("bob", "Europe/Paris")
		a, b, other := w.feed("a.example"), w.feed("b.example"), w.feed("other.example")
		w.record(noon, a, posts(noon, "a1", "a2"))
		until := noon.Add(72 * time.Hour)
		own := digest.Subscription{DigestID: ada.ID, FeedID: a.ID, Title: "Mine", Folder: "News",
			Display: digest.FullText, Most: 3}
		_, err := w.Subscriptions.Subscribe(w.ctx(), own, noon)
		w.ok(err)
		w.subscribe(ada, b)
		w.subscribe(bob, other)
		w.ok(w.Subscriptions.PauseSubscriptionUntil(w.ctx(), ada.ID, b.ID, until))
		_, err = w.Subscriptions.AddFilter(w.ctx(), digest.Filter{DigestID: ada.ID, FeedID: a.ID, Words: "football"},
			noon)
		w.ok(err)
		want(w.t, "waits", w.waiting(ada), "a1 a2")
		w.ok(w.Readers.SetLead(w.ctx(), ada.ID, a.ID))
		own.Leads = true

		left, err := w.Subscriptions.UnsubscribeSeveral(w.ctx(), ada.ID, []digest.FeedID{b.ID, a.ID, other.ID})
		w.ok(err)
		want(w.t, "left", len(left), 2)
		want(w.t, "waits then", w.waiting(ada), "")
		former, err := w.Subscriptions.FormerSubscription(w.ctx(), ada.ID, a.ID)
		w.ok(err)
		want(w.t, "named as before", former.Title, "Mine")
		left = append(left, other.ID) // never subscribed
		for _, n := range []int{2, 0} {
			got, err := w.Subscriptions.Resubscribe(w.ctx(), ada.ID, left, noon.Add(time.Minute))
			w.ok(err)
			want(w.t, "again", got, n)
		}
		want(w.t, "waits again", w.waiting(ada), "a1 a2")
		for _, feed := range []digest.Feed{a, other} {
			_, err = w.Subscriptions.FormerSubscription(w.ctx(), ada.ID, feed.ID)
			want(w.t, "no former one", digest.KindOf(err), digest.NotFound)
		}
		sub, err := w.Subscriptions.Subscription(w.ctx(), ada.ID, a.ID)
		w.ok(err)
		want(w.t, "as before", sub.Subscription, own)
		sub, err = w.Subscriptions.Subscription(w.ctx(), ada.ID, b.ID)
		w.ok(err)
		want(w.t, "paused as before", sub.Paused && sub.PausedUntil.Equal(until), true)
		filters, err := w.Subscriptions.Filters(w.ctx(), ada.ID)
		w.ok(err)
		want(w.t, "filters", len(filters) == 1 && filters[0].Words == "football" && filters[0].FeedID == a.ID, true)
	})
}

// TestPrivateIsNotLeftWithOthers: the credentials of a private feed could not be restored.
func TestPrivateIsNotLeftWithOthers(t *testing.T) {
	each(t, func(w world) {
		ada := w.reader("ada", "Europe/Paris")
		a := w.feed("a.example")
		private, _, err := w.Feeds.EnsureFeed(w.ctx(),
			digest.Feed{URL: digest.Credential{Address: "https://b.example/feed"}.PrivateAddress("x"),
				Host: "b.example"})
		w.ok(err)
		w.subscribe(ada, a, private)
		left, err := w.Subscriptions.UnsubscribeSeveral(w.ctx(), ada.ID, []digest.FeedID{a.ID, private.ID})
		w.ok(err)
		want(w.t, "left", len(left), 1)
		want(w.t, "kept", w.subscribed(ada), private.ID)
		w.ok(w.Subscriptions.Unsubscribe(w.ctx(), ada.ID, private.ID))
		n, err := w.Subscriptions.Resubscribe(w.ctx(), ada.ID, []digest.FeedID{private.ID}, noon)
		w.ok(err)
		want(w.t, "no way to a private feed", n, 0)
		_, err = w.Subscriptions.FormerSubscription(w.ctx(), ada.ID, private.ID)
		want(w.t, "nothing is kept", digest.KindOf(err), digest.NotFound)
	})
}

// TestMoveKeepsPause: after a feed is merged into another, a pause keeps its end, and the subscription its number of
// posts.
func TestMoveKeepsPause(t *testing.T) {
	each(t, func(w world) {
		ada := w.reader("ada", "Europe/Paris")
		a, b := w.feed("a.example"), w.feed("b.example")
		own := digest.Subscription{DigestID: ada.ID, FeedID: a.ID, Most: 7}
		_, err := w.Subscriptions.Subscribe(w.ctx(), own, noon)
		w.ok(err)
		until := noon.Add(240 * time.Hour)
		w.ok(w.Subscriptions.PauseSubscriptionUntil(w.ctx(), ada.ID, a.ID, until))
		moved := a
		moved.URL, moved.Host, moved.ParsedAt = b.URL, b.Host, noon
		_, err = w.Feeds.Record(w.ctx(), noon, []store.Polled{{Feed: moved, ReadAt: b.URL, Arrival: arrival(nil, nil)}})
		w.ok(err)
		sub, err := w.Subscriptions.Subscription(w.ctx(), ada.ID, b.ID)
		w.ok(err)
		want(w.t, "until", sub.PausedUntil, until)
		want(w.t, "most", sub.Most, 7)
	})
}

// TestResubscribeBringsBackWhatWaited: it restores the posts that waited for days in a weekly digest, but none that
// the reader has had or that were excluded. A site leads again, unless another one leads by then.
func TestResubscribeBringsBackWhatWaited(t *testing.T) {
	each(t, func(w world) {
		ada := w.reader("ada", "Europe/Paris")
		a, b := w.feed("a.example"), w.feed("b.example")
		w.subscribe(ada, a, b)
		w.record(noon, a, posts(noon, "had"))
		w.hour(parisMidnight)
		w.send(parisMidnight)
		w.ok(w.Readers.SetCadence(w.ctx(), ada.ID, digest.Cadence(1<<time.Friday), parisMidnight))
		for day := range 3 {
			at := parisMidnight.Add(time.Duration(24*day+12) * time.Hour)
			w.record(at, a, posts(at, fmt.Sprint("day ", day)))
			w.record(at, b, posts(at, fmt.Sprint("other ", day)))
		}
		now := parisMidnight.Add(5 * 24 * time.Hour)
		waited := w.waiting(ada)
		w.ok(w.Readers.SetLead(w.ctx(), ada.ID, a.ID))
		left, err := w.Subscriptions.UnsubscribeSeveral(w.ctx(), ada.ID, []digest.FeedID{a.ID})
		w.ok(err)
		n, err := w.Subscriptions.Resubscribe(w.ctx(), ada.ID, left, now)
		w.ok(err)
		want(w.t, "again", n, 1)
		want(w.t, "waits again", w.waiting(ada), waited)
		sub, err := w.Subscriptions.Subscription(w.ctx(), ada.ID, a.ID)
		w.ok(err)
		want(w.t, "leads again", sub.Leads, true)

		left, err = w.Subscriptions.UnsubscribeSeveral(w.ctx(), ada.ID, []digest.FeedID{a.ID})
		w.ok(err)
		w.ok(w.Readers.SetLead(w.ctx(), ada.ID, b.ID))
		_, err = w.Subscriptions.Resubscribe(w.ctx(), ada.ID, left, now)
		w.ok(err)
		sub, err = w.Subscriptions.Subscription(w.ctx(), ada.ID, a.ID)
		w.ok(err)
		want(w.t, "another one leads", sub.Leads, false)
	})
}
