package web

import (
	"net/http"
	"strings"
	"time"

	"digest"
	"digest/internal/catalogue"
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
func readCadence(r *http.Request) (f cadenceField, c digest.Cadence, at time.Duration, wrong catalogue.Sayable, err error) {
	week, month, err := readCadences(r)
	if err != nil {
		return f, c, at, nil, err
	}
	f = cadenceField{dayChoices(week), r.PostForm.Get("every") == "month", monthDays(month), strings.TrimSpace(r.PostForm.Get("at"))}
	if c = week; f.Monthly {
		c = month
	}
	clock, noHour := time.Parse("15:04", f.At)
	switch {
	case c == 0:
		wrong = catalogue.Key("Choose at least one day.")
	case noHour != nil:
		wrong = catalogue.Key("The hour is written like 07:00, from 00:00 to 23:59.")
	}
	return f, c, time.Duration(clock.Hour())*time.Hour + time.Duration(clock.Minute())*time.Minute, wrong, nil
}

func (s *site) daysPage(w http.ResponseWriter, r *http.Request, me reader) error {
	p := daysPage{s.frame(r, me, "days"), newCadenceField(me.Digest.Cadence, me.Digest.DeliverAt)}
	return s.show(w, r, http.StatusOK, "settings_days", catalogue.Key("Days and hour"), p)
}

func (s *site) setDays(w http.ResponseWriter, r *http.Request, me reader) error {
	field, cadence, at, wrong, err := readCadence(r)
	if err != nil {
		return err
	}
	p := daysPage{s.frame(r, me), field}
	if cadence == 0 {
		wrong = catalogue.Key("Choose at least one day. To have no edition for a while, pause it.")
	}
	if p.Wrong = wrong; wrong != nil {
		return s.show(w, r, http.StatusUnprocessableEntity, "settings_days", catalogue.Key("Days and hour"), p)
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

// dayChoices are the seven days, Monday first, with those of the set chosen.
func dayChoices(set digest.Cadence) (all []choice) {
	for _, d := range week() {
		all = append(all, choice{Name: weekday(d), Value: digest.Cadence(1 << d).String(), Chosen: set.OnWeekday(d)})
	}
	return all
}

// monthDays are the days of a month, with that of the cadence chosen.
func monthDays(c digest.Cadence) []choice {
	var all []choice
	add := func(day digest.Cadence) {
		all = append(all, choice{Name: ofMonth(day), Value: day.String(), Chosen: day == c})
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

// ofMonth says on which day of a month a monthly cadence is: "On the 15th", "On the first Monday".
func ofMonth(c digest.Cadence) catalogue.Message {
	if d, ok := c.FirstOf(); ok {
		return catalogue.Key("On the first %s").With(weekday(d))
	}
	switch n := c.DayOfMonth(); n {
	case 0:
		return catalogue.Key("On the last day").With()
	case 1:
		return catalogue.Key("On the 1st").With()
	case 21:
		return catalogue.Key("On the %dst").With(n)
	case 2, 22:
		return catalogue.Key("On the %dnd").With(n)
	case 3, 23:
		return catalogue.Key("On the %drd").With(n)
	default:
		return catalogue.Key("On the %dth").With(n)
	}
}

// ofEachMonth says when a monthly cadence is: "on the 15th of each month".
func ofEachMonth(c digest.Cadence) catalogue.Message {
	if d, ok := c.FirstOf(); ok {
		return catalogue.Key("on the first %s of each month").With(weekday(d))
	}
	switch n := c.DayOfMonth(); n {
	case 0:
		return catalogue.Key("on the last day of each month").With()
	case 1:
		return catalogue.Key("on the 1st of each month").With()
	case 21:
		return catalogue.Key("on the %dst of each month").With(n)
	case 2, 22:
		return catalogue.Key("on the %dnd of each month").With(n)
	case 3, 23:
		return catalogue.Key("on the %drd of each month").With(n)
	default:
		return catalogue.Key("on the %dth of each month").With(n)
	}
}

// weekday names a day of the week.
func weekday(d time.Weekday) catalogue.Moment {
	return catalogue.Day("Monday", digest.Date{Year: 2023, Month: time.January, Day: 1 + int(d)}) // a Sunday
}

// eachWeek names a day of the week that comes again and again.
func eachWeek(d time.Weekday) catalogue.Key {
	return [...]catalogue.Key{
		catalogue.Key("Sundays"), catalogue.Key("Mondays"), catalogue.Key("Tuesdays"), catalogue.Key("Wednesdays"),
		catalogue.Key("Thursdays"), catalogue.Key("Fridays"), catalogue.Key("Saturdays"),
	}[d]
}

// Words says when a digest with this cadence comes: "every day", "on Saturdays", "on the
// 15th of each month".
func (v daysView) Words() catalogue.Message {
	switch c := v.Cadence; {
	case c == digest.Daily:
		return catalogue.Key("every day").With()
	case c == digest.Workdays:
		return catalogue.Key("Monday to Friday").With()
	case c.IsMonthly():
		return ofEachMonth(c)
	}
	var days catalogue.List
	for _, d := range week() {
		if digest.Weekdays(v.Cadence & digest.Daily).Has(d) {
			days = append(days, eachWeek(d))
		}
	}
	return catalogue.Key("on %s").With(days)
}

// Daily reports whether it is all of them.
func (v daysView) Daily() bool { return v.Cadence == digest.Daily }

// Weekly gives the choices of one day a week; the day that it is, or else
// Saturday, is chosen.
func (v daysView) Weekly() []choice {
	set := digest.Cadence(1 << time.Saturday)
	for _, d := range week() {
		if v.Cadence == 1<<d {
			set = v.Cadence
		}
	}
	all := dayChoices(set)
	for i, d := range week() {
		all[i].Name = eachWeek(d)
	}
	return all
}
