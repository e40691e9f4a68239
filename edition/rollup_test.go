package edition

import (
	"testing"
	"time"

	"digest"
)

// TestRollUpOf: which editions have the posts of a roll-up, and which call them the week's.
func TestRollUpOf(t *testing.T) {
	sunday := digest.Date{Year: 2026, Month: 11, Day: 22}
	due := time.Date(2026, 11, 21, 23, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		days        digest.Weekdays
		date        digest.Date
		before      time.Duration // since the midnight before; 0: there was none
		comes, week bool
	}{
		"every day":             {0, sunday, 24 * time.Hour, true, false},
		"on its day":            {1 << time.Sunday, sunday, 24 * time.Hour, true, true},
		"the first edition":     {1 << time.Sunday, sunday, 0, true, true},
		"another first":         {1 << time.Monday, sunday, 0, false, false},
		"the day after":         {1 << time.Sunday, sunday.Plus(1), 24 * time.Hour, false, false},
		"in a night of 25 h":    {1 << time.Sunday, sunday.Plus(1), 25 * time.Hour, false, false},
		"in a night of 23 h":    {1 << time.Sunday, sunday, 23 * time.Hour, true, true},
		"after a weekend":       {1 << time.Sunday, sunday.Plus(1), 72 * time.Hour, true, true},
		"after a pause":         {1 << time.Sunday, sunday.Plus(4), 5 * 24 * time.Hour, true, true},
		"in a weekly edition":   {1 << time.Sunday, sunday.Plus(3), 7 * 24 * time.Hour, true, false},
		"in a monthly edition":  {1 << time.Sunday, sunday.Plus(3), 30 * 24 * time.Hour, true, false},
		"a second on that date": {1 << time.Sunday, sunday, time.Hour, true, true},
	} {
		e := digest.Edition{LocalDate: c.date, DueAt: due}
		if c.before > 0 {
			e.PrevDueAt = due.Add(-c.before)
		}
		own := digest.Subscription{FeedID: 1, RollUp: c.days}
		refs := withoutRollUps([]digest.PostRef{{PostID: 1, FeedID: 1}, {PostID: 2, FeedID: 1, Carried: true}},
			map[digest.FeedID]digest.Subscription{1: own}, e)
		if comes, week := len(refs) == 2, isRolledUp(own, e); comes != c.comes || week != c.week {
			t.Errorf("%s: comes %v, week %v; want %v, %v", name, comes, week, c.comes, c.week)
		}
	}
}
