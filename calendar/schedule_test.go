package calendar_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/calendar"
)

// TestDue checks the midnight at which a digest becomes due.
func TestDue(t *testing.T) {
	for _, test := range []struct {
		why, zone, now string
		days           digest.Cadence
		last, until    string // LastDueAt, and the end of a pause
		had            string // dates with an edition
		want           string
	}{
		{"the next midnight", "Europe/Paris", "2026-11-19T13:00", digest.Daily, "", "", "", "2026-11-20T00:00"},
		{"at a midnight the next", "Europe/Paris", "2026-11-20T00:00", digest.Daily, "", "", "", "2026-11-21T00:00"},
		{"on its days only", "Europe/Paris", "2026-11-20T13:00", digest.Workdays, "", "", "", "2026-11-23T00:00"},
		{"never a date twice (I1)", "Europe/Paris", "2026-11-19T13:00", digest.Daily, "", "", "2026-11-20 2026-11-21",
			"2026-11-22T00:00"},
		{"later than the last, whatever the clock says (I4)", "Europe/Paris", "2026-11-19T13:00", digest.Daily,
			"2026-11-22T00:00", "", "", "2026-11-23T00:00"},
		{"the midnight that ends a pause is one of its days", "Europe/Paris", "2026-11-19T13:00", digest.Daily, "",
			"2026-11-27T00:00", "", "2026-11-27T00:00"},
		{"a pause that ends by day", "Europe/Paris", "2026-11-19T13:00", digest.Daily, "", "2026-11-27T08:00", "",
			"2026-11-28T00:00"},
		{"no midnight on that day", "America/Santiago", "2026-09-05T13:00", digest.Daily, "", "", "",
			"2026-09-06T01:00"},
		{"no such date", "Pacific/Apia", "2011-12-29T13:00", digest.Daily, "", "", "", "2011-12-31T00:00"},
	} {
		t.Run(test.why, func(t *testing.T) {
			loc := zone(t, test.zone)
			s := calendar.Schedule{Zone: loc, Cadence: test.days, LastDueAt: at(t, test.last, loc),
				PausedUntil: at(t, test.until, loc)}
			due := s.Due(at(t, test.now, loc),
				func(d digest.Date) bool { return slices.Contains(strings.Fields(test.had), d.String()) })
			same(t, "due", due, at(t, test.want, loc))
		})
	}
}

// TestPauses checks readers' changes to pauses: when the posts of a bound edition begin and end, and when the feeds are
// polled next.
func TestPauses(t *testing.T) {
	loc := zone(t, "Europe/Paris")
	const monday, noon, tuesday = "2026-11-16T00:00", "2026-11-16T12:00", "2026-11-17T00:00"
	active := calendar.Schedule{Zone: loc, Cadence: digest.Daily, State: digest.DigestActive,
		NextDueAt: at(t, tuesday, loc), LastDueAt: at(t, monday, loc)}
	waits := active // its midnight has passed and its feeds are not queued yet
	waits.NextDueAt = at(t, monday, loc)
	planned := waits
	planned.Planned = true
	pause := func(s calendar.Schedule, until, now string) calendar.Schedule {
		return s.Pause(at(t, until, loc), at(t, now, loc))
	}
	resume := func(s calendar.Schedule, now string) calendar.Schedule {
		return s.Resume(at(t, now, loc), at(t, now, loc))
	}
	week := pause(active, "2026-11-23T00:00", noon)
	forGood := pause(active, "", noon)
	for _, test := range []struct {
		why                   string
		got                   calendar.Schedule
		state                 digest.DigestState
		until, begun, to, ask string
	}{
		{"with an end", week, digest.DigestPaused, "2026-11-23T00:00", noon, "", tuesday},
		{"without", forGood, digest.DigestPaused, "", "", "", ""},
		{"what is to be planned still is", pause(waits, "2026-11-23T00:00", noon), digest.DigestPaused,
			"2026-11-23T00:00", noon, "", monday},
		{"what was planned is not again", pause(planned, "2026-11-23T00:00", noon), digest.DigestPaused,
			"2026-11-23T00:00", noon, "", tuesday},
		{"prolonged", pause(week, "2026-11-25T00:00", "2026-11-18T12:00"), digest.DigestPaused, "2026-11-25T00:00",
			noon, "", tuesday},
		{"then without an end", pause(week, "", "2026-11-18T12:00"), digest.DigestPaused, "", noon, "2026-11-18T12:00",
			""},
		{"and with one again", pause(pause(week, "", "2026-11-18T12:00"), "2026-11-25T00:00", "2026-11-19T12:00"),
			digest.DigestPaused, "2026-11-25T00:00", noon, "", "2026-11-20T00:00"},
		{"back before a midnight", resume(week, "2026-11-16T20:00"), digest.DigestActive, "", "", "", ""},
		{"back after one", resume(week, "2026-11-18T12:00"), digest.DigestActive, "", noon, "2026-11-18T12:00", ""},
		{"it had ended before", resume(pause(week, "", "2026-11-18T12:00"), "2026-11-20T12:00"), digest.DigestActive,
			"", noon, "2026-11-18T12:00", ""},
		{"nothing was gathered", resume(forGood, "2026-11-18T12:00"), digest.DigestActive, "", "", "", ""},
		{"left", week.Leave(), digest.DigestLeft, "", "", "", ""},
	} {
		t.Run(test.why, func(t *testing.T) {
			if test.got.State != test.state {
				t.Errorf("%s, want %s", test.got.State, test.state)
			}
			same(t, "until", test.got.PausedUntil, at(t, test.until, loc))
			same(t, "begun", test.got.PausedAt, at(t, test.begun, loc))
			same(t, "ended", test.got.PausedTo, at(t, test.to, loc))
			same(t, "asked", test.got.NextPollAt, at(t, test.ask, loc))
		})
	}
}

