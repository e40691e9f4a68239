package digest

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"time"
)

// A Cadence says on which local dates a digest appears: on days of the week, or on one
// day of each month. It is stored as it is: bits 0 to 6 are days of the week as in
// Weekdays, bit 7 leaves of these the first in each month, bits 8 to 35 are
// the days 1 to 28 of each month, and bit 36 is its last. One that is stored may be any
// number, if somebody else has written it.
type Cadence int64

const (
	// Daily is every day.
	Daily = Cadence(EveryDay)
	// Workdays is from Monday to Friday.
	Workdays = Daily &^ (1<<time.Saturday | 1<<time.Sunday)
	// LastDay is the last day of each month.
	LastDay Cadence = 1 << (lastFixed + 8)

	firstInMonth Cadence = 1 << 7

	// lastFixed is the last day that every month has.
	lastFixed = 28
)

// Monthly is a day of each month, from 1 to 28: all months have these. Any other day
// gives none.
func Monthly(day int) Cadence {
	if day < 1 || day > lastFixed {
		return 0
	}
	return 1 << (day + 7)
}

// First is the first day of each month that is this day of the week.
func First(d time.Weekday) Cadence { return firstInMonth | 1<<d }

// IsMonthly reports whether it is one day of a month, and not days of the week.
func (c Cadence) IsMonthly() bool { return c > Daily }

// IsSeldom reports whether it is at most one day of a week.
func (c Cadence) IsSeldom() bool { return c.daysAWeek() <= 1 }

// Check gives an error, of the kind Invalid, for one that nobody can have chosen.
func (c Cadence) Check() error {
	week := bits.OnesCount8(uint8(c & Daily))
	one := c&firstInMonth == 0 && bits.OnesCount64(uint64(c)) == 1 && c <= LastDay
	if c > 0 && (c <= Daily || c&^Daily == firstInMonth && week == 1 || one) {
		return nil
	}
	return Refuse(Invalid, "choose at least one day of the week, or one day of the month")
}

// Has reports whether a digest appears on a date.
func (c Cadence) Has(d Date) bool {
	if c&(1<<d.Weekday()) != 0 && (c&firstInMonth == 0 || d.Day <= 7) {
		return true
	}
	return c&Monthly(d.Day) != 0 || c&LastDay != 0 && d.Plus(1).Day == 1
}

// OnWeekday reports whether it is days of the week, and this one among them.
func (c Cadence) OnWeekday(d time.Weekday) bool { return !c.IsMonthly() && c&(1<<d) != 0 }

// AsCalmAs reports whether a digest appears no more often by it than by another: a week
// is more often than a month, and which day it is does not count.
func (c Cadence) AsCalmAs(other Cadence) bool { return c.daysAWeek() <= other.daysAWeek() }

// daysAWeek counts the days of the week; a day of a month is less than any.
func (c Cadence) daysAWeek() int {
	if c.IsMonthly() {
		return 0
	}
	return bits.OnesCount8(uint8(c & Daily))
}

// ParseCadence reads "daily", "weekdays" (Monday to Friday), names of days such as
// "mon,thu", of three letters or more, "monthly" (on the first day), "monthly on 15",
// "monthly on last day", or "monthly on first mon".
func ParseCadence(s string) (Cadence, error) {
	words := strings.Fields(strings.ToLower(s))
	switch s = strings.Join(words, " "); {
	case s == "daily":
		return Daily, nil
	case s == "weekdays":
		return Workdays, nil
	case s == "monthly":
		return Monthly(1), nil
	case strings.HasPrefix(s, "monthly on "):
		return parseMonthly(strings.TrimPrefix(s, "monthly on "))
	}
	var days Cadence
	for name := range strings.SplitSeq(s, ",") {
		d, ok := parseWeekday(strings.TrimSpace(name))
		if !ok {
			return 0, fmt.Errorf("%q is not a day of the week", name)
		}
		days |= 1 << d
	}
	return days, nil
}

func parseMonthly(day string) (Cadence, error) {
	if day == "last day" {
		return LastDay, nil
	}
	if name, ok := strings.CutPrefix(day, "first "); ok {
		if d, ok := parseWeekday(name); ok {
			return First(d), nil
		}
	}
	n, err := strconv.Atoi(day)
	if c := Monthly(n); err == nil && c != 0 {
		return c, nil
	}
	return 0, fmt.Errorf("%q is not a day that every month has: 1 to 28, last day, or first mon", day)
}

func parseWeekday(name string) (time.Weekday, bool) {
	for d := time.Sunday; d <= time.Saturday; d++ {
		if len(name) >= 3 && strings.HasPrefix(strings.ToLower(d.String()), name) {
			return d, true
		}
	}
	return 0, false
}

// String is what ParseCadence reads, a week beginning on Monday. One that Check refuses
// is its number.
func (c Cadence) String() string {
	switch {
	case c == Daily:
		return "daily"
	case c == Workdays:
		return "weekdays"
	case c == Monthly(1):
		return "monthly"
	case c == LastDay:
		return "monthly on last day"
	case c.Check() != nil:
		return strconv.FormatInt(int64(c), 10)
	case c&firstInMonth != 0:
		return "monthly on first " + (c & Daily).String()
	case c.IsMonthly():
		return "monthly on " + strconv.Itoa(c.DayOfMonth())
	}
	var names []string
	for i := range 7 {
		if d := time.Weekday((i + 1) % 7); c.OnWeekday(d) {
			names = append(names, strings.ToLower(d.String()[:3]))
		}
	}
	return strings.Join(names, ",")
}

// DayOfMonth is its day from 1 to 28; 0 if it has none.
func (c Cadence) DayOfMonth() int {
	if day := bits.TrailingZeros64(uint64(c)) - 7; c.IsMonthly() && day >= 1 && day <= lastFixed {
		return day
	}
	return 0
}

// FirstOf is the day of the week of which it is the first in each month; false: it is another.
func (c Cadence) FirstOf() (time.Weekday, bool) {
	return time.Weekday(bits.TrailingZeros64(uint64(c))), c&^Daily == firstInMonth && c&Daily != 0
}
