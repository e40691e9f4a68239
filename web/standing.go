package web

import (
	"strings"
	"time"

	"digest"
	"digest/internal/catalogue"
	"digest/timezone"
)

// A standing describes the state of a digest to its reader, in the reader's time zone.
type standing struct {
	namedPage
	Start string // path of the page that restarts the digest; "" while it runs
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

// Left reports whether the reader has unsubscribed.
func (st standing) Left() bool { return st.of.State == digest.DigestLeft }

// Paused reports whether the digest is paused.
func (st standing) Paused() bool { return st.of.State == digest.DigestPaused }

// Until returns the day on which a pause ends, nil if it has no end.
func (st standing) Until() catalogue.Sayable {
	if !st.Paused() || st.of.PausedUntil.IsZero() {
		return nil
	}
	return st.day(st.of.PausedUntil)
}

// Next returns the day of the next edition, nil during a pause without end. During a pause with an end, NextDueAt is
// already after that end (calendar.Schedule.Due).
func (st standing) Next() catalogue.Sayable {
	if st.Paused() && st.of.PausedUntil.IsZero() || st.of.NextDueAt.IsZero() {
		return nil
	}
	return st.day(st.of.NextDueAt)
}

// Days returns the days on which editions appear.
func (st standing) Days() daysView { return daysView{st.of.Cadence} }

// Home returns the city of the reader's time zone.
func (st standing) Home() catalogue.City { return catalogue.City(st.of.TimeZone) }

func zoneName(zone string) string { return strings.ReplaceAll(zone, "_", " ") }

func (st standing) zone() *time.Location { return zoneOr(st.of.TimeZone) }

// zoneOr returns the zone of a name, UTC if the zone does not exist any more.
func zoneOr(name string) *time.Location {
	loc, err := timezone.Load(name)
	if err != nil {
		return time.UTC
	}
	return loc
}

func (st standing) today() digest.Date { return digest.DateOf(st.now.In(st.zone())) }

// day returns the day of t in the reader's time zone, with its year if t is more than 300 days away.
func (st standing) day(t time.Time) catalogue.Sayable {
	if t.Sub(st.now) > 300*24*time.Hour {
		return catalogue.Day("Monday 2 January 2006", digest.DateOf(t.In(st.zone())))
	}
	return catalogue.Day("Monday 2 January", digest.DateOf(t.In(st.zone())))
}
