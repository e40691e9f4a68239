package web

import (
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

func (s *site) pausePage(v *visit) error {
	stored := ""
	if v.Until() != nil {
		stored = digest.DateOf(v.Digest.PausedUntil.In(v.zone())).String()
	}
	day := v.date("until", stored, v.today().Plus(1), v.today().Plus(farthestPause))
	v.fields["until"].Unchanged = true
	until, wrong := begins(day, v.zone())
	if v.Left() {
		wrong = catalogue.Key("You’re unsubscribed and get no editions.")
	}
	if v.ok() && wrong != nil {
		v.wrong("until", wrong)
	}
	if v.ok() {
		err := s.Store.Readers.PauseDigest(v.ctx, v.Digest.ID, until, v.now)
		if digest.KindOf(err) == digest.Conflict { // the page shows that the reader has unsubscribed
			err = nil
		}
		return v.saved(err, "/settings/pause", "paused")
	}
	return v.show(nil, "settings_pause", catalogue.Key("Pause"), v)
}

func (s *site) endPause(v *visit) error {
	return v.saved(s.Store.Readers.ResumeDigest(v.ctx, v.Digest.ID, v.now), "/settings/pause", "ended")
}
