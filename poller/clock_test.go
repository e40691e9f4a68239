package poller

import (
	"testing"
	"time"

	"digest"
)

// TestHonest holds that deadlines set by a fast clock keep their distance from the poll.
func TestHonest(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	in := func(d time.Duration) time.Time { return now.Add(d) }
	feed := func(change func(*digest.Feed)) (f digest.Feed) {
		f.LastAttemptAt, f.LastOKAt = in(-2*time.Hour), in(-2*time.Hour)
		change(&f)
		return f
	}
	const fast = 14 * time.Hour
	for name, test := range map[string]struct{ was, want func(*digest.Feed) }{
		"a right clock": {func(f *digest.Feed) { f.NotBefore, f.LeaseUntil = in(maxRetryAfter), in(FeedLease) },
			func(f *digest.Feed) { f.NotBefore, f.LeaseUntil = in(maxRetryAfter), in(FeedLease) }},
		"a little apart": {func(f *digest.Feed) { f.LastAttemptAt = in(time.Minute) },
			func(f *digest.Feed) { f.LastAttemptAt = in(time.Minute) }},
		"a fast clock": {
			func(f *digest.Feed) {
				f.LastAttemptAt, f.LastOKAt, f.ParsedAt, f.NewestAt = in(fast), in(fast), in(fast), in(fast)
				f.NotBefore, f.FreshUntil, f.PollAt = in(fast+time.Hour), in(fast+2*time.Hour), in(fast+time.Hour)
			},
			func(f *digest.Feed) {
				f.LastAttemptAt, f.LastOKAt, f.ParsedAt, f.NewestAt = now, now, now, now
				f.NotBefore, f.FreshUntil, f.PollAt = in(time.Hour), in(2*time.Hour), in(time.Hour)
			},
		},
		"a fast clock before a wait that was named earlier": {
			func(f *digest.Feed) { f.LastAttemptAt, f.NotBefore = in(fast), in(3*time.Hour) },
			func(f *digest.Feed) { f.LastAttemptAt, f.NotBefore = now, in(3*time.Hour) },
		},
		"what says nothing": {
			func(f *digest.Feed) {
				f.NotBefore, f.LeaseUntil, f.PollAt = in(1e6*time.Hour), in(fast), in(1e6*time.Hour)
			},
			func(f *digest.Feed) { f.NotBefore, f.LeaseUntil, f.PollAt = now, now, now },
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got, want := Honest(feed(test.was), time.Hour, false, now), feed(test.want); got != want {
				t.Errorf("got  %+v\nwant %+v", got.Schedule, want.Schedule)
			}
		})
	}
}

// TestHonestWanted holds that a midnight is due for a feed that a fast clock polled, and that the site's
// wishes still apply.
func TestHonestWanted(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	const fast = 1000 * time.Hour
	for _, test := range []struct {
		why  string
		was  digest.Schedule
		want time.Duration // after now
	}{
		{"it may be asked at once", digest.Schedule{LastAttemptAt: now.Add(fast)}, 0},
		{"its site named a time",
			digest.Schedule{LastAttemptAt: now.Add(fast), NotBefore: now.Add(fast + 20*time.Minute)}, 20 * time.Minute},
		{"it is fresh", digest.Schedule{LastAttemptAt: now.Add(fast), FreshUntil: now.Add(fast + 5*time.Minute)},
			5 * time.Minute},
		{"the operator has a rule", digest.Schedule{LastAttemptAt: now.Add(fast), HostInterval: 3 * time.Hour},
			2 * time.Hour},
		{"a right clock asked it", digest.Schedule{LastAttemptAt: now.Add(-time.Minute)}, 59 * time.Minute},
	} {
		f := Honest(digest.Feed{Schedule: test.was}, time.Hour, true, now)
		if got := Askable(f, time.Hour, now).Sub(now); got != test.want {
			t.Errorf("%s: after %v; want %v", test.why, got, test.want)
		}
	}
}
