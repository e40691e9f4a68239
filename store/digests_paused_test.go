package store_test

import (
	"fmt"
	"testing"
	"time"

	"digest"
)

func TestPause(t *testing.T) {
	each(t, func(w world) {
		ada, bob := w.two()
		f := w.feed("f.example")
		w.subscribe(ada, f)
		w.subscribe(bob, f)
		w.posted(f, "p")
		until := parisMidnight.Add(7 * day)
		w.pause(ada, until, noon)
		w.pause(bob, time.Time{}, noon)
		want(w, "paused", w.again(ada).State, digest.DigestPaused)
		want(w, "until", w.again(ada).PausedUntil, until)
		want(w, "until bob says so", w.again(bob).PausedUntil, time.Time{})
		resume := func(now time.Time) int {
			w.Helper()
			n := w.endPauses(now)
			return n
		}
		for now := parisMidnight; now.Before(until); now = now.Add(day) {
			want(w, "nobody yet", resume(now), 0)
			want(w, "no editions", w.hour(now), 0)
		}
		want(w, "not yet", resume(until.Add(-time.Second)), 0)
		want(w, "ada", resume(until), 1)
		want(w, "only once", resume(until), 0)
		back := w.again(ada)
		want(w, "active", back.State, digest.DigestActive)
		want(w, "no end any more", back.PausedUntil, time.Time{})
		want(w, "what waited still does", w.waiting(ada), "p")
		want(w, "due", back.NextDueAt, until)
		w.record(until, f, posts(until, "q"))
		w.hour(until)
		want(w, "nothing lost", w.editions(ada), "2026-11-27 p q")
		want(w, "bob pauses", w.again(bob).State, digest.DigestPaused)
		oneLine(w, w.Readers.PauseDigest(w.ctx, ada.ID, noon, noon), digest.Invalid)
		oneLine(w, w.Readers.PauseDigest(w.ctx, 99, until, noon), digest.NotFound)
	})
}

// A pause within one day does not cause a second edition of the day (I1).
func TestPauseWithinADay(t *testing.T) {
	each(t, func(w world) {
		d := w.released(1)[0]
		f := w.feedAgain(digest.Feed{URL: "https://f.example/feed"})
		now := parisMidnight.Add(time.Hour)
		w.record(now, f, posts(now, "q"))
		w.pause(d, now.Add(2*time.Hour), now)
		n := w.endPauses(now.Add(2 * time.Hour))
		want(w, "resumed", n, 1)
		want(w, "nothing today", w.hour(now.Add(3*time.Hour)), 0)
		w.hour(parisMidnight.Add(day))
		want(w, "both", w.editions(d), "2026-11-20 p; 2026-11-21 q")
	})
}

// A later action of the reader replaces the end of a pause.
func TestPauseIsOverridden(t *testing.T) {
	each(t, func(w world) {
		for _, state := range []digest.DigestState{digest.DigestPaused, digest.DigestActive, digest.DigestLeft} {
			d := w.reader(string(state))
			w.pause(d, noon.Add(7*day), noon)
			w.pause(d, noon.Add(day), noon)
			w.setState(d, state, noon)
			want(w, "no end", w.again(d).PausedUntil, time.Time{})
			n := w.endPauses(noon.Add(30 * day))
			want(w, "stays", n, 0)
			want(w, "as", w.again(d).State, state)
		}
	})
}

// More pauses end than one transaction handles.
func TestManyPausesEnd(t *testing.T) {
	each(t, func(w world) {
		w.waits("a.example", 450)
		w.exec(`UPDATE digests SET state = 'paused', paused_until = ?`, noon.Unix())
		n := w.endPauses(noon)
		want(w, "all", n, 450)
	})
}

