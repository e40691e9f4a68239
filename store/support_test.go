package store_test

import (
	"testing"

	"digest"
)

// TestReaderViewCountsWhatIsLeftOut: the view counts posts that filters and limits left out of the last edition, and
// since.
func TestReaderViewCountsWhatIsLeftOut(t *testing.T) {
	each(t, func(w world) {
		ada, bob := w.two()
		f, g := w.feed("f.example"), w.feed("g.example")
		w.subscribe(ada, f, g)
		w.subscribe(bob, f, g)
		w.ok(w.Subscriptions.SetSubscription(w.ctx, digest.Subscription{DigestID: ada.ID, FeedID: f.ID, Most: 2}))
		w.filter(ada, "football")
		counts := func(what string, held, since, beyond int) {
			w.Helper()
			for d, want3 := range map[digest.Digest][3]int{ada: {held, since, beyond}, bob: {}} {
				v := must(w.Operator.ReaderView(w.ctx, d.UserID, 30))
				p := v.Digests[0]
				want(w, what, [3]int{p.Held, p.HeldSince, p.Beyond}, want3)
			}
		}
		counts("nothing yet", 0, 0, 0)
		w.record(noon, g, []digest.Post{titled("a", "football", noon)})
		w.hour(parisMidnight)
		counts("all held back, of the first day", 0, 1, 0)
		now := parisMidnight.Add(6 * 3600e9)
		w.record(now, f, posts(now, "1", "2", "3", "4", "5"))
		w.record(now, g, []digest.Post{titled("b", "more football", now), titled("c", "chess", now)}, "a")
		w.hour(parisMidnight.Add(day))
		counts("some held back, some beyond", 1, 0, 3)
		w.sendTo(parisMidnight.Add(day), ada)
		w.sendTo(parisMidnight.Add(day), bob)
		now = now.Add(day)
		w.record(now, g, []digest.Post{titled("d", "football again", now), titled("e", "football, too", now)}, "a", "b",
			"c")
		w.hour(parisMidnight.Add(2 * day))
		counts("all held back", 1, 2, 3)
	})
}
