package calendar_test

import (
	"testing"
	"time"

	"digest"
	"digest/calendar"
)

// TestHonest: what a clock that was fast has released is due again at the first
// midnight that it took, and nothing else changes.
func TestHonest(t *testing.T) {
	const mondays = digest.Cadence(1 << time.Monday)
	type issue struct{ due, released, date string } // by the zone's clock
	for _, test := range []struct {
		why    string
		zone   string
		days   digest.Cadence
		now    string
		due    string // next, as it is stored
		issues []issue
		want   string // next
		last   string
	}{
		{"all is well", "UTC", digest.Daily, "2026-11-03T00:06", "2026-11-04T00:00",
			[]issue{{"2026-11-03T00:00", "2026-11-03T00:03", ""}, {"2026-11-02T00:00", "", "2026-11-02"}},
			"2026-11-04T00:00", "2026-11-03T00:00"},
		{"released before it came, without an edition", "UTC", digest.Daily, "2026-11-03T00:06", "2150-01-02T00:00",
			[]issue{{"2026-11-03T00:00", "2150-01-01T00:00", ""}, {"2026-11-02T00:00", "2026-11-02T00:01", ""}},
			"2026-11-03T00:00", "2026-11-02T00:00"},
		{"the next one is right by chance", "UTC", digest.Daily, "2026-11-03T00:06", "2026-11-04T00:00",
			[]issue{{"2026-11-03T00:00", "2026-11-03T02:00", ""}, {"2026-11-02T00:00", "2026-11-02T00:01", ""}},
			"2026-11-03T00:00", "2026-11-02T00:00"},
		{"an edition of a later day", "UTC", digest.Daily, "2026-11-03T00:06", "2026-11-06T00:00",
			[]issue{{"2026-11-03T00:00", "2026-11-05T00:01", ""}, {"2026-11-03T00:00", "", "2026-11-05"}, {"2026-11-02T00:00", "", "2026-11-02"}},
			"2026-11-03T00:00", "2026-11-02T00:00"},
		{"an edition of its own day, made early", "UTC", digest.Daily, "2026-11-03T00:06", "2026-11-04T00:00",
			[]issue{{"2026-11-03T00:00", "2026-11-03T02:00", ""}, {"2026-11-03T00:00", "", "2026-11-03"}},
			"2026-11-04T00:00", "2026-11-03T00:00"},
		{"still to come", "UTC", digest.Daily, "2026-11-02T18:00", "2150-01-02T00:00",
			[]issue{{"2026-11-03T00:00", "2150-01-01T00:00", ""}, {"2026-11-02T00:00", "2026-11-02T00:01", ""}},
			"2026-11-03T00:00", "2026-11-02T00:00"},
		{"an outage of three days, in one edition", "UTC", digest.Daily, "2026-11-05T09:00", "2026-11-06T00:00",
			[]issue{{"2026-11-03T00:00", "2026-11-05T08:00", ""}, {"2026-11-03T00:00", "", "2026-11-05"}},
			"2026-11-06T00:00", "2026-11-03T00:00"},
		{"once a week", "UTC", mondays, "2026-11-11T12:06", "2150-01-05T00:00",
			[]issue{{"2026-11-09T00:00", "2150-01-01T00:00", ""}, {"2026-11-02T00:00", "2026-11-02T00:01", ""}},
			"2026-11-09T00:00", "2026-11-02T00:00"},
		{"once a week, moved but not released", "UTC", mondays, "2026-11-11T12:06", "2150-01-05T00:00",
			[]issue{{"2026-11-02T00:00", "2026-11-02T00:01", ""}},
			"2026-11-09T00:00", "2026-11-02T00:00"},
		{"once a week, released in time", "UTC", mondays, "2026-11-11T12:06", "2150-01-05T00:00",
			[]issue{{"2026-11-09T00:00", "2026-11-09T00:03", ""}},
			"2026-11-16T00:00", "2026-11-09T00:00"},
		{"on workdays, over a week-end", "UTC", digest.Workdays, "2026-11-09T00:06", "2150-01-02T00:00",
			[]issue{{"2026-11-09T00:00", "2150-01-01T00:00", ""}, {"2026-11-06T00:00", "2026-11-06T00:01", ""}},
			"2026-11-09T00:00", "2026-11-06T00:00"},
		{"in Kathmandu", "Asia/Kathmandu", digest.Daily, "2026-11-03T00:06", "2150-01-02T00:00",
			[]issue{{"2026-11-03T00:00", "2150-01-01T00:00", ""}, {"2026-11-02T00:00", "2026-11-02T00:01", ""}},
			"2026-11-03T00:00", "2026-11-02T00:00"},
		{"who came from Kiritimati has had tomorrow", "Pacific/Pago_Pago", digest.Daily, "2026-11-19T23:30", "2026-11-22T00:00",
			[]issue{{"2026-11-19T23:00", "2026-11-19T23:01", ""}, {"2026-11-19T23:00", "", "2026-11-21"}, {"2026-11-18T23:00", "", "2026-11-20"}},
			"2026-11-22T00:00", "2026-11-19T23:00"},
		{"the clocks went back", "Europe/Paris", digest.Daily, "2026-10-26T00:06", "2150-01-02T00:00",
			[]issue{{"2026-10-26T00:00", "2150-01-01T00:00", ""}, {"2026-10-25T00:00", "2026-10-25T00:01", ""}},
			"2026-10-26T00:00", "2026-10-25T00:00"},
	} {
		t.Run(test.why, func(t *testing.T) {
			loc := zone(t, test.zone)
			var issues []calendar.Issue
			for _, i := range test.issues {
				issue := calendar.Issue{DueAt: at(t, i.due, loc), ReleasedAt: at(t, i.released, loc)}
				if i.date != "" {
					issue.Date = date(t, i.date)
				}
				issues = append(issues, issue)
			}
			s := calendar.Schedule{Zone: loc, Cadence: test.days, State: digest.DigestActive, NextDueAt: at(t, test.due, loc)}
			got, changed := s.Honest(at(t, test.now, loc), at(t, "2026-01-01T12:00", loc), issues)
			same(t, "next", got.NextDueAt, at(t, test.want, loc))
			same(t, "last", got.LastDueAt, at(t, test.last, loc))
			if changed != (test.want != test.due) {
				t.Errorf("changed: %v", changed)
			}
		})
	}
}
