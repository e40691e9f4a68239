package web

import (
	"strings"
	"time"

	"digest"
)

// formDays is the field of the days on which a digest is to appear, as
// digest.ParseWeekdays reads it.
const formDays = "days"

// A daysView is a set of days for templates.
type daysView struct{ digest.Weekdays }

// week gives the days of the week, Monday first.
func week() (days [7]time.Weekday) {
	for i := range days {
		days[i] = time.Weekday((i + 1) % 7)
	}
	return days
}

// daysOf names a set of days, Monday first.
func daysOf(set digest.Weekdays) string {
	var names []string
	for _, d := range week() {
		if set.Has(d) {
			names = append(names, d.String())
		}
	}
	return strings.Join(names, ", ")
}

// dayChoices are the seven days, Monday first, with those of the set chosen.
func dayChoices(set digest.Weekdays) (all []choice) {
	for _, d := range week() {
		all = append(all, choice{Name: d.String(), Value: digest.Weekdays(1 << d).String(), Chosen: set.Has(d)})
	}
	return all
}

// Words says when a digest with these days comes: "every day", "on Saturdays".
func (v daysView) Words() string {
	switch v.Weekdays {
	case digest.EveryDay:
		return "every day"
	case digest.Workdays:
		return "Monday to Friday"
	}
	names := strings.Split(daysOf(v.Weekdays), ", ")
	for i := range names {
		names[i] += "s"
	}
	if last := len(names) - 1; last > 0 {
		return "on " + strings.Join(names[:last], ", ") + " and " + names[last]
	}
	return "on " + names[0]
}

// Daily reports whether it is all of them.
func (v daysView) Daily() bool { return v.Weekdays == digest.EveryDay }

// Workdays reports whether it is Monday to Friday.
func (v daysView) Workdays() bool { return v.Weekdays == digest.Workdays }

// Weekly gives the choices of one day a week; the day that it is, or else
// Saturday, is chosen.
func (v daysView) Weekly() []choice {
	for _, d := range week() {
		if v.Weekdays == 1<<d {
			return dayChoices(v.Weekdays)
		}
	}
	return dayChoices(1 << time.Saturday)
}
