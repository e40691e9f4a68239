package poller

import (
	"time"

	"digest"
)

const (
	busiest = time.Hour      // no feed is asked more often by itself
	calm    = oneDay * 3 / 4 // half a turn of this much: the polls of a day overlap
)

// Turnover is what a good poll says of how fast a document is replaced.
type Turnover struct {
	Listed   int           // entries in the document; 0: it is unchanged
	New      int           // those of them of which nothing was known
	Elapsed  time.Duration // since the good poll before
	Span     time.Duration // since the date of the oldest entry; 0: not known
	UntilDue time.Duration // to the next midnight of any reader; 0: there is none
}

// gap reports whether posts may have come and gone between the two polls.
func (t Turnover) gap() bool { return t.Listed >= 2 && t.New >= t.Listed && t.Elapsed > 0 }

// Busy says how often a feed is to be asked by itself because it is replaced
// faster than its readers' midnights come: its BusyInterval from now on, 0 for
// not at all. A gap begins it; it ends when a poll that overlaps with the one
// before shows that the polls of the midnights will do so too.
func Busy(f digest.Feed, t Turnover) time.Duration {
	if !t.gap() && f.BusyInterval == 0 {
		return 0
	}
	every := 2 * f.BusyInterval // at most, if there was little or nothing
	switch {
	case t.gap():
		every = t.afterGap(f.BusyInterval)
	case t.New > 0:
		turn := float64(t.Elapsed) * float64(t.Listed) / float64(t.New)
		every = min(every, time.Duration(turn/2))
	}
	if every >= max(calm, t.UntilDue*3/4) {
		return 0
	}
	return max(every, busiest)
}

// afterGap is half the time in which the document is replaced, as its dates
// tell it. Without them, or if they say that it reaches back beyond the gap, it
// is only known to have been replaced once at least: then what was too seldom
// is halved until polls overlap.
func (t Turnover) afterGap(before time.Duration) time.Duration {
	every := t.Elapsed / 4
	if 0 < t.Span && t.Span < t.Elapsed {
		every = t.Span / 2
	}
	if before > 0 {
		every = min(every, before/2)
	}
	return every
}
