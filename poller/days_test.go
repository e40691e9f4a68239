package poller

import (
	"net/http"
	"testing"
	"time"

	"digest"
)

// bothClocks runs f with a running clock and with one that is frozen between hourly ticks.
func bothClocks(t *testing.T, f func(t *testing.T, frozen bool)) {
	t.Run("running", func(t *testing.T) { f(t, false) })
	t.Run("frozen", func(t *testing.T) { f(t, true) })
}

const fiftyTwo = 52

// TestS15_DailyTrap holds that a feed that may be polled once in 24 hours, by its headers or by digest's
// rules, is polled every day before the deadline. Slow polls do not matter, and the polls do not drift
// toward the deadline.
func TestS15_DailyTrap(t *testing.T) {
	tests := []struct {
		why  string
		site act
		feed digest.Feed
	}{
		{"max-age=86400", well("Cache-Control: max-age=86400"),
			digest.Feed{Validators: digest.Validators{ETag: `"1"`}}},
		{"Expires in a day", expiresInADay, digest.Feed{Validators: digest.Validators{ETag: `"1"`}}},
		{"ttl 1440", well(), digest.Feed{Validators: digest.Validators{ETag: `"1"`},
			Schedule: digest.Schedule{DocInterval: oneDay}}},
		{"S33: no validators", well(), digest.Feed{}},
		{"a rule of 24 hours", well(),
			digest.Feed{Validators: digest.Validators{ETag: `"1"`}, Schedule: digest.Schedule{HostInterval: oneDay}}},
		{"all of them", well("Cache-Control: max-age=86400"),
			digest.Feed{Schedule: digest.Schedule{DocInterval: oneDay, HostInterval: oneDay}}},
	}
	for _, test := range tests {
		t.Run(test.why, func(t *testing.T) {
			bothClocks(t, func(t *testing.T, frozen bool) {
				p := answering(t, midnight(), test.feed, []*time.Location{time.UTC}, frozen, test.site)
				p.run(fiftyTwo)
				if least, _ := p.gaps(); least < oneDay || len(p.log) != fiftyTwo {
					t.Errorf("%d polls in %d days, %v apart", len(p.log), fiftyTwo, least)
				}
				for i, at := range p.log {
					if after := at.Sub(midnight().AddDate(0, 0, i)); after < 0 || after > 20*time.Minute {
						t.Errorf("poll %d is %v after midnight", i, after)
					}
				}
			})
		})
	}
}

func expiresInADay(_ *play, now time.Time) (failure, http.Header) {
	return failure{}, header("Expires: " + now.Add(oneDay).UTC().Format(http.TimeFormat))
}

// TestS15_LateHour holds that after a late midnight, a feed with one poll in 24 hours is still polled in
// time for the next.
func TestS15_LateHour(t *testing.T) {
	s := usualSpread()
	for late := time.Duration(0); late < 27*time.Minute; late += time.Minute {
		for id := range digest.FeedID(100) {
			at, ok := MidnightPoll(digest.Feed{ID: id}, midnight(), midnight().Add(late), s)
			if !ok || at.After(midnight().Add(s.Deadline)) {
				t.Fatalf("planned %v after midnight, feed %d is asked at %v", late, id, at)
			}
		}
	}
}

// TestS15_FailingNights holds that a feed that is fresh for a day and fails every third night is polled at
// each midnight.
func TestS15_FailingNights(t *testing.T) {
	bothClocks(t, func(t *testing.T, frozen bool) {
		p := answering(t, midnight(), digest.Feed{Validators: digest.Validators{ETag: `"1"`}},
			[]*time.Location{time.UTC}, frozen, func(p *play, now time.Time) (failure, http.Header) {
				if now.Sub(midnight())/oneDay%3 == 2 && now.Hour() == 0 {
					return failure{status: 503, wait: time.Hour, waitSaid: true}, nil
				}
				return failure{}, header("Cache-Control: max-age=86400")
			})
		p.run(fiftyTwo)
		for i, at := range p.log {
			if after := at.Sub(midnight().AddDate(0, 0, i)); after < 0 || after > 20*time.Minute {
				t.Fatalf("poll %d is %v after midnight", i, after)
			}
		}
		if len(p.log) != fiftyTwo {
			t.Errorf("%d polls", len(p.log))
		}
	})
}

// TestS15_ShortDay holds that on the day of 23 hours a feed that is fresh for 24 hours misses a poll. The
// day after it is polled at its usual time. The day of 25 hours changes nothing.
func TestS15_ShortDay(t *testing.T) {
	paris := []*time.Location{zone(t, "Europe/Paris")}
	for _, test := range []struct {
		from time.Time
		days int
		want int
	}{
		{time.Date(2026, 3, 20, 12, 0, 0, 0, time.UTC), 20, 19},
		{time.Date(2026, 10, 16, 12, 0, 0, 0, time.UTC), 20, 20},
	} {
		bothClocks(t, func(t *testing.T, frozen bool) {
			p := answering(t, test.from, digest.Feed{Validators: digest.Validators{ETag: `"1"`}}, paris, frozen,
				well("Cache-Control: max-age=86400"))
			p.run(test.days)
			if least, _ := p.gaps(); len(p.log) != test.want || least < oneDay {
				t.Errorf("%d polls in %d days, %v apart: %v", len(p.log), test.days, least, p.log)
			}
			for _, at := range p.log {
				if local := at.In(paris[0]); local.Hour() != 0 || local.Minute() > 30 {
					t.Errorf("asked at %v", local)
				}
			}
		})
	}
}

