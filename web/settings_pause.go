package web

import (
	"digest"
	"digest/internal/catalogue"
	"digest/web/page"
)

func (s *site) pausePage(v *page.Visit) error {
	stored := ""
	if v.Until() != nil {
		stored = digest.DateOf(v.Digest.PausedUntil.In(v.Zone())).String()
	}
	day := v.AddDate("until", stored, v.Today().Plus(1), v.Today().Plus(page.FarthestPause))
	v.Fields()["until"].Unchanged = true
	until, wrong := page.DayBegins(day, v.Zone())
	if v.Left() {
		wrong = catalogue.Key("You’re unsubscribed and get no editions.")
	}
	if v.OK() && wrong != nil {
		v.Reject("until", wrong)
	}
	if v.OK() {
		err := s.Store.Readers.PauseDigest(v.Ctx, v.Digest.ID, until, v.Now)
		if digest.KindOf(err) == digest.Conflict { // the page shows that the reader has unsubscribed
			err = nil
		}
		return v.SeeSaved(err, "/settings/pause", "paused")
	}
	return v.Show(nil, "settings_pause", catalogue.Key("Pause"), v)
}

func (s *site) endPause(v *page.Visit) error {
	return v.SeeSaved(s.Store.Readers.ResumeDigest(v.Ctx, v.Digest.ID, v.Now), "/settings/pause", "ended")
}
