package web

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"digest"
	"digest/internal/catalogue"
)

// A schedulePage asks on which days editions arrive, whether they are emailed, and when.
type schedulePage struct {
	*visit
	cadenceField
	Suppressed bool // the reader's address gets no email
}

// Ways returns the choices of delivery.
func (v *visit) Ways() []choice {
	return chosen([]choice{
		{Value: "yes", Name: catalogue.Key("Email and web")},
		{Value: "no", Name: catalogue.Key("Web only")},
	}, map[bool]string{true: "yes", false: "no"}[v.Digest.Mailed])
}

// A cadenceField has the form fields for a cadence and an hour.
type cadenceField struct {
	Choices []choice // days of the week
	Monthly bool
	Months  []choice // days of a month
	At      string   // value of the field for the hour
}

func newCadenceField(c digest.Cadence, at time.Duration) cadenceField {
	return cadenceField{dayChoices(c), c.IsMonthly(), monthDays(c), clockOf(at)}
}

// HourType returns the type of the field for the hour. A field of type time would not show an invalid value.
func (f cadenceField) HourType() string {
	if _, err := time.Parse("15:04", f.At); f.At != "" && err != nil {
		return "text"
	}
	return "time"
}

// readCadence parses the fields of a cadenceField, or returns what is wrong with them.
func readCadence(r *http.Request) (f cadenceField, c digest.Cadence, at time.Duration, wrong catalogue.Sayable,
	err error) {
	week, month, err := readCadences(r)
	if err != nil {
		return f, c, at, nil, err
	}
	f = cadenceField{dayChoices(week), r.PostForm.Get("every") == "month", monthDays(month),
		strings.TrimSpace(r.PostForm.Get("at"))}
	if c = week; f.Monthly {
		c = month
	}
	clock, noHour := time.Parse("15:04", f.At)
	switch {
	case c == 0:
		wrong = catalogue.Key("Choose at least one day.")
	case noHour != nil:
		wrong = catalogue.Key("Enter a time from 00:00 to 23:59, such as 07:00.")
	}
	return f, c, time.Duration(clock.Hour())*time.Hour + time.Duration(clock.Minute())*time.Minute, wrong, nil
}

func (s *site) schedulePage(v *visit) (err error) {
	p := schedulePage{visit: v, cadenceField: newCadenceField(v.Digest.Cadence, v.Digest.DeliverAt)}
	if v.posted() {
		way, timed, was := v.PostForm.Get("mailed"), v.PostForm.Has("at"), v.Digest.Mailed
		if !timed && way == "" || !slices.Contains([]string{"", "yes", "no"}, way) {
			return errBadForm
		}
		if way != "" {
			v.Digest.Mailed = way == "yes"
		}
		var cadence digest.Cadence
		var at time.Duration
		if timed {
			p.cadenceField, cadence, at, v.Wrong, err = readCadence(v.Request)
		}
		if err == nil && v.ok() {
			if timed {
				err = s.Store.Readers.SetSchedule(v.ctx, v.Digest.ID, cadence, at, v.now)
			}
			if err == nil && v.Digest.Mailed != was {
				err = s.Store.Readers.SetMailed(v.ctx, v.Digest.ID, v.Digest.Mailed, v.now)
			}
			return v.saved(err, "/settings/schedule", "schedule")
		}
	}
	if err == nil {
		_, p.Suppressed, err = s.Store.Editions.Suppressed(v.ctx, v.Email)
	}
	return v.show(err, "settings_schedule", catalogue.Key("Schedule"), p)
}

// readCadences parses both cadences of the form: days of the week, and a day of the month. 0: nothing is chosen.
func readCadences(r *http.Request) (week, month digest.Cadence, err error) {
	for _, name := range r.PostForm["days"] {
		some, err := digest.ParseCadence(name)
		if err != nil || some.IsMonthly() {
			return 0, 0, errBadForm
		}
		week |= some
	}
	if name := r.PostForm.Get("month"); name != "" {
		if month, err = digest.ParseCadence(name); err != nil || !month.IsMonthly() {
			return 0, 0, errBadForm
		}
	}
	return week, month, nil
}

// A daysView is a cadence for templates.
type daysView struct{ digest.Cadence }

func dayChoices(set digest.Cadence) (all []choice) {
	for _, d := range catalogue.Week() {
		all = append(all, choice{Name: catalogue.Weekday(d), Value: digest.Cadence(1 << d).String(),
			Chosen: set.OnWeekday(d)})
	}
	return all
}

// monthDays returns the choices of a monthly cadence, with c chosen.
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

// Words describes the cadence: "every day", "on Sundays".
func (v daysView) Words() catalogue.Message { return catalogue.Cadence(v.Cadence) }

// Daily reports whether the cadence has all days.
func (v daysView) Daily() bool { return v.Cadence == digest.Daily }

// Weekly returns the choices of one day a week. A present weekly day is chosen, otherwise Saturday.
func (v daysView) Weekly() []choice {
	set := digest.Cadence(1 << time.Saturday)
	for _, d := range catalogue.Week() {
		if v.Cadence == 1<<d {
			set = v.Cadence
		}
	}
	return dayChoices(set)
}
