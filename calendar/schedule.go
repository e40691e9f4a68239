package calendar

import (
	"fmt"
	"time"

	"digest"
)

// A Schedule is what decides when a digest is due, and when its feeds are asked
// while it pauses. Its methods give the schedule that follows from a decision of
// its reader; when the digest is due by it, Due says.
type Schedule struct {
	Zone      *time.Location
	Cadence   digest.Cadence
	State     digest.DigestState
	NextDueAt time.Time // its next midnight
	LastDueAt time.Time // the midnight released last; zero: none was
	Planned   bool      // its feeds have been queued for NextDueAt

	PausedUntil time.Time // when a pause ends; zero: none does
	PausedAt    time.Time // when what waits began to gather; zero: nothing is to be bound
	PausedTo    time.Time // when that ended; zero: it goes on
	// the next midnight that polls its feeds while it is paused, or appears rarely (Gathering); zero: none
	NextPollAt time.Time
}

// Passed reports whether the digest's midnight has passed, and its edition is
// still to be made.
func (s Schedule) Passed(now time.Time) bool {
	return s.State == digest.DigestActive && !s.NextDueAt.After(now)
}

// Due is when the digest is due: at its first midnight after now, or from the
// end of its pause on, that begins a day of its cadence and a date without an edition
// (I1). It is later than the midnight released last even if the clock is not:
// two editions of one midnight would hold the same posts (I4).
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

// asks is the midnight after an instant at which its feeds are asked.
func (s Schedule) asks(after time.Time) time.Time { return Next(after, s.Zone, Gathering(s.Cadence)) }

// longestPause is how far ahead a pause may end: what waits is kept so long, and
// its feeds are asked for somebody who does not read.
const longestPause = 400 * 24 * time.Hour

// CheckPause refuses an end of a pause that is past or too far ahead; zero, for
// none, is well.
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

// Pause is the schedule of a digest that pauses until a time, or without an end
// if that is zero. Gathering begins with a pause that has an end, and goes on
// through what changes that.
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

// firstAsk is the midnight at which the feeds of a digest that pauses are asked
// first: the one it was due at, if that is still to be planned.
func (s Schedule) firstAsk(now time.Time) time.Time {
	switch {
	case !s.NextPollAt.IsZero():
		return s.NextPollAt
	case s.State == digest.DigestActive && (s.NextDueAt.After(now) || !s.Planned):
		return s.NextDueAt
	}
	return s.asks(now)
}

// Resume is the schedule of a digest that is active again, due at its first
// midnight after an instant; to is when what it gathered ends. Where its pause
// has passed over no midnight, there is nothing to be bound.
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

// Leave is the schedule of a digest that its reader has left.
func (s Schedule) Leave() Schedule {
	return Schedule{Zone: s.Zone, Cadence: s.Cadence, State: digest.DigestLeft, NextDueAt: s.NextDueAt,
		LastDueAt: s.LastDueAt, Planned: s.Planned}
}

// On is the schedule of a digest that appears by another cadence.
func (s Schedule) On(c digest.Cadence, now time.Time) Schedule {
	s.Cadence = c
	return s.askAgain(now)
}

// In is the schedule of a digest whose reader has gone to another zone. A pause
// that ends as a date begins ends as the same date begins there.
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

// askAgain moves the midnight at which the feeds of a digest are asked although it does
// not appear to where its zone and cadence have moved it. One that has passed is still asked.
func (s Schedule) askAgain(now time.Time) Schedule {
	switch between := Between(now, s.Zone, s.Cadence); {
	case s.NextPollAt.After(now) && s.State == digest.DigestPaused:
		s.NextPollAt = s.asks(now)
	case s.State == digest.DigestActive && (between.IsZero() || s.NextPollAt.IsZero() || s.NextPollAt.After(now)):
		s.NextPollAt = between
	}
	return s
}
