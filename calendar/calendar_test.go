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

// at parses a local time. "" gives the zero time.
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

// TestAhead checks the midnights in a week, two weeks and a month, also next to skipped dates.
func TestAhead(t *testing.T) {
	week := func(now time.Time, loc *time.Location) time.Time { return calendar.InWeeks(1, now, loc) }
	fortnight := func(now time.Time, loc *time.Location) time.Time { return calendar.InWeeks(2, now, loc) }
	for _, test := range []struct {
		what      string
		ahead     func(time.Time, *time.Location) time.Time
		zone, now string
		want      string // local time
	}{
		{"a week", week, "Europe/Paris", "2026-11-20T23:59", "2026-11-27T00:00"},
		{"a week, into winter time", week, "Europe/Paris", "2026-10-20T00:00", "2026-10-27T00:00"},
		{"a week, to a day without 00:00", week, "America/Sao_Paulo", "2018-10-28T12:00", "2018-11-04T01:00"},
		{"a week, over the end of a year", week, "UTC", "2026-12-28T12:00", "2027-01-04T00:00"},
		{"two weeks", fortnight, "Asia/Tokyo", "2026-02-20T12:00", "2026-03-06T00:00"},
		{"a month", calendar.InAMonth, "UTC", "2026-11-20T12:00", "2026-12-20T00:00"},
		{"a month, over the end of a year", calendar.InAMonth, "UTC", "2026-12-31T12:00", "2027-01-31T00:00"},
		{"a month from the 31st", calendar.InAMonth, "UTC", "2026-08-31T12:00", "2026-09-30T00:00"},
		{"a month from the 31st of January", calendar.InAMonth, "UTC", "2026-01-31T12:00", "2026-02-28T00:00"},
		{"a month from the 31st, in a leap year", calendar.InAMonth, "UTC", "2028-01-31T12:00", "2028-02-29T00:00"},
		{"a month from the 30th of January", calendar.InAMonth, "UTC", "2026-01-30T12:00", "2026-02-28T00:00"},
		{"a month from the last of February", calendar.InAMonth, "UTC", "2026-02-28T12:00", "2026-03-28T00:00"},

		{"a week, to the date after the one left out", week, "Pacific/Apia", "2011-12-24T12:00", "2011-12-31T00:00"},
		{"a week, to the one left out", week, "Pacific/Apia", "2011-12-23T12:00", "2011-12-31T00:00"},
		{"a week, over it", week, "Pacific/Apia", "2011-12-29T12:00", "2012-01-05T00:00"},
		{"two weeks, to the date after", fortnight, "Pacific/Fakaofo", "2011-12-17T12:00", "2011-12-31T00:00"},
		{"a month, to the one left out", calendar.InAMonth, "Pacific/Fakaofo", "2011-11-30T12:00", "2011-12-31T00:00"},
		{"a month, to the date after", calendar.InAMonth, "Pacific/Kiritimati", "1994-12-01T12:00", "1995-01-01T00:00"},
		{"a month, to the last, left out", calendar.InAMonth, "Pacific/Kiritimati", "1994-11-30T12:00",
			"1994-12-30T00:00"},
	} {
		loc := zone(t, test.zone)
		same(t, test.zone+", "+test.what, test.ahead(at(t, test.now, loc), loc), at(t, test.want, loc))
	}
}

// TestBeginsOf checks the beginnings of single dates. After a skipped date, the next date begins at the instant at
// which the skipped one would have begun.
func TestBeginsOf(t *testing.T) {
	for _, test := range []struct {
		zone, date, want string
		exists           bool
	}{
		{"Europe/Paris", "2026-10-25", "2026-10-24T22:00", true},
		{"America/Sao_Paulo", "2018-11-04", "2018-11-04T03:00", true},
		{"America/Havana", "2024-11-03", "2024-11-03T04:00", true}, // 00:00 occurs twice
		{"Pacific/Apia", "2011-12-29", "2011-12-29T10:00", true},
		{"Pacific/Apia", "2011-12-30", "2011-12-30T10:00", false}, // the 31st
		{"Pacific/Apia", "2011-12-31", "2011-12-30T10:00", true},
		{"Pacific/Fakaofo", "2011-12-29", "2011-12-29T11:00", true},
		{"Pacific/Fakaofo", "2011-12-30", "2011-12-30T11:00", false},
		{"Pacific/Fakaofo", "2011-12-31", "2011-12-30T11:00", true},
		{"Pacific/Kiritimati", "1994-12-30", "1994-12-30T10:00", true},
		{"Pacific/Kiritimati", "1994-12-31", "1994-12-31T10:00", false},
		{"Pacific/Kiritimati", "1995-01-01", "1994-12-31T10:00", true},
		{"Pacific/Kiritimati", "2026-11-21", "2026-11-20T10:00", true},
		{"Etc/GMT+12", "2026-11-21", "2026-11-21T12:00", true},
		{"UTC", "2024-02-29", "2024-02-29T00:00", true},
		{"UTC", "1969-07-20", "1969-07-20T00:00", true},
		{"UTC", "9999-12-31", "9999-12-31T00:00", true},
	} {
		d, loc := date(t, test.date), zone(t, test.zone)
		same(t, test.date+" in "+test.zone, calendar.Begins(d, loc), at(t, test.want, time.UTC))
		if calendar.Exists(d, loc) != test.exists {
			t.Errorf("%s in %s exists: %v", test.date, test.zone, !test.exists)
		}
	}
}

