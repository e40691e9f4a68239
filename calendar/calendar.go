// Package calendar computes when a digest is due, and when its editions are released and sent. It also computes the
// effects of a pause, and the time zone of a travelling reader. Package timezone computes when a day begins.
// All functions are pure: callers pass the time and the stored data.
package calendar

import (
	"time"

	"digest"
	"digest/timezone"
)

// Zone loads a time zone by name. An unknown name returns an error of the kind digest.Invalid that lists similar names.
func Zone(name string) (*time.Location, error) {
	loc, err := timezone.Load(name)
	if err != nil {
		return nil, &digest.Error{Kind: digest.Invalid, Message: err.Error()}
	}
	return loc, nil
}

// mostDays exceeds the longest gap between two days of a cadence: five weeks between the first Mondays of two months,
// plus a skipped date.
const mostDays = 40

// Next returns the first midnight after an instant that begins a day of a cadence. If the zone skips a day of the
// month, Next returns the midnight of the following date. If the zone skips a day of the week, Next returns the same
// weekday of the next week. For a cadence without days, Next stops after mostDays midnights.
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

func leftOut(c digest.Cadence, from, to digest.Date, loc *time.Location) bool {
	for d := from.Plus(1); d.Before(to); d = d.Plus(1) {
		if c.Has(d) && !Exists(d, loc) {
			return true
		}
	}
	return false
}

// Gathering returns the cadence at which the feeds of a digest are polled. A digest that appears once a week or less is
// polled every day, because a feed that lists its newest ten posts may drop older ones within a week.
func Gathering(c digest.Cadence) digest.Cadence {
	if c.IsSeldom() {
		return digest.Daily
	}
	return c
}

// Between returns the next midnight at which the feeds of an active digest are polled without an edition. It returns
// zero if its feeds are polled only at the digest's own midnights.
func Between(after time.Time, loc *time.Location, c digest.Cadence) time.Time {
	if Gathering(c) == c {
		return time.Time{}
	}
	return Next(after, loc, Gathering(c))
}

// Passed returns the last midnight of a digest that has passed at now, and the one after it. due must have passed.
// After an outage, due and last can be days apart.
func Passed(due, now time.Time, loc *time.Location, c digest.Cadence) (last, next time.Time) {
	last, next = due, Next(due, loc, c)
	for !next.After(now) {
		last, next = next, Next(next, loc, c)
	}
	return last, next
}

// Upcoming returns the first midnight of a digest that is after planned and not before from. The feeds for planned are
// already queued. due is the digest's next midnight.
func Upcoming(due, planned, from time.Time, loc *time.Location, c digest.Cadence) time.Time {
	for !due.After(planned) || due.Before(from) {
		due = Next(due, loc, c)
	}
	return due
}

// Begins returns the instant at which a date begins in a zone. If the zone skips the date, it returns the beginning of
// the following date.
func Begins(d digest.Date, loc *time.Location) time.Time {
	return timezone.At(d.Year, d.Month, d.Day, 0, loc)
}

// Exists reports whether a date exists in a zone. Samoa, for example, skipped 30 December 2011.
func Exists(d digest.Date, loc *time.Location) bool {
	return digest.DateOf(Begins(d, loc).In(loc)) == d
}

// InWeeks returns the midnight that begins the date a number of weeks after the local date at now, as Begins does.
func InWeeks(weeks int, now time.Time, loc *time.Location) time.Time {
	return Begins(digest.DateOf(now.In(loc)).Plus(7*weeks), loc)
}

// InAMonth returns the midnight that begins the same day of the next month, as Begins does. From the 31st it returns
// the last day of the next month.
func InAMonth(now time.Time, loc *time.Location) time.Time {
	today := digest.DateOf(now.In(loc))
	d := digest.DateOf(time.Date(today.Year, today.Month+2, 0, 12, 0, 0, 0, time.UTC)) // the last day of the next month
	d.Day = min(d.Day, today.Day)
	return Begins(d, loc)
}

// Earliest returns a date that is before today in every zone.
func Earliest(now time.Time) digest.Date { return digest.DateOf(now.UTC().AddDate(0, 0, -2)) }

// An edition expires beforeNext before the digest's next midnight. If less than enough remains until then, the edition
// expires after patience.
const (
	beforeNext = 4 * time.Hour
	enough     = 8 * time.Hour
	patience   = 20 * time.Hour
)

// Sending returns when to send the edition of a date, and when it expires. It is sent at the reader's hour of that
// date, but not before now, when it is created. hour counts from 00:00 local time. next is the digest's next midnight.
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

// Waiting delays the times from Sending by the wait of an edition for approval.
func Waiting(send, expires time.Time, wait time.Duration) (time.Time, time.Time) {
	send = send.Add(wait)
	if late := send.Add(enough); wait > 0 && expires.Before(late) {
		expires = late
	}
	return send, expires
}

func invalid(message string) error { return &digest.Error{Kind: digest.Invalid, Message: message} }
