package operator

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

// The count of feeds takes seconds on a large database. It is repeated after countEvery at the
// earliest, and a page waits for it for at most countWait.
const (
	countEvery   = 10 * time.Minute
	countWait    = 400 * time.Millisecond
	countTimeout = time.Minute
)

// A feedCount contains the number of polled feeds at each midnight.
type feedCount struct {
	feeds []store.Midnight
	at    time.Time // time of the count; zero before the first
}

// A feedCounter caches the last count. Concurrent callers share a new count.
type feedCounter struct {
	last   atomic.Pointer[feedCount]
	flight singleflight.Group
}

// countFeeds returns the last count. It starts a new one if that is older than countEvery, and
// waits up to countWait for it.
func (s *site) countFeeds(ctx context.Context, now time.Time) feedCount {
	c := &s.feedCounter
	if last := c.last.Load(); last != nil && !now.Before(last.at) && now.Sub(last.at) < countEvery {
		return *last
	}
	done := c.flight.DoChan("", func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), countTimeout)
		defer cancel()
		feeds, err := s.Store.Operator.MidnightFeeds(ctx)
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

// A midnightRow is a quarter of an hour of the UTC day in which local days begin.
type midnightRow struct {
	store.Midnight
	Places string
}

// Clock returns the UTC time: "18:15".
func (m midnightRow) Clock() string { return chart.ClockTime(m.At) }

// drawMidnights draws the dial of midnights around the world.
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
	// The SVG contains only our own numbers, times and names.
	p.Dial = template.HTML(d.SVG(l, catalogue.Key("Midnights around the world").In(l), p.DialWords.In(l)))
}

func slotOf(d *chart.Dial, at time.Duration) *chart.Slot {
	return &d.Slots[int(at/(15*time.Minute))%chart.Quarters]
}

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

// where returns the time and its places: "18:15 UTC (Delhi)".
func (m midnightRow) where() catalogue.Message {
	if m.Places == "" {
		return catalogue.Key("%s UTC").With(m.Clock())
	}
	return catalogue.Key("%s UTC (%s)").With(m.Clock(), m.Places)
}

// placesAt returns places around the world with their next midnights, the best known first.
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
			continue // missing in the machine's time zone database
		}
		next := calendar.Next(now, loc, digest.Daily).UTC()
		places = append(places, chart.Place{Name: zone.In(l), At: next.Sub(next.Truncate(24 * time.Hour))})
	}
	return places
}

// namesAt returns up to two places with midnight in a quarter of an hour.
func namesAt(places []chart.Place, at time.Duration) string {
	var names []string
	for _, p := range places {
		if p.At.Truncate(15*time.Minute) == at && len(names) < 2 {
			names = append(names, p.Name)
		}
	}
	return strings.Join(names, ", ")
}
