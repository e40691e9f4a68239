package web

import (
	"net/http"
	"time"

	"digest"
	"digest/calendar"
	"digest/internal/catalogue"
)

// farthestPause is how many days ahead the form lets a pause end. calendar.CheckPause allows more.
const farthestPause = 366

// begins returns the first instant of a date in a zone, or an error text if the zone skips that date.
func begins(d digest.Date, zone *time.Location) (at time.Time, wrong catalogue.Sayable) {
	at = calendar.Begins(d, zone)
	if !calendar.Exists(d, zone) {
		return at, catalogue.Key("%s doesn’t exist in that time zone. Choose the next day.").With(saidDay(d))
	}
	return at, nil
}

type pausePage struct {
	settingsFrame
	Date  dateField
	First digest.Date // first day to choose
	Last  digest.Date
}

func (s *site) pausePageOf(r *http.Request, me reader, words ...string) pausePage {
	p := pausePage{settingsFrame: s.frame(r, me, words...)}
	p.First, p.Last = p.today().Plus(1), p.today().Plus(farthestPause)
	if p.Until() != nil {
		p.Date.Value = digest.DateOf(me.Digest.PausedUntil.In(p.zone())).String()
	}
	return p
}

func (s *site) pausePage(w http.ResponseWriter, r *http.Request, me reader) error {
	return s.show(w, r, http.StatusOK, "settings_pause", catalogue.Key("Pause"),
		s.pausePageOf(r, me, "paused", "ended"))
}

func (s *site) setPause(w http.ResponseWriter, r *http.Request, me reader) error {
	p := s.pausePageOf(r, me)
	p.Date = typedDate(r.PostForm, "until")
	day, wrong := p.Date.read(p.First, p.Last)
	var until time.Time
	if wrong == nil {
		until, wrong = begins(day, p.zone())
	}
	if p.Left() {
		wrong = catalogue.Key("You’re unsubscribed and get no editions.")
	}
	if wrong != nil {
		p.Wrong = wrong
		return s.show(w, r, http.StatusUnprocessableEntity, "settings_pause", catalogue.Key("Pause"), p)
	}
	if err := s.Store.PauseDigest(r.Context(), me.Digest.ID, until, p.now); err != nil &&
		digest.KindOf(err) != digest.Conflict {
		return err // after a Conflict the page shows that the reader has unsubscribed
	}
	return showSaved(w, r, nil, "/settings/pause", "paused")
}

func (s *site) endPause(w http.ResponseWriter, r *http.Request, me reader) error {
	return showSaved(w, r, s.Store.ResumeDigest(r.Context(), me.Digest.ID, s.Now()), "/settings/pause", "ended")
}
