package web

import (
	"net/http"
	"strings"
	"time"

	"digest"
)

// A daysPage asks for the days of a digest and the hour of its mail.
type daysPage struct {
	settingsFrame
	Choices []choice
	At      string // in the field of the hour
}

// HourType is of that field: what is no hour would vanish from one for hours.
func (p daysPage) HourType() string {
	if _, err := time.Parse("15:04", p.At); p.At != "" && err != nil {
		return "text"
	}
	return "time"
}

func (s *site) daysPage(w http.ResponseWriter, r *http.Request, me reader) error {
	p := daysPage{s.frame(r, me, "days"), dayChoices(me.Digest.Weekdays), clockOf(me.Digest.DeliverAt)}
	return s.show(w, r, http.StatusOK, "settings_days", "Days and hour", p)
}

func (s *site) setDays(w http.ResponseWriter, r *http.Request, me reader) error {
	var days digest.Weekdays
	for _, name := range r.PostForm["days"] {
		some, err := digest.ParseWeekdays(name)
		if err != nil {
			return errNoChoice
		}
		days |= some
	}
	p := daysPage{s.frame(r, me), dayChoices(days), r.PostForm.Get("at")}
	clock, err := time.Parse("15:04", strings.TrimSpace(p.At))
	switch {
	case days == 0:
		p.Wrong = "Choose at least one day. To have no edition for a while, pause it."
	case err != nil:
		p.Wrong = "The hour is written like 07:00, from 00:00 to 23:59."
	}
	if p.Wrong != "" {
		return s.show(w, r, http.StatusUnprocessableEntity, "settings_days", "Days and hour", p)
	}
	at := time.Duration(clock.Hour())*time.Hour + time.Duration(clock.Minute())*time.Minute
	if err := s.Store.SetDeliverAt(r.Context(), me.Digest.ID, at); err != nil {
		return err
	}
	return showSaved(w, r, s.Store.SetWeekdays(r.Context(), me.Digest.ID, days, s.Now()), "/settings/days", "days")
}

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
