package timezone

import "time"

// Begin gives the first instant of a local date in loc. Where the date was left
// out, as 30 December 2011 was in Samoa, it gives false, and when the next one begins.
func Begin(year int, month time.Month, dayOfMonth int, loc *time.Location) (time.Time, bool) {
	at := At(year, month, dayOfMonth, 0, loc)
	y, m, d := at.In(loc).Date()
	return at, y == year && m == month && d == dayOfMonth
}
