package timezone

import "time"

// Begin gives the first instant of a local date in loc. Where the date was left
// out, as 30 December 2011 was in Samoa, it gives false, and when the next one begins.
func Begin(year int, month time.Month, day int, loc *time.Location) (time.Time, bool) {
	midnight := time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	wanted := midnight.Unix() / secondsADay
	at := midnight.Add(-memory) // the date has begun nowhere
	for dayAt(at, loc) < wanted {
		at = NextMidnight(at, loc)
	}
	return at, dayAt(at, loc) == wanted
}

func dayAt(t time.Time, loc *time.Location) int64 { return day(t.In(loc)) }
