package poller

import (
	"strings"
	"testing"
	"time"

	"digest"
)

// midnight of a reader in London.
func midnight() time.Time { return time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC) }

func TestSchedule(t *testing.T) {
	due := midnight()
	at := func(d time.Duration) time.Time { return due.Add(d) }
	spread := Spread{Gap: time.Hour, Deadline: 30 * time.Minute, NoWait: true}
	tests := []struct {
		why  string
		f    digest.Feed
		now  time.Duration // after midnight
		want time.Duration // after midnight
		not  bool          // not for this midnight
	}{
		{why: "never asked: at once", want: 0},
		{why: "polled yesterday", f: digest.Feed{LastAttemptAt: at(-24 * time.Hour)}, want: 0},
		{why: "polled an hour ago, to the second", f: digest.Feed{LastAttemptAt: at(-time.Hour)}, want: 0},
		{why: "polled 40 minutes ago: when the gap has passed, before the deadline", f: digest.Feed{LastAttemptAt: at(-40 * time.Minute)}, want: 20 * time.Minute},
		{why: "polled 30 minutes ago: just at the deadline", f: digest.Feed{LastAttemptAt: at(-30 * time.Minute)}, want: 30 * time.Minute},
		{why: "polled 29 minutes ago: its posts are there already", f: digest.Feed{LastAttemptAt: at(-29 * time.Minute)}, not: true},
		{why: "fresh for hours", f: digest.Feed{FreshUntil: at(5 * time.Hour)}, not: true},
		{why: "max-age=86400 after yesterday's poll at 00:07: waits for it", f: digest.Feed{LastAttemptAt: at(-23*time.Hour - 53*time.Minute), FreshUntil: at(7 * time.Minute)}, want: 7 * time.Minute},
		{why: "no longer fresh", f: digest.Feed{FreshUntil: at(-time.Second)}, want: 0},
		{why: "Retry-After beyond the deadline", f: digest.Feed{NotBefore: at(time.Hour)}, not: true},
		{why: "Retry-After within the deadline", f: digest.Feed{NotBefore: at(10 * time.Minute)}, want: 10 * time.Minute},
		{why: "the latest of three reasons counts", f: digest.Feed{LastAttemptAt: at(-55 * time.Minute), FreshUntil: at(20 * time.Minute), NotBefore: at(10 * time.Minute)}, want: 20 * time.Minute},
		{why: "never read, but its first fetch failed: the penalty stands", f: digest.Feed{LastAttemptAt: at(-2 * time.Hour), NotBefore: at(2 * time.Hour)}, not: true},
		{why: "dead", f: digest.Feed{State: digest.FeedDead}, not: true},
		{why: "gone", f: digest.Feed{State: digest.FeedGone}, not: true},
		{why: "planned late: from now on", now: 12 * time.Minute, want: 12 * time.Minute},
		{why: "planned hours late: asked all the same", f: digest.Feed{LastAttemptAt: at(-24 * time.Hour)}, now: 5 * time.Hour, want: 5 * time.Hour},
		{why: "planned hours late, polled since midnight", f: digest.Feed{LastAttemptAt: at(3 * time.Hour)}, now: 5 * time.Hour, want: 5 * time.Hour},
		{why: "planned hours late and fresh", f: digest.Feed{FreshUntil: at(6 * time.Hour)}, now: 5 * time.Hour, not: true},
		{why: "queued earlier than that: left", f: digest.Feed{PollAt: at(2 * time.Minute)}, now: 5 * time.Minute, want: 2 * time.Minute},
		{why: "queued later than that: brought forward", f: digest.Feed{PollAt: at(3 * time.Hour)}, want: 0},
		{why: "queued, but before it may be asked: moved", f: digest.Feed{PollAt: at(time.Minute), NotBefore: at(9 * time.Minute)}, want: 9 * time.Minute},
	}
	for _, test := range tests {
		got, ok := Schedule(test.f, due, at(test.now), spread)
		if ok == test.not || ok && !got.Equal(at(test.want)) {
			t.Errorf("%s: %v %v", test.why, got, ok)
		}
	}
}

