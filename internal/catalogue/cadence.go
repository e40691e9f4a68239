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
	return ordinal(c.DayOfMonth(), [6]Key{Key("on the last day of each month"), Key("on the 1st of each month"), Key("on the %dst of each month"), Key("on the %dnd of each month"),
		Key("on the %drd of each month"), Key("on the %dth of each month")})
}

// DayOfMonth says on which day of a month a monthly cadence is: "On the 15th", "On the first Monday".
func DayOfMonth(c digest.Cadence) Message {
	if d, ok := c.FirstOf(); ok {
		return Key("On the first %s").With(Weekday(d))
	}
	return ordinal(c.DayOfMonth(), [6]Key{Key("On the last day"), Key("On the 1st"), Key("On the %dst"), Key("On the %dnd"), Key("On the %drd"), Key("On the %dth")})
}

// ordinal says of a day of the month, 0 for the last one, what is said of that, of the 1st, and of those that end in st, nd, rd and th.
func ordinal(n int, said [6]Key) Message {
	switch n {
	case 0, 1:
		return said[n].With()
	case 21:
		return said[2].With(n)
	case 2, 22:
		return said[3].With(n)
	case 3, 23:
		return said[4].With(n)
	}
	return said[5].With(n)
}
