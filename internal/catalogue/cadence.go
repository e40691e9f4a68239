package catalogue

import (
	"time"

	"digest"
)

// Week returns the days of the week, Monday first.
func Week() (days [7]time.Weekday) {
	for i := range days {
		days[i] = time.Weekday((i + 1) % 7)
	}
	return days
}

// Weekday returns the name of a day of the week.
func Weekday(d time.Weekday) Moment {
	return Day("Monday", digest.Date{Year: 2023, Month: time.January, Day: 1 + int(d)}) // a Sunday
}

// Cadence describes a schedule: "every day", "every Saturday", "on the 15th of each month".
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
			days = append(days, Weekday(d))
		}
	}
	return Key("every %s").With(days)
}

// ofEachMonth describes a monthly schedule: "on the 15th of each month".
func ofEachMonth(c digest.Cadence) Message {
	if d, ok := c.FirstOf(); ok {
		return Key("on the first %s of each month").With(Weekday(d))
	}
	if c.DayOfMonth() == 0 {
		return Key("on the last day of each month").With()
	}
	return Key("on the %dth of each month").With(c.DayOfMonth())
}

// DayOfMonth describes a monthly schedule, for a line of its own: "On the 15th of each month".
func DayOfMonth(c digest.Cadence) Sayable { return heading{ofEachMonth(c)} }

// A heading begins with a capital letter.
type heading struct{ of Sayable }

func (h heading) In(l *Language) string { return l.Heading(h.of) }

func (h heading) String() string { return h.In(English()) }
