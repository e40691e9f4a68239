package digest

import (
	"fmt"
	"strings"
	"time"
)

// A ClockNote counts the times in the database that a wrong clock wrote and that were corrected.
type ClockNote struct {
	At       time.Time // time of the correction
	Feeds    int       // whose polls were too far in the future
	Hosts    int       // leased or paused for too long, with domains
	Digests  int       // whose midnight or plan was too far in the future
	Editions int       // released early, or scheduled too late
	Others   int       // links, sessions, trips and the like
}

// Any reports whether there were corrections.
func (n ClockNote) Any() bool { return n.Feeds+n.Hosts+n.Digests+n.Editions+n.Others > 0 }

// String returns the counts in one line.
func (n ClockNote) String() string {
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{
		{n.Feeds, "feeds"}, {n.Hosts, "hosts and domains"}, {n.Digests, "digests"}, {n.Editions, "editions"},
		{n.Others, "other records"},
	} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%s: %d", p.what, p.n))
		}
	}
	return strings.Join(parts, ", ")
}
