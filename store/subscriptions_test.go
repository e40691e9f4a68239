package store_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"digest"
	"digest/store"
)

func items(n int) []store.ImportItem {
	list := make([]store.ImportItem, n)
	for i := range list {
		list[i] = store.ImportItem{URL: fmt.Sprintf("https://%d.example/f", i), Host: fmt.Sprintf("%d.example", i), Title: "T", Folder: "F"}
	}
	return list
}

func TestSubscriptionIsItsReadersOnly(t *testing.T) {
	each(t, func(w world) {
		ann, bob, f := w.reader("ann", "Europe/Paris"), w.reader("bob", "Europe/Paris"), w.feed("a.example")
		w.subscribe(ann, f)
		w.ok(w.SetSubscription(w.ctx(), digest.Subscription{DigestID: ann.ID, FeedID: f.ID, Title: "Mine", Folder: "News", Display: digest.FullText}))
		got, err := w.Subscription(w.ctx(), ann.ID, f.ID)
		if err != nil || got.Title != "Mine" || got.Folder != "News" || got.Display != digest.FullText || got.Feed.ID != f.ID || got.DigestID != ann.ID {
			t.Errorf("%+v %v", got, err)
		}
		if _, err := w.Subscription(w.ctx(), bob.ID, f.ID); digest.KindOf(err) != digest.NotFound {
			t.Error(err)
		}
		if err := w.SetSubscription(w.ctx(), digest.Subscription{DigestID: bob.ID, FeedID: f.ID, Title: "His"}); digest.KindOf(err) != digest.NotFound {
			t.Error(err)
		}
		if got, _ := w.Subscription(w.ctx(), ann.ID, f.ID); got.Title != "Mine" {
			t.Errorf("%+v", got)
		}
	})
}

// TestDelivered: what is hidden, another feed's, or another reader's is not told.
func TestDelivered(t *testing.T) {
	each(t, func(w world) {
		ann, bob, f, g := w.reader("ann", "Europe/Paris"), w.reader("bob", "America/New_York"), w.feed("a.example"), w.feed("b.example")
		w.subscribe(ann, f, g)
		w.subscribe(bob, f)
		w.record(noon, f, posts(noon, "1", "2"))
		w.record(noon, g, posts(noon, "other"))
		told := func(d digest.Digest, now time.Time) (out string) {
			list, err := w.DeliveredPosts(w.ctx(), d.ID, f.ID, now, 2)
			w.ok(err)
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

func TestImportUpTo(t *testing.T) {
	each(t, func(w world) {
		d := w.reader("ann", "Europe/Paris")
		w.subscribe(d, w.feed("old.example"))
		list := append(items(5), store.ImportItem{URL: "https://old.example/feed", Host: "old.example"}, items(1)[0])
		r, err := w.ImportUpTo(w.ctx(), d.ID, list, 4, noon)
		w.ok(err)
		if r.Added != 3 || r.Already != 2 || len(r.Left) != 2 || r.Left[0].URL != "https://3.example/f" || len(r.FirstPolls) != 3 {
			t.Errorf("%+v", r)
		}
		if _, err := w.FeedByURL(w.ctx(), "https://3.example/f"); digest.KindOf(err) != digest.NotFound {
			t.Errorf("a feed that was left is known: %v", err)
		}
		again, err := w.ImportUpTo(w.ctx(), d.ID, list, 4, noon)
		w.ok(err)
		if again.Added != 0 || again.Already != 5 || len(again.Left) != 2 {
			t.Errorf("again: %+v", again)
		}
	})
}

// TestImportsAtOnce: of imports at once the bound holds for all of one reader
// together, and whatever their order, none of anyone's is lost.
func TestImportsAtOnce(t *testing.T) {
	each(t, func(w world) {
		ann, bob := w.reader("ann", "Europe/Paris"), w.reader("bob", "Europe/Paris")
		forth, back := items(60), items(60)
		slices.Reverse(back)
		var all sync.WaitGroup
		for _, d := range []digest.Digest{ann, bob} {
			for _, list := range [][]store.ImportItem{forth, back} {
				all.Go(func() {
					if _, err := w.ImportUpTo(w.ctx(), d.ID, list, 45, noon); err != nil {
						t.Error(err)
					}
				})
			}
		}
		all.Wait()
		for _, d := range []digest.Digest{ann, bob} {
			if taken, err := w.Subscriptions(w.ctx(), d.ID); err != nil || len(taken) != 45 {
				t.Errorf("%d taken, %v", len(taken), err)
			}
		}
	})
}

// TestImportOfWhatRests: a list brings feeds aside as they were put aside, asks
// nothing of them, and neither wakes nor doubles what is there.
func TestImportOfWhatRests(t *testing.T) {
	each(t, func(w world) {
		d := w.reader("ann", "Europe/Paris")
		f, g := w.feed("a.example"), w.feed("b.example")
		w.subscribe(d, f, g)
		w.ok(w.PauseSubscription(w.ctx(), d.ID, f.ID))
		list := []store.ImportItem{
			{URL: f.URL, Host: f.Host, Title: "F"},
			{URL: g.URL, Host: g.Host, Title: "G", Paused: true},
			{URL: "https://new.example/", Host: "new.example", Title: "N", Folder: "Aside", Paused: true},
		}
		r, err := w.ImportUpTo(w.ctx(), d.ID, list, 9, noon)
		w.ok(err)
		taken, err := w.Subscriptions(w.ctx(), d.ID)
		w.ok(err)
		rested, err := w.PausedSubscriptions(w.ctx(), d.ID)
		w.ok(err)
		if r.Added != 1 || r.Already != 2 || len(taken) != 1 || taken[0].FeedID != g.ID || len(rested) != 2 || rested[1].Title != "N" || rested[1].Folder != "Aside" {
			t.Errorf("%+v; taken %+v; rested %+v", r, taken, rested)
		}
		if !rested[1].Feed.PollAt.IsZero() {
			t.Error("a feed that rests is queued")
		}
		w.ok(w.SetSubscription(w.ctx(), digest.Subscription{DigestID: d.ID, FeedID: f.ID, Folder: "Other"}))
		if got, err := w.Subscription(w.ctx(), d.ID, f.ID); err != nil || !got.Paused || got.Folder != "Other" {
			t.Errorf("%+v %v %v", got, got.Paused, err)
		}
		if folders, err := w.Folders(w.ctx(), d.ID); err != nil || !slices.Equal(folders, []string{"Aside", "Other"}) {
			t.Errorf("%q %v", folders, err)
		}
	})
}
