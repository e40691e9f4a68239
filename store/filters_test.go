package store_test

import (
	"fmt"
	"strings"
	"testing"

	"digest"
)

func (w world) filter(d digest.Digest, words string, feed ...digest.Feed) digest.Filter {
	w.Helper()
	f := digest.Filter{DigestID: d.ID, Words: words}
	if len(feed) > 0 {
		f.FeedID = feed[0].ID
	}
	f = must(w.Subscriptions.AddFilter(w.ctx, f, noon))
	return f
}

func TestFilters(t *testing.T) {
	each(t, func(w world) {
		ada, bob := w.two()
		taken, other := w.feed("a.example"), w.feed("b.example")
		w.subscribe(ada, taken)
		refused := func(kind digest.Kind, f digest.Filter) {
			w.Helper()
			f.DigestID = ada.ID
			_, err := w.Subscriptions.AddFilter(w.ctx, f, noon)
			want(w, fmt.Sprintf("%.20q of %d", f.Words, f.FeedID), digest.KindOf(err), kind)
		}
		refused(digest.Invalid, digest.Filter{Words: " \n "})
		refused(digest.Invalid, digest.Filter{Words: "?!"})
		refused(digest.Invalid, digest.Filter{Words: strings.Repeat("é", 201)})
		refused("", digest.Filter{Words: strings.Repeat("é", 200)})
		refused(digest.NotFound, digest.Filter{Words: "a", FeedID: other.ID})
		refused("", digest.Filter{Words: "b", FeedID: taken.ID})

		first := w.filter(ada, " Climate \t change\x00")
		want(w, "cleaned", first.Words, "Climate change\uFFFD")
		again := w.filter(ada, "CLIMATE CHANGE\uFFFD")
		want(w, "the same again", again, first)
		other2 := w.filter(ada, "climate change\uFFFD", taken)
		if other2.ID == first.ID {
			w.Error("of one feed it is another filter")
		}
		all := must(w.Subscriptions.Filters(w.ctx, ada.ID))
		want(w, "filters", len(all), 4)
		want(w, "created", all[2], first)
		oneLine(w, w.Subscriptions.RemoveFilter(w.ctx, bob.ID, first.ID), digest.NotFound)
		w.ok(w.Subscriptions.RemoveFilter(w.ctx, ada.ID, first.ID))
		oneLine(w, w.Subscriptions.RemoveFilter(w.ctx, ada.ID, first.ID), digest.NotFound)

		for i := 0; i < 200-3; i++ {
			w.filter(ada, fmt.Sprint("word", i))
		}
		refused(digest.Invalid, digest.Filter{Words: "one more"})
		refused("", digest.Filter{Words: "WORD7"}) // already exists
		w.unsubscribe(ada, taken)
		all = must(w.Subscriptions.Filters(w.ctx, ada.ID))
		want(w, "without the feed's", len(all), 198)
		w.holds("noted", 1, `SELECT count(*) FROM digests WHERE filtered = 1`)
		w.remove(ada.UserID, noon)
		w.holds("nothing is left", 0, `SELECT count(*) FROM filters`)
	})
}
