package store_test

import (
	"sync"
	"testing"
	"time"

	"digest"
)

// TestSendFirst: a reader who requests it gets the first edition now, once. The next midnight releases later posts
// (I1, I4).
func TestSendFirst(t *testing.T) {
	each(t, func(w world) {
		ada, bob := w.two()
		f := w.feed("f.example")
		w.subscribe(ada, f)
		w.subscribe(bob, f)
		w.ok(w.Readers.SetDeliverAt(w.ctx, ada.ID, 20*time.Hour))
		oneLine(w, err2(w.Editions.SendFirst(w.ctx, ada.ID, noon)), digest.NotFound)
		want(w, "nothing waits, nothing changes", w.again(ada).NextDueAt, parisMidnight)
		want(w, "nor was a midnight released", w.again(ada).LastDueAt, time.Time{})

		w.posted(f, "p", "q")
		now := noon.Add(time.Minute)
		date := must(w.Editions.SendFirst(w.ctx, ada.ID, now))
		want(w, "of today", date.String(), "2026-11-19")
		want(w, "hers", w.editions(ada), "2026-11-19 p q")
		want(w, "nothing of others", w.editions(bob), "")
		want(w, "what others wait for", w.waiting(bob), "p q")
		list := w.latest(ada)
		e := list
		want(w, "edition", e, digest.Edition{
			ID: e.ID, DigestID: ada.ID, LocalDate: date, DueAt: parisMidnight.Add(-day), SendAt: now, Number: 1,
			State: digest.EditionReady, Date: now, NextAt: now, ExpiresAt: now.Add(20 * time.Hour),
		})
		want(w, "the next midnight stays", w.again(ada).NextDueAt, parisMidnight)
		want(w, "mailed now, not at the hour", len(w.claimsAt(now)), 1)

		oneLine(w, err2(w.Editions.SendFirst(w.ctx, ada.ID, now)), digest.Conflict)
		must(w.Subscriptions.Subscribe(w.ctx, digest.Subscription{DigestID: ada.ID, FeedID: f.ID}, now))
		w.unsubscribe(ada, f)
		w.subscribe(ada, f)
		want(w, "what came does not wait again", w.waiting(ada), "")
		w.record(now, f, []digest.Post{titled("p", "Another", now)}, "q")
		frozen := must(w.Editions.Posts(w.ctx, []digest.PostID{w.find("p")}))
		want(w, "what was delivered is frozen", frozen[0].Title, "Title of p")

		w.record(now, f, posts(now, "r"), "p", "q")
		want(w, "not before midnight (I2)", w.editions(ada), "2026-11-19 p q")
		want(w, "both at midnight", w.hour(parisMidnight), 2)
		want(w, "hers then", w.editions(ada), "2026-11-19 p q; 2026-11-20 r")
		want(w, "his", w.editions(bob), "2026-11-20 p q r")
		want(w, "numbered", w.again(ada).Editions, 2)
	})
}

// TestSendFirstHoldsBack: filters apply. If they match all posts, there is no edition.
func TestSendFirstHoldsBack(t *testing.T) {
	each(t, func(w world) {
		ada, f := w.follows()
		w.record(noon, f, []digest.Post{titled("a", "Of boats", noon)})
		must(w.Subscriptions.AddFilter(w.ctx, digest.Filter{DigestID: ada.ID, Words: "boats"}, noon))
		oneLine(w, err2(w.Editions.SendFirst(w.ctx, ada.ID, noon)), digest.NotFound)
		want(w, "held", w.held(ada), "")
		w.record(noon, f, []digest.Post{titled("b", "Of trains", noon)}, "a")
		must(w.Editions.SendFirst(w.ctx, ada.ID, noon))
		want(w, "hers", w.editions(ada), "2026-11-19 b")
		want(w, "held then", w.held(ada), "1118 a by boats")
	})
}

