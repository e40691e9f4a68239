package calendar_test

import (
	"testing"
	"time"

	"digest"
	"digest/calendar"
)

func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	loc, err := calendar.Zone(name)
	if err != nil {
		t.Fatal(err)
	}
	return loc
}

// at reads a local time, "" for none.
func at(t *testing.T, local string, loc *time.Location) time.Time {
	t.Helper()
	if local == "" {
		return time.Time{}
	}
	at, err := time.ParseInLocation("2006-01-02T15:04", local, loc)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func same(t *testing.T, what string, got, want time.Time) {
	t.Helper()
	if !got.Equal(want) {
		t.Errorf("%s: %s, want %s", what, got, want)
	}
}

func date(t *testing.T, s string) digest.Date {
	t.Helper()
	d, err := digest.ParseDate(s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestZone(t *testing.T) {
	if _, err := calendar.Zone("Asia/Tokio"); digest.KindOf(err) != digest.Invalid {
		t.Errorf("Asia/Tokio: %v", err)
	}
}

// TestSending gives the hours of all kinds of days, by the wall clock.
func TestSending(t *testing.T) {
	for _, test := range []struct {
		zone, now, clock string // now: when somebody releases, after midnight
		send, expires    string
	}{
		{"Europe/Paris", "2026-11-20T00:03", "00:00", "2026-11-20T00:03", "2026-11-20T20:00"},
		{"Europe/Paris", "2026-11-20T00:03", "07:00", "2026-11-20T07:00", "2026-11-20T20:00"},
		{"Europe/Paris", "2026-11-20T00:03", "12:00", "2026-11-20T12:00", "2026-11-20T20:00"},
		{"Europe/Paris", "2026-11-20T00:03", "12:01", "2026-11-20T12:01", "2026-11-21T08:01"}, // too near the next one
		{"Europe/Paris", "2026-11-20T09:00", "07:00", "2026-11-20T09:00", "2026-11-20T20:00"}, // late: at once
		{"Europe/Paris", "2026-11-20T23:59", "07:00", "2026-11-20T23:59", "2026-11-21T19:59"},
		{"Europe/Paris", "2026-03-29T00:03", "07:00", "2026-03-29T07:00", "2026-03-29T20:00"}, // 23 hours
		{"Europe/Paris", "2026-10-25T00:03", "07:00", "2026-10-25T07:00", "2026-10-25T20:00"}, // 25 hours
		{"Europe/Paris", "2026-03-29T00:03", "02:30", "2026-03-29T03:00", "2026-03-29T20:00"}, // does not exist
		{"America/Santiago", "2026-09-06T01:03", "00:00", "2026-09-06T01:03", "2026-09-06T20:00"},
		{"America/Santiago", "2026-09-06T01:03", "00:30", "2026-09-06T01:03", "2026-09-06T20:00"},
		{"America/Santiago", "2026-09-06T01:03", "07:00", "2026-09-06T07:00", "2026-09-06T20:00"},
		{"Asia/Kathmandu", "2026-11-20T00:03", "06:15", "2026-11-20T06:15", "2026-11-20T20:00"},
	} {
		t.Run(test.zone+" "+test.now+" "+test.clock, func(t *testing.T) {
			loc := zone(t, test.zone)
			now := at(t, test.now, loc)
			clock, err := time.Parse("15:04", test.clock)
			if err != nil {
				t.Fatal(err)
			}
			hour := time.Duration(clock.Hour())*time.Hour + time.Duration(clock.Minute())*time.Minute
			send, expires := calendar.Sending(digest.DateOf(now), hour, calendar.Next(now, loc, digest.EveryDay), now, loc)
			same(t, "sent", send, at(t, test.send, loc))
			same(t, "expires", expires, at(t, test.expires, loc))
		})
	}
}

// TestPassed: after an outage the last midnight that has passed is the one of
// which there is an edition.
func TestPassed(t *testing.T) {
	const monday = digest.Weekdays(1 << time.Monday)
	for _, test := range []struct {
		zone, due, now string
		days           digest.Weekdays
		last, next     string
	}{
		{"Europe/Paris", "2026-11-20T00:00", "2026-11-20T00:00", digest.EveryDay, "2026-11-20T00:00", "2026-11-21T00:00"},
		{"Europe/Paris", "2026-11-20T00:00", "2026-11-20T23:59", digest.EveryDay, "2026-11-20T00:00", "2026-11-21T00:00"},
		{"Europe/Paris", "2026-11-20T00:00", "2026-11-22T09:00", digest.EveryDay, "2026-11-22T00:00", "2026-11-23T00:00"},
		{"Europe/Paris", "2026-11-20T00:00", "2026-11-21T09:00", digest.Workdays, "2026-11-20T00:00", "2026-11-23T00:00"},
		{"Europe/Paris", "2026-11-16T00:00", "2026-11-29T09:00", monday, "2026-11-23T00:00", "2026-11-30T00:00"},
		{"America/Santiago", "2026-09-05T00:00", "2026-09-06T01:00", digest.EveryDay, "2026-09-06T01:00", "2026-09-07T00:00"}, // no midnight
	} {
		loc := zone(t, test.zone)
		last, next := calendar.Passed(at(t, test.due, loc), at(t, test.now, loc), loc, test.days)
		same(t, test.now+" last", last, at(t, test.last, loc))
		same(t, test.now+" next", next, at(t, test.next, loc))
	}
}

func TestUpcoming(t *testing.T) {
	loc := zone(t, "Europe/Paris")
	for _, test := range []struct{ due, planned, from, want string }{
		{"2026-11-20T00:00", "", "2026-11-19T12:00", "2026-11-20T00:00"},
		{"2026-11-20T00:00", "", "2026-11-20T00:00", "2026-11-20T00:00"},
		{"2026-11-20T00:00", "", "2026-11-20T00:01", "2026-11-21T00:00"},
		{"2026-11-20T00:00", "2026-11-20T00:01", "2026-11-19T12:00", "2026-11-21T00:00"}, // who polls now polls for the next one
	} {
		got := calendar.Upcoming(at(t, test.due, loc), at(t, test.planned, loc), at(t, test.from, loc), loc, digest.EveryDay)
		same(t, test.due+" from "+test.from, got, at(t, test.want, loc))
	}
}
