package poller

import (
	"cmp"
	"net/http"
	"strings"
	"testing"
	"time"

	"digest"
)

func failedAt(t time.Time, status, errors int, penalty time.Duration) digest.Feed {
	return digest.Feed{ID: 3, Schedule: digest.Schedule{LastAttemptAt: t, NotBefore: t.Add(penalty)},
		Failures: digest.Failures{LastStatus: status, Errors: errors}}
}

func TestAgain_Retry(t *testing.T) {
	for _, test := range table(`
		at   | status | wait | errors | fresh | due  | want  | why
		5m   | 429  | 2h   | 0     |       |      | 2h5m  | S19: 429 for two hours
		5m   | 429  | 50h  | 0     |       |      | 50h5m | S19: 429 for two days
		5m   | 429  | 4h   | 0     |       |      | 4h5m  | S19: 429 without a time
		5m   | 429  | 10m  | 0     |       |      | 1h5m  | S19: 429 for ten minutes: S14 holds
		5m   | 429  |      | 0     |       |      | 1h5m  | S19: 429 for no time
		5m   | 429  |      | 2     |       |      | 4h5m  | 429 for no time, once more
		5m   | 429  | 1h   | 2     |       |      | 1h5m  | 429 for an hour, once more: its word counts
		5m   | 503  | 1h   | 0     |       |      | 1h5m  | 503 for an hour
		5m   | 500  | 4h   | 0     |       |      | 4h5m  | S20: 500
		5m   | 500  | 8h   | 2     |       |      | 8h5m  | S20: 500 for the second time
		5m   | 500  | 16h  | 3     |       |      |       | S20: 500 for the third time: a fourth costs the midnight
		17h  | 429  | 4h   | 0     |       |      |       | 429 without a time in the evening
		5m   | 0    | 4h   | 0     |       |      | 4h5m  | no answer
		5m   | 200  | 4h   | 0     |       |      | 4h5m  | 200 that cannot be read
		5m   | 408  | 4h   | 0     |       |      | 4h5m  | 408
		5m   | 425  | 4h   | 0     |       |      | 4h5m  | 425
		5m   | 403  | 4h   | 0     |       |      |       | S20: 403 waits for a midnight
		5m   | 401  | 4h   | 0     |       |      |       | 401
		5m   | 404  | 24h  | 0     |       |      |       | S20: 404
		5m   | 410  | 24h  | 0     |       |      |       | S20: 410
		5m   | 302  | 4h   | 0     |       |      |       | a redirect that leads nowhere
		5m   | 418  | 4h   | 0     |       |      |       | 418
		18h  | 500  | 4h   | 0     |       |      |       | a midnight two hours later does it
		18h55m | 429  | 2h   | 0     |       |      | 20h55m | a midnight a little later than that does not
		20h30m | 500  | 4h   | 0     |       |      |       | a midnight just before does it: it waits
		20h31m | 500  | 4h   | 0     |       |      | 24h31m | a midnight longer ago does not
		20h  | 429  | 26h15m | 0     |       |      |       | the midnight a day after the next does it
		5m   | 500  | 24h  | 4     |       |      |       | a day after a midnight: that of tomorrow
		5m   | 429  | 168h | 0     |       |      |       | a week after a midnight: that of then
		5m   | 500  | 4h   | 0     |       | 5h   |       | a reader elsewhere, three hours later
		5m   | 500  | 4h   | 0     |       | 3h   | 4h5m  | a reader elsewhere, too early
		5m   | 500  | 4h   | 0     |       | -5m  | 4h5m  | a midnight that is over stands for tomorrow's
		20h10m | 500  | 4h   | 0     |       | -5m  |       | and that does it
		5m   | 503  | 1h   | 0     | 24h   |      |       | S15: fresh for a day when it is well
		5m   | 500  | 4h   | 0     | 20h30m |      |       | S15: and so for 20 hours
		5m   | 500  | 4h   | 0     | 12h   |      | 4h5m  | S15: fresh for 12 hours: it would not
		5m   | 503  | 1h   | 0     | 24h   | 168h | 1h5m  | S15: fresh for a day, and read weekly
		30s  | 429  | 1h   | 0     |       |      | 1h2m+share | S35: not in a hot minute`) {
		polled := at(test["at"])
		f := failedAt(polled, number(test["status"]), max(number(test["errors"]), 1), span(test["wait"]))
		f.LastOKAt = polled.Add(span("-50h"))
		f.FreshUntil = f.LastOKAt.Add(span(test["fresh"]))
		got := ExtraPoll(f, at(cmp.Or(test["due"], "24h")), polled.Add(time.Second), usualSpread())
		want := strings.Replace(test["want"], "+share", share(3, time.Minute).String(), 1)
		if want == "" && !got.IsZero() || want != "" && !got.Equal(at(want)) {
			t.Errorf("%s: %v", test["why"], got)
		}
	}
}

