package digest

import (
	"fmt"
	"time"
)

// A Date is a day in the civil calendar, without a zone.
type Date struct {
	Year  int
	Month time.Month
	Day   int
}

// DateOf returns the local date at t in t's location.
func DateOf(t time.Time) Date {
	y, m, d := t.Date()
	return Date{y, m, d}
}

// ParseDate parses YYYY-MM-DD.
func ParseDate(s string) (Date, error) {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		return Date{}, fmt.Errorf("date %q is not YYYY-MM-DD", s)
	}
	return DateOf(t), nil
}

// String returns YYYY-MM-DD.
func (d Date) String() string {
	return fmt.Sprintf("%04d-%02d-%02d", d.Year, int(d.Month), d.Day)
}

// Plus returns the date that is days later.
func (d Date) Plus(days int) Date { return DateOf(d.noon().AddDate(0, 0, days)) }

// Before reports whether d is before o.
func (d Date) Before(o Date) bool { return d.noon().Before(o.noon()) }

// IsOver reports whether the date has ended in all time zones. It ends last in the zone twelve hours behind UTC.
func (d Date) IsOver(now time.Time) bool { return d.Before(DateOf(now.UTC().Add(-12 * time.Hour))) }

// Weekday returns the day of the week.
func (d Date) Weekday() time.Weekday { return d.noon().Weekday() }

// Format formats the date with a time layout; only its date fields make sense.
func (d Date) Format(layout string) string { return d.noon().Format(layout) }

// IsZero reports whether d is the zero Date.
func (d Date) IsZero() bool { return d == Date{} }

func (d Date) noon() time.Time {
	return time.Date(d.Year, d.Month, d.Day, 12, 0, 0, 0, time.UTC)
}

// Weekdays is a set of days of the week, bit 1<<time.Sunday and so on.
type Weekdays uint8

// EveryDay is the set of all seven days.
const EveryDay Weekdays = 1<<7 - 1

// Has reports whether d is in the set.
func (w Weekdays) Has(d time.Weekday) bool { return w&(1<<d) != 0 }