// TestSendFirstIsForWhoHasNone: digests that are paused, left, due, a newsletter's, or had an edition are rejected.
func TestSendFirstIsForWhoHasNone(t *testing.T) {
	each(t, func(w world) {
		f := w.feed("f.example")
		refused := func(about string, d digest.Digest, now time.Time) {
			w.Helper()
			before := w.again(d)
			_, err := w.Editions.SendFirst(w.ctx, d.ID, now)
			want(w, about, digest.KindOf(err), digest.Conflict)
			want(w, about+": as before", w.again(d), before)
		}
		ada, bob, eve, mo := w.reader("ada"), w.reader("bob"),
			w.reader("eve"), w.reader("mo")
		for _, d := range []digest.Digest{ada, bob, eve, mo} {
			w.subscribe(d, f)
		}
		w.posted(f, "p")
		w.pause(ada, parisMidnight.Add(4*day), noon)
		w.setState(bob, digest.DigestLeft, noon)
		refused("paused", ada, noon)
		refused("left", bob, noon)
		refused("due", eve, parisMidnight)
		w.hour(parisMidnight)
		refused("had one", eve, parisMidnight.Add(time.Hour))
		n := w.newsletter("anna-writes", w.reader("anna"), f)
		m := w.member(n, "member@example.org", "Europe/Paris")
		refused("of a newsletter", digest.Digest{ID: m.DigestID}, parisMidnight.Add(time.Hour))
		oneLine(w, err2(w.Editions.SendFirst(w.ctx, 999, noon)), digest.NotFound)
	})
}

// TestSendFirstOnTheWay: a midnight without an edition does not count. Readers who travel west, or have a weekly
// digest, still get one edition of each date (I1).
func TestSendFirstOnTheWay(t *testing.T) {
	each(t, func(w world) {
		ada, weekly := w.reader("ada", "Asia/Tokyo"), w.reader("weekly")
		f := w.feed("f.example")
		w.subscribe(ada, f)
		w.subscribe(weekly, f)
		w.setCadence(weekly, digest.Cadence(1<<time.Monday), noon)
		monday := w.again(weekly).NextDueAt
		night := time.Date(2026, 11, 19, 15, 0, 0, 0, time.UTC) // start of the 20th in Tokyo
		want(w, "a quiet midnight", w.hour(night), 0)
		now := night.Add(time.Hour)
		w.record(now, f, posts(now, "p"))
		w.setZone(ada, "America/Los_Angeles", now) // the 19th, at 08:00
		must(w.Editions.SendFirst(w.ctx, ada.ID, now))
		want(w, "west", w.editions(ada), "2026-11-19 p")
		w.setZone(ada, "Asia/Tokyo", now.Add(time.Minute))
		w.record(now, f, posts(now, "q"), "p")
		w.hour(night.Add(day))
		want(w, "east again", w.editions(ada), "2026-11-19 p; 2026-11-21 q")

		must(w.Editions.SendFirst(w.ctx, weekly.ID, night.Add(day)))
		want(w, "between its days", w.editions(weekly), "2026-11-20 p q")
		want(w, "its day stays", w.again(weekly).NextDueAt, monday)
	})
}

// TestSendFirstInARace: of concurrent calls and the hourly job, one creates the edition. No post appears twice or is
// lost.
func TestSendFirstInARace(t *testing.T) {
	each(t, func(w world) {
		f := w.feed("f.example")
		for i := range 12 {
			d := w.reader(string(rune('a'+i)), "Europe/Paris")
			w.subscribe(d, f)
		}
		readers := w.count(`SELECT count(*) FROM digests`)
		w.posted(f, "p", "q")
		var all sync.WaitGroup
		made := make(chan digest.DigestID, 100)
		for id := range readers {
			for range 3 {
				all.Go(func() {
					if _, err := w.Editions.SendFirst(w.ctx, digest.DigestID(id+1),
						parisMidnight.Add(-time.Second)); err == nil {
						made <- digest.DigestID(id + 1)
					} else if digest.KindOf(err) != digest.Conflict {
						w.Error(err)
					}
				})
			}
		}
		all.Go(func() { w.record(noon, f, posts(noon, "r"), "p", "q") })
		all.Go(func() { w.hour(parisMidnight) })
		all.Wait()
		close(made)
		seen := map[digest.DigestID]bool{}
		for id := range made {
			want(w, "once", seen[id], false)
			seen[id] = true
		}
		w.hour(parisMidnight.Add(time.Hour))
		w.hour(parisMidnight.Add(day))
		for id := range readers {
			list := must(w.Count(w.ctx,
				`SELECT count(*) * 10 + count(DISTINCT post_id) FROM digest_posts WHERE digest_id = ?`, id+1))
			want(w, "each post once", list, 33)
			same := must(w.Count(w.ctx,
				`SELECT count(*) - count(DISTINCT local_date) FROM editions WHERE digest_id = ?`, id+1))
			want(w, "each date once", same, 0)
			lost := must(w.Count(w.ctx,
				`SELECT count(*) FROM digest_posts p WHERE p.digest_id = ? AND NOT EXISTS
					(SELECT 1 FROM editions e WHERE e.digest_id = p.digest_id AND e.due_at = p.visible_at)`, id+1))
			want(w, "all in editions", lost, 0)
		}
	})
}
