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
	w.t.Helper()
	d, f := w.reader("ada", "UTC"), w.feed("a.example")
	w.subscribe(d, f)
	w.ok(w.Subscriptions.SetSubscription(w.ctx(), digest.Subscription{DigestID: d.ID, FeedID: f.ID, Folder: "0"}))
	_, err := w.Subscriptions.AddFilter(w.ctx(), digest.Filter{DigestID: d.ID, FeedID: f.ID, Words: "0"}, noon)
	w.ok(err)
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
		w.ok(w.AtOneInstant(w.ctx(), func(s *store.Store) error {
			folders, err := s.Subscriptions.Folders(w.ctx(), d.ID)
			w.ok(err)
			w.ok(w.Together(w.ctx(), func() {}, renamed("1")...))
			filters, err := s.Subscriptions.Filters(w.ctx(), d.ID)
			want(w.t, "what is read", folders[0]+filters[0].Words, "00")
			return err
		}))
		filters, err := w.Subscriptions.Filters(w.ctx(), d.ID)
		w.ok(err)
		want(w.t, "the filter afterwards", filters[0].Words, "1")
	})
}

// TestViewWithoutWaiting: a view is read during an open write transaction, and has none of its changes.
func TestViewWithoutWaiting(t *testing.T) {
	each(t, func(w world) {
		d, f := w.oneFeed()
		w.ok(w.Together(w.ctx(), func() {
			v, err := w.Subscriptions.SubscriptionView(w.ctx(), d.ID, f.ID, noon, 10)
			w.ok(err)
			want(w.t, "what is seen", v.Folder+v.Folders[0]+v.Filters[0].Words, "000")
			o, err := w.Operator.OperatorView(w.ctx(), noon, noon, deadline, 10)
			w.ok(err)
			want(w.t, "subscriptions", o.Numbers.Subscriptions, 1)
		}, renamed("1")...))
	})
}

// TestViewIsWhole: a writer changes two values together, repeatedly. No view has only one of the changes.
func TestViewIsWhole(t *testing.T) {
	each(t, func(w world) {
		d, f := w.oneFeed()
		ctx, stop := context.WithCancel(w.ctx())
		written := make(chan error, 1)
		go func() {
			for i := 1; ctx.Err() == nil; i++ {
				if err := w.Together(w.ctx(), func() {}, renamed(fmt.Sprint(i))...); err != nil {
					written <- err
					return
				}
			}
			written <- nil
		}()
		for range 100 {
			v, err := w.Subscriptions.SubscriptionView(w.ctx(), d.ID, f.ID, noon, 10)
			w.ok(err)
			if v.Folder != v.Folders[0] || v.Folder != v.Filters[0].Words {
				w.t.Errorf("the folder is %s, among the folders %s, and the filter %s", v.Folder, v.Folders[0],
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
		_, err := w.Subscriptions.AddFilter(w.ctx(), digest.Filter{DigestID: d.ID, Words: "all"}, noon)
		w.ok(err)
		one, err := w.Subscriptions.SubscriptionView(w.ctx(), d.ID, f.ID, noon, 10)
		w.ok(err)
		want(w.t, "filters of the feed", len(one.Filters), 1)
		_, err = w.Subscriptions.SubscriptionView(w.ctx(), d.ID, f.ID+1, noon, 10)
		want(w.t, "of another feed", digest.KindOf(err), digest.NotFound)
		filters, err := w.Subscriptions.FiltersView(w.ctx(), d.ID)
		w.ok(err)
		want(w.t, "filters and feeds", [2]int{len(filters.Filters), len(filters.Subscriptions)}, [2]int{2, 1})
		today, err := w.Subscriptions.TodayView(w.ctx(), d.ID, noon)
		w.ok(err)
		want(w.t, "before the first edition", today.Latest == nil && len(today.Subscriptions) == 1, true)
		archive, err := w.Subscriptions.ArchiveView(w.ctx(), d.ID, noon, 1)
		w.ok(err)
		want(w.t, "feeds before the first edition", len(archive.Subscriptions), 1)
		w.record(noon, f, posts(noon, "a"))
		midnight := noon.Add(12 * time.Hour)
		want(w.t, "editions made", w.hour(midnight), 1)
		archive, err = w.Subscriptions.ArchiveView(w.ctx(), d.ID, midnight, 1)
		w.ok(err)
		want(w.t, "editions and months", [3]int{len(archive.Editions), len(archive.Months), len(archive.Subscriptions)},
			[3]int{1, 1, 0})
		archive, err = w.Subscriptions.ArchiveView(w.ctx(), d.ID, midnight, 2)
		w.ok(err)
		want(w.t, "months where all editions are listed", len(archive.Months), 0)
		today, err = w.Subscriptions.TodayView(w.ctx(), d.ID, midnight)
		w.ok(err)
		e, of, err := w.Subscriptions.EditionOfDigest(w.ctx(), today.Latest.ID)
		w.ok(err)
		want(w.t, "the edition and its digest", e.ID == archive.Editions[0].ID && of.ID == d.ID, true)
	})
}
