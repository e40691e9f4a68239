package main

import (
	"testing"
	"time"

	"digest"
	"digest/store"
)

// TestNextPollIsAskable checks that the next poll of a queued feed is the later of its queued time and its earliest
// allowed time.
func TestNextPollIsAskable(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	a := &app{settings: settings{PollGap: time.Hour, ReleaseDeadline: 30 * time.Minute},
		clock: func() time.Time { return now }}
	queued := now.Add(30 * time.Minute)
	for _, test := range []struct {
		why  string
		f    digest.Schedule
		want time.Time
	}{
		{"nothing holds it back", digest.Schedule{PollAt: queued}, queued},
		{"under Retry-After", digest.Schedule{PollAt: queued, NotBefore: now.Add(5 * time.Hour)},
			now.Add(5 * time.Hour)},
		{"Retry-After is over first", digest.Schedule{PollAt: queued, NotBefore: now.Add(time.Minute)}, queued},
		{"fresh by its own word", digest.Schedule{PollAt: queued, FreshUntil: now.Add(2 * time.Hour)},
			now.Add(2 * time.Hour)},
		{"within the poll gap", digest.Schedule{PollAt: queued, LastAttemptAt: now}, now.Add(time.Hour)},
	} {
		r := a.reportFeed(store.FeedInfo{Feed: digest.Feed{URL: "https://a.example/feed", Schedule: test.f}})
		if r.NextPollAt == nil || !r.NextPollAt.Equal(test.want) {
			t.Errorf("%s: %v, want %v", test.why, r.NextPollAt, test.want)
		}
	}
}
