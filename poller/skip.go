package poller

import (
	"time"

	"digest"
)

const (
	oneDay   = 24 * time.Hour
	allHours = 1<<24 - 1

	// beforeClosing is the length of the slot before the last hour in which a
	// feed may be asked that must not be at midnight: as much as a midnight has
	// to its deadline.
	beforeClosing = 30 * time.Minute
)

// skipped reports whether f does not want to be asked at t (skipHours and
// skipDays, which speak of UTC). Who skips all hours, or all days, means none.
func skipped(f digest.Feed, t time.Time) bool {
	t = t.UTC()
	return f.SkipHours&allHours != allHours && f.SkipHours&(1<<t.Hour()) != 0 ||
		f.SkipDays&digest.EveryDay != digest.EveryDay && f.SkipDays.Has(t.Weekday())
}

// opening is when a feed that is skipped at t is asked next: in the first hour
// in which it may be.
func (s Spread) opening(f digest.Feed, t time.Time) time.Time {
	hour := t.UTC().Truncate(time.Hour)
	for skipped(f, hour) {
		hour = hour.Add(time.Hour)
	}
	if s.NoWait {
		return latest(hour, t)
	}
	const most = time.Hour - jitterMost - 3*time.Minute // all of it in this hour
	return latest(quiet(hour.Add(share(f.ID, min(s.Window, most))).Add(s.jitter()), f.ID), t)
}

// closing is when the skipped time around t begins.
func closing(f digest.Feed, t time.Time) time.Time {
	hour := t.UTC().Truncate(time.Hour)
	for t.Sub(hour) < oneDay && skipped(f, hour.Add(-time.Hour)) {
		hour = hour.Add(-time.Hour)
	}
	return hour
}

// beforeSkipped is when a feed is asked that must not be at the coming
// midnight: in the last minutes before its skipped time. If the time for that
// has passed, or comes too early, the midnight a day later is looked at in the
// same way. Zero if a midnight asks the feed by itself.
func (n extraPoll) beforeSkipped() time.Time {
	if n.f.SkipHours == 0 && n.f.SkipDays == 0 {
		return time.Time{}
	}
	due := n.due
	for range 8 + int(n.askable.Sub(n.now)/oneDay) {
		if _, ok := n.inTime(n.f, due, n.askable); ok && !skipped(n.f, due) {
			return time.Time{}
		}
		if at, ok := n.lastMinutes(due); ok && skipped(n.f, due) {
			return at
		}
		due = due.Add(oneDay)
	}
	return time.Time{}
}

// lastMinutes is the slot before the skipped time around a midnight, a day
// before it at most: at the end of the last hour but one, so that an instance
// that only wakes on the hour finds it in the last. A clock that stands still
// may not move again until the hour is over, so there it is its beginning.
func (n extraPoll) lastMinutes(due time.Time) (time.Time, bool) {
	end := closing(n.f, due)
	if n.NoWait {
		at := end.Add(-time.Hour)
		return at, !n.askable.After(at) && due.Sub(at) <= oneDay
	}
	at := end.Add(-time.Hour - beforeClosing)
	if skipped(n.f, at) { // this hour is all there is
		at = end.Add(-beforeClosing)
	}
	if due.Sub(at) > oneDay || n.f.LastAttemptAt.After(at) { // asked in it already
		return time.Time{}, false
	}
	width := min(n.Window, beforeClosing-jitterMost-3*time.Minute)
	at = quiet(latest(at.Add(share(n.f.ID, width)).Add(n.jitter()), n.askable), n.f.ID)
	return at, at.Before(end.Add(-2 * time.Minute)) // not in :58, see quiet
}

// beside makes t fit for a poll beside the hour: quiet, and not skipped.
func (s Spread) beside(f digest.Feed, t time.Time) time.Time {
	if !s.NoWait {
		t = quiet(t, f.ID)
	}
	if skipped(f, t) {
		return s.opening(f, t)
	}
	return t
}
