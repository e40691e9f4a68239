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

// read gives the date that was typed, or says what is wrong with it: it is one
// of those from the first to the last.
func (f dateField) read(first, last digest.Date) (d digest.Date, wrong string) {
	d, err := digest.ParseDate(f.Value)
	switch {
	case f.Value == "":
		return d, "A date is needed, such as " + first.Plus(7).String() + "."
	case err != nil:
		return d, "There is no such date. Dates are written year, month, day, like " + first.Plus(7).String() + "."
	case d.Before(first):
		return d, longDay(d) + " has begun already. Choose " + longDay(first) + " or a later day."
	case last.Before(d):
		return d, longDay(d) + " is too far away. Choose a day up to " + longDay(last) + "."
	}
	return d, ""
}

// begins gives the first instant of a date in a zone, or says that it has none.
func begins(d digest.Date, zone *time.Location) (at time.Time, wrong string) {
	at, exists := timezone.Begin(d.Year, d.Month, d.Day, zone)
	if !exists {
		return at, longDay(d) + " is left out there: the clocks go past it. Choose the day after."
	}
	return at, ""
}

func longDay(d digest.Date) string { return d.Format("2 January 2006") }

// A restPage asks until when a digest is to rest.
type restPage struct {
	settingsFrame
	Date  dateField
	First digest.Date // that can be chosen
	Last  digest.Date
}

// formUntil is the field of the day on which a pause ends.
const formUntil = "until"

func (s *site) restPage(r *http.Request, me reader, words ...string) restPage {
	p := restPage{settingsFrame: s.frame(r, me, words...)}
	p.First, p.Last = p.today().Plus(1), p.today().Plus(longestPause)
	if p.Until() != "" {
		p.Date.Value = digest.DateOf(me.Digest.PausedUntil.In(p.zone())).String()
	}
	return p
}

func (s *site) pausePage(w http.ResponseWriter, r *http.Request, me reader) error {
	return s.show(w, r, http.StatusOK, "settings_pause", "Pause", s.restPage(r, me, "paused", "ended"))
}

func (s *site) setPause(w http.ResponseWriter, r *http.Request, me reader) error {
	form, err := posted(r)
	if err != nil {
		return err
	}
	p := s.restPage(r, me)
	p.Date = typedDate(form, formUntil)
	day, wrong := p.Date.read(p.First, p.Last)
	var until time.Time
	if wrong == "" {
		until, wrong = begins(day, p.zone())
	}
	if p.Wrong = wrong; p.Left() {
		p.Wrong = "You have unsubscribed, so there is nothing to pause."
	}
	if p.Wrong != "" {
		return s.show(w, r, http.StatusUnprocessableEntity, "settings_pause", "Pause", p)
	}
	if err := s.Store.PauseDigest(r.Context(), me.Digest.ID, until, p.now); err != nil && digest.KindOf(err) != digest.Conflict {
		return err // else it was left meanwhile, as the page says
	}
	return showSaved(w, r, "/settings/pause", "paused")
}

func (s *site) endPause(w http.ResponseWriter, r *http.Request, me reader) error {
	if err := s.Store.ResumeDigest(r.Context(), me.Digest.ID, s.Now()); err != nil {
		return err
	}
	return showSaved(w, r, "/settings/pause", "ended")
}
