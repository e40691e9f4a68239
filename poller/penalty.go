package poller

import (
	"net/http"
	"time"

	"digest"
)

// The times of the policy. They are the manners of the program, not settings.
const (
	usualPenalty = 4 * time.Hour       // 403, 429, 5xx, network, parse
	longPenalty  = 24 * time.Hour      // 404; and the others once failing for long
	failingLong  = 3 * 24 * time.Hour  // from here on longPenalty
	deadAfter    = 90 * 24 * time.Hour // of errors without one success

	maxFresh      = 24 * time.Hour     // freshness beyond this is not believed
	maxRetryAfter = 7 * 24 * time.Hour // nor a wish to wait longer

	headRetest = 90 * 24 * time.Hour // a useless verdict on HEAD is tried again
	stuckHEAD  = 7 * 24 * time.Hour  // HEAD alone is believed for this long
	believeIn  = 20 * time.Hour      // between two sightings of a permanent redirect
)

// A failure is what the policy needs to know of a poll that failed.
type failure struct {
	status   int           // 0: no answer
	wait     time.Duration // asked for by Retry-After
	waitSaid bool
}

// throttled says that the site is well and only wants fewer requests: such an
// answer does not bring a feed nearer to its end.
func (x failure) throttled() bool {
	return x.status == http.StatusTooManyRequests || x.status == http.StatusServiceUnavailable && x.waitSaid
}

// fail writes a failed poll into the record: when it may be tried again, and
// whether it is to be tried at all.
func fail(f *digest.Feed, x failure, now time.Time) {
	f.LastStatus = x.status
	f.Errors++
	if f.FirstErrorAt.IsZero() && !x.throttled() {
		f.FirstErrorAt = now
	}
	var failing time.Duration
	if !f.FirstErrorAt.IsZero() {
		failing = now.Sub(f.FirstErrorAt)
	}
	f.NotBefore = now.Add(penalty(x, failing))
	switch {
	case f.State == digest.FeedGone, x.status == http.StatusGone:
		f.State = digest.FeedGone
	case f.State == digest.FeedDead, failing >= deadAfter && !x.throttled():
		f.State = digest.FeedDead
	}
}

// penalty is how long a feed that failed is left alone (S19, S20). failing is
// the time since the first of the errors in a row.
func penalty(x failure, failing time.Duration) time.Duration {
	if x.waitSaid && x.throttled() {
		return x.wait
	}
	p := usualPenalty
	if x.status == http.StatusNotFound || failing >= failingLong && !x.throttled() {
		p = longPenalty
	}
	return max(p, x.wait)
}

// succeed writes into the record that the feed is well.
func succeed(f *digest.Feed, status int, now time.Time) {
	f.LastStatus = status
	f.LastError = ""
	f.Errors = 0
	f.FirstErrorAt = time.Time{}
	f.NotBefore = time.Time{}
	f.State = digest.FeedActive
	f.LastOKAt = now
}
