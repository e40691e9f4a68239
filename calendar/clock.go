package calendar

import (
	"slices"
	"time"

	"digest"
)

// Believable reports whether a clock can be right: this program did not exist before 2026. A machine without a
// real-time clock starts in 1970 or 2000.
func Believable(now time.Time) bool { return now.Year() >= 2026 }

// pruneStep bounds the difference between the times of two prunings.
const pruneStep = 7 * 24 * time.Hour

// PruneTime returns the time from which pruning computes ages. last is the time of the previous pruning, zero if there
// was none. Pruning runs every hour, so the result is usually now. After a jump of the clock it advances by one week
// each time. So a clock that is years ahead deletes little before the operator notices, and an instance that was off
// for a year catches up within days.
func PruneTime(now, last time.Time) time.Time {
	if step := last.Add(pruneStep); !last.IsZero() && now.After(step) {
		return step
	}
	return now
}

// ancient is the age from which a due date proves that a clock was wrong.
const ancient = 10 * 366 * 24 * time.Hour

// An Issue is a released midnight of a digest. The clock that released it may have been wrong.
type Issue struct {
	DueAt      time.Time
	ReleasedAt time.Time   // zero if unknown
	Date       digest.Date // of its edition; zero if it had none
}

// True reports whether a right clock can have released the midnight by now. An edition with the date of its own
// midnight is valid from that midnight. An edition with a later date must have been released on that date.
func (i Issue) True(now time.Time, zone *time.Location) bool {
	late := now.Add(digest.ClockSlack)
	if i.DueAt.After(now) || i.ReleasedAt.After(late) {
		return false
	}
	return !Latest(i.DueAt).Before(i.Date) || !Begins(i.Date, zone).After(late)
}

func (s Schedule) lastTrue(now time.Time, issues []Issue) (last time.Time) {
	for _, i := range issues {
		if i.True(now, s.Zone) && i.DueAt.After(last) {
			last = i.DueAt
		}
	}
	return last
}

// Honest returns the schedule without the effects of wrong clocks, and whether it has changed. issues are the midnights
// of the digest that were released recently.
//
// If the digest is due later than its first midnight without an edition (I1), Honest moves it to that midnight. That
// can be the last midnight that has passed, or one that a fast clock has released, but not one before since. LastDueAt
// becomes the last midnight that a right clock released. A new LastDueAt alone does not count as a change.
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

func (s Schedule) lost(now time.Time, hasEdition func(digest.Date) bool) bool {
	return now.Sub(s.NextDueAt) > ancient || s.NextDueAt.After(s.next(now)) &&
		s.NextDueAt.After(s.first(now, hasEdition))
}

func (s Schedule) lastPassed(now time.Time) time.Time {
	days := 15 // two weeks of a weekly digest, and a skipped date
	if s.Cadence.IsMonthly() {
		days = mostDays
	}
	last, _ := Passed(s.next(now.AddDate(0, 0, -days)), now, s.Zone, s.Cadence)
	return last
}

// first returns the first midnight whose date has no edition, after an instant and after LastDueAt.
func (s Schedule) first(after time.Time, hasEdition func(digest.Date) bool) time.Time {
	s.PausedUntil = time.Time{}
	return s.Due(after, hasEdition)
}

// TooFar reports whether a date is more than a week ahead. The edition of a nearer date waits for it.
func TooFar(d digest.Date, now time.Time, zone *time.Location) bool {
	return digest.DateOf(now.In(zone)).Plus(7).Before(d)
}

// LongestRetry exceeds the longest delay before a mailer retries an edition.
const LongestRetry = 5 * time.Hour

// A Mailing describes when an edition is sent, and why.
type Mailing struct {
	Date      digest.Date
	DueAt     time.Time     // the midnight at which its posts were collected
	Hour      time.Duration // at which the reader wants email
	NextDueAt time.Time     // the next midnight of the digest
	Issue     bool          // an issue of a newsletter
	Wait      time.Duration
	Locked    bool // the newsletter may not send the issue, even at SendAt

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
