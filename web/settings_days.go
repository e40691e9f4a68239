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

// dayChoices are the seven days, Monday first, with those of the set chosen.
func dayChoices(set digest.Cadence) (all []choice) {
	for _, d := range catalogue.Week() {
		all = append(all, choice{Name: catalogue.Weekday(d), Value: digest.Cadence(1 << d).String(), Chosen: set.OnWeekday(d)})
	}
	return all
}

// monthDays are the days of a month, with that of the cadence chosen.
func monthDays(c digest.Cadence) []choice {
	var all []choice
	add := func(day digest.Cadence) {
		all = append(all, choice{Name: catalogue.DayOfMonth(day), Value: day.String(), Chosen: day == c})
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

// Words says when a digest with this cadence comes.
func (v daysView) Words() catalogue.Message { return catalogue.Cadence(v.Cadence) }

// Daily reports whether it is all of them.
func (v daysView) Daily() bool { return v.Cadence == digest.Daily }

// Weekly gives the choices of one day a week; the day that it is, or else
// Saturday, is chosen.
func (v daysView) Weekly() []choice {
	set := digest.Cadence(1 << time.Saturday)
	for _, d := range catalogue.Week() {
		if v.Cadence == 1<<d {
			set = v.Cadence
		}
	}
	all := dayChoices(set)
	for i, d := range catalogue.Week() {
		all[i].Name = catalogue.EachWeek(d)
	}
	return all
}
