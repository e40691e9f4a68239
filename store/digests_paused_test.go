package store_test

import (
	"fmt"
	"testing"
	"time"

	"digest"
)

func TestPause(t *testing.T) {
	each(t, func(w world) {
		ada, bob := w.reader("ada", "Europe/Paris"), w.reader("bob", "Europe/Paris")
		f := w.feed("f.example")
		w.subscribe(ada, f)
		w.subscribe(bob, f)
		w.record(noon, f, posts(noon, "p"))
		until := parisMidnight.Add(7 * day)
		w.ok(w.Readers.PauseDigest(w.ctx(), ada.ID, until, noon))
		w.ok(w.Readers.PauseDigest(w.ctx(), bob.ID, time.Time{}, noon))
		want(w.t, "paused", w.again(ada).State, digest.DigestPaused)
		want(w.t, "until", w.again(ada).PausedUntil, until)
		want(w.t, "until bob says so", w.again(bob).PausedUntil, time.Time{})
		resume := func(now time.Time) int {
			w.t.Helper()
			n, err := w.Editions.EndPauses(w.ctx(), now)
			w.ok(err)
			return n
		}
		for now := parisMidnight; now.Before(until); now = now.Add(day) {
			want(w.t, "nobody yet", resume(now), 0)
			want(w.t, "no editions", w.hour(now), 0)
		}
		want(w.t, "not yet", resume(until.Add(-time.Second)), 0)
		want(w.t, "ada", resume(until), 1)
		want(w.t, "only once", resume(until), 0)
		back := w.again(ada)
		want(w.t, "active", back.State, digest.DigestActive)
		want(w.t, "no end any more", back.PausedUntil, time.Time{})
		want(w.t, "what waited still does", w.waiting(ada), "p")
		want(w.t, "due", back.NextDueAt, until)
		w.record(until, f, posts(until, "q"))
		w.hour(until)
		want(w.t, "nothing lost", w.editions(ada), "2026-11-27 p q")
		want(w.t, "bob pauses", w.again(bob).State, digest.DigestPaused)
		oneLine(w.t, w.Readers.PauseDigest(w.ctx(), ada.ID, noon, noon), digest.Invalid)
		oneLine(w.t, w.Readers.PauseDigest(w.ctx(), 99, until, noon), digest.NotFound)
	})
}

// A pause within one day does not cause a second edition of the day (I1).
func TestPauseWithinADay(t *testing.T) {
	each(t, func(w world) {
		d := w.released(1)[0]
		f := w.feedAgain(digest.Feed{URL: "https://f.example/feed"})
		now := parisMidnight.Add(time.Hour)
		w.record(now, f, posts(now, "q"))
		w.ok(w.Readers.PauseDigest(w.ctx(), d.ID, now.Add(2*time.Hour), now))
		n, err := w.Editions.EndPauses(w.ctx(), now.Add(2*time.Hour))
		w.ok(err)
		want(w.t, "resumed", n, 1)
		want(w.t, "nothing today", w.hour(now.Add(3*time.Hour)), 0)
		w.hour(parisMidnight.Add(day))
		want(w.t, "both", w.editions(d), "2026-11-20 p; 2026-11-21 q")
	})
}

// The hourly job does not run for days after the end of a pause.
func TestPauseEndsDuringAnOutage(t *testing.T) {
	each(t, func(w world) {
		ada := w.reader("ada", "Europe/Paris")
		f := w.feed("f.example")
		w.subscribe(ada, f)
		w.record(noon, f, posts(noon, "p"))
		w.ok(w.Readers.PauseDigest(w.ctx(), ada.ID, noon.Add(day), noon))
		now := parisMidnight.Add(5*day + time.Hour)
		_, err := w.Editions.EndPauses(w.ctx(), now)
		w.ok(err)
		want(w.t, "one edition", w.hour(now), 1)
		want(w.t, "of today", w.editions(ada), "2026-11-25 p")
		want(w.t, "next", w.again(ada).NextDueAt, parisMidnight.Add(6*day))
	})
}