// TestPausedElsewhere changes the days and the zone of a paused digest.
func TestPausedElsewhere(t *testing.T) {
	paris, tokyo := zone(t, "Europe/Paris"), zone(t, "Asia/Tokyo")
	now := at(t, "2026-11-19T13:00", paris)
	s := calendar.Schedule{
		Zone: paris, Cadence: digest.Daily, State: digest.DigestPaused,
		PausedUntil: at(t, "2026-11-27T00:00", paris), NextPollAt: at(t, "2026-11-20T00:00", paris),
	}
	there := s.In(tokyo, now)
	same(t, "the same date", there.PausedUntil, at(t, "2026-11-27T00:00", tokyo))
	same(t, "asked at a midnight there", there.NextPollAt, at(t, "2026-11-20T00:00", tokyo))
	s.PausedUntil = at(t, "2026-11-27T08:00", paris)
	same(t, "an end by day is an instant", s.In(tokyo, now).PausedUntil, s.PausedUntil)
	same(t, "on other days", s.On(1<<time.Monday|1<<time.Thursday, now).NextPollAt, at(t, "2026-11-23T00:00", paris))
	s.NextPollAt = at(t, "2026-11-19T00:00", paris)
	same(t, "what has passed is still asked", s.On(1<<time.Monday|1<<time.Thursday, now).NextPollAt, s.NextPollAt)
	s.PausedUntil, s.NextPollAt = time.Time{}, time.Time{}
	if there := s.In(tokyo, now); !there.PausedUntil.IsZero() || !there.NextPollAt.IsZero() {
		t.Errorf("a pause without an end got one: %+v", there)
	}
}

func TestCheckPause(t *testing.T) {
	now := time.Date(2026, 11, 19, 12, 0, 0, 0, time.UTC)
	for until, ok := range map[time.Time]bool{
		{}: true, now: false, now.Add(-time.Second): false, now.Add(time.Second): true,
		now.AddDate(0, 0, 400): true, now.AddDate(0, 0, 401): false,
	} {
		if err := calendar.CheckPause(until, now); (err == nil) != ok || err != nil &&
			digest.KindOf(err) != digest.Invalid {
			t.Errorf("until %s: %v", until, err)
		}
	}
}

func TestPassedMidnight(t *testing.T) {
	now := time.Date(2026, 11, 19, 12, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		state digest.DigestState
		due   time.Time
		want  bool
	}{
		{digest.DigestActive, now, true},
		{digest.DigestActive, now.Add(time.Second), false},
		{digest.DigestPaused, now, false},
		{digest.DigestLeft, now, false},
	} {
		if got := (calendar.Schedule{State: test.state, NextDueAt: test.due}).Passed(now); got != test.want {
			t.Errorf("%s, due at %s: %v", test.state, test.due, got)
		}
	}
}
