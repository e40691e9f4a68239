// Package chart draws how a site has answered over time as one SVG picture: by
// day, how many answers of each kind, how many bytes, and how fast. It also draws
// what an instance does by the hour, and when in the day its readers' days begin.
//
// It is pure, and knows nothing but numbers and dates, so no text of a stranger
// can reach a page through it. The pictures have no styles and no sizes of their
// own: widths are percentages and heights are pixels, so that they are as sharp
// and their words are as large on a phone as on a desk, and colours come from the
// classes that the page's style sheet gives them.
package chart

import (
	"slices"
	"time"
)

// A Kind is a kind of answer.
type Kind int

// The kinds of answer, from the best to the worst, which is also the order in
// which they are stacked.
const (
	Unchanged Kind = iota // nothing new, and little said
	Changed               // something new
	Limited               // asked to come back later
	Refused               // the request was at fault, by the site's word
	Broken                // the site was at fault
	Silent                // no answer, or none that could be used
	kinds
)

// Kinds is all kinds in their order.
func Kinds() []Kind { return []Kind{Unchanged, Changed, Limited, Refused, Broken, Silent} }

// String names a kind in a legend; it says nothing that a colour would have to.
func (k Kind) String() string {
	return [kinds]string{"unchanged", "new content", "rate-limited", "refused", "server error", "no usable response"}[k]
}

// Class is the kind's class in the picture, for a style sheet.
func (k Kind) Class() string {
	return [kinds]string{"unchanged", "changed", "limited", "refused", "broken", "silent"}[k]
}

// Count is how many polls were answered in each way.
type Count [kinds]int

// Polls counts all polls.
func (c Count) Polls() int {
	n := 0
	for _, k := range c {
		n += k
	}
	return n
}

func (c *Count) add(more Count) {
	for k, n := range more {
		c[k] += n
	}
}

// A Poll is one look at a feed.
type Poll struct {
	At    time.Time
	Kind  Kind
	Bytes int64
	Took  time.Duration
}

// A Day is what one day in UTC brought.
type Day struct {
	Date time.Time // its midnight
	Count
	Bytes   int64
	Fastest time.Duration
	Median  time.Duration
	Slowest time.Duration
}

// A History is a row of days without gaps, the oldest first.
type History struct {
	Days []Day
}

// New sums up polls over the n days in UTC that end with the day of now. Polls
// outside of them are left out.
func New(polls []Poll, now time.Time, n int) History {
	today := now.UTC().Truncate(24 * time.Hour)
	h := History{Days: make([]Day, n)}
	took := make([][]time.Duration, n)
	for i := range h.Days {
		h.Days[i].Date = today.AddDate(0, 0, i-n+1)
	}
	for _, p := range polls {
		i := n - 1 - int(today.Sub(p.At.UTC().Truncate(24*time.Hour))/(24*time.Hour))
		if i < 0 || i >= n || p.Kind < 0 || p.Kind >= kinds {
			continue
		}
		h.Days[i].Count[p.Kind]++
		h.Days[i].Bytes += max(p.Bytes, 0)
		took[i] = append(took[i], max(p.Took, 0))
	}
	for i, all := range took {
		if len(all) > 0 {
			slices.Sort(all)
			h.Days[i].Fastest, h.Days[i].Median, h.Days[i].Slowest = all[0], median(all), all[len(all)-1]
		}
	}
	return h
}

func median(sorted []time.Duration) time.Duration { return sorted[(len(sorted)-1)/2] }

// Total sums up all days: the counts and bytes of a Day, without a date. Its
// times are those of the fastest and the slowest poll, and the median of the
// days' medians.
func (h History) Total() Day {
	var t Day
	var medians []time.Duration
	for _, d := range h.Days {
		if d.Polls() == 0 {
			continue
		}
		if len(medians) == 0 || d.Fastest < t.Fastest {
			t.Fastest = d.Fastest
		}
		t.Slowest = max(t.Slowest, d.Slowest)
		medians = append(medians, d.Median)
		t.Bytes += d.Bytes
		t.Count.add(d.Count)
	}
	if len(medians) > 0 {
		slices.Sort(medians)
		t.Median = median(medians)
	}
	return t
}

// An Hour is what was done in one hour.
type Hour struct {
	At time.Time // when it begins
	Count
	Bytes    int64
	Editions int // made
	Sent     int // mails that a server took
	Failed   int // mails that were given up
}

// Quiet reports whether nothing was done.
func (h Hour) Quiet() bool {
	return h.Polls() == 0 && h.Editions == 0 && h.Sent == 0 && h.Failed == 0
}

// Work is a row of hours without gaps, the oldest first.
type Work struct {
	Hours []Hour
}

// NewWork makes n empty hours that end with the hour of now.
func NewWork(now time.Time, n int) Work {
	w := Work{Hours: make([]Hour, n)}
	for i := range w.Hours {
		w.Hours[i].At = now.UTC().Truncate(time.Hour).Add(time.Duration(i-n+1) * time.Hour)
	}
	return w
}

// Hour gives the hour that begins at an instant, nil for one that is not there.
func (w Work) Hour(at time.Time) *Hour {
	i := slices.IndexFunc(w.Hours, func(h Hour) bool { return h.At.Equal(at) })
	if i < 0 {
		return nil
	}
	return &w.Hours[i]
}

// Total sums up all hours.
func (w Work) Total() Hour {
	var t Hour
	for _, h := range w.Hours {
		t.Count.add(h.Count)
		t.Bytes += h.Bytes
		t.Editions += h.Editions
		t.Sent += h.Sent
		t.Failed += h.Failed
	}
	return t
}
