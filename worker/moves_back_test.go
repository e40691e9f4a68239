package worker_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"digest"
	"digest/store"
)

func (s *site) address() string { return s.URL + "/feed.xml" }

func (s *site) movesTo(to *site) { s.says(http.StatusMovedPermanently, "Location", to.address()) }

func (h *house) subscribedTo(d digest.Digest) (all []string) {
	h.t.Helper()
	subs, err := h.st.Subscriptions.AllSubscriptions(h.t.Context(), d.ID)
	ok(h.t, err)
	for _, sub := range subs {
		all = append(all, sub.Feed.URL)
	}
	return all
}

func (h *house) isSubscribedTo(d digest.Digest, sites ...*site) {
	h.t.Helper()
	var want []string
	for _, s := range sites {
		want = append(want, s.address())
	}
	got := h.subscribedTo(d)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		h.t.Errorf("digest %d is subscribed to %v, want %v", d.ID, got, want)
	}
}

// movesOf returns the moves reported to a digest, by old address.
func (h *house) movesOf(d digest.Digest) map[string]store.Move {
	h.t.Helper()
	list, err := h.st.Subscriptions.Moves(h.t.Context(), d.ID)
	ok(h.t, err)
	moves := make(map[string]store.Move)
	for _, m := range list {
		moves[m.URL] = m
	}
	return moves
}

func (h *house) undo(d digest.Digest, from *site) {
	h.t.Helper()
	m, told := h.movesOf(d)[from.address()]
	if !told {
		h.t.Fatalf("digest %d was told of no move from %s", d.ID, from.address())
	}
	ok(h.t, h.st.Subscriptions.UndoMove(h.t.Context(), d.ID, m.FeedID, h.clock.Add(time.Hour)))
}

// TestI9_ReaderOfBothGoesBack holds that a reader of both addresses who reverts a move, once or several
// times, keeps the new address too.
func TestI9_ReaderOfBothGoesBack(t *testing.T) {
	eachEmptyHouse(t, "2026-11-19 10:00", func(t *testing.T, h *house) {
		old, next := newSite(t, "old first"), newSite(t, "next first")
		ann, bob := h.reader("ann@example.org", "UTC", old, next), h.reader("bob@example.org", "UTC", old, next)
		h.midnights(20)
		old.movesTo(next)
		h.midnights(21, 22)
		h.isSubscribedTo(ann, next)
		if m := h.movesOf(ann)[old.address()]; m.At == 0 || m.Back {
			t.Errorf("the way back is %+v", m)
		}
		for range 2 {
			h.undo(ann, old)
			h.isSubscribedTo(ann, old, next)
		}
		if m := h.movesOf(ann)[old.address()]; m.At != 0 || !m.Back {
			t.Errorf("after the return the way back is %+v", m)
		}
		h.isSubscribedTo(bob, next)
		old.says(0)
		old.publish("old second")
		next.publish("next second")
		h.midnights(23, 24, 25)
		if got := h.titles(ann); got != "old first, next first, old second, next second" &&
			got != "old first, next first, next second, old second" {
			t.Errorf("the reader has had %s", got)
		}
		if got := h.titles(bob); strings.Contains(got, "old second") {
			t.Errorf("the other has had %s", got)
		}
	})
}

// TestI9_TwoMovesToOnePlace has two feeds that move to one address in the same night. A reader of both
// learns of each move and can revert each alone.
func TestI9_TwoMovesToOnePlace(t *testing.T) {
	for _, first := range []int{0, 1} {
		eachEmptyHouse(t, "2026-11-19 10:00", func(t *testing.T, h *house) {
			olds, next := []*site{newSite(t, "a first"), newSite(t, "b first")}, newSite(t, "next first")
			ann := h.reader("ann@example.org", "UTC", olds...)
			h.reader("bob@example.org", "UTC", next)
			h.midnights(20)
			olds[0].movesTo(next)
			olds[1].movesTo(next)
			h.midnights(21, 22)
			h.isSubscribedTo(ann, next)
			if got := len(h.movesOf(ann)); got != 2 {
				t.Fatalf("was told of %d moves", got)
			}
			h.undo(ann, olds[first])
			h.isSubscribedTo(ann, olds[first], next)
			h.undo(ann, olds[1-first])
			h.isSubscribedTo(ann, olds...)
			h.undo(ann, olds[first])
			h.isSubscribedTo(ann, olds...)
		})
	}
}