// A later action of the reader replaces the end of a pause.
func TestPauseIsOverridden(t *testing.T) {
	each(t, func(w world) {
		for _, state := range []digest.DigestState{digest.DigestPaused, digest.DigestActive, digest.DigestLeft} {
			d := w.reader(string(state), "Europe/Paris")
			w.ok(w.Readers.PauseDigest(w.ctx(), d.ID, noon.Add(7*day), noon))
			w.ok(w.Readers.PauseDigest(w.ctx(), d.ID, noon.Add(day), noon))
			w.ok(w.Readers.SetDigestState(w.ctx(), d.ID, state, noon))
			want(w.t, "no end", w.again(d).PausedUntil, time.Time{})
			n, err := w.Editions.EndPauses(w.ctx(), noon.Add(30*day))
			w.ok(err)
			want(w.t, "stays", n, 0)
			want(w.t, "as", w.again(d).State, state)
		}
	})
}

// More pauses end than one transaction handles.
func TestManyPausesEnd(t *testing.T) {
	each(t, func(w world) {
		w.waits("a.example", 450)
		w.ok(w.Exec(w.ctx(), `UPDATE digests SET state = 'paused', paused_until = ?`, noon.Unix()))
		n, err := w.Editions.EndPauses(w.ctx(), noon)
		w.ok(err)
		want(w.t, "all", n, 450)
	})
}

// Neither the start nor the end of a pause restarts a left digest.
func TestPauseOfWhatWasLeft(t *testing.T) {
	each(t, func(w world) {
		ada := w.reader("ada", "Europe/Paris")
		w.ok(w.Readers.PauseDigest(w.ctx(), ada.ID, noon.Add(day), noon))
		w.ok(w.Readers.SetDigestState(w.ctx(), ada.ID, digest.DigestLeft, noon))
		oneLine(w.t, w.Readers.PauseDigest(w.ctx(), ada.ID, noon.Add(day), noon), digest.Conflict)
		w.ok(w.Readers.ResumeDigest(w.ctx(), ada.ID, noon))
		want(w.t, "left", w.again(ada).State, digest.DigestLeft)
		w.ok(w.Readers.SetDigestState(w.ctx(), ada.ID, digest.DigestActive, noon))
		w.ok(w.Readers.ResumeDigest(w.ctx(), ada.ID, noon))
		w.ok(w.Readers.PauseDigest(w.ctx(), ada.ID, noon.Add(day), noon))
		w.ok(w.Readers.ResumeDigest(w.ctx(), ada.ID, noon))
		want(w.t, "active", w.again(ada).State, digest.DigestActive)
		want(w.t, "no end", w.again(ada).PausedUntil, time.Time{})
		oneLine(w.t, w.Readers.ResumeDigest(w.ctx(), 99, noon), digest.NotFound)
	})
}

// BringBack restores the state before the reader left, and does not change other digests.
func TestBringBack(t *testing.T) {
	each(t, func(w world) {
		ada := w.reader("ada", "Europe/Paris")
		back := func(what string, now time.Time, left bool, state digest.DigestState, ends time.Time) {
			w.t.Helper()
			d, was, err := w.Readers.BringBack(w.ctx(), ada.ID, now)
			w.ok(err)
			want(w.t, what+": it was left", was, left)
			want(w.t, what, d.State, state)
			want(w.t, what+": until", d.PausedUntil, ends)
			want(w.t, what+": stored", w.again(ada), d)
		}
		leave := func() { w.ok(w.Readers.SetDigestState(w.ctx(), ada.ID, digest.DigestLeft, noon)) }

		back("active already", noon, false, digest.DigestActive, time.Time{})
		leave()
		back("active again", noon, true, digest.DigestActive, time.Time{})
		w.ok(w.Readers.PauseDigest(w.ctx(), ada.ID, noon.Add(day), noon))
		leave()
		leave() // mail programs may repeat the request
		back("to a pause with an end", noon, true, digest.DigestPaused, noon.Add(day))
		back("paused already", noon, false, digest.DigestPaused, noon.Add(day))
		leave()
		back("to one that is over", noon.Add(day), true, digest.DigestActive, time.Time{})
		w.ok(w.Readers.PauseDigest(w.ctx(), ada.ID, time.Time{}, noon))
		leave()
		back("to a pause without one", noon, true, digest.DigestPaused, time.Time{})
		w.ok(w.Readers.ResumeDigest(w.ctx(), ada.ID, noon))
		leave()
		back("active when it was left", noon, true, digest.DigestActive, time.Time{})
		_, _, err := w.Readers.BringBack(w.ctx(), 99, noon)
		oneLine(w.t, err, digest.NotFound)
	})
}

