package page

import (
	"errors"

	"digest/internal/catalogue"
	"digest/internal/places"
	"digest/timezone"
)

// A ZoneField is the form field for a time zone.
type ZoneField struct {
	Zone      string
	WrongZone catalogue.Key // why the zone is invalid; empty: it is valid
	Near      []Choice      // zones to choose from
}

// Names returns the names of all zones.
func (ZoneField) Names() []string { return timezone.Names() }

// ReadZone returns the zone that the typed words mean. If they mean none, or several, it sets WrongZone and Near.
func (f *ZoneField) ReadZone() (name string, ok bool) {
	name, err := places.Zone(f.Zone)
	unclear, isUnclear := errors.AsType[*places.UnclearError](err)
	switch {
	case !isUnclear:
		return name, err == nil
	case unclear.Words == "":
		f.WrongZone = catalogue.Key("Enter a city or time zone, such as Paris or America/New_York.")
	case unclear.Known:
		f.WrongZone = catalogue.Key("Several time zones fit.")
	case unclear.Zones == nil:
		f.WrongZone = catalogue.Key("We don’t know that place. Try a large city near you.")
	default:
		f.WrongZone = catalogue.Key("We don’t know that time zone.")
	}
	for _, zone := range unclear.Zones {
		f.Near = append(f.Near, Choice{Value: zone, Name: catalogue.City(zone)})
	}
	return "", false
}