// TestAgain_OtherMidnights holds that a retry gives way to a midnight only if a failure there costs no
// other reader their midnight.
func TestAgain_OtherMidnights(t *testing.T) {
	f := failedAt(at("5m"), 500, 3, span("16h"))
	for apart, retries := range map[string]bool{
		"0": false, "24h": false, // one midnight a day
		"23h": true, "5h": true,
		"168h": false, // the other reader has an edition a week
	} {
		later := time.Time{}
		if apart != "0" {
			later = at("24h").Add(span(apart))
		}
		got := ExtraPoll(f, at("24h"), f.LastAttemptAt.Add(time.Second), usualSpread(), later)
		if retries && !got.Equal(f.NotBefore) || !retries && !got.IsZero() {
			t.Errorf("another midnight %v later: retry at %v", apart, got)
		}
	}
}

// TestReadAtTheFirstMidnight holds that a recovered site is read before the deadline of its reader's next
// midnight, whenever it recovers.
func TestReadAtTheFirstMidnight(t *testing.T) {
	s := usualSpread()
	for name, x := range map[string]failure{
		"500": {status: 500}, "no answer": {}, "429": {status: 429}, "404": {status: 404},
		"503 for 7 hours": {status: 503, wait: 7 * time.Hour, waitSaid: true},
	} {
		for heals := midnight(); heals.Before(midnight().Add(5 * oneDay)); heals = heals.Add(time.Hour) {
			f := digest.Feed{ID: 3, State: digest.FeedActive}
			due := midnight()
			first := heals.Add(oneDay - time.Second).Truncate(oneDay) // the first midnight after the recovery
			for now := due; ; {
				at, ok := MidnightPoll(f, due, latest(now, due), s)
				if extra := ExtraPoll(f, due, now, s); !now.Equal(due) && !extra.IsZero() && extra.Before(due) {
					at, ok, due = extra, true, due.Add(-oneDay)
				}
				if due = due.Add(oneDay); !ok {
					continue
				}
				f.LastAttemptAt, now = at, at.Add(time.Second)
				if !at.Before(heals) {
					if at.After(first.Add(s.Deadline)) {
						t.Errorf("%s: recovered after %v, and is read after %v", name, heals.Sub(midnight()),
							at.Sub(midnight()))
					}
					break
				}
				fail(&f, x, now)
			}
		}
	}
}

func TestAgain_Nobody(t *testing.T) {
	for why, test := range map[string]struct {
		feed string
		due  time.Time
	}{
		"nobody reads it": {"errors=1 status=500 tried=5m wait=4h5m", time.Time{}},
		"dead":            {"errors=1 status=500 tried=5m wait=4h5m state=dead", at("24h")},
		"gone":            {"errors=1 status=500 tried=5m wait=4h5m state=gone", at("24h")},
		"all is well":     {"tried=5m read=5m wait=1h5m fresh=6h5m", at("24h")},
	} {
		if got := ExtraPoll(feedOf(test.feed), test.due, at("5m"), usualSpread()); !got.IsZero() {
			t.Errorf("%s: %v", why, got)
		}
	}
}

// TestAgain_SkippedTime: the feed was polled at an instant, and its reader is in London.
func TestAgain_SkippedTime(t *testing.T) {
	for _, test := range table(`
		at | feed | fresh | from | before | frozen | why
		12h |   |   |   |   |   | no skipped time
		5m | skip=12 |   |   |   |   | not at midnight
		12h | skip=0-1,22-23 |   | 20h30m | 20h58m | 21h | before the night
		21h40m | skip=0-1,22-23 |   | 44h30m | 44h58m | 45h | asked before it already: a day later
		5h50m | skip=0-1,22-23 | 16h | 21h50m | 21h58m | 45h | fresh until then: a little later
		6h | skip=0-1,22-23 | 16h | 44h30m | 44h58m | 45h | fresh for longer: a day later
		6h | skip=0-11,13-23 |   | 12h30m | 12h58m | 12h | all but noon
		6h | skipdays=6 |   | 22h30m | 22h58m | 23h | on Saturday, from Friday on
		23h40m | skipdays=0,6 |   |   |   |   | on Sunday it would be more than a day before: Monday's midnight does it
		12h | skip=0-1,22-23 wait=20h status=404 errors=1 |   | 20h30m | 20h58m | 21h | S20: 404, before the night
		20h | skip=0-1,22-23 wait=24h status=500 errors=1 |   | 26h | 26h20m | 26h | 500, retried outside of it
		17h40m | skip=0-1,22-23 wait=21h40m status=500 errors=1 |   | 21h40m | 21h41m | 21h40m | 500, near a skipped midnight`) {
		f, polled := feedOf(test["feed"]), at(test["at"])
		f.ID, f.LastAttemptAt = 3, polled
		if test["fresh"] != "" {
			f.FreshUntil = polled.Add(span(test["fresh"]))
		}
		got := ExtraPoll(f, at("24h"), polled.Add(time.Second), usualSpread())
		if test["before"] == "" && !got.IsZero() || test["before"] != "" &&
			(got.Before(at(test["from"])) || !got.Before(at(test["before"]))) {
			t.Errorf("%s: %v", test["why"], got)
		}
		got = ExtraPoll(f, at("24h"), polled, frozenSpread())
		if test["frozen"] == "" && !got.IsZero() || test["frozen"] != "" && !got.Equal(at(test["frozen"])) {
			t.Errorf("%s, frozen: %v", test["why"], got)
		}
	}
}