// Neither the start nor the end of a pause restarts a left digest.
func TestPauseOfWhatWasLeft(t *testing.T) {
	each(t, func(w world) {
		ada := w.reader("ada")
		w.pause(ada, noon.Add(day), noon)
		w.setState(ada, digest.DigestLeft, noon)
		oneLine(w, w.Readers.PauseDigest(w.ctx, ada.ID, noon.Add(day), noon), digest.Conflict)
		w.ok(w.Readers.ResumeDigest(w.ctx, ada.ID, noon))
		want(w, "left", w.again(ada).State, digest.DigestLeft)
		w.setState(ada, digest.DigestActive, noon)
		w.ok(w.Readers.ResumeDigest(w.ctx, ada.ID, noon))
		w.pause(ada, noon.Add(day), noon)
		w.ok(w.Readers.ResumeDigest(w.ctx, ada.ID, noon))
		want(w, "active", w.again(ada).State, digest.DigestActive)
		want(w, "no end", w.again(ada).PausedUntil, time.Time{})
		oneLine(w, w.Readers.ResumeDigest(w.ctx, 99, noon), digest.NotFound)
	})
}

// BringBack restores the state before the reader left, and does not change other digests.
func TestBringBack(t *testing.T) {
	each(t, func(w world) {
		ada := w.reader("ada")
		back := func(what string, now time.Time, left bool, state digest.DigestState, ends time.Time) {
			w.Helper()
			d, was := must2(w.Readers.BringBack(w.ctx, ada.ID, now))
			want(w, what+": it was left", was, left)
			want(w, what, d.State, state)
			want(w, what+": until", d.PausedUntil, ends)
			want(w, what+": stored", w.again(ada), d)
		}
		leave := func() { w.setState(ada, digest.DigestLeft, noon) }

		back("active already", noon, false, digest.DigestActive, time.Time{})
		leave()
		back("active again", noon, true, digest.DigestActive, time.Time{})
		w.pause(ada, noon.Add(day), noon)
		leave()
		leave() // mail programs may repeat the request
		back("to a pause with an end", noon, true, digest.DigestPaused, noon.Add(day))
		back("paused already", noon, false, digest.DigestPaused, noon.Add(day))
		leave()
		back("to one that is over", noon.Add(day), true, digest.DigestActive, time.Time{})
		w.pause(ada, time.Time{}, noon)
		leave()
		back("to a pause without one", noon, true, digest.DigestPaused, time.Time{})
		w.ok(w.Readers.ResumeDigest(w.ctx, ada.ID, noon))
		leave()
		back("active when it was left", noon, true, digest.DigestActive, time.Time{})
		oneLine(w, err3(w.Readers.BringBack(w.ctx, 99, noon)), digest.NotFound)
	})
}

// A passed but unplanned midnight is still planned after a pause or a change of the time zone.
func TestPauseAsksForWhatHasPassed(t *testing.T) {
	each(t, func(w world) {
		ada, bob := w.two()
		w.subscribe(ada, w.feed("a"))
		w.subscribe(bob, w.feed("b"))
		w.pause(bob, parisMidnight.Add(5*day), noon)
		late := parisMidnight.Add(time.Minute)
		w.pause(ada, parisMidnight.Add(5*day), late)
		w.setZone(bob, "Europe/Berlin", late)
		want(w, "asked", fmt.Sprint(w.nights(late, 1, nil)), "[19 a 19 b]")
	})
}

// A pause that skips no midnight is followed by an ordinary edition, whether it ends by time or by the reader.
func TestShortPauseIsNotBound(t *testing.T) {
	each(t, func(w world) {
		ada, bob, f := w.reader("ada"), w.reader("bob"), w.feed("f")
		w.subscribe(ada, f)
		w.subscribe(bob, f)
		w.posted(f, "p")
		w.pause(ada, noon.Add(2*time.Hour), noon)
		w.pause(bob, noon.Add(5*day), noon)
		now := noon.Add(3 * time.Hour)
		w.endPauses(now)
		w.ok(w.Readers.ResumeDigest(w.ctx, bob.ID, now))
		w.nights(parisMidnight, 1, nil)
		want(w, "editions", w.editions(ada)+"; "+w.editions(bob), "2026-11-20 p; 2026-11-20 p")
		want(w, "bound", w.bound(ada)+w.bound(bob), "")
	})
}
