package web

import (
	"errors"
	"strings"

	"digest/internal/catalogue"
	"digest/timezone"
)

type zonePage struct {
	*visit
	Away catalogue.Sayable // the present trip; nil: none
}

// Clock returns the present time in the reader's time zone.
func (p zonePage) Clock() catalogue.Moment {
	return catalogue.Time("15:04 on Monday 2 January", p.now.In(p.zone()))
}

func (s *site) zonePage(v *visit) error {
	p := zonePage{visit: v}
	zone := v.zoneNamed(v.TimeZone)
	if v.ok() {
		return v.saved(s.Store.Readers.SetTimeZone(v.ctx, v.ID, zone, v.now), "/settings/zone", "zone")
	}
	if f := v.Near(); f != nil {
		f.Unchanged = true
	}
	stays, err := s.Store.Readers.Stays(v.ctx, v.ID)
	for _, st := range stays {
		if st.Begun {
			p.Away = v.view(st).Words()
		}
	}
	return v.show(err, "settings_zone", catalogue.Key("Time zone"), p)
}

type zoneField struct {
	Zone      string
	WrongZone catalogue.Key // why the zone is invalid; empty: it is valid
	Near      []string      // existing names that are similar
}

// Names returns the names of all zones.
func (zoneField) Names() []string { return timezone.Names() }

// readZone returns the zone whose name or city was typed. If the zone is unknown, it sets WrongZone and Near.
func (f *zoneField) readZone() (name string, ok bool) {
	name = strings.TrimSpace(f.Zone)
	_, err := timezone.Load(name)
	if err == nil {
		return name, true
	}
	f.WrongZone = catalogue.Key("Enter a city or time zone, such as Paris or America/New_York.")
	if unknown, ok := errors.AsType[*timezone.UnknownError](err); ok && len(unknown.Nearest) > 0 {
		if zone := onlyCity(name, unknown.Nearest); zone != "" {
			return zone, true
		}
		f.WrongZone, f.Near = catalogue.Key("We don’t know that time zone."), unknown.Nearest
	}
	return name, false
}

// onlyCity returns the zone that is named after a city, "" without exactly one. It ignores the zones in Etc.
func onlyCity(city string, zones []string) (only string) {
	for _, zone := range zones {
		region, name, _ := strings.Cut(zone, "/")
		name = name[strings.LastIndexByte(name, '/')+1:]
		if region == "Etc" || !strings.EqualFold(zoneName(name), zoneName(city)) {
			continue
		}
		if only != "" {
			return ""
		}
		only = zone
	}
	return only
}
