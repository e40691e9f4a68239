package calendar

import (
	"slices"
	"time"

	"digest"
)

// Believable reports whether a clock can be right: this program was not written
// before 2026. A machine without a battery begins in 1970 or 2000.
func Believable(now time.Time) bool { return now.Year() >= 2026 }

// pruneStep is how much later the time of one pruning is than that of the last, at most.
const pruneStep = 7 * 24 * time.Hour

// PruneTime is the time by which it is judged how old something is that would be
// deleted, last being that of the last time; zero: there was none. Pruning is done every
// hour, so this is now, as a rule. After a jump it comes a week nearer at each time: a
// clock that is years ahead deletes little before somebody notices, and an instance
// that was off for a year has caught up within days.
func PruneTime(now, last time.Time) time.Time {
	if step := last.Add(pruneStep); !last.IsZero() && now.After(step) {
		return step
	}
	return now
}

// ancient is how long ago no digest is due: nobody who comes back after so long
// wants all of it.
const ancient = 10 * 366 * 24 * time.Hour

// An Issue is a midnight of a digest that was released, by whatever clock.
type Issue struct {
	DueAt      time.Time
	ReleasedAt time.Time   // zero: nobody knows
	Date       digest.Date // of its edition; zero: it had none
}

// True reports whether a clock that is right can have released a midnight by now. An
// edition that has the date of its own midnight is true from then on, whenever it was
// made; one that has the date of a later day was made when that had begun.
func (i Issue) True(now time.Time, zone *time.Location) bool {
	late := now.Add(digest.ClockSlack)
	if i.DueAt.After(now) || i.ReleasedAt.After(late) {
		return false
	}
	return !Latest(i.DueAt).Before(i.Date) || !Begins(i.Date, zone).After(late)
}

// lastTrue gives the last midnight that was truly released; zero: none was.
func (s Schedule) lastTrue(now time.Time, issues []Issue) (last time.Time) {
	for _, i := range issues {
		if i.True(now, s.Zone) && i.DueAt.After(last) {
			last = i.DueAt
		}
	}
	return last
}

// Honest gives a schedule as it would be without the clocks that were wrong; issues
// are its midnights that were released of late. A digest that is due later than its
// first midnight without an edition (I1) is due at that midnight: even if it is the
// last that has passed, or one that a clock which was fast has released, but not
// before since. LastDueAt becomes the last midnight that was truly released. It is
// said whether the rest is another than before.
func (s Schedule) Honest(now, since time.Time, issues []Issue) (honest Schedule, changed bool) {
	was := s
	if next := s.asks(now); s.NextPollAt.After(next) {
		s.NextPollAt = next
	}
	s.LastDueAt = s.lastTrue(now, issues)
	hasEdition := func(d digest.Date) bool {
		return slices.ContainsFunc(issues, func(i Issue) bool { return i.Date == d })
	}
	after, robbed := s.lastPassed(now).Add(-time.Second), false
	for _, i := range issues {
		if i.True(now, s.Zone) || !i.DueAt.After(s.LastDueAt) || i.DueAt.After(now) {
			continue
		}
		robbed = true
		if before := i.DueAt.Add(-time.Second); before.Before(after) {
			after = before
		}
	}
	if since.After(after) {
		after = since
	}
	first := s.first(after, hasEdition)
	if s.State == digest.DigestActive && (s.lost(now, hasEdition) || robbed && s.NextDueAt.After(first)) {
		s.NextDueAt = first
	}
	return s, !s.NextDueAt.Equal(was.NextDueAt) || !s.NextPollAt.Equal(was.NextPollAt)
}

// lost reports whether the digest is due at an instant at which no right clock
// would have it due.
func (s Schedule) lost(now time.Time, hasEdition func(digest.Date) bool) bool {
	return now.Sub(s.NextDueAt) > ancient || s.NextDueAt.After(s.next(now)) &&
		s.NextDueAt.After(s.first(now, hasEdition))
}

// lastPassed is the last of the digest's midnights that has come.
func (s Schedule) lastPassed(now time.Time) time.Time {
	days := 15 // once a week, and a date left out
	if s.Cadence.IsMonthly() {
		days = mostDays
	}
	last, _ := Passed(s.next(now.AddDate(0, 0, -days)), now, s.Zone, s.Cadence)
	return last
}

// first is the first midnight after an instant, and after the one released last,
// whose date has no edition.
func (s Schedule) first(after time.Time, hasEdition func(digest.Date) bool) time.Time {
	s.PausedUntil = time.Time{}
	return s.Due(after, hasEdition)
}

// TooFar reports whether a date is more than a week ahead. The edition of a nearer date waits for it.
func TooFar(d digest.Date, now time.Time, zone *time.Location) bool {
	return digest.DateOf(now.In(zone)).Plus(7).Before(d)
}

// LongestRetry is longer than a mailer waits before it tries an edition again.
const LongestRetry = 5 * time.Hour

// A Mailing describes when an edition is sent, and what decides it.
type Mailing struct {
	Date      digest.Date
	DueAt     time.Time     // the midnight of its posts
	Hour      time.Duration // at which the reader wants email
	NextDueAt time.Time     // the next midnight of the digest
	Issue     bool          // it is an issue of a newsletter
	Wait      time.Duration // of an issue for approval
	Locked    bool          // the newsletter may not send the issue, even at SendAt

	SendAt, NextAt, ExpiresAt time.Time
}

// Honest returns m as a right clock plans it, and whether m has changed. It changes m only if no person and no mailer
// can have chosen its time. A person chooses an hour of the date, in any zone, and for an issue a wait of MaxApproval.
// Both count from now if the edition is made late. A locked issue waits until it expires, so its NextAt does not count.
func (m Mailing) Honest(now time.Time, zone *time.Location) (honest Mailing, changed bool) {
	if TooFar(m.Date, now, zone) {
		m.Date = digest.DateOf(m.DueAt.In(zone))
	}
	last := later(now, Begins(m.Date.Plus(1), time.UTC).Add(farthestWest)).Add(LongestRetry)
	if m.Issue {
		last = last.Add(digest.MaxApproval)
	}
	if !m.SendAt.After(last) && (m.Locked || !m.NextAt.After(last)) {
		return m, false
	}
	send, expires := Sending(m.Date, m.Hour, m.NextDueAt, now, zone)
	send, expires = Waiting(send, expires, m.Wait)
	if m.SendAt.After(send) {
		m.SendAt = send
	}
	m.NextAt, m.ExpiresAt = later(m.SendAt, now), expires
	if m.Locked {
		m.NextAt = expires
	}
	return m, true
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