// TestI9_ReadersOfSeveralComeBack has a missing feed to which several feeds moved. Readers return to each
// address at which they subscribed. They stay subscribed at the new address only if they subscribed there.
func TestI9_ReadersOfSeveralComeBack(t *testing.T) {
	eachEmptyHouse(t, "2026-11-19 10:00", func(t *testing.T, h *house) {
		a, b, next := newSite(t, "a first"), newSite(t, "b first"), newSite(t, "next first")
		ann, bob := h.reader("ann@example.org", "UTC", a, b), h.reader("bob@example.org", "UTC", a, next)
		cyd := h.reader("cyd@example.org", "UTC", next)
		h.midnights(20)
		a.movesTo(next)
		b.movesTo(next)
		h.midnights(21, 22)
		next.says(http.StatusNotFound)
		a.says(0)
		b.says(0)
		h.midnights(23, 24, 25, 26)
		h.isSubscribedTo(ann, a, b)
		h.isSubscribedTo(bob, a, next)
		h.isSubscribedTo(cyd, next)
	})
}

// TestI9_BackBeforeLong has a feed that moves and moves back. Its readers are subscribed where they were,
// and get no offer to revert to an address that they never had.
func TestI9_BackBeforeLong(t *testing.T) {
	eachEmptyHouse(t, "2026-11-19 10:00", func(t *testing.T, h *house) {
		old, next := newSite(t, "first"), newSite(t, "first", "there")
		ann, bob := h.reader("ann@example.org", "UTC", old), h.reader("bob@example.org", "UTC", next)
		h.midnights(20)
		old.movesTo(next)
		h.midnights(21, 22)
		old.says(0)
		next.movesTo(old)
		old.publish("after")
		h.midnights(23, 24, 25)
		h.isSubscribedTo(ann, old)
		h.isSubscribedTo(bob, old)
		if got := h.movesOf(ann); len(got) != 1 {
			t.Errorf("who is back was told of %v", got)
		}
		if got := h.movesOf(bob)[next.address()]; got.MovedTo != old.address() || got.At == 0 {
			t.Errorf("the other was told of %+v", got)
		}
		if got := h.titles(ann); strings.Count(got, "after") != 1 {
			t.Errorf("the reader has had %s", got)
		}
	})
}

// TestI9_SecondMoveMuchLater holds that reverting a later move returns to the address before that move, not
// to an older one.
func TestI9_SecondMoveMuchLater(t *testing.T) {
	for days, want := range map[int]int{4: 0, 40: 1} {
		t.Run(fmt.Sprint(days, " days later"), func(t *testing.T) {
			eachEmptyHouse(t, "2026-10-01 10:00", func(t *testing.T, h *house) {
				places := []*site{newSite(t, "first"), newSite(t, "second"), newSite(t, "third")}
				ann := h.reader("ann@example.org", "UTC", places[0])
				h.nights(1)
				places[0].movesTo(places[1])
				h.nights(days)
				h.isSubscribedTo(ann, places[1])
				places[1].movesTo(places[2])
				h.nights(2)
				h.isSubscribedTo(ann, places[2])
				h.undo(ann, places[want])
				h.isSubscribedTo(ann, places[want])
			})
		})
	}
}

func (h *house) nights(n int) {
	h.t.Helper()
	for range n {
		h.tickAt(h.clock.AddDate(0, 0, 1).UTC().Format("2006-01-02") + " 00:00")
	}
}

// TestI9_FeedThatStays has a feed to which a reader reverted, while its address only redirects. It fails
// with a reason. New subscribers of the address get the feed at the new address. When the old address has
// posts again, the feed recovers, and after a month it may move again.
func TestI9_FeedThatStays(t *testing.T) {
	eachEmptyHouse(t, "2026-11-19 10:00", func(t *testing.T, h *house) {
		old, next, third := newSite(t, "old first"), newSite(t, "next first"), newSite(t, "third first")
		ann, bob := h.reader("ann@example.org", "UTC", old), h.reader("bob@example.org", "UTC", old)
		h.nights(1)
		old.movesTo(next)
		h.nights(2)
		h.undo(ann, old)
		old.requests()
		h.nights(1)
		h.clock = h.clock.Add(12 * time.Hour)
		cyd := h.reader("cyd@example.org", "UTC", old)
		h.isSubscribedTo(cyd, next)
		const nights = 7
		for range nights {
			next.publish(fmt.Sprint("next ", h.clock.Day()))
			h.nights(1)
		}
		if f := h.feed(old); f.State != digest.FeedActive || f.Errors == 0 || f.LastError != "redirects to "+
			next.address()+", but a reader chose this address" {
			t.Errorf("the feed is %s after %d errors: %s", f.State, f.Errors, f.LastError)
		}
		if got := strings.Count(old.requests(), "T"); got > 1+nights {
			t.Errorf("%d requests in %d nights", got, 1+nights)
		}
		h.isSubscribedTo(ann, old)
		// published before the move was confirmed
		if got := h.titles(ann); got != "old first" && got != "old first, next first" {
			t.Errorf("who went back has had %s", got)
		}
		old.says(0)
		old.publish("old second")
		h.nights(2)
		if f := h.feed(old); f.Errors != 0 || f.LastError != "" || !f.MoveUndone {
			t.Errorf("after the redirect the feed says %q, %d errors, stays: %v", f.LastError, f.Errors, f.MoveUndone)
		}
		if got := h.titles(ann); strings.Count(got, "old second") != 1 || strings.Count(got, "next") > 1 {
			t.Errorf("who went back has had %s", got)
		}
		dan := h.reader("dan@example.org", "UTC", old)
		h.isSubscribedTo(dan, old)
		old.movesTo(third)
		h.nights(4)
		h.isSubscribedTo(ann, old)
		old.says(0)
		h.nights(31)
		old.movesTo(third)
		h.nights(4)
		for _, d := range []digest.Digest{ann, dan} {
			h.isSubscribedTo(d, third)
			if m := h.movesOf(d)[old.address()]; m.MovedTo != third.address() || m.At == 0 {
				t.Errorf("was told %+v", m)
			}
		}
		h.isSubscribedTo(bob, next)
	})
}

