package digest

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"time"
)

// A Cadence says on which local dates a digest appears: on days of the week, or on one day of each month. The database
// stores its bits. Bits 0 to 6 are days of the week as in Weekdays, and bit 7 limits them to the first in each month.
// Bits 8 to 35 are the days 1 to 28 of each month, and bit 36 is its last day. A stored value that another program
// wrote may be any number.
type Cadence int64

const (
	// Daily selects every day.
	Daily = Cadence(EveryDay)
	// Workdays selects Monday to Friday.
	Workdays = Daily &^ (1<<time.Saturday | 1<<time.Sunday)
	// LastDay selects the last day of each month.
	LastDay Cadence = 1 << (lastFixed + 8)

	firstInMonth Cadence = 1 << 7

	// lastFixed is the last day that every month has.
	lastFixed = 28
)

// Monthly returns the cadence for a day of each month from 1 to 28. It returns 0 for any other day.
func Monthly(day int) Cadence {
	if day < 1 || day > lastFixed {
		return 0
	}
	return 1 << (day + 7)
}

// First returns the cadence for the first such weekday of each month.
func First(d time.Weekday) Cadence { return firstInMonth | 1<<d }

// IsMonthly reports whether c is one day of a month and not days of the week.
func (c Cadence) IsMonthly() bool { return c > Daily }

// IsSeldom reports whether c has at most one day a week.
func (c Cadence) IsSeldom() bool { return c.daysAWeek() <= 1 }

// Check returns an error of the kind Invalid if nobody can have chosen c.
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

// OnWeekday reports whether c is weekly and includes a day of the week.
func (c Cadence) OnWeekday(d time.Weekday) bool { return !c.IsMonthly() && c&(1<<d) != 0 }

// AsCalmAs reports whether c is at most as frequent as other. Weekly cadences are more frequent than monthly ones, and
// it does not matter which days they select.
func (c Cadence) AsCalmAs(other Cadence) bool { return c.daysAWeek() <= other.daysAWeek() }

// daysAWeek counts the days of the week; a monthly cadence has 0.
func (c Cadence) daysAWeek() int {
	if c.IsMonthly() {
		return 0
	}
	return bits.OnesCount8(uint8(c & Daily))
}

// ParseCadence parses "daily", "weekdays" (Monday to Friday), or a list such as "mon,thu" of weekdays with three
// letters or more. It also parses "monthly" (the first day), "monthly on 15", "monthly on last day" and "monthly on
// first mon".
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

// String returns the text that ParseCadence parses, with Monday first. It returns the number of a cadence that Check
// rejects.
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

// DayOfMonth returns the day from 1 to 28, or 0 if c has none.
func (c Cadence) DayOfMonth() int {
	if day := bits.TrailingZeros64(uint64(c)) - 7; c.IsMonthly() && day >= 1 && day <= lastFixed {
		return day
	}
	return 0
}

// FirstOf returns the weekday of a cadence that First made, or false for any other.
func (c Cadence) FirstOf() (time.Weekday, bool) {
	return time.Weekday(bits.TrailingZeros64(uint64(c))), c&^Daily == firstInMonth && c&Daily != 0
}
