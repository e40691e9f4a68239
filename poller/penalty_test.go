package poller

import (
	"cmp"
	"strings"
	"testing"
	"time"

	"digest"
)

func TestS20_Penalties(t *testing.T) {
	for _, test := range table(`
		status | wait | feed                        | want | state | why
		429    |      |                             | 4h   |       | S19: 429 without a wish
		429    | 10m  |                             | 10m  |       | S19: 429 with one
		429    | 168h |                             | 168h |       | S19: 429 with a long one
		429    | 0    |                             |      |       | S19: 429 for zero seconds: the poll gap is left
		429    |      | errors=9 failing=-48h       | 4h   |       | 429 without a wish, the tenth time
		429    |      | errors=50 failing=-2400h    | 4h   |       | 429 for months is no failure
		503    | 2h   |                             | 2h   |       | S19: 503 with a wish
		503    | 2h   | errors=50 failing=-2400h    | 2h   |       | 503 for months with a wish is no failure
		503    |      |                             | 4h   |       | 503 without
		403    |      |                             | 4h   |       | S20: 403
		403    | 6h   |                             | 6h   |       | 403 with a wish for longer
		403    | 1h   |                             | 4h   |       | 403 with a wish for less
		403    |      | errors=2 failing=-48h       | 4h   |       | 403 for the third time
		403    |      | errors=9 failing=-72h       | 24h  |       | 403 for three days
		401    |      |                             | 4h   |       | 401
		404    |      |                             | 24h  |       | S20: 404
		404    |      | errors=2 failing=-48h       | 24h  |       | 404 for the third time
		404    | 72h  |                             | 72h  |       | 404 with a wish for longer
		500    |      |                             | 4h   |       | S20: 500
		500    |      | errors=1 failing=-4h        | 8h   |       | 500 for the second time
		500    |      | errors=2 failing=-12h       | 16h  |       | 500 for the third time
		500    |      | errors=3 failing=-28h       | 24h  |       | 500 for the fourth time
		500    |      | errors=89 failing=-1920h    | 24h  |       | 500 for the ninetieth time
		500    |      | errors=1 failing=-72h       | 24h  |       | 500 for the second time in three days
		500    | 48h  |                             | 48h  |       | 500 with a wish for longer
		0      |      |                             | 4h   |       | no answer
		0      |      | errors=1 failing=-5h        | 8h   |       | no answer, the second time
		0      |      | errors=9 failing=-168h      | 24h  |       | no answer for a week
		200    |      |                             | 4h   |       | 200 that is no feed
		400    |      |                             | 4h   |       | 400
		500    |      | errors=80 failing=-2136h    | 24h  |       | 89 days
		500    |      | errors=80 failing=-2160h    | 24h  | dead  | S20: 90 days
		404    |      | errors=80 failing=-2160h    | 24h  | dead  | 404 for 90 days
		410    |      |                             | 24h  |       | S20: 410 is not the end yet
		410    |      | errors=1 failing=-24h       | 24h  |       | 410 again, a day later
		410    |      | errors=89 failing=-2160h    | 24h  | dead  | 410 of a whole host for 90 days
		-1     |      | errors=80 failing=-2400h    | 24h  |       | a blocked host for 100 days is no failure
		-1     |      | state=trial errors=80 failing=-2400h | 24h  | trial | on trial, and blocked
		500    |      | state=trial errors=80 failing=-2400h | 24h  | dead  | on trial: once
		404    |      | state=trial errors=2 failing=-120h | 24h  | dead  | on trial after 410, and not found
		429    | 48h  | state=trial errors=80 failing=-2400h | 48h  | dead  | on trial, and limited
		410    |      | state=trial errors=80 failing=-2400h | 24h  |       | on trial, and gone again`) {
		f := feedOf(test["feed"])
		f.State = cmp.Or(f.State, digest.FeedActive)
		status := number(test["status"])
		x := failure{status: max(status, 0), blocked: status < 0, wait: span(test["wait"])}
		x.waitSaid = test["wait"] != ""
		errors := f.Errors
		fail(&f, x, midnight())
		if got := f.NotBefore.Sub(midnight()); got != span(test["want"]) || f.Errors != errors+1 ||
			f.State != cmp.Or(digest.FeedState(test["state"]), digest.FeedActive) || f.LastStatus != x.status {
			t.Errorf("%s: waits %v, %s after %d errors", test["why"], got, f.State, f.Errors)
		}
	}
}

