package store_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"digest"
	"digest/store"
)

// oneFeed adds a reader with one feed, in the folder "0", and one filter for it, "0".
func (w world) oneFeed() (digest.Digest, digest.Feed) {
	w.Helper()
	d, f := w.reader("ada", "UTC"), w.feed("a.example")
	w.subscribe(d, f)
	w.ok(w.Subscriptions.SetSubscription(w.ctx, digest.Subscription{DigestID: d.ID, FeedID: f.ID, Folder: "0"}))
	must(w.Subscriptions.AddFilter(w.ctx, digest.Filter{DigestID: d.ID, FeedID: f.ID, Words: "0"}, noon))
	return d, f
}

// renamed returns statements that rename the folder and the filter together.
func renamed(name string) []string {
	return []string{`UPDATE subscriptions SET folder = '` + name + `'`, `UPDATE filters SET words = '` + name + `'`}
}

// TestAtOneInstant: the second of two reads does not see a commit between them, and the reader does not block the
// writer.
func TestAtOneInstant(t *testing.T) {
	each(t, func(w world) {
		d, _ := w.oneFeed()
		w.ok(w.AtOneInstant(w.ctx, func(s *store.Store) error {
			folders, err := s.Subscriptions.Folders(w.ctx, d.ID)
			w.ok(err)
			w.ok(w.Together(w.ctx, func() {}, renamed("1")...))
			filters, err := s.Subscriptions.Filters(w.ctx, d.ID)
			want(w, "what is read", folders[0]+filters[0].Words, "00")
			return err
		}))
		filters := must(w.Subscriptions.Filters(w.ctx, d.ID))
		want(w, "the filter afterwards", filters[0].Words, "1")
	})
}

// TestViewWithoutWaiting: a view is read during an open write transaction, and has none of its changes.
func TestViewWithoutWaiting(t *testing.T) {
	each(t, func(w world) {
		d, f := w.oneFeed()
		w.ok(w.Together(w.ctx, func() {
			v := must(w.Subscriptions.SubscriptionView(w.ctx, d.ID, f.ID, noon, 10))
			want(w, "what is seen", v.Folder+v.Folders[0]+v.Filters[0].Words, "000")
			o := must(w.Operator.OperatorView(w.ctx, noon, noon, deadline, 10))
			want(w, "subscriptions", o.Numbers.Subscriptions, 1)
		}, renamed("1")...))
	})
}

// TestViewIsWhole: a writer changes two values together, repeatedly. No view has only one of the changes.
func TestViewIsWhole(t *testing.T) {
	each(t, func(w world) {
		d, f := w.oneFeed()
		ctx, stop := context.WithCancel(w.ctx)
		written := make(chan error, 1)
		go func() {
			for i := 1; ctx.Err() == nil; i++ {
				if err := w.Together(w.ctx, func() {}, renamed(fmt.Sprint(i))...); err != nil {
					written <- err
					return
				}
			}
			written <- nil
		}()
		for range 100 {
			v := must(w.Subscriptions.SubscriptionView(w.ctx, d.ID, f.ID, noon, 10))
			if v.Folder != v.Folders[0] || v.Folder != v.Filters[0].Words {
				w.Errorf("the folder is %s, among the folders %s, and the filter %s", v.Folder, v.Folders[0],
					v.Filters[0].Words)
				break
			}
		}
		stop()
		w.ok(<-written)
	})
}

// TestViews: each view has the same data as its parts.
func TestViews(t *testing.T) {
	each(t, func(w world) {
		d, f := w.oneFeed()
		must(w.Subscriptions.AddFilter(w.ctx, digest.Filter{DigestID: d.ID, Words: "all"}, noon))
		one := must(w.Subscriptions.SubscriptionView(w.ctx, d.ID, f.ID, noon, 10))
		want(w, "filters of the feed", len(one.Filters), 1)
		oneLine(w, err2(w.Subscriptions.SubscriptionView(w.ctx, d.ID, f.ID+1, noon, 10)), digest.NotFound)
		filters := must(w.Subscriptions.FiltersView(w.ctx, d.ID))
		want(w, "filters and feeds", [2]int{len(filters.Filters), len(filters.Subscriptions)}, [2]int{2, 1})
		today := must(w.Subscriptions.TodayView(w.ctx, d.ID, noon))
		want(w, "before the first edition", today.Latest == nil && len(today.Subscriptions) == 1, true)
		archive := must(w.Subscriptions.ArchiveView(w.ctx, d.ID, noon, 1))
		want(w, "feeds before the first edition", len(archive.Subscriptions), 1)
		w.posted(f, "a")
		midnight := noon.Add(12 * time.Hour)
		want(w, "editions made", w.hour(midnight), 1)
		archive = must(w.Subscriptions.ArchiveView(w.ctx, d.ID, midnight, 1))
		want(w, "editions and months", [3]int{len(archive.Editions), len(archive.Months), len(archive.Subscriptions)},
			[3]int{1, 1, 0})
		archive = must(w.Subscriptions.ArchiveView(w.ctx, d.ID, midnight, 2))
		want(w, "months where all editions are listed", len(archive.Months), 0)
		today = must(w.Subscriptions.TodayView(w.ctx, d.ID, midnight))
		e, of := must2(w.Subscriptions.EditionOfDigest(w.ctx, today.Latest.ID))
		want(w, "the edition and its digest", e.ID == archive.Editions[0].ID && of.ID == d.ID, true)
	})
}
