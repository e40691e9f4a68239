package store_test

import (
	"slices"
	"sync"
	"testing"

	"digest"
	"digest/store"
)

func TestImportUpTo(t *testing.T) {
	each(t, func(w world) {
		d := w.reader("ann")
		w.subscribe(d, w.feed("old.example"))
		list := append(items(5), store.ImportItem{URL: "https://old.example/feed", Host: "old.example"}, items(1)[0])
		r := must(w.Subscriptions.Import(w.ctx, d.ID, list, 4, noon))
		if r.Added != 3 || r.Already != 2 || len(r.Left) != 2 || r.Left[0].URL != "https://3.example/f" ||
			len(r.FirstPolls) != 3 {
			t.Errorf("%+v", r)
		}
		if _, err := w.Feeds.FeedByURL(w.ctx, "https://3.example/f"); digest.KindOf(err) != digest.NotFound {
			t.Errorf("a feed that was left is known: %v", err)
		}
		again := must(w.Subscriptions.Import(w.ctx, d.ID, list, 4, noon))
		if again.Added != 0 || again.Already != 5 || len(again.Left) != 2 {
			t.Errorf("again: %+v", again)
		}
	})
}

// TestImportsAtOnce: concurrent imports of one reader keep to the bound together, and in any order no import loses a
// feed.
func TestImportsAtOnce(t *testing.T) {
	each(t, func(w world) {
		ann, bob := w.reader("ann"), w.reader("bob")
		forth, back := items(60), items(60)
		slices.Reverse(back)
		var all sync.WaitGroup
		for _, d := range []digest.Digest{ann, bob} {
			for _, list := range [][]store.ImportItem{forth, back} {
				all.Go(func() {
					if _, err := w.Subscriptions.Import(w.ctx, d.ID, list, 45, noon); err != nil {
						t.Error(err)
					}
				})
			}
		}
		all.Wait()
		for _, d := range []digest.Digest{ann, bob} {
			if taken, err := w.Subscriptions.Subscriptions(w.ctx, d.ID); err != nil || len(taken) != 45 {
				t.Errorf("%d taken, %v", len(taken), err)
			}
		}
	})
}
