package web

import (
	"cmp"
	"context"
	"html/template"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"digest"
	"digest/calendar"
	"digest/internal/catalogue"
	"digest/internal/chart"
	"digest/store"
	"digest/timezone"

	"golang.org/x/sync/singleflight"
)

// The feeds of each midnight are counted at most so often, and a page waits no
// longer for that: a large database takes seconds.
const (
	countEvery   = 10 * time.Minute
	countWait    = 400 * time.Millisecond
	countTimeout = time.Minute
)

// A feedCount is how many feeds were asked at each midnight when they were counted.
type feedCount struct {
	feeds []store.Midnight
	at    time.Time // zero: they never were
}

// A feedCounter keeps the last count. One caller at a time counts anew.
type feedCounter struct {
	last   atomic.Pointer[feedCount]
	flight singleflight.Group
}

// countFeeds gives the last count. One that is older than countEvery is made
// anew, which is waited for no longer than countWait.
func (s *site) countFeeds(ctx context.Context, now time.Time) feedCount {
	c := &s.feedCounter
	if last := c.last.Load(); last != nil && !now.Before(last.at) && now.Sub(last.at) < countEvery {
		return *last
	}
	done := c.flight.DoChan("", func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), countTimeout)
		defer cancel()
		feeds, err := s.Store.MidnightFeeds(ctx)
		if err == nil {
			c.last.Store(&feedCount{feeds, now})
		}
		return nil, err
	})
	select {
	case <-done:
	case <-time.After(countWait):
	case <-ctx.Done():
	}
	if last := c.last.Load(); last != nil {
		return *last
	}
	return feedCount{}
}

// A midnightRow is one quarter of an hour in which days begin.
type midnightRow struct {
	store.Midnight
	Places string
}

// Clock is when in the UTC day it is: "18:15".
func (m midnightRow) Clock() string { return chart.ClockTime(m.At) }

// drawMidnights draws the world's midnights.
func (p *operatorPage) drawMidnights(l *catalogue.Language, readers []store.Midnight, counted feedCount,
	now time.Time) {
	p.CountedAt = counted.at
	d := chart.Dial{Now: now, Places: placesAt(l, now)}
	for _, m := range readers {
		slotOf(&d, m.At).Readers = m.Readers
	}
	for _, m := range counted.feeds {
		slotOf(&d, m.At).Feeds = m.Feeds
	}
	for i, slot := range d.Slots {
		if slot.Readers > 0 || slot.Feeds > 0 {
			at := time.Duration(i) * 15 * time.Minute
			p.Midnights = append(p.Midnights,
				midnightRow{store.Midnight{At: at, Readers: slot.Readers, Feeds: slot.Feeds}, namesAt(d.Places, at)})
		}
	}
	p.DialWords = p.tellMidnights(now)
	// The picture holds numbers, times and names of our own only.
	p.Dial = template.HTML(d.SVG(l, catalogue.Key("Midnights around the world").In(l), p.DialWords.In(l)))
}

// slotOf gives the part of the dial that an instant of the day falls into.
func slotOf(d *chart.Dial, at time.Duration) *chart.Slot {
	return &d.Slots[int(at/(15*time.Minute))%chart.Quarters]
}

// tellMidnights tells the dial in words.
func (p *operatorPage) tellMidnights(now time.Time) catalogue.Sayable {
	active := slices.DeleteFunc(slices.Clone(p.Midnights), func(m midnightRow) bool { return m.Readers == 0 })
	if len(active) == 0 {
		return catalogue.Key("No readers yet.")
	}
	most := slices.MaxFunc(active, func(a, b midnightRow) int { return cmp.Compare(a.Readers, b.Readers) })
	clock := now.UTC().Sub(now.UTC().Truncate(24 * time.Hour))
	next := active[0]
	for _, m := range slices.Backward(active) {
		if m.At > clock {
			next = m
		}
	}
	words := catalogue.Key("The next midnight is at %s: %s.").With(next.where(),
		catalogue.Key("%d readers").With(next.Readers))
	if most.Readers > next.Readers {
		words = catalogue.Key("%s The busiest is at %s: %s.").With(words, most.where(),
			catalogue.Key("%d readers").With(most.Readers))
	}
	return words
}

// where says when it is, and names places: "18:15 UTC (Delhi)".
func (m midnightRow) where() catalogue.Message {
	if m.Places == "" {
		return catalogue.Key("%s UTC").With(m.Clock())
	}
	return catalogue.Key("%s UTC (%s)").With(m.Clock(), m.Places)
}

// placesAt gives places all over the world with their next midnights, those
// that most people look for first.
func placesAt(l *catalogue.Language, now time.Time) (places []chart.Place) {
	for _, zone := range []catalogue.City{
		"Europe/London", "America/New_York", "Asia/Tokyo", "Asia/Kolkata", "America/Los_Angeles",
		"Pacific/Auckland", "Europe/Paris", "America/Sao_Paulo", "Australia/Sydney", "Asia/Hong_Kong",
		"Europe/Moscow", "Asia/Dubai", "Pacific/Honolulu", "America/Chicago", "Africa/Cairo", "America/Denver",
		"Asia/Bangkok", "Asia/Karachi", "America/Anchorage", "Atlantic/Azores", "America/Noronha", "Asia/Dhaka",
		"Pacific/Noumea", "America/Halifax", "Africa/Nairobi",
	} {
		loc, err := timezone.Load(string(zone))
		if err != nil {
			continue // the zone database of the machine does not know it
		}
		next := calendar.Next(now, loc, digest.Daily).UTC()
		places = append(places, chart.Place{Name: zone.In(l), At: next.Sub(next.Truncate(24 * time.Hour))})
	}
	return places
}

// namesAt names the places whose days begin in a quarter of an hour, two at most.
func namesAt(places []chart.Place, at time.Duration) string {
	var names []string
	for _, p := range places {
		if p.At.Truncate(15*time.Minute) == at && len(names) < 2 {
			names = append(names, p.Name)
		}
	}
	return strings.Join(names, ", ")
}
