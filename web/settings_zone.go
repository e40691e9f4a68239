package web

import (
	"digest/internal/catalogue"
	"digest/web/page"
)

type zonePage struct {
	*page.Visit
	Away catalogue.Sayable // the present trip; nil: none
}

// Clock returns the present time in the reader's time zone.
func (p zonePage) Clock() catalogue.Moment {
	return catalogue.Time("15:04 on Monday 2 January", p.Now.In(p.Zone()))
}

func (s *site) zonePage(v *page.Visit) error {
	p := zonePage{Visit: v}
	zone := v.AddZone(v.TimeZone)
	if v.OK() {
		return v.SeeSaved(s.Store.Readers.SetTimeZone(v.Ctx, v.ID, zone, v.Now), "/settings/zone", "zone")
	}
	if f := v.Near(); f != nil {
		f.Unchanged = true
	}
	stays, err := s.Store.Readers.Stays(v.Ctx, v.ID)
	for _, st := range stays {
		if st.Begun {
			p.Away = stayOf(v, st).Words()
		}
	}
	return v.Show(err, "settings_zone", catalogue.Key("Time zone"), p)
}
