package feed

import (
	"slices"
	"strings"
	"time"

	"digest/timezone"
)

// The date and time formats of an event.
const (
	eventDay  = "Monday 2 January 2006"
	eventHour = "15:04"
)

// timeLine returns the time and place of an event as HTML; "" for other objects.
func (o *asObject) timeLine() string {
	if !o.is("Event") {
		return ""
	}
	var lines []string
	if when := o.when(); when != "" {
		lines = append(lines, "<strong>"+escape(when)+"</strong>")
	}
	if where := o.places(); where != "" {
		lines = append(lines, where)
	}
	return paragraphOf(strings.Join(lines, "<br/>"))
}

func paragraphOf(line string) string {
	if line == "" {
		return ""
	}
	return "<p>" + line + "</p>"
}

// when returns the time of an event in the zone of its place. If the zone is unknown, it uses the offset in the feed.
func (o *asObject) when() string {
	begin, end := parseDate(o.StartTime.text()), parseDate(o.EndTime.text())
	if begin.IsZero() {
		return ""
	}
	zone := o.Timezone.text()
	if place := zoneOf(zone); place != nil {
		begin, end = begin.In(place), inZone(end, place)
	} else {
		zone = begin.Format("-07:00")
		if strings.HasSuffix(zone, "00:00") {
			zone = "UTC"
		}
	}
	from := begin.Format(eventDay + ", " + eventHour)
	switch {
	case !end.After(begin):
		return from + " (" + zone + ")"
	case end.Format(eventDay) == begin.Format(eventDay):
		return from + "–" + end.Format(eventHour) + " (" + zone + ")"
	}
	return from + " – " + end.Format(eventDay+", "+eventHour) + " (" + zone + ")"
}

// zoneOf returns the time zone with a name; nil: the name is unknown.
func zoneOf(name string) *time.Location {
	if _, known := slices.BinarySearch(timezone.Names(), name); !known {
		return nil
	}
	zone, err := timezone.Load(name)
	if err != nil {
		return nil
	}
	return zone
}

// inZone converts a time to a zone; zero stays zero.
func inZone(at time.Time, place *time.Location) time.Time {
	if at.IsZero() {
		return at
	}
	return at.In(place)
}

const maxPlaces = 3

// places returns the places of o and their addresses as one line of HTML; "": it has none.
func (o *asObject) places() string {
	var all []string
	for _, v := range o.Location.list(maxPlaces) {
		place := v.object()
		line := place.place()
		switch page := firstOf(place.page(), place.address); {
		case line == "" && isWeb(page):
			line = `<a href="` + escape(page) + `">` + escape(page) + `</a>`
		case line == "":
			line = plainLine(v.text(), markup)
			fallthrough
		default:
			line = escape(line)
		}
		if line != "" {
			all = append(all, line)
		}
	}
	if len(all) == 0 {
		return ""
	}
	return "📍 " + strings.Join(all, "; ")
}

func (o *asObject) place() string {
	parts := []string{o.title()}
	address := o.Address.object()
	if written := plainLine(o.Address.text(), markup); written != "" {
		parts = append(parts, written)
	}
	town := strings.TrimSpace(address.PostalCode.text() + " " + address.AddressLocality.text())
	for _, part := range []string{address.StreetAddress.text(), town, address.AddressCountry.text(), o.Country.text()} {
		parts = append(parts, plainLine(part, markup))
	}
	var said []string
	for _, part := range parts {
		if part = strings.TrimSpace(part); part != "" && !slices.Contains(said, part) {
			said = append(said, part)
		}
	}
	return strings.Join(said, ", ")
}
