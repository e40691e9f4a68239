package page

import (
	"errors"
	"strings"

	"digest/internal/catalogue"
	"digest/timezone"
)

// A ZoneField is the form field for a time zone.
type ZoneField struct {
	Zone      string
	WrongZone catalogue.Key // why the zone is invalid; empty: it is valid
	Near      []string      // existing names that are similar
}

// Names returns the names of all zones.
func (ZoneField) Names() []string { return timezone.Names() }

// ReadZone returns the zone whose name or city was typed. If the zone is unknown, it sets WrongZone and Near.
func (f *ZoneField) ReadZone() (name string, ok bool) {
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
		if region == "Etc" || !strings.EqualFold(ZoneName(name), ZoneName(city)) {
			continue
		}
		if only != "" {
			return ""
		}
		only = zone
	}
	return only
}
