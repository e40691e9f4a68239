package store_test

import (
	"testing"
	"time"

	"digest"
)

func TestMailOff(t *testing.T) {
	each(t, func(w world) {
		ada := w.released(3)[0]
		now := parisMidnight.Add(time.Hour)
		want(w, "at first", w.again(ada).Mailed, true)
		w.ok(w.Readers.SetMailed(w.ctx, ada.ID, false, now))
		want(w, "switched", w.again(ada).Mailed, false)
		all := must(w.Editions.Editions(w.ctx, ada.ID, 9))
		want(w, "what was ready", all[0].State, digest.EditionUnmailed)
		want(w, "why", all[0].Error, "web only")
		want(w, "the others'", len(w.claimEditions(now, 9, "t")), 2)
	})
}

// TestMailOffOnTheWay: the final dot of an edition that a mailer holds is refused.
func TestMailOffOnTheWay(t *testing.T) {
	each(t, func(w world) {
		ada := w.released(1)[0]
		now := parisMidnight.Add(time.Hour)
		taken := w.claimEditions(now, 9, "t")
		w.ok(w.Readers.SetMailed(w.ctx, ada.ID, false, now))
		want(w, "refused", len(w.dot(now, "t", taken[0].ID)), 0)
		e := w.edition(taken[0].ID)
		want(w, "state", e.State, digest.EditionUnmailed)
		want(w, "why", e.Error, "web only")
		w.ok(w.Readers.SetMailed(w.ctx, ada.ID, true, now))
		want(w, "stays", w.edition(taken[0].ID).State, digest.EditionUnmailed)
		want(w, "nothing to send", len(w.claimEditions(now.Add(48*time.Hour), 9, "u")), 0)
	})
}

// TestMailOffSeals: editions of a digest without email are created, but never emailed and never carried. After email
// is turned on, the next edition is emailed.
func TestMailOffSeals(t *testing.T) {
	each(t, func(w world) {
		ada, f := w.follows()
		w.posted(f, "a")
		w.hour(parisMidnight)
		w.exec(`UPDATE editions SET state = 'expired', undelivered = 1`) // it was never sent
		w.ok(w.Readers.SetMailed(w.ctx, ada.ID, false, parisMidnight.Add(time.Hour)))
		w.holds("does not wait to be carried", 1,
			`SELECT count(*) FROM editions WHERE state = 'unmailed' AND error = 'web only'`)
		day := parisMidnight.Add(day)
		w.record(day.Add(-time.Hour), f, posts(day.Add(-time.Hour), "b"), "a")
		w.hour(day)
		w.holds("sealed so", 2, `SELECT count(*) FROM editions WHERE state = 'unmailed' AND error = 'web only'`)
		w.ok(w.Readers.SetMailed(w.ctx, ada.ID, true, day.Add(time.Hour)))
		day = day.Add(24 * time.Hour)
		w.record(day.Add(-time.Hour), f, posts(day.Add(-time.Hour), "c"), "a", "b")
		w.hour(day)
		want(w, "nothing is carried", w.shown(ada), "2026-11-20 a; 2026-11-21 b; 2026-11-22 c")
		want(w, "mailed again", len(w.claimEditions(day, 9, "t")), 1)
	})
}
