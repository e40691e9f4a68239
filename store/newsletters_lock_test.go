package store_test

import (
	"fmt"
	"testing"
	"time"

	"digest"
)

// TestNoIssueLeavesEarly creates an issue for each length of approval, delivered at midnight and at 07:00, for a
// member in Auckland. At every minute around the midnight, and then around every hour of a day, it does what a
// restarted serve and two workers do. No issue may be claimed before its time, and each must be claimed at it.
func TestNoIssueLeavesEarly(t *testing.T) {
	each(t, func(w world) {
		midnight := noon.Truncate(day).Add(35 * time.Hour) // in Auckland, in summer
		anna, f := w.reader("anna", "UTC"), w.feed("anna.example")
		due := make(map[digest.DigestID]time.Time)
		for hours := range 19 {
			for _, deliverAt := range []time.Duration{0, 7 * time.Hour} {
				n := w.newsletter(fmt.Sprintf("approve-%d-%.0f", hours, deliverAt.Hours()), anna, f)
				n.ApproveWithin, n.DeliverAt = time.Duration(hours)*time.Hour, deliverAt
				w.ok(w.Newsletters.SetNewsletter(w.ctx, n, noon))
				m := w.member(n, fmt.Sprintf("%s@example.org", n.Slug), "Pacific/Auckland")
				due[m.DigestID] = midnight.Add(deliverAt + n.ApproveWithin)
			}
		}
		w.posted(f, "p")
		w.hour(midnight)
		for minute := range 26 * 60 {
			now := midnight.Add(time.Duration(minute) * time.Minute)
			if near := (minute+2)%60 <= 4; minute > 65 && !near {
				continue
			}
			for _, worker := range []string{"a", "b"} {
				for _, d := range w.claimEditions(now, 1000, worker) {
					if want, known := due[d.DigestID]; !known || !now.Equal(want) {
						w.Errorf("the issue of %s was claimed %v after midnight, want %v", d.Email, now.Sub(midnight),
							want.Sub(midnight))
					}
					delete(due, d.DigestID)
					w.dot(now, worker, d.ID)
					w.mark(now, worker, digest.Mark{ID: d.ID, State: digest.EditionSent})
				}
			}
		}
		want(w, "issues that never left", len(due), 0)
	})
}

// TestLockedIssues: no claim returns an issue that its newsletter may not send, even if a fault has made it due. The
// issue is sent once the newsletter may send it.
func TestLockedIssues(t *testing.T) {
	type change = func(w world, n digest.Newsletter)
	setState := func(state digest.NewsletterState) change {
		return func(w world, n digest.Newsletter) {
			w.setNewsletter(n, state, "spam", parisMidnight)
		}
	}
	hold, release := setState(digest.NewsletterHeld), setState(digest.NewsletterActive)
	approve := func(w world, n digest.Newsletter) {
		must(w.Newsletters.ApproveNewsletterLetter(w.ctx, n.ID, digest.DateOf(parisMidnight.Add(time.Hour)),
			parisMidnight))
	}
	cases := map[string]struct {
		approveWithin time.Duration
		lock, unlock  change
		left          int // emails sent after unlock
	}{
		"held": {lock: hold, unlock: release, left: 1},
		"held in a lease": {lock: func(w world, n digest.Newsletter) {
			w.claimEditions(parisMidnight, 10, "a")
			hold(w,
				n)
		}, unlock: release, left: 1},
		"pending again": {lock: setState(digest.NewsletterPending), unlock: release, left: 1},
		"ended":         {lock: setState(digest.NewsletterEnded), unlock: release, left: 0},
		"not approved":  {approveWithin: 6 * time.Hour, unlock: approve, left: 1},
		"held, unapproved": {approveWithin: 6 * time.Hour, lock: hold,
			unlock: func(w world, n digest.Newsletter) { approve(w, n); release(w, n) }, left: 1},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			each(t, func(w world) {
				f := w.feed("anna.example")
				n := w.newsletter("anna-writes", w.reader("anna", "UTC"), f)
				n.ApproveWithin = c.approveWithin
				w.ok(w.Newsletters.SetNewsletter(w.ctx, n, noon))
				w.member(n, "ada@example.org", "Europe/Paris")
				w.posted(f, "p")
				w.hour(parisMidnight)
				if c.lock != nil {
					c.lock(w, n)
				}
				for minute := range 5 {
					now := parisMidnight.Add(time.Duration(minute) * time.Minute)
					w.exec(`UPDATE editions SET next_at = 0 WHERE state = 'ready'`)
					w.restart(now)
					want(w, "claimed while locked", len(w.claimEditions(now, 10, "b")), 0)
					want(w, "claimed again", len(w.claimEditions(now, 10, "b")), 0)
				}
				c.unlock(w, n)
				now := parisMidnight.Add(10 * time.Minute)
				w.restart(now)
				want(w, "claimed after", len(w.claimEditions(now, 10, "b")), c.left)
			})
		})
	}
}

// restart changes the database as a starting serve does.
func (w world) restart(now time.Time) {
	w.Helper()
	must2(w.Editions.RecoverEditions(w.ctx, now, false))
}
