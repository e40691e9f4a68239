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
	const day = "Cache-Control: max-age=86400"
	playAll(t, []days{
		{"max-age=86400", inLondon, "etag", well(day), "24h", 52, 52},
		{"Expires in a day", inLondon, "etag", expiresInADay, "24h", 52, 52},
		{"ttl 1440", inLondon, "etag doc=24h", well(), "24h", 52, 52},
		{"S33: no validators", inLondon, "", well(), "24h", 52, 52},
		{"a rule of 24 hours", inLondon, "etag host=24h", well(), "24h", 52, 52},
		{"all of them", inLondon, "doc=24h host=24h", well(day), "24h", 52, 52},
	}, onMidnights)
}

var inLondon = []*time.Location{time.UTC}

// A days is a feed that is played for 52 days with a running clock, and with one that is frozen between hourly ticks.
type days struct {
	why      string
	readers  []*time.Location
	feed     string // see feedOf
	site     act
	least    string // between two polls
	from, to int    // polls
}

func playAll(t *testing.T, tests []days, check ...func(t *testing.T, p *play)) {
	for _, test := range tests {
		t.Run(test.why, func(t *testing.T) {
			bothClocks(t, func(t *testing.T, frozen bool) {
				p := answering(t, midnight(), feedOf(test.feed), test.readers, frozen, test.site)
				p.run(fiftyTwo)
				if least, _ := p.gaps(); least < span(test.least) || len(p.log) < test.from || len(p.log) > test.to {
					t.Errorf("%d polls, want %d to %d; %v apart, want %v: %v", len(p.log), test.from, test.to, least,
						test.least, p.log[:min(len(p.log), 9)])
				}
				for _, f := range check {
					f(t, p)
				}
			})
		})
	}
}

// onMidnights checks that each poll is soon after its midnight.
func onMidnights(t *testing.T, p *play) {
	for i, at := range p.log {
		if after := at.Sub(midnight().AddDate(0, 0, i)); after < 0 || after > 20*time.Minute {
			t.Errorf("poll %d is %v after midnight", i, after)
		}
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
	playAll(t, []days{{"", inLondon, "etag", func(_ *play, now time.Time) (failure, http.Header) {
		if now.Sub(midnight())/oneDay%3 == 2 && now.Hour() == 0 {
			return failure{status: 503, wait: time.Hour, waitSaid: true}, nil
		}
		return failure{}, header("Cache-Control: max-age=86400")
	}, "", 52, 52}}, onMidnights)
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
			p := answering(t, test.from, feedOf("etag"), paris, frozen,
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
	all := hourlyZones(24)
	playAll(t, []days{
		{"S33: no validators, 24 readers", all, "", well(), "24h", 50, 52},
		{"S15: max-age of a day, 24 readers", all, "etag", well("Cache-Control: max-age=86400"), "24h", 50, 52},
		{"S15: max-age of a week is believed for a day", inLondon, "etag", well("Cache-Control: max-age=604800"), "24h",
			52, 52},
		{"silent for two weeks", inLondon, "etag newest=-336h", well(), "23h", 52, 52},
		{"silent for a year: 12 hours", all, "etag newest=-8760h", well(), "12h", 90, 104},
		{"silent for three years: 36 hours", inLondon, "etag newest=-26304h", well(), "36h", 26, 26},
		{"silent for twenty years: a week", all, "etag newest=-175320h", well(), "168h", 8, 8},
		{"credentialed, 24 readers: twice a day", all, "etag url=http://me:secret@a.example/", well(), "12h", 100, 104},
		{"a rule of 48 hours", all, "etag host=48h", well(), "48h", 26, 26},
		{"ttl of six hours, 24 readers", all, "etag doc=6h", well(), "6h", 190, 208},
	})
}

// TestSkippedTime holds that a feed that skips its reader's midnight is polled before the skipped time,
// once a day, and not while it is fresh.
func TestSkippedTime(t *testing.T) {
	const night = "skip=0-2,22-23"
	kolkata := zone(t, "Asia/Kolkata")
	playAll(t, []days{
		{"the night", inLondon, "etag " + night, well(), "", 52, 53},
		{"the night, fresh for a day", inLondon, "etag " + night, well("Cache-Control: max-age=86400"), "", 51, 53},
		{"the night, S33", inLondon, night, well(), "", 51, 53},
		{"the night, a reader in Kolkata", []*time.Location{kolkata}, "etag " + night, well(), "", 52, 52},
		{"the night, readers in London and Kolkata", []*time.Location{time.UTC, kolkata}, "etag " + night, well(), "",
			104, 105},
		{"the night, 24 readers", hourlyZones(24), "etag " + night, well(), "", 18 * fiftyTwo, 20 * fiftyTwo},
		{"the weekend", inLondon, "etag skipdays=0,6", well(), "", 36, 46},
		{"all but an hour", inLondon, "etag skip=0-11,13-23", well(), "", 51, 53},
		{"all but an hour of the week", inLondon, "etag skip=0-11,13-23 skipdays=0,2-6", well(), "", 7, 8},
		{"all hours mean none", inLondon, "etag skip=0-23", well(), "", 52, 52},
		{"all days mean none", inLondon, "etag skipdays=0-6", well(), "", 52, 52},
	})
}
