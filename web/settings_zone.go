package web

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"digest"
	"digest/timezone"
)

// A zonePage asks for a time zone.
type zonePage struct {
	settingsFrame
	Typed string   // in the field
	Near  []string // real names like the one that was typed
	Names []string // all of them
	Away  string   // the stay that has begun; "" for none
}

// formZone is the field of a time zone.
const formZone = "zone"

// Clock is what time it is for the reader.
func (p zonePage) Clock() string {
	return p.now.In(zoneOr(p.Digest.TimeZone)).Format("15:04 on Monday 2 January")
}

func (s *site) zonePageOf(r *http.Request, me reader, words ...string) (zonePage, error) {
	p := zonePage{settingsFrame: s.frame(r, me, words...), Names: timezone.Names()}
	stays, err := s.Store.Stays(r.Context(), me.ID)
	for _, st := range stays {
		if st.Begun {
			p.Away = p.view(st).String()
		}
	}
	return p, err
}

func (s *site) zonePage(w http.ResponseWriter, r *http.Request, me reader) error {
	p, err := s.zonePageOf(r, me, "zone")
	if err != nil {
		return err
	}
	p.Typed = me.TimeZone
	return s.show(w, r, http.StatusOK, "settings_zone", "Time zone", p)
}

func (s *site) setZone(w http.ResponseWriter, r *http.Request, me reader) error {
	p, err := s.zonePageOf(r, me)
	if err != nil {
		return err
	}
	p.Typed = r.PostForm.Get(formZone)
	zone := strings.TrimSpace(p.Typed)
	if p.Wrong, p.Near = wrongZone(zone); p.Wrong != "" {
		return s.show(w, r, http.StatusUnprocessableEntity, "settings_zone", "Time zone", p)
	}
	if err := s.Store.SetTimeZone(r.Context(), me.ID, zone, s.Now()); err != nil {
		return err
	}
	return showSaved(w, r, "/settings/zone", "zone")
}

// wrongZone says why a name is no time zone, and which names are near; "" if it is one.
func wrongZone(name string) (wrong string, near []string) {
	_, err := timezone.Load(name)
	if err == nil {
		return "", nil
	}
	unknown, ok := errors.AsType[*timezone.UnknownError](err)
	if !ok || len(unknown.Nearest) == 0 {
		return "A time zone is needed, such as Europe/Paris.", nil
	}
	return "There is no time zone of that name.", unknown.Nearest
}

// A daysPage asks for the days of a digest and the hour of its mail.
type daysPage struct {
	settingsFrame
	Choices []choice
	At      string // in the field of the hour
}

// formAt is the field of the hour.
const formAt = "at"

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
	for _, name := range r.PostForm[formDays] {
		some, err := digest.ParseWeekdays(name)
		if err != nil {
			return errNoChoice
		}
		days |= some
	}
	p := daysPage{s.frame(r, me), dayChoices(days), r.PostForm.Get(formAt)}
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
	if err := s.Store.SetWeekdays(r.Context(), me.Digest.ID, days, s.Now()); err != nil {
		return err
	}
	return showSaved(w, r, "/settings/days", "days")
}
