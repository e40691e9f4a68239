package digest

import (
	"fmt"
	"strings"
	"time"
)

// Workdays is the set from Monday to Friday.
const Workdays Weekdays = EveryDay &^ (1<<time.Saturday | 1<<time.Sunday)

// ParseWeekdays reads "daily", "weekdays" (Monday to Friday), or names of days
// such as "mon,thu", of three letters or more.
func ParseWeekdays(s string) (Weekdays, error) {
	switch s = strings.ToLower(strings.TrimSpace(s)); s {
	case "daily":
		return EveryDay, nil
	case "weekdays":
		return Workdays, nil
	}
	var days Weekdays
	for name := range strings.SplitSeq(s, ",") {
		d, ok := parseWeekday(strings.TrimSpace(name))
		if !ok {
			return 0, fmt.Errorf("%q is not a day of the week", name)
		}
		days |= 1 << d
	}
	return days, nil
}

func parseWeekday(name string) (time.Weekday, bool) {
	for d := time.Sunday; d <= time.Saturday; d++ {
		if len(name) >= 3 && strings.HasPrefix(strings.ToLower(d.String()), name) {
			return d, true
		}
	}
	return 0, false
}

// String is what ParseWeekdays reads, a week beginning on Monday.
func (w Weekdays) String() string {
	switch w {
	case EveryDay:
		return "daily"
	case Workdays:
		return "weekdays"
	}
	var names []string
	for i := range 7 {
		if d := time.Weekday((i + 1) % 7); w.Has(d) {
			names = append(names, strings.ToLower(d.String()[:3]))
		}
	}
	return strings.Join(names, ",")
}
