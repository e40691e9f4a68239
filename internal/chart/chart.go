// Package chart draws SVG charts. History shows the responses of a site by day. Work shows the work of an instance by
// hour. Newsletter shows the numbers of a newsletter, and Dial the times of day at which readers' days begin.
//
// The package is pure, and gets only numbers, dates and names of places, so no text of a stranger can reach a page
// through it. The pictures have no styles and no fixed width. Widths are percentages and heights are pixels, so that
// text has the same size on a phone and on a desktop. The page's style sheet sets colours by class.
package chart

import (
	"slices"
	"time"
)

// A Kind is the kind of a response.
type Kind int

// The kinds of responses, from the best to the worst, which is also the order in which they are stacked.
const (
	Unchanged Kind = iota // nothing new
	Changed               // new content
	Limited               // rate-limited
	Refused               // the site rejected the request
	Broken                // the site had an error
	Silent                // no response, or an unusable one
	kinds
)

// Kinds returns all kinds in order.
func Kinds() []Kind { return []Kind{Unchanged, Changed, Limited, Refused, Broken, Silent} }

// String returns the name of a kind for a legend.
func (k Kind) String() string { return k.Word().String() }

// Class returns the CSS class of a kind.
func (k Kind) Class() string {
	return [kinds]string{"unchanged", "changed", "limited", "refused", "broken", "silent"}[k]
}

// Count holds the number of polls by kind of response.
type Count [kinds]int

// Polls returns the number of all polls.
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

// A Poll is the result of one poll of a feed.
type Poll struct {
	At    time.Time
	Kind  Kind
	Bytes int64
	Took  time.Duration
}

// A Day sums up the polls of one UTC day.
type Day struct {
	Date time.Time // its UTC midnight
	Count
	Bytes   int64
	Fastest time.Duration
	Median  time.Duration
	Slowest time.Duration
}

// A History is a list of days without gaps, oldest first.
type History struct {
	Days []Day
}

// New sums up polls over the n UTC days that end with the day of now. It ignores polls outside of them.
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

// Total sums up all days into a Day without a date. Its times are the fastest and the slowest poll, and the median of
// the days' medians.
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

// An Hour counts the work of one hour.
type Hour struct {
	At time.Time // beginning of the hour
	Count
	Bytes    int64
	Editions int // created
	Sent     int // emails that a server accepted
	Failed   int // emails that failed permanently
}

// Quiet reports whether all counts are 0.
func (h Hour) Quiet() bool {
	return h.Polls() == 0 && h.Editions == 0 && h.Sent == 0 && h.Failed == 0
}

// Work is a list of hours without gaps, oldest first.
type Work struct {
	Hours []Hour
}

// NewWork returns n empty hours that end with the hour of now.
func NewWork(now time.Time, n int) Work {
	w := Work{Hours: make([]Hour, n)}
	for i := range w.Hours {
		w.Hours[i].At = now.UTC().Truncate(time.Hour).Add(time.Duration(i-n+1) * time.Hour)
	}
	return w
}

// Hour returns the hour that begins at an instant, or nil.
func (w Work) Hour(at time.Time) *Hour {
	i := slices.IndexFunc(w.Hours, func(h Hour) bool { return h.At.Equal(at) })
	if i < 0 {
		return nil
	}
	return &w.Hours[i]
}

// Total returns the sums of all hours.
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
