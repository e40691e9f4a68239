package poller

import (
	"fmt"
	"math/rand/v2"
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

	jitterLeast = time.Minute // RandomJitter
	jitterMost  = 3 * time.Minute
)

// Spread says how the polls of one midnight are spread.
type Spread struct {
	Gap      time.Duration // least time between two polls of one feed
	Deadline time.Duration // how long after midnight an edition waits at most
	Window   time.Duration // each feed has its own, stable share of it

	// Jitter is added to every slot; nil adds none. See RandomJitter.
	Jitter func() time.Duration

	// NoWait asks each feed as soon as it may be asked: no jitter, no share.
	NoWait bool
}

// Schedule says when to ask f for a digest due at due; false: not for that
// midnight. A feed that becomes askable before the deadline waits for that
// moment, otherwise a max-age of a day would cost it every second one; and a
// feed that may be asked now is asked however late the hour runs. No
// slot lies in the hot minutes :59 to :01, when everyone else's timers fire.
func Schedule(f digest.Feed, due, now time.Time, s Spread) (at time.Time, ok bool) {
	if f.State == digest.FeedDead || f.State == digest.FeedGone {
		return time.Time{}, false
	}
	askable := askableAt(f, s.Gap)
	if askable.After(latest(due.Add(s.Deadline), now)) {
		return time.Time{}, false
	}
	at = slot(f.ID, askable, now, s)
	if !f.PollAt.IsZero() && f.PollAt.Before(at) && !f.PollAt.Before(askable) {
		return f.PollAt, true
	}
	return at, true
}

// askableAt is the earliest instant at which f may be asked (S14, S15, S19):
// the zero time for a feed that was never asked.
func askableAt(f digest.Feed, gap time.Duration) time.Time {
	at := latest(f.NotBefore, f.FreshUntil)
	if !f.LastAttemptAt.IsZero() {
		at = latest(at, f.LastAttemptAt.Add(gap))
	}
	return at
}

func slot(id digest.FeedID, askable, now time.Time, s Spread) time.Time {
	if s.NoWait {
		return latest(now, askable)
	}
	at := now.Add(share(id, s.Window))
	if s.Jitter != nil {
		at = at.Add(s.Jitter())
	}
	return avoidHotMinutes(latest(at, askable), id)
}

// NextPoll guesses when f is asked next, for people: due is the next midnight
// of any of its readers, zero if it has none. Zero: not as things stand.
func NextPoll(f digest.Feed, due, now time.Time, s Spread) time.Time {
	switch {
	case f.State == digest.FeedDead, f.State == digest.FeedGone:
		return time.Time{}
	case !f.PollAt.IsZero():
		return f.PollAt
	case due.IsZero():
		return time.Time{}
	}
	askable := askableAt(f, s.Gap)
	for askable.After(latest(due.Add(s.Deadline), now)) {
		due = due.AddDate(0, 0, 1)
	}
	return latest(due, askable)
}

// RandomJitter is one to three minutes.
func RandomJitter() time.Duration {
	return jitterLeast + rand.N(jitterMost-jitterLeast)
}

// share is the feed's stable part of the window (S35), in [0, window).
func share(id digest.FeedID, window time.Duration) time.Duration {
	if window <= 0 {
		return 0
	}
	return time.Duration(mix(uint64(id)) % uint64(window))
}

// mix scatters consecutive keys evenly (the finalizer of SplitMix64).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// avoidHotMinutes moves an instant in minutes :59, :00 or :01 into the minute
// after them; the feed's share of that minute keeps the crowd apart.
func avoidHotMinutes(t time.Time, id digest.FeedID) time.Time {
	hour := t.UTC().Truncate(time.Hour)
	switch t.UTC().Minute() {
	case 59:
		hour = hour.Add(time.Hour)
	case 0, 1:
	default:
		return t
	}
	return hour.Add(2*time.Minute + share(id, time.Minute))
}

func latest(times ...time.Time) time.Time {
	var last time.Time
	for _, t := range times {
		if t.After(last) {
			last = t
		}
	}
	return last
}

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

// The states that Status tells apart.
const (
	StateActive    = "active"
	StateWaiting   = "waiting"   // still fresh, or asked to wait by an answer that was no error
	StatePenalised = "penalised" // waits out an error
	StateDead      = "dead"
	StateGone      = "gone"
)

// Status says how a feed stands and why, in one line for people.
func Status(f digest.Feed, now time.Time) (state, reason string) {
	switch {
	case f.State == digest.FeedGone:
		return StateGone, "the site says that this feed is gone for good (410)"
	case f.State == digest.FeedDead:
		return StateDead, fmt.Sprintf("failing since %s, asked no more: %s", day(f.FirstErrorAt), f.LastError)
	case f.NotBefore.After(now) && f.Errors > 0:
		return StatePenalised, fmt.Sprintf("%s; left alone until %s", f.LastError, minute(f.NotBefore))
	case f.NotBefore.After(now):
		return StateWaiting, "the site asked to wait until " + minute(f.NotBefore)
	case f.FreshUntil.After(now):
		return StateWaiting, "by its own word nothing new before " + minute(f.FreshUntil)
	case f.Errors > 0:
		return StateActive, f.LastError + "; asked again at the next midnight of a reader"
	case f.ParsedAt.IsZero():
		return StateActive, "not read yet"
	}
	return StateActive, "asked at each midnight of a reader"
}

func day(t time.Time) string    { return t.UTC().Format(time.DateOnly) }
func minute(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }
