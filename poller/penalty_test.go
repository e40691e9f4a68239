package poller

import (
	"testing"
	"time"

	"digest"
)

func TestS20_Penalties(t *testing.T) {
	const h, d = time.Hour, 24 * time.Hour
	wait := func(status int, w time.Duration) failure { return failure{status: status, wait: w, waitSaid: true} }
	tests := []struct {
		why     string
		x       failure
		failing time.Duration // before this poll
		errors  int           // before this poll
		trial   bool
		want    time.Duration
		state   digest.FeedState
	}{
		{why: "S19: 429 without a wish", x: failure{status: 429}, want: 4 * h},
		{why: "S19: 429 with one", x: wait(429, 10*time.Minute), want: 10 * time.Minute},
		{why: "S19: 429 with a long one", x: wait(429, 7*d), want: 7 * d},
		{why: "S19: 429 for zero seconds: the poll gap is left", x: wait(429, 0), want: 0},
		{why: "429 without a wish, the tenth time", x: failure{status: 429}, errors: 9, failing: 2 * d, want: 4 * h},
		{why: "429 for months is no failure", x: failure{status: 429}, failing: 100 * d, errors: 50, want: 4 * h},
		{why: "S19: 503 with a wish", x: wait(503, 2*h), want: 2 * h},
		{why: "503 for months with a wish is no failure", x: wait(503, 2*h), failing: 100 * d, errors: 50, want: 2 * h},
		{why: "503 without", x: failure{status: 503}, want: 4 * h},
		{why: "S20: 403", x: failure{status: 403}, want: 4 * h},
		{why: "403 with a wish for longer", x: wait(403, 6*h), want: 6 * h},
		{why: "403 with a wish for less", x: wait(403, h), want: 4 * h},
		{why: "403 for the third time", x: failure{status: 403}, errors: 2, failing: 2 * d, want: 4 * h},
		{why: "403 for three days", x: failure{status: 403}, errors: 9, failing: 3 * d, want: d},
		{why: "401", x: failure{status: 401}, want: 4 * h},
		{why: "S20: 404", x: failure{status: 404}, want: d},
		{why: "404 for the third time", x: failure{status: 404}, errors: 2, failing: 2 * d, want: d},
		{why: "404 with a wish for longer", x: wait(404, 3*d), want: 3 * d},
		{why: "S20: 500", x: failure{status: 500}, want: 4 * h},
		{why: "500 for the second time", x: failure{status: 500}, errors: 1, failing: 4 * h, want: 8 * h},
		{why: "500 for the third time", x: failure{status: 500}, errors: 2, failing: 12 * h, want: 16 * h},
		{why: "500 for the fourth time", x: failure{status: 500}, errors: 3, failing: 28 * h, want: d},
		{why: "500 for the ninetieth time", x: failure{status: 500}, errors: 89, failing: 80 * d, want: d},
		{why: "500 for the second time in three days", x: failure{status: 500}, errors: 1, failing: 3 * d, want: d},
		{why: "500 with a wish for longer", x: wait(500, 2*d), want: 2 * d},
		{why: "no answer", x: failure{}, want: 4 * h},
		{why: "no answer, the second time", x: failure{}, errors: 1, failing: 5 * h, want: 8 * h},
		{why: "no answer for a week", x: failure{}, failing: 7 * d, errors: 9, want: d},
		{why: "200 that is no feed", x: failure{status: 200}, want: 4 * h},
		{why: "400", x: failure{status: 400}, want: 4 * h},
		{why: "89 days", x: failure{status: 500}, failing: 89 * d, errors: 80, want: d},
		{why: "S20: 90 days", x: failure{status: 500}, failing: 90 * d, errors: 80, want: d, state: digest.FeedDead},
		{why: "404 for 90 days", x: failure{status: 404}, failing: 90 * d, errors: 80, want: d, state: digest.FeedDead},
		{why: "S20: 410 is not the end yet", x: failure{status: 410}, want: d},
		{why: "410 again, a day later", x: failure{status: 410}, errors: 1, failing: d, want: d},
		{why: "410 of a whole host for 90 days", x: failure{status: 410}, errors: 89, failing: 90 * d, want: d,
			state: digest.FeedDead},
		{why: "a blocked host for 100 days is no failure", x: failure{blocked: true}, failing: 100 * d, errors: 80,
			want: d},
		{why: "on trial, and blocked", x: failure{blocked: true}, failing: 100 * d, errors: 80, trial: true, want: d,
			state: digest.FeedTrial},
		{why: "on trial: once", x: failure{status: 500}, failing: 100 * d, errors: 80, trial: true, want: d,
			state: digest.FeedDead},
		{why: "on trial after 410, and not found", x: failure{status: 404}, failing: 5 * d, errors: 2, trial: true,
			want: d, state: digest.FeedDead},
		{why: "on trial, and limited", x: wait(429, 2*d), failing: 100 * d, errors: 80, trial: true, want: 2 * d,
			state: digest.FeedDead},
		{why: "on trial, and gone again", x: failure{status: 410}, failing: 100 * d, errors: 80, trial: true, want: d,
			state: digest.FeedActive},
	}
	for _, test := range tests {
		now := midnight()
		f := digest.Feed{State: digest.FeedActive, Failures: digest.Failures{Errors: test.errors}}
		if test.trial {
			f.State = digest.FeedTrial
		}
		if test.failing > 0 {
			f.FirstErrorAt, f.FailingSince = now.Add(-test.failing), now.Add(-test.failing)
		}
		fail(&f, test.x, now)
		state := test.state
		if state == "" {
			state = digest.FeedActive
		}
		if got := f.NotBefore.Sub(now); got != test.want || f.State != state || f.Errors != test.errors+1 ||
			f.LastStatus != test.x.status {
			t.Errorf("%s: waits %v, %s after %d errors", test.why, got, f.State, f.Errors)
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
	now := midnight()
	const d = oneDay
	said := func(ago time.Duration) digest.Feed { // 410, first that long ago
		return digest.Feed{Failures: digest.Failures{GoneAt: now.Add(-ago), LastStatus: 410},
			Schedule: digest.Schedule{LastAttemptAt: now.Add(-time.Second)}, State: digest.FeedActive}
	}
	well := func(ago time.Duration) digest.Feed {
		return digest.Feed{Failures: digest.Failures{LastStatus: 304},
			Schedule: digest.Schedule{LastOKAt: now.Add(-ago)}}
	}
	type siblings = []digest.Feed
	tests := []struct {
		why      string
		f        digest.Feed
		siblings siblings
		want     bool
	}{
		{"alone on its host", said(0), nil, true},
		{"a sibling answered well a minute later", said(time.Hour), siblings{well(59 * time.Minute)}, true},
		{"a sibling answered well at the same instant, by a clock that stands still", said(0), siblings{well(0)}, true},
		{"a sibling answered well before: undecided", said(time.Hour), siblings{well(2 * time.Hour)}, false},
		{"one of many answered well since", said(time.Hour), siblings{said(0), well(2 * d), well(time.Minute), said(0)},
			true},
		{"the only sibling says so too", said(0), siblings{said(0)}, false},
		{"all of the host says so", said(0), siblings{said(0), said(time.Hour)}, false},
		{"all of the host says so, and again", said(d), siblings{said(d), said(2 * d)}, false},
		{"all of the host has said so for 80 days", said(80 * d), siblings{said(80 * d), said(79 * d)}, false},
		{"some say so, the others were not asked since", said(0), siblings{said(0), well(time.Hour)}, false},
		{"and a day later it says so again", said(d + time.Second), siblings{said(d), well(30 * time.Hour)}, true},
		{"a day later the sibling fails otherwise", said(d + time.Second),
			siblings{{Failures: digest.Failures{LastStatus: 500, Errors: 9},
				Schedule: digest.Schedule{LastOKAt: now.Add(-9 * d)}}}, true},
		{"a sibling that was never read", said(0), siblings{{}}, false},
		{"a day later, not asked again",
			digest.Feed{Failures: digest.Failures{GoneAt: now.Add(-2 * d), LastStatus: 410},
				Schedule: digest.Schedule{LastAttemptAt: now.Add(-2 * d)}}, siblings{well(3 * d)}, false},
		{"a day later it is another error", digest.Feed{Failures: digest.Failures{GoneAt: now.Add(-d), LastStatus: 500},
			Schedule: digest.Schedule{LastAttemptAt: now}}, siblings{well(2 * d)}, false},
		{"an error, alone", digest.Feed{Failures: digest.Failures{LastStatus: 404},
			Schedule: digest.Schedule{LastAttemptAt: now}}, nil, false},
		{"gone already", digest.Feed{Failures: digest.Failures{GoneAt: now, LastStatus: 410}, State: digest.FeedGone},
			nil, false},
	}
	for _, test := range tests {
		if got := Gone(test.f, test.siblings, now); got != test.want {
			t.Errorf("%s: %v", test.why, got)
		}
	}
}
