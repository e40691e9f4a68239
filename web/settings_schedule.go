package web

import (
	"slices"
	"time"

	"digest"
	"digest/internal/catalogue"
	"digest/web/page"
)

// A schedulePage asks on which days editions arrive, whether they are emailed, and when.
type schedulePage struct {
	*page.Visit
	page.CadenceField
	Suppressed bool // the reader's address gets no email
}

func (s *site) schedulePage(v *page.Visit) (err error) {
	p := schedulePage{Visit: v, CadenceField: page.NewCadenceField(v.Digest.Cadence, v.Digest.DeliverAt)}
	if v.Posted() {
		way, timed, was := v.PostForm.Get("mailed"), v.PostForm.Has("at"), v.Digest.Mailed
		if !timed && way == "" || !slices.Contains([]string{"", "yes", "no"}, way) {
			return page.ErrBadForm
		}
		if way != "" {
			v.Digest.Mailed = way == "yes"
		}
		var cadence digest.Cadence
		var at time.Duration
		if timed {
			p.CadenceField, cadence, at, v.Wrong, err = page.ReadCadence(v.Request)
		}
		if err == nil && v.OK() {
			if timed {
				err = s.Store.Readers.SetSchedule(v.Ctx, v.Digest.ID, cadence, at, v.Now)
			}
			if err == nil && v.Digest.Mailed != was {
				err = s.Store.Readers.SetMailed(v.Ctx, v.Digest.ID, v.Digest.Mailed, v.Now)
			}
			return v.SeeSaved(err, "/settings/schedule", "schedule")
		}
	}
	if err == nil {
		_, p.Suppressed, err = s.Store.Editions.Suppressed(v.Ctx, v.Email)
	}
	return v.Show(err, "settings_schedule", catalogue.Key("Schedule"), p)
}
