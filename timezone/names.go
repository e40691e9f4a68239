package timezone

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"time"
)

//go:generate sh -c "unzip -Z1 $(go env GOROOT)/lib/time/zoneinfo.zip | grep -v -e '/$' -e '^Factory$' | LC_ALL=C sort > names.txt"

//go:embed names.txt
var names string

// Names returns all zone names, sorted.
func Names() []string { return strings.Fields(names) }

// Load returns the zone of a name such as "Europe/Paris". It returns an error for a name that is not in the IANA
// database, also for "Local" and the empty name, which package time accepts. For names that people type, see package
// places.
func Load(name string) (*time.Location, error) {
	if _, known := slices.BinarySearch(Names(), name); !known {
		return nil, fmt.Errorf("no time zone is called %q", name)
	}
	loc, err := time.LoadLocation(name)
	if err != nil {
		return nil, fmt.Errorf("reading time zone %s: %w", name, err)
	}
	return loc, nil
}
