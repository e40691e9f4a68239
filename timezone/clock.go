package timezone

import "time"

// farthest is more than any zone's clocks ever were from UTC.
const farthest = 16 * time.Hour

// At returns the first instant at which clocks in loc show the given time of a
// date, or would have: an hour that clocks jump over is the instant of the
// jump, and of an hour that comes twice the first counts. So clock 0 is when
// NextMidnight lets the date begin.
func At(year int, month time.Month, dayOfMonth int, clock time.Duration, loc *time.Location) time.Time {
	wanted := time.Date(year, month, dayOfMonth, 0, 0, 0, 0, time.UTC).Add(clock)
	for t := wanted.Add(-farthest).In(loc); ; {
		_, offset := t.Zone()
		end := segmentEnd(t)
		at := wanted.Add(-time.Duration(offset) * time.Second).In(loc)
		if at.Before(t) { // the clocks jumped over it
			return t
		}
		if end.IsZero() || at.Before(end) {
			return at
		}
		t = end
	}
}