// TestSending checks the local times of sending on days of all kinds.
func TestSending(t *testing.T) {
	for _, test := range []struct {
		zone, now, clock string // now: the time of the release
		send, expires    string
	}{
		{"Europe/Paris", "2026-11-20T00:03", "00:00", "2026-11-20T00:03", "2026-11-20T20:00"},
		{"Europe/Paris", "2026-11-20T00:03", "07:00", "2026-11-20T07:00", "2026-11-20T20:00"},
		{"Europe/Paris", "2026-11-20T00:03", "12:00", "2026-11-20T12:00", "2026-11-20T20:00"},
		{"Europe/Paris", "2026-11-20T00:03", "12:01", "2026-11-20T12:01", "2026-11-21T08:01"}, // next midnight is near
		{"Europe/Paris", "2026-11-20T09:00", "07:00", "2026-11-20T09:00", "2026-11-20T20:00"}, // late: now
		{"Europe/Paris", "2026-11-20T23:59", "07:00", "2026-11-20T23:59", "2026-11-21T19:59"},
		{"Europe/Paris", "2026-03-29T00:03", "07:00", "2026-03-29T07:00", "2026-03-29T20:00"}, // 23 hours
		{"Europe/Paris", "2026-10-25T00:03", "07:00", "2026-10-25T07:00", "2026-10-25T20:00"}, // 25 hours
		{"Europe/Paris", "2026-03-29T00:03", "02:30", "2026-03-29T03:00", "2026-03-29T20:00"},
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
			send, expires := calendar.Sending(digest.DateOf(now), hour, calendar.Next(now, loc, digest.Daily), now, loc)
			same(t, "sent", send, at(t, test.send, loc))
			same(t, "expires", expires, at(t, test.expires, loc))
		})
	}
}

// TestPassed: after an outage the edition is for the last midnight that has passed.
func TestPassed(t *testing.T) {
	const monday = digest.Cadence(1 << time.Monday)
	for _, test := range []struct {
		zone, due, now string
		days           digest.Cadence
		last, next     string
	}{
		{"Europe/Paris", "2026-11-20T00:00", "2026-11-20T00:00", digest.Daily, "2026-11-20T00:00", "2026-11-21T00:00"},
		{"Europe/Paris", "2026-11-20T00:00", "2026-11-20T23:59", digest.Daily, "2026-11-20T00:00", "2026-11-21T00:00"},
		{"Europe/Paris", "2026-11-20T00:00", "2026-11-22T09:00", digest.Daily, "2026-11-22T00:00", "2026-11-23T00:00"},
		{"Europe/Paris", "2026-11-20T00:00", "2026-11-21T09:00", digest.Workdays, "2026-11-20T00:00",
			"2026-11-23T00:00"},
		{"Europe/Paris", "2026-11-16T00:00", "2026-11-29T09:00", monday, "2026-11-23T00:00", "2026-11-30T00:00"},
		{"America/Santiago", "2026-09-05T00:00", "2026-09-06T01:00", digest.Daily, "2026-09-06T01:00",
			"2026-09-07T00:00"},
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
		// the feeds are polled for the next midnight
		{"2026-11-20T00:00", "2026-11-20T00:01", "2026-11-19T12:00", "2026-11-21T00:00"},
	} {
		got := calendar.Upcoming(at(t, test.due, loc), at(t, test.planned, loc), at(t, test.from, loc), loc,
			digest.Daily)
		same(t, test.due+" from "+test.from, got, at(t, test.want, loc))
	}
}
