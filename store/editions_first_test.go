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
		ada, bob := w.reader("ada", "Europe/Paris"), w.reader("bob", "Europe/Paris")
		f := w.feed("f.example")
		w.subscribe(ada, f)
		w.subscribe(bob, f)
		w.ok(w.Readers.SetDeliverAt(w.ctx(), ada.ID, 20*time.Hour))
		_, err := w.Editions.SendFirst(w.ctx(), ada.ID, noon)
		oneLine(w.t, err, digest.NotFound)
		want(w.t, "nothing waits, nothing changes", w.again(ada).NextDueAt, parisMidnight)
		want(w.t, "nor was a midnight released", w.again(ada).LastDueAt, time.Time{})

		w.record(noon, f, posts(noon, "p", "q"))
		now := noon.Add(time.Minute)
		date, err := w.Editions.SendFirst(w.ctx(), ada.ID, now)
		w.ok(err)
		want(w.t, "of today", date.String(), "2026-11-19")
		want(w.t, "hers", w.editions(ada), "2026-11-19 p q")
		want(w.t, "nothing of others", w.editions(bob), "")
		want(w.t, "what others wait for", w.waiting(bob), "p q")
		list, err := w.Editions.Editions(w.ctx(), ada.ID, 1)
		w.ok(err)
		e := list[0]
		want(w.t, "edition", e, digest.Edition{
			ID: e.ID, DigestID: ada.ID, LocalDate: date, DueAt: parisMidnight.Add(-day), SendAt: now, Number: 1,
			State: digest.EditionReady, Date: now, NextAt: now, ExpiresAt: now.Add(20 * time.Hour),
		})
		want(w.t, "the next midnight stays", w.again(ada).NextDueAt, parisMidnight)
		want(w.t, "mailed now, not at the hour", len(w.claimsAt(now)), 1)

		_, err = w.Editions.SendFirst(w.ctx(), ada.ID, now)
		oneLine(w.t, err, digest.Conflict)
		_, err = w.Subscriptions.Subscribe(w.ctx(), digest.Subscription{DigestID: ada.ID, FeedID: f.ID}, now)
		w.ok(err)
		w.ok(w.Subscriptions.Unsubscribe(w.ctx(), ada.ID, f.ID))
		w.subscribe(ada, f)
		want(w.t, "what came does not wait again", w.waiting(ada), "")
		w.record(now, f, []digest.Post{titled("p", "Another", now)}, "q")
		frozen, err := w.Editions.Posts(w.ctx(), []digest.PostID{w.find("p")})
		w.ok(err)
		want(w.t, "what was delivered is frozen", frozen[0].Title, "Title of p")

		w.record(now, f, posts(now, "r"), "p", "q")
		want(w.t, "not before midnight (I2)", w.editions(ada), "2026-11-19 p q")
		want(w.t, "both at midnight", w.hour(parisMidnight), 2)
		want(w.t, "hers then", w.editions(ada), "2026-11-19 p q; 2026-11-20 r")
		want(w.t, "his", w.editions(bob), "2026-11-20 p q r")
		want(w.t, "numbered", w.again(ada).Editions, 2)
	})
}

// TestSendFirstHoldsBack: filters apply. If they match all posts, there is no edition.
func TestSendFirstHoldsBack(t *testing.T) {
	each(t, func(w world) {
		ada := w.reader("ada", "Europe/Paris")
		f := w.feed("f.example")
		w.subscribe(ada, f)
		w.record(noon, f, []digest.Post{titled("a", "Of boats", noon)})
		_, err := w.Subscriptions.AddFilter(w.ctx(), digest.Filter{DigestID: ada.ID, Words: "boats"}, noon)
		w.ok(err)
		_, err = w.Editions.SendFirst(w.ctx(), ada.ID, noon)
		oneLine(w.t, err, digest.NotFound)
		want(w.t, "held", w.held(ada), "")
		w.record(noon, f, []digest.Post{titled("b", "Of trains", noon)}, "a")
		_, err = w.Editions.SendFirst(w.ctx(), ada.ID, noon)
		w.ok(err)
		want(w.t, "hers", w.editions(ada), "2026-11-19 b")
		want(w.t, "held then", w.held(ada), "1118 a by boats")
	})
}

