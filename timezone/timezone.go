// Package timezone says when a local day begins. It knows every zone of the
// IANA database, including those where midnight does not exist, comes twice,
// or where a whole date was left out, and it refuses names that are not zones.
//
// The database is the one of the system where there is one, and otherwise the
// copy embedded in the program.
package timezone

import (
	"time"
	_ "time/tzdata" // a container without zone files still knows its zones
)

// memory is how far back NextMidnight looks for dates that already began: no
// zone ever moved its clocks by more than a day.
const memory = 48 * time.Hour

// NextMidnight returns the first instant after the given one at which a new
// local date begins in loc.
//
// A date begins once: when clocks are set back over midnight, the first
// midnight counts and the second does not. Where midnight is skipped, the date
// begins with its first existing instant; a date that never existed does not begin.
func NextMidnight(after time.Time, loc *time.Location) time.Time {
	after = after.In(loc)
	next := latestDay(after) + 1
	for t := after; ; {
		_, offset := t.Zone()
		end := segmentEnd(t)
		at := time.Unix(next*secondsADay-int64(offset), 0).In(loc)
		if at.Before(t) { // the clocks jumped over midnight: the date begins with the jump
			at = t
		}
		if end.IsZero() || at.Before(end) {
			return at
		}
		t = end
	}
}

const secondsADay = 24 * 60 * 60

// latestDay is the latest local date that any instant up to t had, as days
// since 1970-01-01. It is later than the date at t when clocks were just set
// back over midnight.
func latestDay(t time.Time) int64 {
	latest := day(t)
	oldest := t.Add(-memory)
	for start := segmentStart(t); !start.IsZero() && start.After(oldest); {
		before := start.Add(-time.Nanosecond)
		latest = max(latest, day(before))
		start = segmentStart(before)
	}
	return latest
}

// segmentEnd and segmentStart bound the time around t in which the zone keeps
// one offset; zero means unbounded. A bound may come too early, never too late.
//
// Go 1.26's ZoneBounds gives a bound on the wrong side of t, or t itself, on the
// last day of leap years to come (Cairo, 2040-12-31): an hour is then stepped over.
func segmentEnd(t time.Time) time.Time {
	_, end := t.ZoneBounds()
	if !end.IsZero() && !end.After(t) {
		end = t.Add(time.Hour)
	}
	return end
}

func segmentStart(t time.Time) time.Time {
	start, _ := t.ZoneBounds()
	if start.After(t) {
		start = t.Add(-time.Hour)
	}
	return start
}

// day is the local date of t as days since 1970-01-01.
func day(t time.Time) int64 {
	_, offset := t.Zone()
	local := t.Unix() + int64(offset)
	if local < 0 {
		local -= secondsADay - 1
	}
	return local / secondsADay
}