// TestI9_MovesInTheThrong runs several workers that poll, merge, report and release at the same midnight.
// Feeds move to each other's addresses while readers revert moves. No reader gets another site's post under
// an identity, or a post twice, and none misses a post of their feed.
func TestI9_MovesInTheThrong(t *testing.T) {
	eachEmptyHouse(t, "2026-11-19 10:00", func(t *testing.T, h *house) {
		const pairs = 6
		var forgers, genuine [pairs]*site
		var anns, bobs, cyds [pairs]digest.Digest
		for i := range pairs {
			forgers[i], genuine[i] = newSite(t, fmt.Sprintf("forged first %d", i)),
				newSite(t, fmt.Sprintf("genuine first %d", i))
			anns[i] = h.reader(fmt.Sprintf("ann%d@example.org", i), "UTC", forgers[i])
			bobs[i] = h.reader(fmt.Sprintf("bob%d@example.org", i), "UTC", genuine[i])
			cyds[i] = h.reader(fmt.Sprintf("cyd%d@example.org", i), "UTC", forgers[i], genuine[i])
		}
		h.throng(1)
		for i := range pairs {
			forgers[i].forge(fmt.Sprintf("forged next %d", i), fmt.Sprintf("next-%d", i))
		}
		h.throng(1)
		for i := range pairs {
			forgers[i].movesTo(genuine[i])
		}
		h.throng(1)
		for i := range pairs {
			genuine[i].forge(fmt.Sprintf("genuine next %d", i), fmt.Sprintf("next-%d", i))
		}
		h.throng(1, func() { // the midnight at which the moves are confirmed
			for i := range pairs {
				moves, err := h.st.Subscriptions.Moves(t.Context(), anns[i].ID)
				for _, m := range moves {
					if err = h.st.Subscriptions.UndoMove(t.Context(), anns[i].ID, m.FeedID,
						h.clock); digest.KindOf(err) == digest.NotFound {
						err = nil
					}
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
		for i := range pairs {
			forgers[i].says(0)
			genuine[i].publish(fmt.Sprintf("genuine last %d", i))
		}
		h.throng(2)
		for i := range pairs {
			want := fmt.Sprintf("genuine first %[1]d, genuine next %[1]d, genuine last %[1]d", i)
			if got := h.titles(bobs[i]); got != want {
				t.Errorf("the other's reader has had %s, want %s", got, want)
			}
			got := h.titles(cyds[i])
			for _, post := range strings.Split(want, ", ") {
				if strings.Count(got, post) != 1 {
					t.Errorf("the reader of both has had %s", got)
				}
			}
			if got := h.titles(anns[i]); strings.Count(got, "forged next") != 1 ||
				strings.Count(got, "genuine last") > 1 {
				t.Errorf("the forger's reader has had %s", got)
			}
			if len(h.subscribedTo(anns[i])) != 1 || len(h.subscribedTo(cyds[i])) == 0 {
				t.Errorf("subscribed to %v and %v", h.subscribedTo(anns[i]), h.subscribedTo(cyds[i]))
			}
		}
	})
}

// throng runs the job at the next midnights with three workers at the same time, together with other
// functions.
func (h *house) throng(nights int, meanwhile ...func()) {
	h.t.Helper()
	for range nights {
		h.set(h.clock.AddDate(0, 0, 1).Format("2006-01-02") + " 00:00")
		var all sync.WaitGroup
		for range 3 {
			job := h.job()
			all.Go(func() {
				if _, err := job.Tick(h.t.Context()); err != nil {
					h.t.Error(err)
				}
			})
		}
		for _, f := range meanwhile {
			all.Go(f)
		}
		all.Wait()
		if _, err := h.job().Tick(h.t.Context()); err != nil { // the rest of the work
			h.t.Fatal(err)
		}
	}
}
