package store_test

import (
	"fmt"
	"testing"
	"time"

	"digest"
	"digest/store"
)

func items(n int) []store.ImportItem {
	list := make([]store.ImportItem, n)
	for i := range list {
		list[i] = store.ImportItem{URL: fmt.Sprintf("https://%d.example/f", i), Host: fmt.Sprintf("%d.example", i),
			Title: "T", Folder: "F"}
	}
	return list
}

func TestSubscriptionIsItsReadersOnly(t *testing.T) {
	each(t, func(w world) {
		ann, bob, f := w.reader("ann"), w.reader("bob"), w.feed("a.example")
		w.subscribe(ann, f)
		w.ok(w.Subscriptions.SetSubscription(w.ctx, digest.Subscription{DigestID: ann.ID, FeedID: f.ID, Title: "Mine",
			Folder: "News", Display: digest.FullText}))
		got, err := w.Subscriptions.Subscription(w.ctx, ann.ID, f.ID)
		if err != nil || got.Title != "Mine" || got.Folder != "News" || got.Display != digest.FullText ||
			got.Feed.ID != f.ID || got.DigestID != ann.ID {
			t.Errorf("%+v %v", got, err)
		}
		if _, err := w.Subscriptions.Subscription(w.ctx, bob.ID, f.ID); digest.KindOf(err) != digest.NotFound {
			t.Error(err)
		}
		if err := w.Subscriptions.SetSubscription(w.ctx,
			digest.Subscription{DigestID: bob.ID, FeedID: f.ID, Title: "His"}); digest.KindOf(err) != digest.NotFound {
			t.Error(err)
		}
		if got, _ := w.Subscriptions.Subscription(w.ctx, ann.ID, f.ID); got.Title != "Mine" {
			t.Errorf("%+v", got)
		}
	})
}

// TestDelivered: the result has no hidden posts, and none of another feed or another reader.
func TestDelivered(t *testing.T) {
	each(t, func(w world) {
		ann, bob, f, g := w.reader("ann"), w.reader("bob", "America/New_York"), w.feed("a.example"),
			w.feed("b.example")
		w.subscribe(ann, f, g)
		w.subscribe(bob, f)
		w.posted(f, "1", "2")
		w.posted(g, "other")
		told := func(d digest.Digest, now time.Time) (out string) {
			list := must(w.Posts.DeliveredPosts(w.ctx, d.ID, f.ID, now, 2))
			for _, p := range list {
				out += p.Date.String() + " " + p.Title + ";"
			}
			return out
		}
		if got := told(ann, noon); got != "" {
			t.Errorf("before midnight: %s", got)
		}
		w.hour(parisMidnight)
		w.record(parisMidnight.Add(time.Hour), f, posts(parisMidnight.Add(time.Hour), "3"), "1", "2")
		if got := told(ann, parisMidnight.Add(time.Hour)); got != "2026-11-20 Title of 2;2026-11-20 Title of 1;" {
			t.Errorf("after it: %s", got)
		}
		if got := told(ann, parisMidnight.Add(-time.Second)); got != "" {
			t.Errorf("by a clock set back: %s", got)
		}
		if got := told(bob, parisMidnight); got != "" {
			t.Errorf("to another reader: %s", got)
		}
		w.hour(parisMidnight.AddDate(0, 0, 1))
		if got := told(ann, parisMidnight.AddDate(0, 0, 1)); got != "2026-11-21 Title of 3;2026-11-20 Title of 2;" {
			t.Errorf("the next day: %s", got)
		}
	})
}
