package poller

import (
	"net/http"
	"time"

	"digest"
)

// The durations of the policy. They are fixed rules, not settings.
const (
	usualPenalty = 4 * time.Hour // 401, 403, 429; also the first 5xx, network or parse error
	longPenalty  = oneDay        // 404, 410; also other errors after failingLong
	failingLong  = 3 * oneDay    // the age of a failure from which longPenalty applies
	deadAfter    = 90 * oneDay   // of errors without a success

	maxFresh      = oneDay     // the longest freshness that is believed
	maxRetryAfter = 7 * oneDay // the longest Retry-After that is obeyed

	headRetest = 90 * oneDay    // until HEAD is tried again after it was useless
	stuckHEAD  = 7 * oneDay     // how long HEAD alone is believed
	believeIn  = 20 * time.Hour // between two polls that confirm a permanent redirect
)

// KeepOld is how long after a move readers can return to the old address.
const KeepOld = 30 * oneDay

// A failure holds the facts of a failed poll that the policy needs.
type failure struct {
	status   int           // 0: no answer
	wait     time.Duration // from Retry-After
	waitSaid bool
	blocked  bool // no request was sent, because the host or a redirect's host is blocked
}

// counts reports whether a failure brings a feed closer to being dead.
func (x failure) counts() bool { return !x.throttled() && !x.blocked }

// throttled reports whether the site works and only asks for fewer requests. Such an answer does not bring
// a feed closer to being dead.
func (x failure) throttled() bool {
	return x.status == http.StatusTooManyRequests || x.status == http.StatusServiceUnavailable && x.waitSaid
}

// fail records a failed poll: when the next may come, and the new state. A 410 is not final yet: see Gone.
func fail(f *digest.Feed, x failure, now time.Time) {
	f.LastStatus = x.status
	f.Errors++
	if f.FailingSince.IsZero() {
		f.FailingSince = now
	}
	if f.FirstErrorAt.IsZero() && x.counts() {
		f.FirstErrorAt = now
	}
	if !comeBack(f, now) && f.GoneAt.IsZero() && x.status == http.StatusGone {
		f.GoneAt = now
	}
	f.NotBefore = now.Add(penalty(x, f.Errors, now.Sub(f.FailingSince)))
	f.State = stateAfter(*f, x, now)
}

// stateAfter returns the state after a failure that is in f already. A feed on trial has used its one poll;
// Gone decides about a 410.
func stateAfter(f digest.Feed, x failure, now time.Time) digest.FeedState {
	onTrial := f.State == digest.FeedTrial
	switch {
	case !alive(f):
		return f.State
	case onTrial && x.status == http.StatusGone:
		return digest.FeedActive // so that Gone judges it like other feeds, and its readers learn it
	case onTrial && !x.blocked, x.counts() && now.Sub(f.FirstErrorAt) >= deadAfter:
		return digest.FeedDead
	}
	return f.State
}

// penalty returns the pause after a failure (S19, S20), given the failures in a row and how long they have
// lasted.
func penalty(x failure, errors int, failing time.Duration) time.Duration {
	if x.throttled() {
		if x.waitSaid {
			return x.wait
		}
		return usualPenalty
	}
	p := usualPenalty
	switch x.status {
	case http.StatusNotFound, http.StatusGone:
		p = longPenalty
	case http.StatusUnauthorized, http.StatusForbidden:
	default:
		for n := 1; n < errors && p < longPenalty; n++ {
			p *= 2
		}
	}
	if failing >= failingLong {
		p = longPenalty
	}
	return max(min(p, longPenalty), x.wait)
}

// succeed records a successful poll. After a 304 or a HEAD, the stored answer is fresh again for as long as
// when it came.
func succeed(f *digest.Feed, status int, stays bool, now time.Time) {
	if stays && !f.FreshUntil.IsZero() {
		// Stored times are whole seconds. The rounding must not add up over polls.
		f.FreshUntil = now.Add(f.FreshUntil.Sub(f.LastOKAt).Truncate(time.Minute))
	}
	f.LastStatus = status
	f.LastError = ""
	f.Errors = 0
	f.FirstErrorAt, f.FailingSince, f.GoneAt = time.Time{}, time.Time{}, time.Time{}
	f.NotBefore = time.Time{}
	f.State = digest.FeedActive
	f.LastOKAt = now
}

// Gone reports whether f, which answers 410, is gone permanently. Callers ask after the polls of an hour.
// siblings are the other subscribed feeds of the same host and port. If all of them answer 410, the host is
// broken, and the rules for errors apply. A sibling that worked since then decides for gone. If none was
// polled since, f must answer 410 again a day later.
func Gone(f digest.Feed, siblings []digest.Feed, now time.Time) bool {
	if f.GoneAt.IsZero() || f.LastStatus != http.StatusGone || !alive(f) {
		return false
	}
	broken := len(siblings) > 0
	for _, other := range siblings {
		if other.GoneAt.IsZero() {
			if !other.LastOKAt.Before(f.GoneAt) {
				return true
			}
			broken = false
		}
	}
	again := f.LastAttemptAt.Sub(f.GoneAt) >= oneDay && now.Sub(f.GoneAt) >= oneDay
	return !broken && (len(siblings) == 0 || again)
}