func TestAgain_Busy(t *testing.T) {
	// The feed was polled at an instant. Without want, a midnight polls it next.
	for _, test := range table(`
		at  | feed                       | want  | why
		5m  | busy=2h                    | 2h5m  | every two hours
		5m  | busy=20m                   | 1h5m  | S14
		5m  | busy=1h read=5m fresh=3h5m | 3h5m  | S15: fresh for three hours
		5m  | busy=1h fresh=24h5m        |       | S15: fresh for a day
		5m  | busy=1h own=24h            |       | S33
		5m  | busy=1h host=6h            | 6h5m  | a rule of six hours
		5m  | busy=1h host=20h           |       | a rule of 20 hours would spoil the midnight
		5m  | busy=1h own=12h            | 12h5m | credentialed: at noon
		14h | busy=1h read=14h fresh=21h |       | S15: fresh for seven hours, which would spoil the midnight
		7h  | busy=1h read=7h fresh=14h  | 14h   | S15: fresh for seven hours, earlier
		20h | busy=5h                    |       | midnight comes first
		20h | busy=3h15m                 |       | midnight comes soon after: one request instead of two
		18h | busy=4h                    | 22h   | midnight is too far
		18h | busy=5h skip=0             | 23h2m | midnight is skipped`) {
		f := feedOf(test["feed"])
		f.ID, f.LastAttemptAt = 3, at(test["at"])
		got := ExtraPoll(f, at("24h"), at(test["at"]).Add(time.Second), usualSpread())
		if want := test["want"]; want == "" && !got.IsZero() || want != "" && got.Sub(at(want)).Abs() > 3*time.Minute {
			t.Errorf("%s: %v", test["why"], got)
		}
	}
}

// TestS19_Limited plays sites that limit requests for 52 days: no poll comes before the site's time, and
// none more often than allowed.
func TestS19_Limited(t *testing.T) {
	limited := func(status int, lines ...string) act {
		return func(_ *play, now time.Time) (failure, http.Header) {
			x := failure{status: status}
			x.wait, x.waitSaid = retryAfter(header(lines...), now)
			return x, nil
		}
	}
	all := hourlyZones(24)
	playAll(t, []days{
		{"429", inLondon, "etag", limited(429), "4h", 52 * 5, 52 * 6},
		{"429, 24 readers", all, "etag", limited(429), "4h", 52 * 5, 52 * 6},
		{"429 for zero seconds", inLondon, "etag", limited(429, "Retry-After: 0"), "1h", 52 * 5, 52*6 + 1},
		{"429 for two days", inLondon, "etag", limited(429, "Retry-After: 172800"), "48h", 26, 26},
		{"429 for a date that has passed", inLondon, "etag", limited(429, "Retry-After: "+friday, "Date: "+fridayOne),
			"1h", 52 * 5, 52*6 + 1},
		{"429 for 10^12 seconds", all, "etag", limited(429, "Retry-After: 1000000000000"), "168h", 8, 8},
		{"503 for an hour", inLondon, "etag", limited(503, "Retry-After: 3600"), "1h", 52 * 22, 52 * 24},
		{"S20: 403", all, "etag", limited(403), "4h", 52 + 3*4, 52 + 3*6},
		{"S20: 404", all, "etag", limited(404), "24h", 50, 52},
		{"S20: 500", all, "etag", limited(500), "4h", 52, 52 + 4},
		{"S20: 500, one reader", inLondon, "etag", limited(500), "4h", 52, 52 + 4},
		{"S20: no answer", inLondon, "etag", limited(0), "4h", 52, 52 + 4},
	})
}
