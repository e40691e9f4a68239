package calendar_test

import (
	"cmp"
	"testing"
	"time"

	"digest"
	"digest/calendar"
)

// TestHonest: a digest that a fast clock released is due again at the first midnight concerned. Nothing else changes.
func TestHonest(t *testing.T) {
	const mondays = digest.Cadence(1 << time.Monday)
	type issue struct{ due, released, date string }
	for _, test := range []struct {
		why    string
		zone   string
		days   digest.Cadence
		now    string
		due    string // stored NextDueAt
		issues []issue
		want   string // expected NextDueAt
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
			[]issue{{"2026-11-03T00:00", "2026-11-05T00:01", ""}, {"2026-11-03T00:00", "", "2026-11-05"},
				{"2026-11-02T00:00", "", "2026-11-02"}},
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
		{"who came from Kiritimati has had tomorrow", "Pacific/Pago_Pago", digest.Daily, "2026-11-19T23:30",
			"2026-11-22T00:00",
			[]issue{{"2026-11-19T23:00", "2026-11-19T23:01", ""}, {"2026-11-19T23:00", "", "2026-11-21"},
				{"2026-11-18T23:00", "", "2026-11-20"}},
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
			s := calendar.Schedule{Zone: loc, Cadence: test.days, State: digest.DigestActive,
				NextDueAt: at(t, test.due, loc)}
			got, changed := s.Honest(at(t, test.now, loc), at(t, "2026-01-01T12:00", loc), issues)
			same(t, "next", got.NextDueAt, at(t, test.want, loc))
			same(t, "last", got.LastDueAt, at(t, test.last, loc))
			if changed != (test.want != test.due) {
				t.Errorf("changed: %v", changed)
			}
		})
	}
}

// TestHonestMailing: Honest changes only times that no person and no mailer can have chosen, and corrects them.
func TestHonestMailing(t *testing.T) {
	const day, year = 24 * time.Hour, "2027-11-20T07:00"
	for why, test := range map[string]struct {
		now, send, next    string // local time in November 2026; empty next means send
		issue, locked      bool
		wait               time.Duration
		wantSend, wantNext string // empty if nothing changes
		date, due          string // empty means the 20th, and the midnight of the date
		zone               string
	}{
		"at the reader's hour":     {now: "20T00:03", send: "20T23:59"},
		"tried again in 4.5 hours": {now: "20T23:00", send: "20T07:00", next: "21T03:30"},
		"made late, tried again":   {now: "25T10:00", send: "25T09:00", next: "25T14:00"},
		"of a date next week":      {now: "20T10:00", send: "27T07:00", date: "2026-11-27"},
		"a year ahead":             {now: "20T00:03", send: year, wantSend: "20T07:00"},
		"two days ahead":           {now: "20T00:03", send: "22T00:00", wantSend: "20T07:00"},
		"its hour has passed":      {now: "20T09:00", send: year, wantSend: "20T09:00"},
		"tried again in a year": {now: "20T09:00", send: "20T07:00", next: year,
			wantSend: "20T07:00", wantNext: "20T09:00"},
		"moved from Honolulu": {now: "20T12:00", send: "21T22:00", zone: "Pacific/Auckland"}, // the 20th, 23:00

		"an issue":                {issue: true, now: "20T00:03", send: "20T07:00"},
		"issue, approval of 18 h": {issue: true, now: "20T00:03", send: "21T17:59", wait: digest.MaxApproval},
		"issue, made late":        {issue: true, now: "25T10:00", send: "26T03:50", wait: digest.MaxApproval},
		"issue, held for a week":  {issue: true, locked: true, now: "20T10:00", send: "20T07:00", next: "26T20:00"},
		"issue, a year ahead":     {issue: true, now: "20T00:03", send: year, wantSend: "20T07:00"},
		"issue, approval a year ahead": {issue: true, now: "20T00:03", send: year, wait: 6 * time.Hour,
			wantSend: "20T13:00"},
		"issue, approval, its hour has passed": {issue: true, now: "20T09:00", send: year, wait: 6 * time.Hour,
			wantSend: "20T15:00"},
		"issue, held, a year ahead": {issue: true, locked: true, now: "20T00:03", send: year,
			wantSend: "20T07:00", wantNext: "20T20:00"},
		"issue, sent again in a year": {issue: true, now: "20T09:00", send: "20T07:00", next: year,
			wantSend: "20T07:00", wantNext: "20T09:00"},
		"issue, date of a year ahead": {issue: true, now: "20T00:03", send: year, date: "2027-11-20", due: "20T00:00",
			wantSend: "20T07:00"},
	} {
		t.Run(why, func(t *testing.T) {
			loc := zone(t, cmp.Or(test.zone, "Europe/Paris"))
			clock := func(s string) time.Time {
				if len(s) == len("20T00:03") {
					s = "2026-11-" + s
				}
				return at(t, s, loc)
			}
			d, now := date(t, cmp.Or(test.date, "2026-11-20")), clock(test.now)
			m := calendar.Mailing{
				Date: d, DueAt: calendar.Begins(d, loc), Hour: 7 * time.Hour,
				NextDueAt: calendar.Next(now, loc, digest.Daily),
				Issue:     test.issue, Wait: test.wait, Locked: test.locked,
				SendAt: clock(test.send), NextAt: clock(cmp.Or(test.next, test.send)),
				ExpiresAt: clock(test.send).Add(day),
			}
			if test.due != "" {
				m.DueAt = clock(test.due)
			}
			got, changed := m.Honest(now, loc)
			if changed != (test.wantSend != "") {
				t.Errorf("changed: %v", changed)
			}
			same(t, "sent", got.SendAt, clock(cmp.Or(test.wantSend, test.send)))
			same(t, "next", got.NextAt, clock(cmp.Or(test.wantNext, test.wantSend, test.next, test.send)))
			if changed && (got.ExpiresAt.Before(got.SendAt.Add(4*time.Hour)) || got.ExpiresAt.After(now.Add(2*day))) {
				t.Errorf("expires %s", got.ExpiresAt)
			}
			if _, again := got.Honest(now, loc); again {
				t.Error("changed again")
			}
		})
	}
}
