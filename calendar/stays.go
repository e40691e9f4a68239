package calendar

import (
	"fmt"
	"slices"
	"time"

	"digest"
)

const mostStays = 20

// CheckStay rejects a trip with an unknown zone or without days.
func CheckStay(st digest.Stay) error {
	if _, err := Zone(st.TimeZone); err != nil {
		return err
	}
	if st.From.IsZero() || st.To.IsZero() || st.To.Before(st.From) {
		return invalid("a trip needs a first and a last day in order, such as 2026-10-03 and 2026-10-17")
	}
	if st.To.Year > 9999 || st.From.Year < 1970 { // dates are stored with four digits
		return invalid("the year of a trip must have four digits, from 1970")
	}
	return nil
}

// AdmitStay rejects a trip that overlaps a planned one, that is over, or that exceeds mostStays.
func AdmitStay(home string, planned []digest.Stay, st digest.Stay, now time.Time) error {
	if len(planned) >= mostStays {
		return invalid(fmt.Sprintf("you can plan %d trips at most; remove one first", mostStays))
	}
	for _, has := range planned {
		if !st.To.Before(has.From) && !has.To.Before(st.From) {
			return invalid(fmt.Sprintf(
				"these days overlap the trip to %s from %s to %s; remove it first, or choose other days", has.TimeZone,
				has.From, has.To))
		}
	}
	back, err := switchAt(st.TimeZone, home, st.To.Plus(1))
	if err == nil && !back.After(now) {
		return invalid("these days are over; a stay ends in the future")
	}
	return err
}

// A Whereabouts describes where a reader is.
type Whereabouts struct {
	Zone  string
	Home  string    // the zone to which they return; empty while they are at home
	Begun int64     // the ID of their current trip; 0 if none
	Over  []int64   // the IDs of past trips
	Next  time.Time // the next change of their zone; zero if none
}

// Where returns where a reader is at now. stays are their planned trips, sorted by date.
func Where(home string, stays []digest.Stay, now time.Time) (Whereabouts, error) {
	legs, err := itinerary(home, stays)
	if err != nil {
		return Whereabouts{}, err
	}
	i := current(legs, now)
	w := Whereabouts{Zone: legs[i].zone}
	for n, st := range stays {
		switch {
		case n == legs[i].stay:
			w.Begun, w.Home = st.ID, home
		case slices.ContainsFunc(legs[:i], func(l leg) bool { return l.stay == n }):
			w.Over = append(w.Over, st.ID)
		}
	}
	if i+1 < len(legs) {
		w.Next = legs[i+1].at
	}
	return w, nil
}

// ahead is how long before the first of two midnights a reader's zone changes. It leaves time for the hourly job.
const ahead = 2 * time.Hour

// A leg is a period that a reader spends in one zone.
type leg struct {
	zone string
	stay int // index of the trip, or atHome

	// at is when the leg begins; zero for the first leg.
	at time.Time
}

// atHome is the stay of a leg without a trip.
const atHome = -1

// itinerary converts the trips of a reader, sorted by date, to legs.
func itinerary(home string, stays []digest.Stay) ([]leg, error) {
	legs := []leg{{zone: home, stay: atHome}}
	add := func(first digest.Date, zone string, stay int) error {
		last := legs[len(legs)-1]
		at, err := switchAt(last.zone, zone, first)
		if !at.After(last.at) {
			at = last.at.Add(time.Second)
		}
		legs = append(legs, leg{zone: zone, stay: stay, at: at})
		return err
	}
	for i, st := range stays {
		if err := add(st.From, st.TimeZone, i); err != nil {
			return nil, err
		}
		after := st.To.Plus(1)
		if i+1 < len(stays) && stays[i+1].From == after {
			continue
		}
		if err := add(after, home, atHome); err != nil {
			return nil, err
		}
	}
	return legs, nil
}

// switchAt returns when to change the zone of a reader who spends first in newZone, and the day before in oldZone. The
// zone changes ahead of the earlier of the two midnights that begin first, but not before the previous day has begun in
// oldZone. Across the date line that can be impossible; then the reader skips the previous day.
func switchAt(oldZone, newZone string, first digest.Date) (time.Time, error) {
	old, err := Zone(oldZone)
	if err != nil {
		return time.Time{}, err
	}
	next, err := Zone(newZone)
	if err != nil {
		return time.Time{}, err
	}
	begins := Begins(first, next)
	if there := Begins(first, old); there.Before(begins) {
		begins = there
	}
	at, dayBefore := begins.Add(-ahead), Begins(first.Plus(-1), old)
	if at.Before(dayBefore) && dayBefore.Before(begins) {
		return dayBefore, nil
	}
	return at, nil
}

func current(legs []leg, now time.Time) int {
	i := slices.IndexFunc(legs, func(l leg) bool { return l.at.After(now) })
	if i < 0 {
		return len(legs) - 1
	}
	return i - 1
}