// TestSendFirstIsForWhoHasNone: digests that are paused, left, due, a newsletter's, or had an edition are rejected.
func TestSendFirstIsForWhoHasNone(t *testing.T) {
	each(t, func(w world) {
		f := w.feed("f.example")
		refused := func(about string, d digest.Digest, now time.Time) {
			w.t.Helper()
			before := w.again(d)
			_, err := w.Editions.SendFirst(w.ctx(), d.ID, now)
			want(w.t, about, digest.KindOf(err), digest.Conflict)
			want(w.t, about+": as before", w.again(d), before)
		}
		ada, bob, eve, mo := w.reader("ada", "Europe/Paris"), w.reader("bob", "Europe/Paris"),
			w.reader("eve", "Europe/Paris"), w.reader("mo", "Europe/Paris")
		for _, d := range []digest.Digest{ada, bob, eve, mo} {
			w.subscribe(d, f)
		}
		w.record(noon, f, posts(noon, "p"))
		w.ok(w.Readers.PauseDigest(w.ctx(), ada.ID, parisMidnight.Add(4*day), noon))
		w.ok(w.Readers.SetDigestState(w.ctx(), bob.ID, digest.DigestLeft, noon))
		refused("paused", ada, noon)
		refused("left", bob, noon)
		refused("due", eve, parisMidnight)
		w.hour(parisMidnight)
		refused("had one", eve, parisMidnight.Add(time.Hour))
		n := w.newsletter("anna-writes", w.reader("anna", "Europe/Paris"), f)
		m := w.member(n, "member@example.org", "Europe/Paris")
		refused("of a newsletter", digest.Digest{ID: m.DigestID}, parisMidnight.Add(time.Hour))
		_, err := w.Editions.SendFirst(w.ctx(), 999, noon)
		oneLine(w.t, err, digest.NotFound)
	})
}

// TestSendFirstOnTheWay: a midnight without an edition does not count. Readers who travel west, or have a weekly
// digest, still get one edition of each date (I1).
func TestSendFirstOnTheWay(t *testing.T) {
	each(t, func(w world) {
		ada, weekly := w.reader("ada", "Asia/Tokyo"), w.reader("weekly", "Europe/Paris")
		f := w.feed("f.example")
		w.subscribe(ada, f)
		w.subscribe(weekly, f)
		w.ok(w.Readers.SetCadence(w.ctx(), weekly.ID, digest.Cadence(1<<time.Monday), noon))
		monday := w.again(weekly).NextDueAt
		night := time.Date(2026, 11, 19, 15, 0, 0, 0, time.UTC) // start of the 20th in Tokyo
		want(w.t, "a quiet midnight", w.hour(night), 0)
		now := night.Add(time.Hour)
		w.record(now, f, posts(now, "p"))
		w.ok(w.Readers.SetTimeZone(w.ctx(), ada.UserID, "America/Los_Angeles", now)) // the 19th, at 08:00
		_, err := w.Editions.SendFirst(w.ctx(), ada.ID, now)
		w.ok(err)
		want(w.t, "west", w.editions(ada), "2026-11-19 p")
		w.ok(w.Readers.SetTimeZone(w.ctx(), ada.UserID, "Asia/Tokyo", now.Add(time.Minute)))
		w.record(now, f, posts(now, "q"), "p")
		w.hour(night.Add(day))
		want(w.t, "east again", w.editions(ada), "2026-11-19 p; 2026-11-21 q")

		_, err = w.Editions.SendFirst(w.ctx(), weekly.ID, night.Add(day))
		w.ok(err)
		want(w.t, "between its days", w.editions(weekly), "2026-11-20 p q")
		want(w.t, "its day stays", w.again(weekly).NextDueAt, monday)
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
		readers, err := w.Count(w.ctx(), `SELECT count(*) FROM digests`)
		w.ok(err)
		w.record(noon, f, posts(noon, "p", "q"))
		var all sync.WaitGroup
		made := make(chan digest.DigestID, 100)
		for id := range readers {
			for range 3 {
				all.Go(func() {
					if _, err := w.Editions.SendFirst(w.ctx(), digest.DigestID(id+1),
						parisMidnight.Add(-time.Second)); err == nil {
						made <- digest.DigestID(id + 1)
					} else if digest.KindOf(err) != digest.Conflict {
						w.t.Error(err)
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
			want(w.t, "once", seen[id], false)
			seen[id] = true
		}
		w.hour(parisMidnight.Add(time.Hour))
		w.hour(parisMidnight.Add(day))
		for id := range readers {
			list, err := w.Count(w.ctx(),
				`SELECT count(*) * 10 + count(DISTINCT post_id) FROM digest_posts WHERE digest_id = ?`, id+1)
			w.ok(err)
			want(w.t, "each post once", list, 33)
			same, err := w.Count(w.ctx(),
				`SELECT count(*) - count(DISTINCT local_date) FROM editions WHERE digest_id = ?`, id+1)
			w.ok(err)
			want(w.t, "each date once", same, 0)
			lost, err := w.Count(w.ctx(),
				`SELECT count(*) FROM digest_posts p WHERE p.digest_id = ? AND NOT EXISTS
					(SELECT 1 FROM editions e WHERE e.digest_id = p.digest_id AND e.due_at = p.visible_at)`, id+1)
			w.ok(err)
			want(w.t, "all in editions", lost, 0)
		}
	})
}
