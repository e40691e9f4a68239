package store_test

import (
	"testing"
	"time"

	"digest/store"
)

// TestMovesToAFeedLongUnread: a feed moves to the address of a feed without polls for weeks, and its document has not
// changed when the move is believed. The posts that its readers have had must not come again with the other feed's
// next poll (I4).
func TestMovesToAFeedLongUnread(t *testing.T) {
	each(t, func(w world) {
		night := func(n int) time.Time { return parisMidnight.AddDate(0, 0, n) }
		old := noon.AddDate(0, 0, -60)
		ada, b := w.reader("ada"), w.feed("b.example")
		w.record(old, b, posts(old, "old"))
		a := w.feed("a.example")
		w.subscribe(ada, a)
		w.record(noon.AddDate(0, 0, -2), a, posts(noon.AddDate(0, 0, -2), "1"), "1")
		w.hour(night(-2))
		w.record(noon.AddDate(0, 0, -1), a, posts(noon.AddDate(0, 0, -1), "2"), "1", "2")
		w.hour(night(-1))
		moving := w.feedAgain(a)
		moving.MovedTo, moving.MovedSince = b.URL, night(0)
		w.record(night(0), moving, nil)
		w.hour(night(0))
		moving.URL, moving.Host, moving.MovedTo, moving.MovedSince = b.URL, b.Host, "", time.Time{}
		// The document is unchanged.
		w.poll(night(1), store.Polled{Feed: moving, Arrival: arrival(nil, []string{"1", "2"})})
		w.hour(night(1))
		before := w.editions(ada)
		all := append(posts(noon.AddDate(0, 0, -2), "1"), posts(noon.AddDate(0, 0, -1), "2")...)
		w.record(night(2), w.feedAgain(b), append(all, posts(night(2), "3")...), "1", "2", "3")
		want(w, "waiting after the other's next poll", w.waiting(ada), "3")
		w.hour(night(2))
		want(w, "one edition more, of what is new", w.editions(ada), before+"; 2026-11-22 3")
	})
}

// TestLeavingAfterSeveralMoves: unsubscribing from a feed includes all feeds that were merged into it.
func TestLeavingAfterSeveralMoves(t *testing.T) {
	each(t, func(w world) {
		ada := w.reader("ada")
		a, b, c := w.feed("a.example"), w.feed("b.example"), w.feed("c.example")
		w.subscribe(ada, a)
		a.URL, a.Host = b.URL, b.Host
		w.record(noon, a, posts(noon, "1"), "1")
		b = w.feedAgain(b)
		b.URL, b.Host = c.URL, c.Host
		w.record(noon.Add(time.Hour), b, posts(noon, "2"), "1", "2")
		want(w, "takes", w.subscribed(ada), c.ID)
		w.unsubscribe(ada, c)
		want(w, "waiting after leaving", w.waiting(ada), "")
	})
}
