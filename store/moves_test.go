package store_test

import (
	"testing"

	"digest"
)

// TestUndoMove: a reader who was told of a move goes back, alone, as often as they
// ask; what waits of the new address is withdrawn, and the feed there moves no more.
func TestUndoMove(t *testing.T) {
	each(t, func(w world) {
		ada, bob, cyd := w.reader("ada", "Europe/Paris"), w.reader("bob", "Europe/Paris"), w.reader("cyd", "Europe/Paris")
		a, b := w.feed("a.example"), w.feed("b.example")
		w.subscribe(ada, a)
		w.subscribe(bob, a)
		w.subscribe(cyd, b)
		w.record(noon, a, posts(noon, "a1"))
		moved := a
		moved.URL, moved.Host = b.URL, b.Host
		w.record(noon, moved, posts(noon, "b1"))
		want(w.t, "subscribed at", w.address(ada, b), a.URL)
		want(w.t, "subscribed at", w.address(cyd, b), "")
		want(w.t, "no notice", digest.KindOf(w.UndoMove(w.ctx(), ada.ID, b.ID, noon)), digest.NotFound)
		w.ok(w.Exec(w.ctx(), `INSERT INTO notices (digest_id, visible_at, feed_id, kind, url, moved_to) VALUES (?, 1, ?, 'moved', ?, ?)`, ada.ID, b.ID, a.URL, b.URL))
		for range 2 {
			w.ok(w.UndoMove(w.ctx(), ada.ID, b.ID, noon))
		}
		again := w.feedAgain(a)
		want(w.t, "the feed at the old address", again.URL, a.URL)
		want(w.t, "stays", again.Stays, true)
		want(w.t, "who went back", w.subscribed(ada), again.ID)
		want(w.t, "who did not", w.subscribed(bob), b.ID)
		want(w.t, "who was there", w.subscribed(cyd), b.ID)
		moves, err := w.Moves(w.ctx(), ada.ID)
		w.ok(err)
		want(w.t, "moves", moves[0].URL+" "+moves[0].MovedTo, a.URL+" "+b.URL)
	})
}

func (w world) address(d digest.Digest, f digest.Feed) string {
	w.t.Helper()
	sub, err := w.Subscription(w.ctx(), d.ID, f.ID)
	w.ok(err)
	return sub.Address
}
