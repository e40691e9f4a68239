package poller

import (
	"net/http"
	"time"

	"digest"
)

// The times of the policy. They are the manners of the program, not settings.
const (
	usualPenalty = 4 * time.Hour // 401, 403, 429; 5xx, network and parse the first time
	longPenalty  = oneDay        // 404, 410; and the others once failing for long
	failingLong  = 3 * oneDay    // from here on longPenalty
	deadAfter    = 90 * oneDay   // of errors without one success

	maxFresh      = oneDay     // freshness beyond this is not believed
	maxRetryAfter = 7 * oneDay // nor a wish to wait longer

	headRetest = 90 * oneDay    // a useless verdict on HEAD is tried again
	stuckHEAD  = 7 * oneDay     // HEAD alone is believed for this long
	believeIn  = 20 * time.Hour // between two sightings of a permanent redirect
)

// KeepOld is how long after a move readers may come back.
const KeepOld = 30 * oneDay

// A failure is what the policy needs to know of a poll that failed.
type failure struct {
	status   int           // 0: no answer
	wait     time.Duration // asked for by Retry-After
	waitSaid bool
	blocked  bool // not asked at all: its host, or one it leads to, is blocked
}

// counts says that a failure brings a feed nearer to its end.
func (x failure) counts() bool { return !x.throttled() && !x.blocked }

// throttled says that the site is well and only wants fewer requests: such an
// answer does not bring a feed nearer to its end.
func (x failure) throttled() bool {
	return x.status == http.StatusTooManyRequests || x.status == http.StatusServiceUnavailable && x.waitSaid
}

// fail writes a failed poll into the record: when it may be tried again, and
// whether it is to be tried at all. A 410 is not the end yet: see Gone.
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

// stateAfter is what a failure, written into f already, makes of its state. A
// feed on trial has used up its one poll; Gone decides of one that says 410.
func stateAfter(f digest.Feed, x failure, now time.Time) digest.FeedState {
	onTrial := f.State == digest.FeedTrial
	switch {
	case !alive(f):
		return f.State
	case onTrial && x.status == http.StatusGone:
		return digest.FeedActive // so that it is judged like any other, and its readers are told
	case onTrial && !x.blocked, x.counts() && now.Sub(f.FirstErrorAt) >= deadAfter:
		return digest.FeedDead
	}
	return f.State
}

// penalty is how long a feed that failed is left alone (S19, S20), after so
// many failures in a row for so long.
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

// succeed writes into the record that the feed is well. After a 304, or a HEAD,
// the answer that stays is as fresh again as it was when it came.
func succeed(f *digest.Feed, status int, stays bool, now time.Time) {
	if stays && !f.FreshUntil.IsZero() {
		// Stored times are whole seconds: what that added must not add up.
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

// Gone decides, when the polls of an hour are in, whether f is gone for good,
// which it says by 410. siblings are the other subscribed feeds of the same
// host and port: a host that says it of everything is broken, not gone, and its
// feeds are left to the rules for errors. A sibling that has answered well
// since settles it. Where none has been asked since, the feed must have said so
// again a day later.
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