func TestNextPoll(t *testing.T) {
	now := midnight().Add(-6 * time.Hour)
	s := Spread{Gap: time.Hour, Deadline: 30 * time.Minute}
	at := func(d time.Duration) time.Time { return midnight().Add(d) }
	tests := []struct {
		why  string
		f    digest.Feed
		want time.Time
	}{
		{"at the next midnight of a reader", digest.Feed{}, at(0)},
		{"when it is queued", digest.Feed{PollAt: at(time.Minute)}, at(time.Minute)},
		{"when it is no longer fresh", digest.Feed{FreshUntil: at(20 * time.Minute)}, at(20 * time.Minute)},
		{"fresh beyond the deadline: a day later", digest.Feed{FreshUntil: at(2 * time.Hour)}, at(day1)},
		{"asked to wait for four days", digest.Feed{NotBefore: at(4*day1 - time.Hour)}, at(4 * day1)},
		{"dead", digest.Feed{State: digest.FeedDead}, time.Time{}},
		{"gone", digest.Feed{State: digest.FeedGone, PollAt: at(0)}, time.Time{}},
	}
	for _, test := range tests {
		if got := NextPoll(test.f, midnight(), now, s); !got.Equal(test.want) {
			t.Errorf("%s: %v", test.why, got)
		}
	}
	if got := NextPoll(digest.Feed{}, time.Time{}, now, s); !got.IsZero() {
		t.Errorf("nobody reads it: %v", got)
	}
}

// TestS35_Spread: the share of the window is stable and even, the jitter is on
// top, and the hot minutes stay empty.
func TestS35_Spread(t *testing.T) {
	s := Spread{Gap: time.Hour, Deadline: 30 * time.Minute, Window: 15 * time.Minute, Jitter: RandomJitter}
	perMinute := map[int]int{}
	for id := range digest.FeedID(20000) {
		at, ok := Schedule(digest.Feed{ID: id}, midnight(), midnight(), s)
		if m := at.Minute(); !ok || m == 59 || m < 2 || at.After(midnight().Add(18*time.Minute)) {
			t.Fatalf("feed %d at %v", id, at)
		}
		perMinute[at.Minute()]++
	}
	for m := 4; m < 15; m++ {
		if n := perMinute[m]; n < 1200 || n > 1480 {
			t.Errorf("minute %d has %d of 20000 polls in 15 minutes", m, n)
		}
	}
	s.Jitter = nil
	f := digest.Feed{ID: 7}
	first, _ := Schedule(f, midnight(), midnight(), s)
	if again, _ := Schedule(f, midnight(), midnight(), s); !again.Equal(first) {
		t.Error("the share of the window is not stable")
	}
}

func TestS35_HotMinutes(t *testing.T) {
	for _, test := range []struct{ at, from, to string }{
		{"23:58:59", "23:58:59", "23:58:59"},
		{"23:59:00", "00:02:00", "00:02:59"},
		{"00:00:00", "00:02:00", "00:02:59"},
		{"00:01:59", "00:02:00", "00:02:59"},
		{"00:02:00", "00:02:00", "00:02:00"},
		{"11:59:30", "12:02:00", "12:02:59"},
	} {
		in, _ := time.Parse(time.TimeOnly, test.at)
		out := avoidHotMinutes(in, 99)
		if got := out.Format(time.TimeOnly); got < test.from || got > test.to || out.Before(in) {
			t.Errorf("%s becomes %s", test.at, got)
		}
	}
}

func TestJitter(t *testing.T) {
	for range 1000 {
		if d := RandomJitter(); d < time.Minute || d >= 3*time.Minute {
			t.Fatal(d)
		}
	}
}

