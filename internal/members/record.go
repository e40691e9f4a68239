package members

import (
	"fmt"
	"net/netip"
	"strings"
	"time"

	"digest"
	"digest/internal/places"
	"digest/mailer"
	"digest/timezone"
)

// The maximum lengths of stored texts, in characters.
const (
	mostName  = 200
	mostForm  = 2000
	mostShown = 60 // of a text in a problem
	mostEmail = 320
)

type record struct {
	*table
	list    *List
	fields  []string
	foreign bool   // from another system
	wrong   string // the first error in it
}

func (r *record) raw(column string) string {
	i := r.column[column]
	if i == 0 || i > len(r.fields) {
		return ""
	}
	field := text(r.fields[i-1])
	if r.foreign {
		return field
	}
	return unguarded(field)
}

// get returns the first non-empty field of some columns, as one line.
func (r *record) get(columns ...string) string {
	for _, column := range columns {
		if field := digest.OneLine(r.raw(column)); field != "" {
			return field
		}
	}
	return ""
}

func (r *record) fail(format string, args ...any) {
	if r.wrong == "" {
		r.wrong = fmt.Sprintf(format, args...)
	}
}

// layouts are the time formats in lists. A time without a zone is in UTC.
var layouts = [...]string{
	time.RFC3339, // ours, Substack, Buttondown, Ghost
	"2006-01-02 15:04:05.999999999 -0700 MST", // listmonk: time.Time's String
	time.DateTime, // Mailchimp
	time.DateOnly,
	"2006-01-02T15:04:05",
}

// time parses a time into UTC and whole seconds; zero if the field is empty.
func (r *record) time(column string) time.Time {
	field := r.get(column)
	if field == "" || strings.HasPrefix(field, "0000-00-00") {
		return time.Time{}
	}
	for _, layout := range layouts {
		if t, err := time.Parse(layout, field); err == nil && t.Unix() > 0 && t.Year() <= 9999 {
			return t.UTC().Truncate(time.Second)
		}
	}
	r.fail("%s is %q, which is no time such as 2026-05-01T10:00:00Z", column, digest.Shortened(field, mostShown))
	return time.Time{}
}

// ip parses an IP address; "" if it is invalid.
func (r *record) ip(columns ...string) string {
	for _, column := range columns {
		if a, err := netip.ParseAddr(r.get(column)); err == nil {
			return a.Unmap().WithZone("").String()
		}
	}
	return ""
}

type readZone struct {
	name string
	err  error
}

// zone reads a time zone, or a city. It ignores unknown zones of other systems.
func (r *record) zone(column string) string {
	words := r.get(column)
	if words == "" {
		return ""
	}
	zone, met := r.list.zones[words]
	if !met {
		zone.name = words
		if _, err := timezone.Load(words); err != nil { // our own lists have names such as "EST"
			zone.name, zone.err = places.Zone(words)
		}
		if len(r.list.zones) < 1000 {
			r.list.zones[words] = zone
		}
	}
	if zone.err != nil && !r.foreign {
		r.fail("%v", zone.err)
	}
	return zone.name
}

// email parses the address with the same rule as the program.
func (r *record) email(field string) string {
	if field == "" {
		r.fail("it has no email address")
		return ""
	}
	if len(field) > mostEmail {
		r.fail("its email address is too long")
		return ""
	}
	address, err := mailer.Recipient(field)
	if err != nil {
		r.fail("%v", err)
		return ""
	}
	return digest.NormalEmail(address)
}

func (r *record) name(whole string, parts ...string) string {
	var words []string
	for _, part := range parts {
		words = append(words, r.get(part))
	}
	name := r.get(whole)
	if name == "" {
		name = digest.OneLine(strings.Join(words, " "))
	}
	return digest.Shortened(name, mostName)
}

// is parses true or false. Any other text is an error of the row.
func (r *record) is(column string) bool {
	switch field := r.get(column); strings.ToLower(field) {
	case "true", "1", "yes":
		return true
	case "false", "0", "no":
		return false
	default:
		r.fail("%s is %q, and has to be true or false", column, digest.Shortened(field, mostShown))
		return false
	}
}
