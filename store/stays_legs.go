package store

import (
	"slices"
	"time"

	"digest"
	"digest/timezone"
)

// ahead is how long before the first of two midnights a reader's zone changes,
// so that whoever works once an hour does not miss it.
const ahead = 2 * time.Hour

// A leg is days that a reader spends in one zone.
type leg struct {
	zone string
	stay int // its place among the stays; atHome: none of them

	// at is when the zone changes to that of the leg; zero: it always was.
	at time.Time
}

// atHome stands for no stay.
const atHome = -1

// itinerary lays the stays of a reader, in the order of their days, out as legs.
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

// switchAt is when a reader's zone changes who spends the day before first in
// one zone, and first in another: ahead of the earlier of the two midnights that
// begin first, but not before the day before has begun where the reader then is.
// Across the date line that may be impossible; then that day is none of theirs.
func switchAt(oldZone, newZone string, first digest.Date) (time.Time, error) {
	old, err := zoneOf(oldZone)
	if err != nil {
		return time.Time{}, err
	}
	next, err := zoneOf(newZone)
	if err != nil {
		return time.Time{}, err
	}
	begins := beginsOf(first, next)
	if there := beginsOf(first, old); there.Before(begins) {
		begins = there
	}
	at, dayBefore := begins.Add(-ahead), beginsOf(first.Plus(-1), old)
	if at.Before(dayBefore) && dayBefore.Before(begins) {
		return dayBefore, nil
	}
	return at, nil
}

// current is the leg on which a reader is.
func current(legs []leg, now time.Time) int {
	i := slices.IndexFunc(legs, func(l leg) bool { return l.at.After(now) })
	if i < 0 {
		return len(legs) - 1
	}
	return i - 1
}

// beginsOf is when a date begins in a zone; one that does not exist there, when
// the next does.
func beginsOf(d digest.Date, loc *time.Location) time.Time {
	return timezone.At(d.Year, d.Month, d.Day, 0, loc)
}
