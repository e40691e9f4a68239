// Package chart draws how a site has answered over time as one SVG picture: by
// day, how many answers of each kind, how many bytes, and how fast.
//
// It is pure, and knows nothing but numbers and dates, so no text of a stranger
// can reach a page through it. The picture has no styles and no sizes of its
// own: widths are percentages and heights are pixels, so that it is as sharp
// and its words are as large on a phone as on a desk, and colours come from the
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
	return [kinds]string{"unchanged", "something new", "asked to wait", "refused", "server error", "no usable answer"}[k]
}

// Class is the kind's class in the picture, for a style sheet.
func (k Kind) Class() string {
	return [kinds]string{"unchanged", "changed", "limited", "refused", "broken", "silent"}[k]
}

// A Poll is one look at a site.
type Poll struct {
	At    time.Time
	Kind  Kind
	Bytes int64
	Took  time.Duration
}

// A Day is what one day in UTC brought.
type Day struct {
	Date    time.Time // its midnight
	Count   [kinds]int
	Bytes   int64
	Fastest time.Duration
	Median  time.Duration
	Slowest time.Duration
}

// Polls counts a day's polls.
func (d Day) Polls() int {
	n := 0
	for _, c := range d.Count {
		n += c
	}
	return n
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
		if len(all) == 0 {
			continue
		}
		slices.Sort(all)
		h.Days[i].Fastest, h.Days[i].Median, h.Days[i].Slowest = all[0], all[(len(all)-1)/2], all[len(all)-1]
	}
	return h
}

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
		for k, n := range d.Count {
			t.Count[k] += n
		}
	}
	if len(medians) > 0 {
		slices.Sort(medians)
		t.Median = medians[(len(medians)-1)/2]
	}
	return t
}
