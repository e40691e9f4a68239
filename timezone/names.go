package timezone

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"time"

	"digest/internal/similarity"
)

//go:generate sh -c "unzip -Z1 $(go env GOROOT)/lib/time/zoneinfo.zip | grep -v -e '/$' -e '^Factory$' | LC_ALL=C sort > names.txt"

//go:embed names.txt
var names string

const suggestions = 3

// An UnknownError reports a name that is not a zone of the IANA database.
type UnknownError struct {
	Name    string
	Nearest []string // most similar names, nearest first; empty if Name is empty
}

// Error returns one line with the most similar names.
func (e *UnknownError) Error() string {
	if len(e.Nearest) == 0 {
		return "a time zone is needed, such as Europe/Paris"
	}
	return fmt.Sprintf("no time zone is called %q; did you mean %s?", e.Name, strings.Join(e.Nearest, ", "))
}

// Names returns all zone names, sorted.
func Names() []string { return strings.Fields(names) }

// Load returns the zone of a name such as "Europe/Paris". For a name that is not in the IANA database, the error is an
// *UnknownError. Load also rejects "Local" and the empty name, which package time accepts.
func Load(name string) (*time.Location, error) {
	if strings.TrimSpace(name) == "" {
		return nil, &UnknownError{Name: name}
	}
	all := Names()
	if _, known := slices.BinarySearch(all, name); !known {
		return nil, &UnknownError{Name: name, Nearest: nearest(name, all)}
	}
	loc, err := time.LoadLocation(name)
	if err != nil {
		return nil, fmt.Errorf("reading time zone %s: %w", name, err)
	}
	return loc, nil
}

// nearest returns the most similar names, and sorts all by similarity.
func nearest(name string, all []string) []string {
	const longest = 64 // longer than any zone; bounds the work for hostile input
	wanted := simplify(name[:min(len(name), longest)])
	far := make(map[string]int, len(all))
	for _, zone := range all {
		far[zone] = distance(wanted, zone)
	}
	slices.SortStableFunc(all, func(a, b string) int { return cmp.Compare(far[a], far[b]) })
	const about = 2 // one edit
	n := 1
	for n < suggestions && far[all[n]] <= far[all[0]]+about {
		n++
	}
	return all[:n]
}

// distance compares a name with a zone's full name and with its city, which people remember better.
func distance(wanted, zone string) int {
	zone = simplify(zone)
	city := zone[strings.LastIndexByte(zone, '/')+1:]
	wantedCity := wanted[strings.LastIndexByte(wanted, '/')+1:]
	return min(2*similarity.Edits(wanted, zone), 2*similarity.Edits(wantedCity, city)+1)
}

func simplify(s string) string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimSpace(s)), " ", "_")
}
