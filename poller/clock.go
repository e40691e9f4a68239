package poller

import (
	"time"

	"digest"
)

// FeedLease is the lease of a feed for a poll. It is longer than any poll: ten slow redirects of HEAD and
// GET.
const FeedLease = 15 * time.Minute

// longestQueue is how far ahead a poll can be queued: up to the midnight of a digest that appears once a
// week.
const longestQueue = 8 * oneDay

// Honest returns f with its instants corrected after a wrong clock. Events lie at now at the latest. If the
// last attempt lies in the future, it moves to now, and later deadlines move by the same time: a Retry-After of
// an hour still lasts an hour. A deadline further ahead than its rule allows ends now.
//
// wanted means that a reader's midnight is due and f is still to be polled for it. Then the last attempt counts
// as made one poll gap ago, because otherwise the midnight would get no posts.
func Honest(f digest.Feed, gap time.Duration, wanted bool, now time.Time) digest.Feed {
	asked := now
	if wanted {
		asked = now.Add(-gap)
	}
	if ahead := f.LastAttemptAt.Sub(now); ahead > digest.ClockSlack {
		for _, t := range []*time.Time{&f.NotBefore, &f.FreshUntil, &f.PollAt, &f.LeaseUntil, &f.HeadRetestAt} {
			if !t.Before(f.LastAttemptAt) {
				*t = t.Add(-ahead)
			}
		}
	}
	for _, t := range []*time.Time{&f.LastAttemptAt, &f.LastOKAt} {
		if t.After(now.Add(digest.ClockSlack)) {
			*t = asked
		}
	}
	for _, r := range []struct {
		at   *time.Time
		most time.Duration // ahead of now
	}{
		{&f.ParsedAt, 0},
		{&f.NewestAt, 0},
		{&f.PingedAt, 0},
		{&f.FirstErrorAt, 0},
		{&f.FailingSince, 0},
		{&f.GoneAt, 0},
		{&f.MovedSince, 0},
		{&f.MovedAt, 0},
		{&f.LeaseUntil, FeedLease},
		{&f.FreshUntil, maxFresh},
		{&f.NotBefore, maxRetryAfter},
		{&f.HeadRetestAt, headRetest},
	} {
		if r.at.After(now.Add(r.most + digest.ClockSlack)) {
			*r.at = now
		}
	}
	if f.PollAt.After(now.Add(longestQueue)) {
		if at := Askable(f, gap, now); at.Before(f.PollAt) {
			f.PollAt = at
		}
	}
	return f
}
