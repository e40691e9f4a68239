package edition

import (
	"slices"

	"digest"
)

// isRolledUp reports whether an edition has the collected posts of a roll-up among others of fewer days.
func isRolledUp(own digest.Subscription, e digest.Edition) bool {
	const week = 7
	first, _ := e.Days()
	return own.RollUp > 0 && first.Until(e.LocalDate) < week && own.RollsUp(first, e.LocalDate)
}

// withoutRollUps removes the waiting posts of roll-ups that an edition will not have.
func withoutRollUps(refs []digest.PostRef, settings map[digest.FeedID]digest.Subscription,
	e digest.Edition) []digest.PostRef {
	first, _ := e.Days()
	return slices.DeleteFunc(refs, func(r digest.PostRef) bool {
		return !r.Carried && !settings[r.FeedID].RollsUp(first, e.LocalDate)
	})
}
