package page

import (
	"net/http"
	"strings"
	"time"

	"digest"
	"digest/internal/catalogue"
)

// A CadenceField has the form fields for a cadence and an hour.
type CadenceField struct {
	Choices []Choice // days of the week
	Monthly bool
	Months  []Choice // days of a month
	At      string   // value of the field for the hour
}

// NewCadenceField returns the fields with a stored cadence and hour.
func NewCadenceField(c digest.Cadence, at time.Duration) CadenceField {
	return CadenceField{dayChoices(c), c.IsMonthly(), monthDays(c), digest.Clock(at)}
}

// HourType returns the type of the field for the hour. A field of type time would not show an invalid value.
func (f CadenceField) HourType() string {
	if _, err := digest.ParseClock(f.At); f.At != "" && err != nil {
		return "text"
	}
	return "time"
}

// ReadCadence parses the fields of a CadenceField, or returns what is wrong with them.
func ReadCadence(r *http.Request) (f CadenceField, c digest.Cadence, at time.Duration, wrong catalogue.Sayable,
	err error) {
	week, month, err := readCadences(r)
	if err != nil {
		return f, c, at, nil, err
	}
	f = CadenceField{dayChoices(week), r.PostForm.Get("every") == "month", monthDays(month),
		strings.TrimSpace(r.PostForm.Get("at"))}
	if c = week; f.Monthly {
		c = month
	}
	at, noHour := digest.ParseClock(f.At)
	switch {
	case c == 0:
		wrong = catalogue.Key("Choose at least one day.")
	case noHour != nil:
		wrong = catalogue.Key("Enter a time from 00:00 to 23:59, such as 07:00.")
	}
	return f, c, at, wrong, nil
}

// readCadences parses both cadences of the form: days of the week, and a day of the month. 0: nothing is chosen.
func readCadences(r *http.Request) (week, month digest.Cadence, err error) {
	for _, name := range r.PostForm["days"] {
		some, err := digest.ParseCadence(name)
		if err != nil || some.IsMonthly() {
			return 0, 0, ErrBadForm
		}
		week |= some
	}
	if name := r.PostForm.Get("month"); name != "" {
		if month, err = digest.ParseCadence(name); err != nil || !month.IsMonthly() {
			return 0, 0, ErrBadForm
		}
	}
	return week, month, nil
}

// A DaysView is a cadence for templates.
type DaysView struct{ digest.Cadence }

func dayChoices(set digest.Cadence) (all []Choice) {
	for _, d := range catalogue.Week() {
		all = append(all, Choice{Name: catalogue.Weekday(d), Value: digest.Cadence(1 << d).String(),
			Chosen: set.OnWeekday(d)})
	}
	return all
}

// monthDays returns the choices of a monthly cadence, with c chosen.
func monthDays(c digest.Cadence) []Choice {
	var all []Choice
	add := func(day digest.Cadence) {
		all = append(all, Choice{Name: catalogue.DayOfMonth(day), Value: day.String(), Chosen: day == c})
	}
	for n := 1; digest.Monthly(n) != 0; n++ {
		add(digest.Monthly(n))
	}
	add(digest.LastDay)
	for _, d := range catalogue.Week() {
		add(digest.First(d))
	}
	return all
}

// Words describes the cadence: "every day", "on Sundays".
func (v DaysView) Words() catalogue.Message { return catalogue.Cadence(v.Cadence) }

// Daily reports whether the cadence has all days.
func (v DaysView) Daily() bool { return v.Cadence == digest.Daily }

// Weekly returns the choices of one day a week. A present weekly day is chosen, otherwise Saturday.
func (v DaysView) Weekly() []Choice {
	set := digest.Cadence(1 << time.Saturday)
	for _, d := range catalogue.Week() {
		if v.Cadence == 1<<d {
			set = v.Cadence
		}
	}
	return dayChoices(set)
}
