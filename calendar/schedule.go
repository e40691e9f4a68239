package calendar

import (
	"fmt"
	"time"

	"digest"
)

// A Schedule describes when a digest is due, and when its feeds are polled during a pause. Its methods return the
// schedule after a decision of the reader. Due then returns the next due date.
type Schedule struct {
	Zone      *time.Location
	Cadence   digest.Cadence
	State     digest.DigestState
	NextDueAt time.Time
	LastDueAt time.Time // the midnight released last; zero if none
	Planned   bool      // its feeds have been queued for NextDueAt

	PausedUntil time.Time // the end of a pause; zero if it has none
	PausedAt    time.Time // from when it collects posts for the edition after a pause; zero if it does not
	PausedTo    time.Time // when the collection ended; zero while it continues
	// the next midnight that polls its feeds while it is paused, or appears rarely (Gathering); zero if none
	NextPollAt time.Time
}

// Passed reports whether the digest is active and its midnight has passed.
func (s Schedule) Passed(now time.Time) bool {
	return s.State == digest.DigestActive && !s.NextDueAt.After(now)
}

// Due returns the first midnight after now, or from the end of the pause, that begins a day of the cadence and a date
// without an edition (I1). The result is always after LastDueAt, even if the clock went back. Two editions of one
// midnight would contain the same posts (I4).
func (s Schedule) Due(now time.Time, hasEdition func(digest.Date) bool) time.Time {
	after := now
	if !s.PausedUntil.IsZero() {
		after = s.PausedUntil.Add(-time.Second)
	}
	if s.LastDueAt.After(after) {
		after = s.LastDueAt
	}
	due := s.next(after)
	for hasEdition(digest.DateOf(due.In(s.Zone))) {
		due = s.next(due)
	}
	return due
}

func (s Schedule) next(after time.Time) time.Time { return Next(after, s.Zone, s.Cadence) }

// asks returns the next midnight at which the feeds are polled.
func (s Schedule) asks(after time.Time) time.Time { return Next(after, s.Zone, Gathering(s.Cadence)) }

// longestPause limits a pause, because the instance stores its posts and polls its feeds for an absent reader.
const longestPause = 400 * 24 * time.Hour

// CheckPause rejects an end of a pause that is past or too far ahead. It accepts zero, a pause without an end.
func CheckPause(until, now time.Time) error {
	switch {
	case until.IsZero():
	case !until.After(now):
		return invalid("the end of a pause must be in the future, not " + until.Format(time.DateTime))
	case until.Sub(now) > longestPause:
		return invalid(fmt.Sprintf("a pause can last %d days at most; name a date before %s",
			longestPause/(24*time.Hour),
			now.Add(longestPause).Format(time.DateOnly)))
	}
	return nil
}

// Pause returns the schedule of a digest that pauses until a time, or without an end if until is zero. A pause with an
// end starts to collect posts. A later change of the end continues the same collection.
func (s Schedule) Pause(until, now time.Time) Schedule {
	p := s
	p.State, p.PausedUntil, p.NextPollAt = digest.DigestPaused, until, time.Time{}
	switch {
	case !until.IsZero():
		p.NextPollAt, p.PausedTo = s.firstAsk(now), time.Time{}
		if p.PausedAt.IsZero() {
			p.PausedAt = now
		}
	case !p.PausedAt.IsZero() && p.PausedTo.IsZero():
		p.PausedTo = now
	}
	return p
}

// firstAsk returns the first midnight at which the feeds of a pausing digest are polled: its due date, if that is not
// planned yet.
func (s Schedule) firstAsk(now time.Time) time.Time {
	switch {
	case !s.NextPollAt.IsZero():
		return s.NextPollAt
	case s.State == digest.DigestActive && (s.NextDueAt.After(now) || !s.Planned):
		return s.NextDueAt
	}
	return s.asks(now)
}

// Resume returns the schedule of a digest that is active again. It is due at its first midnight after an instant. to is
// the end of the collected posts. If no midnight passed during the pause, there is no collection.
func (s Schedule) Resume(after, to time.Time) Schedule {
	if !s.PausedAt.IsZero() {
		switch {
		case s.next(s.PausedAt).After(after):
			s.PausedAt, s.PausedTo = time.Time{}, time.Time{}
		case s.PausedTo.IsZero():
			s.PausedTo = to
		}
	}
	s.State, s.PausedUntil, s.NextPollAt = digest.DigestActive, time.Time{}, Between(after, s.Zone, s.Cadence)
	return s
}

// Leave returns the schedule of a digest after its reader has left it.
func (s Schedule) Leave() Schedule {
	return Schedule{Zone: s.Zone, Cadence: s.Cadence, State: digest.DigestLeft, NextDueAt: s.NextDueAt,
		LastDueAt: s.LastDueAt, Planned: s.Planned}
}

// On returns the schedule with another cadence.
func (s Schedule) On(c digest.Cadence, now time.Time) Schedule {
	s.Cadence = c
	return s.askAgain(now)
}

// In returns the schedule in another zone. If a pause ends at the beginning of a date, it ends at the beginning of the
// same date in the new zone.
func (s Schedule) In(loc *time.Location, now time.Time) Schedule {
	if !s.PausedUntil.IsZero() {
		day := digest.DateOf(s.PausedUntil.In(s.Zone))
		if Begins(day, s.Zone).Equal(s.PausedUntil) {
			s.PausedUntil = Begins(day, loc)
		}
	}
	s.Zone = loc
	return s.askAgain(now)
}

// askAgain recomputes NextPollAt after a change of the zone or the cadence. A NextPollAt that has passed stays, so that
// its poll still happens.
func (s Schedule) askAgain(now time.Time) Schedule {
	switch between := Between(now, s.Zone, s.Cadence); {
	case s.NextPollAt.After(now) && s.State == digest.DigestPaused:
		s.NextPollAt = s.asks(now)
	case s.State == digest.DigestActive && (between.IsZero() || s.NextPollAt.IsZero() || s.NextPollAt.After(now)):
		s.NextPollAt = between
	}
	return s
}
