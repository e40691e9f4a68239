package timezone

import "time"

// farthest exceeds every offset from UTC that a zone has ever had.
const farthest = 16 * time.Hour

// At returns the first instant at which clocks in loc show the given time on a date. If clocks skip that time, At
// returns the instant of the jump. If the time occurs twice, the first occurrence counts. With clock 0, At agrees with
// NextMidnight.
func At(year int, month time.Month, dayOfMonth int, clock time.Duration, loc *time.Location) time.Time {
	wanted := time.Date(year, month, dayOfMonth, 0, 0, 0, 0, time.UTC).Add(clock)
	for t := wanted.Add(-farthest).In(loc); ; {
		_, offset := t.Zone()
		end := segmentEnd(t)
		at := wanted.Add(-time.Duration(offset) * time.Second).In(loc)
		if at.Before(t) { // the clocks skipped this time
			return t
		}
		if end.IsZero() || at.Before(end) {
			return at
		}
		t = end
	}
}
