package catalogue

import (
	"time"

	"digest"
)

// Week gives the days of the week, Monday first.
func Week() (days [7]time.Weekday) {
	for i := range days {
		days[i] = time.Weekday((i + 1) % 7)
	}
	return days
}

// Weekday names a day of the week.
func Weekday(d time.Weekday) Moment {
	return Day("Monday", digest.Date{Year: 2023, Month: time.January, Day: 1 + int(d)}) // a Sunday
}

// EachWeek names a day of the week that comes again and again.
func EachWeek(d time.Weekday) Key {
	return [...]Key{
		Key("Sundays"), Key("Mondays"), Key("Tuesdays"), Key("Wednesdays"),
		Key("Thursdays"), Key("Fridays"), Key("Saturdays"),
	}[d]
}

// Cadence says when a digest with this cadence comes: "every day", "on Saturdays", "on the 15th of each month".
func Cadence(c digest.Cadence) Message {
	switch {
	case c == digest.Daily:
		return Key("every day").With()
	case c == digest.Workdays:
		return Key("Monday to Friday").With()
	case c.IsMonthly():
		return ofEachMonth(c)
	}
	var days List
	for _, d := range Week() {
		if digest.Weekdays(c & digest.Daily).Has(d) {
			days = append(days, EachWeek(d))
		}
	}
	return Key("on %s").With(days)
}

// ofEachMonth says when a monthly cadence is: "on the 15th of each month".
func ofEachMonth(c digest.Cadence) Message {
	if d, ok := c.FirstOf(); ok {
		return Key("on the first %s of each month").With(Weekday(d))
	}
	switch n := c.DayOfMonth(); n {
	case 0:
		return Key("on the last day of each month").With()
	case 1:
		return Key("on the 1st of each month").With()
	case 21:
		return Key("on the %dst of each month").With(n)
	case 2, 22:
		return Key("on the %dnd of each month").With(n)
	case 3, 23:
		return Key("on the %drd of each month").With(n)
	default:
		return Key("on the %dth of each month").With(n)
	}
}
