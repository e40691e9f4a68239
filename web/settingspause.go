package web

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"digest"
	"digest/timezone"
)

// A dateField is a date as it was typed. What is no date would vanish from a
// field for dates, so it is shown in one for text.
type dateField struct{ Value string }

// Type is the field's.
func (f dateField) Type() string {
	if _, err := digest.ParseDate(f.Value); f.Value != "" && err != nil {
		return "text"
	}
	return "date"
}

// typedDate gives a field of a form.
func typedDate(form url.Values, name string) dateField {
	return dateField{strings.TrimSpace(form.Get(name))}
}

// longestPause is how many days ahead a pause may end: what waits is kept so long.
const longestPause = 366

// begins gives the first instant of a typed date in a zone, or says what is
// wrong with it: it must lie ahead, at most so many days.
func (f dateField) begins(now time.Time, zone *time.Location, most int) (at time.Time, wrong string) {
	d, err := digest.ParseDate(f.Value)
	switch {
	case f.Value == "":
		return at, "A date is needed, such as 2026-12-01."
	case err != nil:
		return at, "There is no such date. Dates are written year, month, day, like 2026-12-01."
	}
	today := digest.DateOf(now.In(zone))
	named := d.Format("2 January 2006")
	switch last := now.In(zone).AddDate(0, 0, most); {
	case !later(d, today):
		return at, named + " has begun already. Choose a day after " + today.Format("2 January 2006") + "."
	case later(d, digest.DateOf(last)):
		return at, named + " is too far away. Choose a day up to " + last.Format("2 January 2006") + "."
	}
	at, exists := timezone.Begin(d.Year, d.Month, d.Day, zone)
	if !exists {
		return at, named + " is left out where you are: the clocks go past it. Choose the day after."
	}
	return at, ""
}

// later reports whether a comes after b.
func later(a, b digest.Date) bool { return a.String() > b.String() } // four digits a year: text sorts as dates do

// A restPage asks until when a digest is to rest.
type restPage struct {
	settingsFrame
	Date   dateField
	Lowest string // the first day that can be chosen
	Most   string
}

// formUntil is the field of the day on which a pause ends.
const formUntil = "until"

func (s *site) restPage(r *http.Request, me reader, words ...string) restPage {
	p := restPage{settingsFrame: s.frame(r, me, words...)}
	here := p.now.In(zoneOr(me.Digest.TimeZone))
	p.Lowest = digest.DateOf(here.AddDate(0, 0, 1)).String()
	p.Most = digest.DateOf(here.AddDate(0, 0, longestPause)).String()
	if me.Digest.State == digest.DigestPaused && !me.Digest.PausedUntil.IsZero() {
		p.Date.Value = digest.DateOf(me.Digest.PausedUntil.In(here.Location())).String()
	}
	return p
}

func (s *site) pausePage(w http.ResponseWriter, r *http.Request, me reader) error {
	return s.show(w, r, http.StatusOK, "settings-pause", "Pause", s.restPage(r, me, "paused", "ended"))
}

func (s *site) setPause(w http.ResponseWriter, r *http.Request, me reader) error {
	form, err := posted(r)
	if err != nil {
		return err
	}
	p := s.restPage(r, me)
	p.Date = typedDate(form, formUntil)
	until, wrong := p.Date.begins(p.now, zoneOr(me.Digest.TimeZone), longestPause)
	if p.Wrong = wrong; p.Left() {
		p.Wrong = "You have unsubscribed, so there is nothing to pause."
	}
	if p.Wrong != "" {
		return s.show(w, r, http.StatusUnprocessableEntity, "settings-pause", "Pause", p)
	}
	if err := s.Store.SetPause(r.Context(), me.Digest.ID, until, p.now); err != nil && digest.KindOf(err) != digest.Conflict {
		return err // else it was left meanwhile, as the page says
	}
	return showSaved(w, r, "/settings/pause", "paused")
}

func (s *site) endPause(w http.ResponseWriter, r *http.Request, me reader) error {
	if err := s.Store.EndPause(r.Context(), me.Digest.ID, s.Now()); err != nil {
		return err
	}
	return showSaved(w, r, "/settings/pause", "ended")
}
