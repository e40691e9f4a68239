package edition

import (
	"slices"
	"time"

	"digest"
)

// since returns the date of the midnight before an edition, whatever its zone. Midnights are about whole days apart.
func since(e digest.Edition) digest.Date {
	days := 1
	if !e.PrevDueAt.IsZero() {
		days = int((e.DueAt.Sub(e.PrevDueAt) + 12*time.Hour) / (24 * time.Hour))
	}
	return e.LocalDate.Plus(-days)
}

// isRolledUp reports whether an edition has the collected posts of a roll-up among others of fewer days.
func isRolledUp(own digest.Subscription, e digest.Edition) bool {
	const week = 7
	return own.RollUp > 0 && since(e).Until(e.LocalDate) < week && own.RollsUp(since(e), e.LocalDate)
}

// withoutRollUps removes the waiting posts of roll-ups that an edition will not have.
func withoutRollUps(refs []digest.PostRef, settings map[digest.FeedID]digest.Subscription,
	e digest.Edition) []digest.PostRef {
	return slices.DeleteFunc(refs, func(r digest.PostRef) bool {
		return !r.Carried && !settings[r.FeedID].RollsUp(since(e), e.LocalDate)
	})
}
