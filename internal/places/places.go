// Package places finds the time zone that a person means by the name of a city or country, in any of the languages of
// the pages. It is pure.
//
// The names are from geonames.org (CC BY 4.0) and the Unicode CLDR (Unicode licence). generate.go writes places.txt.
package places

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"digest/internal/similarity"
	"digest/internal/textsearch"
	"digest/timezone"
)

// Each line has one or more zones, a tab, and the folded names that mean any of them. No name is in two lines.
//
//go:embed places.txt
var known string

const (
	longest     = 64 // bytes of a name that Zone looks at; bounds the work for hostile input
	suggestions = 3
)

// An UnclearError reports words that mean no zone, or several.
type UnclearError struct {
	Words string
	Zones []string // the zones to choose from, the likeliest first; may be empty
	Known bool     // the words are the name of a place in each of Zones, otherwise they are only similar to one
}

// Error returns one line that says what to do.
func (e *UnclearError) Error() string {
	zones := strings.Join(e.Zones, ", ")
	switch {
	case e.Words == "":
		return "a time zone is needed, such as Europe/Paris"
	case e.Known:
		return fmt.Sprintf("%q has several time zones; use one of %s", e.Words, zones)
	case zones != "":
		return fmt.Sprintf("no time zone is called %q; did you mean %s?", e.Words, zones)
	}
	return fmt.Sprintf("no time zone is called %q; use a large city or a time zone, such as Paris or America/New_York",
		e.Words)
}

// Zone returns the zone of a name such as "Europe/Paris", or of a city or country. An abbreviation such as "EST" is no
// name of a zone here: it often means standard time only, without summer time. If the words mean several zones or none,
// the error is an *UnclearError.
func Zone(words string) (string, error) {
	words = strings.TrimSpace(words)
	if words == "" {
		return "", &UnclearError{}
	}
	short := strings.ToValidUTF8(words[:min(len(words), longest)], "")
	zones := zonesOf(Fold(short))
	if zone := exact(words); zone != "" && (zones == nil || strings.Contains(zone, "/")) {
		return zone, nil
	}
	if zones == nil { // perhaps a city with its country or region
		city, _, _ := strings.Cut(strings.ReplaceAll(short, "(", ","), ",")
		short = city[strings.LastIndexByte(city, '/')+1:]
		zones = zonesOf(Fold(short))
	}
	switch len(zones) {
	case 0:
		return "", &UnclearError{Words: words, Zones: nearest(Fold(short))}
	case 1:
		return zones[0], nil
	}
	return "", &UnclearError{Words: words, Zones: zones, Known: true}
}

// Fold removes case, accents, spaces and signs from the name of a place.
func Fold(name string) string {
	return strings.Map(func(c rune) rune {
		if unicode.In(c, unicode.Letter, unicode.Digit, unicode.Mark) {
			return c
		}
		return -1
	}, textsearch.Fold(name))
}

// exact returns the zone of the IANA database with a name, which may have other capitals, and spaces.
func exact(name string) string {
	name = strings.Join(strings.Fields(name), "_")
	all := timezone.Names()
	if i := slices.IndexFunc(all, func(zone string) bool { return strings.EqualFold(zone, name) }); i >= 0 {
		return all[i]
	}
	return ""
}

// zonesOf returns the zones of a folded name.
func zonesOf(name string) []string {
	at := strings.Index(known, "|"+name+"|")
	if name == "" || at < 0 {
		return nil
	}
	line := known[strings.LastIndexByte(known[:at], '\n')+1 : at]
	zones, _, _ := strings.Cut(line, "\t")
	return strings.Fields(zones)
}

// nearest returns the zones whose folded names differ from a name by one letter, or by two if the name is long.
func nearest(name string) []string {
	most := min(len(name)/4, 2)
	if most == 0 || strings.ContainsAny(name, "0123456789") { // such as "GMT+5"
		return nil
	}
	type guess struct {
		zones string
		edits int
	}
	var guesses []guess
	for line := range strings.Lines(known) {
		zones, names, _ := strings.Cut(line, "\t")
		best := most + 1
		for other := range strings.SplitSeq(strings.Trim(names, "|\n"), "|") {
			if d := len(other) - len(name); -best < d && d < best {
				best = min(best, similarity.Edits(name, other))
			}
		}
		if best <= most {
			guesses = append(guesses, guess{zones, best})
		}
	}
	slices.SortStableFunc(guesses, func(a, b guess) int { return cmp.Compare(a.edits, b.edits) })
	var near []string
	for _, g := range guesses {
		if g.edits > guesses[0].edits {
			break
		}
		for zone := range strings.FieldsSeq(g.zones) {
			if len(near) < suggestions && !slices.Contains(near, zone) {
				near = append(near, zone)
			}
		}
	}
	return near
}