// TestOwnPace checks feeds that are polled less often than their readers' midnights.
func TestOwnPace(t *testing.T) {
	etag := digest.Feed{Validators: digest.Validators{ETag: `"1"`}}
	silent := func(years int) digest.Feed {
		return digest.Feed{Validators: digest.Validators{ETag: `"1"`}, NewestAt: midnight().AddDate(-years, 0, 0)}
	}
	tests := []struct {
		why      string
		readers  int
		feed     digest.Feed
		site     act
		least    time.Duration
		from, to int // polls in 52 days
	}{
		{"S33: no validators, 24 readers", 24, digest.Feed{}, well(), oneDay, 50, 52},
		{"S15: max-age of a day, 24 readers", 24, etag, well("Cache-Control: max-age=86400"), oneDay, 50, 52},
		{"S15: max-age of a week is believed for a day", 1, etag, well("Cache-Control: max-age=604800"), oneDay, 52,
			52},
		{"silent for two weeks", 1, digest.Feed{Validators: digest.Validators{ETag: `"1"`},
			NewestAt: midnight().AddDate(0, 0, -14)}, well(), 23 * time.Hour, 52, 52},
		{"silent for a year: 12 hours", 24, silent(1), well(), 12 * time.Hour, 90, 104},
		{"silent for three years: 36 hours", 1, silent(3), well(), 36 * time.Hour, 26, 26},
		{"silent for twenty years: a week", 24, silent(20), well(), 7 * oneDay, 8, 8},
		{"credentialed, 24 readers: twice a day", 24, digest.Feed{URL: "http://me:secret@a.example/",
			Validators: digest.Validators{ETag: `"1"`}}, well(), 12 * time.Hour, 100, 104},
		{"a rule of 48 hours", 24, digest.Feed{Validators: digest.Validators{ETag: `"1"`},
			Schedule: digest.Schedule{HostInterval: 48 * time.Hour}}, well(), 48 * time.Hour, 26, 26},
		{"ttl of six hours, 24 readers", 24, digest.Feed{Validators: digest.Validators{ETag: `"1"`},
			Schedule: digest.Schedule{DocInterval: 6 * time.Hour}}, well(), 6 * time.Hour, 190, 208},
	}
	for _, test := range tests {
		t.Run(test.why, func(t *testing.T) {
			bothClocks(t, func(t *testing.T, frozen bool) {
				p := answering(t, midnight(), test.feed, hourlyZones(test.readers), frozen, test.site)
				p.run(fiftyTwo)
				if least, _ := p.gaps(); least < test.least || len(p.log) < test.from || len(p.log) > test.to {
					t.Errorf("%d polls, want %d to %d; %v apart, want %v", len(p.log), test.from, test.to, least,
						test.least)
				}
			})
		})
	}
}

// TestSkippedTime holds that a feed that skips its reader's midnight is polled before the skipped time,
// once a day, and not while it is fresh.
func TestSkippedTime(t *testing.T) {
	night := digest.Feed{Validators: digest.Validators{ETag: `"1"`},
		Schedule: digest.Schedule{SkipHours: 1<<22 | 1<<23 | 1<<0 | 1<<1 | 1<<2}}
	weekend := digest.Feed{Validators: digest.Validators{ETag: `"1"`},
		Schedule: digest.Schedule{SkipDays: 1<<time.Saturday | 1<<time.Sunday}}
	onlyNoon := digest.Feed{Validators: digest.Validators{ETag: `"1"`},
		Schedule: digest.Schedule{SkipHours: allHours &^ (1 << 12)}}
	onlyNoonOnMonday := onlyNoon
	onlyNoonOnMonday.SkipDays = digest.EveryDay &^ (1 << time.Monday)
	without := night
	without.ETag = ""
	tests := []struct {
		why      string
		readers  []*time.Location
		feed     digest.Feed
		site     act
		from, to int // polls in 52 days
	}{
		{"the night", []*time.Location{time.UTC}, night, well(), 52, 53},
		{"the night, fresh for a day", []*time.Location{time.UTC}, night, well("Cache-Control: max-age=86400"), 51, 53},
		{"the night, S33", []*time.Location{time.UTC}, without, well(), 51, 53},
		{"the night, a reader in Kolkata", []*time.Location{zone(t, "Asia/Kolkata")}, night, well(), 52, 52},
		{"the night, readers in London and Kolkata", []*time.Location{time.UTC, zone(t, "Asia/Kolkata")}, night, well(),
			104, 105},
		{"the night, 24 readers", hourlyZones(24), night, well(), 18 * fiftyTwo, 20 * fiftyTwo},
		{"the weekend", []*time.Location{time.UTC}, weekend, well(), 36, 46},
		{"all but an hour", []*time.Location{time.UTC}, onlyNoon, well(), 51, 53},
		{"all but an hour of the week", []*time.Location{time.UTC}, onlyNoonOnMonday, well(), 7, 8},
		{"all hours mean none", []*time.Location{time.UTC}, digest.Feed{Validators: digest.Validators{ETag: `"1"`},
			Schedule: digest.Schedule{SkipHours: allHours}}, well(), 52, 52},
		{"all days mean none", []*time.Location{time.UTC}, digest.Feed{Validators: digest.Validators{ETag: `"1"`},
			Schedule: digest.Schedule{SkipDays: digest.EveryDay}}, well(), 52, 52},
	}
	for _, test := range tests {
		t.Run(test.why, func(t *testing.T) {
			bothClocks(t, func(t *testing.T, frozen bool) {
				p := answering(t, midnight(), test.feed, test.readers, frozen, test.site)
				p.run(fiftyTwo)
				if len(p.log) < test.from || len(p.log) > test.to {
					t.Errorf("%d polls, want %d to %d: %v", len(p.log), test.from, test.to, p.log[:min(len(p.log), 9)])
				}
			})
		})
	}
}