func TestS20_Penalties(t *testing.T) {
	const h, d = time.Hour, 24 * time.Hour
	wait := func(status int, w time.Duration) failure { return failure{status, w, true} }
	tests := []struct {
		why     string
		x       failure
		failing time.Duration // before this poll
		want    time.Duration
		state   digest.FeedState
	}{
		{why: "429 without a wish", x: failure{status: 429}, want: 4 * h},
		{why: "429 with one", x: wait(429, 10*time.Minute), want: 10 * time.Minute},
		{why: "429 with a long one", x: wait(429, 7*d), want: 7 * d},
		{why: "429 for zero seconds: the poll gap is left", x: wait(429, 0), want: 0},
		{why: "429 for months is no failure", x: failure{status: 429}, failing: 100 * d, want: 4 * h},
		{why: "503 with a wish", x: wait(503, 2*h), want: 2 * h},
		{why: "503 without", x: failure{status: 503}, want: 4 * h},
		{why: "403", x: failure{status: 403}, want: 4 * h},
		{why: "403 with a wish for longer", x: wait(403, 6*h), want: 6 * h},
		{why: "403 with a wish for less", x: wait(403, h), want: 4 * h},
		{why: "401", x: failure{status: 401}, want: 4 * h},
		{why: "404", x: failure{status: 404}, want: d},
		{why: "500", x: failure{status: 500}, want: 4 * h},
		{why: "500 for two days", x: failure{status: 500}, failing: 2 * d, want: 4 * h},
		{why: "500 for three days", x: failure{status: 500}, failing: 3 * d, want: d},
		{why: "no answer", x: failure{}, want: 4 * h},
		{why: "no answer for a week", x: failure{}, failing: 7 * d, want: d},
		{why: "200 that is no feed", x: failure{status: 200}, want: 4 * h},
		{why: "89 days", x: failure{status: 500}, failing: 89 * d, want: d},
		{why: "90 days", x: failure{status: 500}, failing: 90 * d, want: d, state: digest.FeedDead},
		{why: "gone", x: failure{status: 410}, want: 4 * h, state: digest.FeedGone},
	}
	for _, test := range tests {
		now := midnight()
		f := digest.Feed{State: digest.FeedActive}
		if test.failing > 0 {
			f.FirstErrorAt, f.Errors = now.Add(-test.failing), 5
		}
		errors := f.Errors
		fail(&f, test.x, now)
		state := test.state
		if state == "" {
			state = digest.FeedActive
		}
		if got := f.NotBefore.Sub(now); got != test.want || f.State != state || f.Errors != errors+1 || f.LastStatus != test.x.status {
			t.Errorf("%s: waits %v, %+v", test.why, got, f)
		}
	}
}

// TestS20_ThrottleIsNoError: a site that asks for fewer requests is well.
func TestS20_ThrottleIsNoError(t *testing.T) {
	var f digest.Feed
	fail(&f, failure{status: 429}, midnight())
	if !f.FirstErrorAt.IsZero() {
		t.Error("429 began the 90 days")
	}
	fail(&f, failure{status: 500}, midnight().Add(time.Hour))
	fail(&f, failure{status: 429}, midnight().Add(100*24*time.Hour))
	if f.State == digest.FeedDead {
		t.Error("429 ended a feed")
	}
	if want := midnight().Add(time.Hour); !f.FirstErrorAt.Equal(want) {
		t.Errorf("first error at %v, want %v", f.FirstErrorAt, want)
	}
}

func TestStatus(t *testing.T) {
	now := midnight()
	later := now.Add(3 * time.Hour)
	tests := []struct {
		f            digest.Feed
		state, about string
	}{
		{digest.Feed{}, StateActive, "not read yet"},
		{digest.Feed{ParsedAt: now}, StateActive, "midnight"},
		{digest.Feed{ParsedAt: now, FreshUntil: later}, StateWaiting, "2026-11-20 03:00 UTC"},
		{digest.Feed{ParsedAt: now, NotBefore: later}, StateWaiting, "asked to wait"},
		{digest.Feed{Errors: 1, LastError: "404 Not Found", NotBefore: later}, StatePenalised, "404 Not Found; left alone until 2026-11-20 03:00 UTC"},
		{digest.Feed{Errors: 1, LastError: "404 Not Found", NotBefore: now}, StateActive, "404 Not Found"},
		{digest.Feed{State: digest.FeedDead, FirstErrorAt: now, LastError: "404 Not Found"}, StateDead, "since 2026-11-20"},
		{digest.Feed{State: digest.FeedGone}, StateGone, "410"},
	}
	for _, test := range tests {
		state, reason := Status(test.f, now)
		if state != test.state || !strings.Contains(reason, test.about) || strings.Contains(reason, "\n") {
			t.Errorf("%+v: %s, %s", test.f, state, reason)
		}
	}
}
