// Package timezone computes when a local day begins. It handles every zone of the IANA database, including zones that
// skip a midnight, repeat one, or skip a whole date. It rejects names that are not zones.
//
// It uses the database of the system, or else the copy embedded in the program.
package timezone

import (
	"time"
	_ "time/tzdata" // for containers without zone files
)

// memory is how far back NextMidnight looks for dates that have already begun. No zone has ever changed its clocks by
// more than a day.
const memory = 48 * time.Hour

// NextMidnight returns the first instant after the given one at which a new local date begins in loc.
//
// Each date begins once. If clocks are set back over midnight, only the first midnight counts. If clocks skip midnight,
// the date begins at its first existing instant. A skipped date does not begin.
func NextMidnight(after time.Time, loc *time.Location) time.Time {
	after = after.In(loc)
	next := latestDay(after) + 1
	for t := after; ; {
		_, offset := t.Zone()
		end := segmentEnd(t)
		at := time.Unix(next*secondsADay-int64(offset), 0).In(loc)
		if at.Before(t) { // the clocks skipped midnight: the date begins at the jump
			at = t
		}
		if end.IsZero() || at.Before(end) {
			return at
		}
		t = end
	}
}

const secondsADay = 24 * 60 * 60

// latestDay returns the latest local date of any instant up to t, as days since 1970-01-01. It is later than the date
// at t just after clocks were set back over midnight.
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

// segmentEnd and segmentStart return the bounds of the period around t with a constant offset; zero means unbounded. A
// bound may be too early, never too late.
//
// On the last day of some future leap years (Cairo, 2040-12-31), ZoneBounds of Go 1.26 returns a bound on the wrong
// side of t, or t itself. These functions then step over one hour.
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

// day returns the local date of t as days since 1970-01-01.
func day(t time.Time) int64 {
	_, offset := t.Zone()
	local := t.Unix() + int64(offset)
	if local < 0 {
		local -= secondsADay - 1
	}
	return local / secondsADay
}
