package web

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"digest"
)

// A daysPage asks for the days of a digest and the hour of its mail.
type daysPage struct {
	settingsFrame
	cadenceField
}

// A cadenceField asks for a cadence and an hour.
type cadenceField struct {
	Choices []choice // days of the week
	Monthly bool
	Months  []choice // days of a month
	At      string   // in the field of the hour
}

func newCadenceField(c digest.Cadence, at time.Duration) cadenceField {
	return cadenceField{dayChoices(c), c.IsMonthly(), monthDays(c), clockOf(at)}
}

// HourType is of that field: what is no hour would vanish from one for hours.
func (f cadenceField) HourType() string {
	if _, err := time.Parse("15:04", f.At); f.At != "" && err != nil {
		return "text"
	}
	return "time"
}

// readCadence reads what was chosen, and says what is wrong with it.
func readCadence(r *http.Request) (f cadenceField, c digest.Cadence, at time.Duration, wrong string, err error) {
	week, month, err := readCadences(r)
	if err != nil {
		return f, c, at, "", err
	}
	f = cadenceField{dayChoices(week), r.PostForm.Get("every") == "month", monthDays(month), strings.TrimSpace(r.PostForm.Get("at"))}
	if c = week; f.Monthly {
		c = month
	}
	clock, noHour := time.Parse("15:04", f.At)
	switch {
	case c == 0:
		wrong = "Choose at least one day."
	case noHour != nil:
		wrong = "The hour is written like 07:00, from 00:00 to 23:59."
	}
	return f, c, time.Duration(clock.Hour())*time.Hour + time.Duration(clock.Minute())*time.Minute, wrong, nil
}

func (s *site) daysPage(w http.ResponseWriter, r *http.Request, me reader) error {
	p := daysPage{s.frame(r, me, "days"), newCadenceField(me.Digest.Cadence, me.Digest.DeliverAt)}
	return s.show(w, r, http.StatusOK, "settings_days", "Days and hour", p)
}

func (s *site) setDays(w http.ResponseWriter, r *http.Request, me reader) error {
	field, cadence, at, wrong, err := readCadence(r)
	if err != nil {
		return err
	}
	p := daysPage{s.frame(r, me), field}
	if p.Wrong = wrong; cadence == 0 {
		p.Wrong += " To have no edition for a while, pause it."
	}
	if p.Wrong != "" {
		return s.show(w, r, http.StatusUnprocessableEntity, "settings_days", "Days and hour", p)
	}
	if err := s.Store.SetDeliverAt(r.Context(), me.Digest.ID, at); err != nil {
		return err
	}
	return showSaved(w, r, s.Store.SetCadence(r.Context(), me.Digest.ID, cadence, s.Now()), "/settings/days", "days")
}

// readCadences reads both that the form offers: days of the week, and a day of the month. 0: none is chosen.
func readCadences(r *http.Request) (week, month digest.Cadence, err error) {
	for _, name := range r.PostForm["days"] {
		some, err := digest.ParseCadence(name)
		if err != nil || some.IsMonthly() {
			return 0, 0, errNoChoice
		}
		week |= some
	}
	if name := r.PostForm.Get("month"); name != "" {
		if month, err = digest.ParseCadence(name); err != nil || !month.IsMonthly() {
			return 0, 0, errNoChoice
		}
	}
	return week, month, nil
}

// A daysView is a cadence for templates.
type daysView struct{ digest.Cadence }

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
func dayChoices(set digest.Cadence) (all []choice) {
	for _, d := range week() {
		all = append(all, choice{Name: d.String(), Value: digest.Cadence(1 << d).String(), Chosen: set.OnWeekday(d)})
	}
	return all
}

// monthDays are the days of a month, with that of the cadence chosen.
func monthDays(c digest.Cadence) []choice {
	var all []choice
	add := func(day digest.Cadence) {
		all = append(all, choice{Name: dayOfMonth(day), Value: day.String(), Chosen: day == c})
	}
	for n := 1; digest.Monthly(n) != 0; n++ {
		add(digest.Monthly(n))
	}
	add(digest.LastDay)
	for _, d := range week() {
		add(digest.First(d))
	}
	return all
}

// dayOfMonth names the day of a monthly cadence: "the 15th", "the first Monday".
func dayOfMonth(c digest.Cadence) string {
	if d, ok := c.FirstOf(); ok {
		return "the first " + d.String()
	}
	n := c.DayOfMonth()
	if n == 0 {
		return "the last day"
	}
	ending := "th"
	switch n {
	case 1, 21:
		ending = "st"
	case 2, 22:
		ending = "nd"
	case 3, 23:
		ending = "rd"
	}
	return "the " + strconv.Itoa(n) + ending
}

// Words says when a digest with this cadence comes: "every day", "on Saturdays", "on the
// 15th of each month".
func (v daysView) Words() string {
	switch c := v.Cadence; {
	case c == digest.Daily:
		return "every day"
	case c == digest.Workdays:
		return "Monday to Friday"
	case c.IsMonthly():
		return "on " + dayOfMonth(c) + " of each month"
	}
	names := strings.Split(daysOf(digest.Weekdays(v.Cadence&digest.Daily)), ", ")
	for i := range names {
		names[i] += "s"
	}
	if last := len(names) - 1; last > 0 {
		return "on " + strings.Join(names[:last], ", ") + " and " + names[last]
	}
	return "on " + names[0]
}

// Daily reports whether it is all of them.
func (v daysView) Daily() bool { return v.Cadence == digest.Daily }

// Weekly gives the choices of one day a week; the day that it is, or else
// Saturday, is chosen.
func (v daysView) Weekly() []choice {
	for _, d := range week() {
		if v.Cadence == 1<<d {
			return dayChoices(v.Cadence)
		}
	}
	return dayChoices(1 << time.Saturday)
}