// TestS20_ThrottleIsNoError holds that a site that asks for fewer requests counts as working.
func TestS20_ThrottleIsNoError(t *testing.T) {
	var f digest.Feed
	fail(&f, failure{status: 429}, midnight())
	if !f.FirstErrorAt.IsZero() || !f.FailingSince.Equal(midnight()) {
		t.Error("429 began the 90 days")
	}
	fail(&f, failure{status: 500}, midnight().Add(time.Hour))
	fail(&f, failure{status: 429}, midnight().Add(100*24*time.Hour))
	if f.State == digest.FeedDead {
		t.Error("429 ended a feed")
	}
	if want := midnight().Add(time.Hour); !f.FirstErrorAt.Equal(want) || !f.FailingSince.Equal(midnight()) {
		t.Errorf("first error at %v, want %v; failing since %v", f.FirstErrorAt, want, f.FailingSince)
	}
}

// TestSucceed holds that a feed is gone since its first 410, and that one good answer ends every failure.
func TestSucceed(t *testing.T) {
	now := midnight()
	for _, state := range []digest.FeedState{digest.FeedActive, digest.FeedTrial, digest.FeedDead} {
		f := digest.Feed{State: state}
		fail(&f, failure{status: 500}, now.Add(-92*oneDay))
		for _, ago := range []time.Duration{91 * oneDay, oneDay} {
			fail(&f, failure{status: 410}, now.Add(-ago))
		}
		if !f.GoneAt.Equal(now.Add(-91 * oneDay)) {
			t.Errorf("%s: gone since %v", state, f.GoneAt)
		}
		f.LastError, f.State = "410 Gone", state
		succeed(&f, 200, false, now)
		if f != (digest.Feed{State: digest.FeedActive, Failures: digest.Failures{LastStatus: 200},
			Schedule: digest.Schedule{LastOKAt: now}}) {
			t.Errorf("%s: %+v", state, f)
		}
	}
}

func TestS20_Gone(t *testing.T) {
	// 410=1h is a feed that said 410 an hour ago for the first time, and 304=1h one that answered well an hour ago.
	feeds := func(text string) (all []digest.Feed) {
		for word := range strings.FieldsSeq(text) {
			status, ago, _ := strings.Cut(word, "=")
			f := feedOf("status=304 read=-" + ago)
			if status == "410" {
				f = feedOf("status=410 state=active tried=-1s gone=-" + ago)
			}
			all = append(all, f)
		}
		return all
	}
	for _, test := range []struct {
		why, feed, siblings string
		want                bool
	}{
		{"alone on its host", "410=0h", "", true},
		{"a sibling answered well a minute later", "410=1h", "304=59m", true},
		{"a sibling answered well at the same instant, by a clock that stands still", "410=0h", "304=0h", true},
		{"a sibling answered well before: undecided", "410=1h", "304=2h", false},
		{"one of many answered well since", "410=1h", "410=0h 304=48h 304=1m 410=0h", true},
		{"the only sibling says so too", "410=0h", "410=0h", false},
		{"all of the host says so", "410=0h", "410=0h 410=1h", false},
		{"all of the host says so, and again", "410=24h", "410=24h 410=48h", false},
		{"all of the host has said so for 80 days", "410=1920h", "410=1920h 410=1896h", false},
		{"some say so, the others were not asked since", "410=0h", "410=0h 304=1h", false},
		{"and a day later it says so again", "410=24h1s", "410=24h 304=30h", true},
	} {
		if got := Gone(feeds(test.feed)[0], feeds(test.siblings), midnight()); got != test.want {
			t.Errorf("%s: %v", test.why, got)
		}
	}
	for _, test := range []struct {
		why, feed, sibling string
		want               bool
	}{
		{"a day later the sibling fails otherwise", "gone=-24h1s status=410 tried=-1s",
			"status=500 errors=9 read=-216h", true},
		{"a sibling that was never read", "gone=0 status=410 tried=-1s", "", false},
		{"a day later, not asked again", "gone=-48h status=410 tried=-48h", "status=304 read=-72h", false},
		{"a day later it is another error", "gone=-24h status=500 tried=0", "status=304 read=-48h", false},
	} {
		if got := Gone(feedOf(test.feed), []digest.Feed{feedOf(test.sibling)}, midnight()); got != test.want {
			t.Errorf("%s: %v", test.why, got)
		}
	}
	for why, f := range map[string]string{"an error, alone": "status=404 tried=0",
		"gone already": "gone=0 status=410 state=gone"} {
		if Gone(feedOf(f), nil, midnight()) {
			t.Error(why)
		}
	}
}
