package web

import (
	"strings"
	"time"

	"digest"
	"digest/internal/catalogue"
	"digest/timezone"
)

// A standing is how a digest goes on, as its reader is told, by their clock.
type standing struct {
	namedPage
	Start string // path of the page that starts the digest again; "" while it runs
	of    digest.Digest
	now   time.Time
}

func (s *site) standing(d digest.Digest) standing {
	st := standing{namedPage: named(d), of: d, now: s.Now()}
	if st.Left() {
		st.Start = s.unsubscribePath(d)
	}
	return st
}

// Left reports whether no edition is made because the reader has unsubscribed.
func (st standing) Left() bool { return st.of.State == digest.DigestLeft }

// Paused reports whether the digest is paused.
func (st standing) Paused() bool { return st.of.State == digest.DigestPaused }

// Until is the day on which a pause ends; nil if it has no end.
func (st standing) Until() catalogue.Sayable {
	if !st.Paused() || st.of.PausedUntil.IsZero() {
		return nil
	}
	return st.day(st.of.PausedUntil)
}

// Next is the day of the next edition of a digest that was not left; nil while it
// is paused without end. While it is paused until a time it is due after that
// already, as calendar.Schedule.Due says.
func (st standing) Next() catalogue.Sayable {
	if st.Paused() && st.of.PausedUntil.IsZero() || st.of.NextDueAt.IsZero() {
		return nil
	}
	return st.day(st.of.NextDueAt)
}

// Days are the days on which it comes.
func (st standing) Days() daysView { return daysView{st.of.Cadence} }

// Home is the city of the reader's time zone.
func (st standing) Home() catalogue.City { return catalogue.City(st.of.TimeZone) }

func zoneName(zone string) string { return strings.ReplaceAll(zone, "_", " ") }

func (st standing) zone() *time.Location { return zoneOr(st.of.TimeZone) }

// zoneOr is the zone of a name; that of a name that is none any more is UTC.
func zoneOr(name string) *time.Location {
	loc, err := timezone.Load(name)
	if err != nil {
		return time.UTC
	}
	return loc
}

// today is the date by the reader's clock.
func (st standing) today() digest.Date { return digest.DateOf(st.now.In(st.zone())) }

// day names a day near enough to do without its year, or else with it.
func (st standing) day(t time.Time) catalogue.Sayable {
	if t.Sub(st.now) > 300*24*time.Hour {
		return catalogue.Day("Monday 2 January 2006", digest.DateOf(t.In(st.zone())))
	}
	return catalogue.Day("Monday 2 January", digest.DateOf(t.In(st.zone())))
}
