package poller

import (
	"time"

	"digest"
)

// FeedLease is how long a feed is leased for a poll. It outlasts any poll: ten
// redirects of HEAD and GET, all slow.
const FeedLease = 15 * time.Minute

// longestQueue is how far ahead a poll is queued that waits for nothing but its turn:
// the midnight of a digest that appears once a week.
const longestQueue = 8 * oneDay

// Honest gives f without the instants that no clock could have written that is
// right at now. What has happened has happened by now. What was decided at a poll
// that seems to be still to come keeps its distance from that poll, which counts
// as made now: a site that wanted to be left alone for an hour is left alone for
// an hour. What lies further ahead than its rule allows says nothing, and is over.
//
// wanted says that a reader's midnight has come for which f is still to be asked:
// then nothing has run since the clock went right, or it would have been asked. When
// that poll was made nobody knows; it counts as made a poll gap ago, or the midnight
// would bring nothing.
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
