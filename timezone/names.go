package timezone

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"time"

	"digest/internal/spelling"
)

//go:generate sh -c "unzip -Z1 $(go env GOROOT)/lib/time/zoneinfo.zip | grep -v -e '/$' -e '^Factory$' | LC_ALL=C sort > names.txt"

//go:embed names.txt
var names string

// suggestions is how many real names an UnknownError offers at most.
const suggestions = 3

// An UnknownError says that a name is not a zone of the IANA database.
type UnknownError struct {
	Name    string
	Nearest []string // the real names most like it, nearest first; none for no name
}

// Error is one line that offers the nearest real names.
func (e *UnknownError) Error() string {
	if len(e.Nearest) == 0 {
		return "a time zone is needed, such as Europe/Paris"
	}
	return fmt.Sprintf("no time zone is called %q; did you mean %s?", e.Name, strings.Join(e.Nearest, ", "))
}

// Names lists every zone name, sorted.
func Names() []string { return strings.Fields(names) }

// Load finds the zone of a name such as "Europe/Paris". The error is an
// *UnknownError for a name the IANA database does not have; "Local" and the
// empty name, which mean something to package time, are refused too.
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

// nearest orders the real names by how few edits lead to them, and gives the
// first and those about as near as the first.
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

// distance compares a wish with a zone's whole name and with its city alone,
// which is what people remember.
func distance(wanted, zone string) int {
	zone = simplify(zone)
	city := zone[strings.LastIndexByte(zone, '/')+1:]
	wantedCity := wanted[strings.LastIndexByte(wanted, '/')+1:]
	return min(2*spelling.Edits(wanted, zone), 2*spelling.Edits(wantedCity, city)+1)
}

func simplify(s string) string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimSpace(s)), " ", "_")
}
