package calendar

import (
	"time"

	"digest"
)

// Believable reports whether a clock can be right: this program was not written
// before 2026. A machine without a battery begins in 1970 or 2000.
func Believable(now time.Time) bool { return now.Year() >= 2026 }

// lookBack is how long a midnight may have passed that a wrong clock has
// skipped, and still get its edition.
const lookBack = 24 * time.Hour

// ancient is how long ago no digest is due: nobody who comes back after so long
// wants all of it.
const ancient = 10 * 366 * 24 * time.Hour

// Honest gives a schedule as it would be without the clocks that were wrong.
// LastDueAt is the last midnight that was released, as far as that can be true. A
// digest that is due later than its first midnight without an edition (I1) is due
// at that midnight, even if it passed within the last day, but not before since. It
// is said whether anything is another than before.
func (s Schedule) Honest(now, since time.Time, hasEdition func(digest.Date) bool) (honest Schedule, changed bool) {
	was := s
	if next := s.next(now); s.AsksAt.After(next) {
		s.AsksAt = next
	}
	if s.State == digest.DigestActive && s.lost(now, hasEdition) {
		after := now.Add(-lookBack)
		if since.After(after) {
			after = since
		}
		s.NextDueAt = s.first(after, hasEdition)
	}
	return s, !s.NextDueAt.Equal(was.NextDueAt) || !s.AsksAt.Equal(was.AsksAt)
}

// lost reports whether the digest is due at an instant at which no right clock
// would have it due.
func (s Schedule) lost(now time.Time, hasEdition func(digest.Date) bool) bool {
	return now.Sub(s.NextDueAt) > ancient || s.NextDueAt.After(s.next(now)) && s.NextDueAt.After(s.first(now, hasEdition))
}

// first is the first midnight after an instant, and after the one released last,
// whose date has no edition.
func (s Schedule) first(after time.Time, hasEdition func(digest.Date) bool) time.Time {
	s.PausedUntil = time.Time{}
	return s.Due(after, hasEdition)
}
