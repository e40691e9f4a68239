package worker

import (
	"fmt"
	"testing"
	"time"

	"digest/store"
)

// TestLookedAt: a process requests few pictures of a site, and few in all, until the next period.
func TestLookedAt(t *testing.T) {
	var l lookedAt
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var due []store.QueuedPicture
	for i := range 2 * picturesASite {
		due = append(due, store.QueuedPicture{URL: fmt.Sprintf("https://%d.far.example/i.png", i)})
	}
	due = append(due, store.QueuedPicture{URL: "https://other.test/i.png"})
	for _, c := range []struct {
		after                time.Duration
		room, far, elsewhere int
	}{
		{0, picturesAPeriod, picturesASite, 1}, {time.Minute, picturesAPeriod - picturesASite - 1, 0, 1},
		{picturesPeriod, picturesAPeriod, picturesASite, 1}, {-time.Hour, picturesAPeriod, picturesASite, 1},
	} {
		room := l.begin(now.Add(c.after))
		sites := l.bySite(due)
		if room != c.room || len(sites["far.example"]) != c.far || len(sites["other.test"]) != c.elsewhere {
			t.Errorf("after %v: room for %d, %d and %d", c.after, room, len(sites["far.example"]),
				len(sites["other.test"]))
		}
	}
}