// During a pause with an end, posts from polls for other readers wait for this reader. A pause without an end collects
// nothing.
func TestPauseGathers(t *testing.T) {
	each(t, func(w world) {
		ada, bob, cyd := w.reader("ada", "Europe/Paris"), w.reader("bob", "Europe/Paris"),
			w.reader("cyd", "Europe/Paris")
		f := w.feed("f.example")
		for _, d := range []digest.Digest{ada, bob, cyd} {
			w.subscribe(d, f)
		}
		w.record(noon, f, posts(noon, "o"))
		until := parisMidnight.Add(3 * day)
		w.ok(w.Readers.PauseDigest(w.ctx(), ada.ID, until, noon))
		w.ok(w.Readers.PauseDigest(w.ctx(), cyd.ID, time.Time{}, noon))
		for i, name := range []string{"p", "q", "r"} {
			midnight := parisMidnight.Add(time.Duration(i) * day)
			w.record(midnight, f, posts(midnight, name))
			w.hour(midnight)
		}
		want(w.t, "ada has none yet", w.editions(ada), "")
		want(w.t, "bob", w.editions(bob), "2026-11-20 o p; 2026-11-21 q; 2026-11-22 r")
		_, err := w.Editions.EndPauses(w.ctx(), until)
		w.ok(err)
		w.record(until, f, posts(until, "s"))
		w.hour(until)
		want(w.t, "all that came", w.editions(ada), "2026-11-23 o p q r s")
		want(w.t, "cyd", w.waiting(cyd), "o")
	})
}

// A passed but unplanned midnight is still planned after a pause or a change of the time zone.
func TestPauseAsksForWhatHasPassed(t *testing.T) {
	each(t, func(w world) {
		ada, bob := w.reader("ada", "Europe/Paris"), w.reader("bob", "Europe/Paris")
		w.subscribe(ada, w.feed("a"))
		w.subscribe(bob, w.feed("b"))
		w.ok(w.Readers.PauseDigest(w.ctx(), bob.ID, parisMidnight.Add(5*day), noon))
		late := parisMidnight.Add(time.Minute)
		w.ok(w.Readers.PauseDigest(w.ctx(), ada.ID, parisMidnight.Add(5*day), late))
		w.ok(w.Readers.SetTimeZone(w.ctx(), bob.UserID, "Europe/Berlin", late))
		want(w.t, "asked", fmt.Sprint(w.nights(late, 1, nil)), "[19 a 19 b]")
	})
}

// A pause that skips no midnight is followed by an ordinary edition, whether it ends by time or by the reader.
func TestShortPauseIsNotBound(t *testing.T) {
	each(t, func(w world) {
		ada, bob, f := w.reader("ada", "Europe/Paris"), w.reader("bob", "Europe/Paris"), w.feed("f")
		w.subscribe(ada, f)
		w.subscribe(bob, f)
		w.record(noon, f, posts(noon, "p"))
		w.ok(w.Readers.PauseDigest(w.ctx(), ada.ID, noon.Add(2*time.Hour), noon))
		w.ok(w.Readers.PauseDigest(w.ctx(), bob.ID, noon.Add(5*day), noon))
		now := noon.Add(3 * time.Hour)
		_, err := w.Editions.EndPauses(w.ctx(), now)
		w.ok(err)
		w.ok(w.Readers.ResumeDigest(w.ctx(), bob.ID, now))
		w.nights(parisMidnight, 1, nil)
		want(w.t, "editions", w.editions(ada)+"; "+w.editions(bob), "2026-11-20 p; 2026-11-20 p")
		want(w.t, "bound", w.bound(ada)+w.bound(bob), "")
	})
}
