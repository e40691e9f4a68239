package store_test

import (
	"fmt"
	"testing"
	"time"

	"digest"
)

// TestIssuesOfAWrongClock runs the hour more than a year ahead, and then for twelve days at the true time. The post
// reaches the member and the archive, in the issue that the wrong clock made or in a later one, and never twice.
// No issue leaves while its newsletter is locked.
func TestIssuesOfAWrongClock(t *testing.T) {
	type change = func(w world, n digest.Newsletter, now time.Time)
	setState := func(state digest.NewsletterState) change {
		return func(w world, n digest.Newsletter, now time.Time) {
			w.ok(w.SetNewsletterState(w.ctx(), n.ID, state, "spam", now))
		}
	}
	hold, release := setState(digest.NewsletterHeld), setState(digest.NewsletterActive)
	approve := func(w world, n digest.Newsletter, now time.Time) {
		_, err := w.ApproveNewsletterLetter(w.ctx(), n.ID, parisDay.Plus(-1), now) // an hour before, it was 19 November
		w.ok(err)
	}
	const first = "2026-11-19 p"
	for name, c := range map[string]struct {
		approveWithin time.Duration
		before        change         // while the clock is wrong
		changes       map[int]change // by the hour
		left          int            // the hour in which the member's issue is sent
		issues        string
	}{
		"active":      {left: 0, issues: first},
		"held before": {before: hold, changes: map[int]change{5: release}, left: 5, issues: first},
		"held for days": {before: hold, changes: map[int]change{50: release},
			left: 72 + 7, issues: first + "; 2026-11-23 +p"},
		"held afterwards": {approveWithin: time.Hour, changes: map[int]change{1: hold, 30: release},
			left: 48 + 8, issues: first + "; 2026-11-22 +p"},
		"approval of 18 h": {approveWithin: digest.MaxApproval, left: 18, issues: first},
		"approved": {approveWithin: digest.MaxApproval, changes: map[int]change{3: approve}, left: 3,
			issues: first},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(w world) {
				f := w.feed("anna.example")
				n := w.newsletter("anna-writes", w.reader("anna", "Europe/Paris"), f)
				n.ApproveWithin, n.DeliverAt = c.approveWithin, 7*time.Hour
				w.ok(w.SetNewsletter(w.ctx(), n, noon))
				m := w.member(n, "mo@example.org", "Europe/Paris")
				own := w.reader("ada", "Europe/Paris")
				w.subscribe(own, f)
				w.record(noon, f, posts(noon, "p"))
				wrong := parisMidnight.Add(400 * day)
				w.hour(wrong)
				if c.before != nil {
					c.before(w, n, wrong)
				}
				left := make(map[digest.DigestID][]int)
				for step, hour := 1, 0; hour < 12*24; hour += step {
					if hour == 4*24 {
						step = 24
					}
					now := parisMidnight.Add(time.Duration(hour) * time.Hour)
					if change := c.changes[hour]; change != nil {
						change(w, n, now)
					}
					w.restart(now)
					w.hour(now)
					for _, e := range w.send(now) {
						left[e.DigestID] = append(left[e.DigestID], hour)
					}
				}
				want(t, "hours in which the reader's edition left", fmt.Sprint(left[own.ID]), "[0]")
				want(t, "hours in which the issue left", fmt.Sprint(left[m.DigestID]), fmt.Sprint([]int{c.left}))
				want(t, "issues", w.shown(digest.Digest{ID: m.DigestID}), c.issues)
				archived, err := w.LettersLeft(w.ctx(), n, parisMidnight.Add(12*day), 9)
				w.ok(err)
				want(t, "issues in the archive", len(archived), 1)
			})
		})
	}
}
