package digest

import (
	"fmt"
	"strings"
	"time"
)

// A ClockNote is what a clock that was wrong has left in the database, and was put
// right.
type ClockNote struct {
	At       time.Time // when it was put right
	Feeds    int       // whose polls lay ahead
	Hosts    int       // leased for too long; domains that were to be left alone for too long
	Digests  int       // whose midnight or whose plan lay too far ahead
	Editions int       // that were to be sent too late, or were released early
	Others   int       // links, sessions, stays and the like
}

// Any reports whether there was anything.
func (n ClockNote) Any() bool { return n.Feeds+n.Hosts+n.Digests+n.Editions+n.Others > 0 }

// String tells it in one line.
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
