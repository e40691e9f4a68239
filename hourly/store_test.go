package hourly_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/feed"
	"digest/hourly"
	"digest/poller"
	"digest/store"
	"digest/store/storetest"
)

// TestIntakeOfALongDocument: an entry of one of 501 that is taken down leaves
// 500, the oldest of which was never read.
func TestIntakeOfALongDocument(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		for n, want := range map[int]bool{feed.MaxPosts - 1: false, feed.MaxPosts: true, feed.MaxPosts + 1: true} {
			var items strings.Builder
			for i := range n {
				fmt.Fprintf(&items, "<item><title>%d</title><guid>%d</guid></item>", i, i)
			}
			doc, err := feed.Parse([]byte(`<rss version="2.0"><channel><title>S</title>`+items.String()+`</channel></rss>`), "", "http://example.org/")
			if err != nil {
				t.Fatal(err)
			}
			res := poller.Result{Feed: digest.Feed{ID: 1}, Outcome: poller.Changed, Document: doc}
			polled, err := hourly.PrepareRecord(t.Context(), st, digest.Feed{}, res, time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC))
			if err != nil {
				t.Fatal(err)
			}
			if polled.Windowed != want || len(polled.Listed) != min(n, feed.MaxPosts) {
				t.Errorf("of %d entries %d are listed, windowed: %t", n, len(polled.Listed), polled.Windowed)
			}
		}
	})
}
