// Package calendar says what a reader's days make of their digest: when it is
// due, when its editions appear and leave, what a pause passes over, and in
// which zone a reader who travels is. Package timezone tells it when a day
// begins. It is pure: it is handed the time and whatever is stored.
package calendar

import (
	"time"

	"digest"
	"digest/timezone"
)

// Zone finds a zone by its name; the error, of the kind digest.Invalid, says
// which real ones are near.
func Zone(name string) (*time.Location, error) {
	loc, err := timezone.Load(name)
	if err != nil {
		return nil, &digest.Error{Kind: digest.Invalid, Message: err.Error()}
	}
	return loc, nil
}

// mostDays is more than there ever are from one day of a cadence to the next: five weeks
// from the first Monday of a month to that of the next one, and a date left out.
const mostDays = 40

// Next is the first midnight after an instant that begins a day of a cadence. A day of a
// month that the zone has left out comes with the date after it; a day of the week
// that it has left out comes again in a week. By a cadence that has no day it is the last
// one that is looked at.
func Next(after time.Time, loc *time.Location, c digest.Cadence) time.Time {
	for range mostDays {
		before := digest.DateOf(after.In(loc))
		after = timezone.NextMidnight(after, loc)
		if date := digest.DateOf(after); c.Has(date) || c.IsMonthly() && leftOut(c, before, date, loc) {
			break
		}
	}
	return after
}

// leftOut reports whether a zone has left out a day of a cadence between two dates.
func leftOut(c digest.Cadence, from, to digest.Date, loc *time.Location) bool {
	for d := from.Plus(1); d.Before(to); d = d.Plus(1) {
		if c.Has(d) && !Exists(d, loc) {
			return true
		}
	}
	return false
}

// Gathering is the cadence at whose midnights the feeds of a digest are asked. For one
// that appears once a week or less that is each: a document that holds the newest ten posts
// has not held others for long by then.
func Gathering(c digest.Cadence) digest.Cadence {
	if c.IsSeldom() {
		return digest.Daily
	}
	return c
}

// Between is the first midnight after an instant at which the feeds of an active digest
// are asked though it need not appear; zero: at its own midnights alone.
func Between(after time.Time, loc *time.Location, c digest.Cadence) time.Time {
	if Gathering(c) == c {
		return time.Time{}
	}
	return Next(after, loc, Gathering(c))
}

// Passed gives the last of a digest's midnights that has passed at now, and the
// one after it; due is one that has passed. After an outage they are some days
// apart.
func Passed(due, now time.Time, loc *time.Location, c digest.Cadence) (last, next time.Time) {
	last, next = due, Next(due, loc, c)
	for !next.After(now) {
		last, next = next, Next(next, loc, c)
	}
	return last, next
}

// Upcoming gives the first of a digest's midnights that is after planned, for
// which its feeds have been queued, and not before from; due is its next one.
func Upcoming(due, planned, from time.Time, loc *time.Location, c digest.Cadence) time.Time {
	for !due.After(planned) || due.Before(from) {
		due = Next(due, loc, c)
	}
	return due
}

// Begins is when a date begins in a zone; where it does not exist, when the next
// one does.
func Begins(d digest.Date, loc *time.Location) time.Time {
	return timezone.At(d.Year, d.Month, d.Day, 0, loc)
}

// Exists reports whether a zone has a date: some have left one out, as Samoa did
// with 30 December 2011.
func Exists(d digest.Date, loc *time.Location) bool {
	return digest.DateOf(Begins(d, loc).In(loc)) == d
}

// InWeeks gives the midnight that begins the date so many weeks after the local
// date at now, as Begins does.
func InWeeks(weeks int, now time.Time, loc *time.Location) time.Time {
	return Begins(digest.DateOf(now.In(loc)).Plus(7*weeks), loc)
}

// InAMonth gives the midnight that begins the same day of the month after the one
// at now, as Begins does. A month from the 31st ends with the next month.
func InAMonth(now time.Time, loc *time.Location) time.Time {
	today := digest.DateOf(now.In(loc))
	d := digest.DateOf(time.Date(today.Year, today.Month+2, 0, 12, 0, 0, 0, time.UTC)) // the last of the next month
	d.Day = min(d.Day, today.Day)
	return Begins(d, loc)
}

// Earliest is a date that lies before today in every zone.
func Earliest(now time.Time) digest.Date { return digest.DateOf(now.UTC().AddDate(0, 0, -2)) }

// Clocks are ahead of UTC by farthestEast at most, and behind it by farthestWest.
const (
	farthestEast = 14 * time.Hour
	farthestWest = 12 * time.Hour
)

// Latest is today's date where it is the latest.
func Latest(now time.Time) digest.Date { return digest.DateOf(now.UTC().Add(farthestEast)) }

// An edition is worth sending until its digest's next one is near: until
// beforeNext before the next midnight, if that leaves it enough time, and else
// for patience.
const (
	beforeNext = 4 * time.Hour
	enough     = 8 * time.Hour
	patience   = 20 * time.Hour
)

// Sending gives when the edition of a date is mailed, and when it is too late to
// be: at its reader's hour of that date, which is counted from 00:00, but not
// before it is made, at now. next is the digest's next midnight.
func Sending(date digest.Date, hour time.Duration, next, now time.Time, loc *time.Location) (send, expires time.Time) {
	send = timezone.At(date.Year, date.Month, date.Day, hour, loc)
	if now.After(send) {
		send = now
	}
	expires = next.Add(-beforeNext)
	if expires.Before(send.Add(enough)) {
		expires = send.Add(patience)
	}
	return send, expires
}

// Waiting gives when an edition is mailed that waits for as long for approval, and
// when it is too late to be; send and expires are what Sending gives.
func Waiting(send, expires time.Time, wait time.Duration) (time.Time, time.Time) {
	send = send.Add(wait)
	if late := send.Add(enough); wait > 0 && expires.Before(late) {
		expires = late
	}
	return send, expires
}

func invalid(message string) error { return &digest.Error{Kind: digest.Invalid, Message: message} }
