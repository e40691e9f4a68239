package poller

import (
	"time"

	"digest"
)

// Askable returns the first instant, not before from, at which f may be polled (I5). All code uses this one
// rule:
//
//   - no worker has a lease on f (S38)
//   - since the last attempt, the longest of three times has passed: the poll gap, digest's own interval for f,
//     and the operator's interval for the host (S14, S16, S33). digest's own interval counts from the last
//     attempt whose result was stored
//   - the site's Retry-After and the penalty for an error have passed (S19, S20)
//   - the last answer is no longer fresh by its own headers (S15)
//   - the feed does not skip the hour or the day
//
// State decides whether f is polled at all, PollAt when, and S34 how its host is paced. Instants are whole
// seconds, as the store keeps them with each feed. The zero time means now.
func Askable(f digest.Feed, gap time.Duration, from time.Time) time.Time {
	return notSkipped(f, wholeSecond(latest(from, f.LeaseUntil, heldUntil(f, gap))))
}

// heldUntil is Askable without leases and skipped time. Callers that plan a poll check these themselves.
func heldUntil(f digest.Feed, gap time.Duration) time.Time {
	at := latest(f.NotBefore, f.FreshUntil)
	if !f.LastAttemptAt.IsZero() {
		at = latest(at, f.LastAttemptAt.Add(max(gap, f.HostInterval)), mannersFrom(f).Add(f.OwnInterval))
	}
	return at
}

// mannersFrom returns the start of digest's own interval: the last attempt, or the last answer if the
// result of a later attempt was not stored. The latter happens after a full disk or a killed process.
// Readers then wait for the poll gap and not for a day or a week.
func mannersFrom(f digest.Feed) time.Time {
	if f.Errors == 0 && !f.LastOKAt.IsZero() && f.LastOKAt.Before(f.LastAttemptAt) {
		return f.LastOKAt
	}
	return f.LastAttemptAt
}

func wholeSecond(t time.Time) time.Time {
	if whole := t.Truncate(time.Second); whole.Before(t) {
		return whole.Add(time.Second)
	}
	return t
}

const (
	oneDay   = 24 * time.Hour
	allHours = 1<<24 - 1
)

// skipped reports whether f skips t (skipHours and skipDays, in UTC). A feed that skips all hours or all
// days skips none.
func skipped(f digest.Feed, t time.Time) bool {
	t = t.UTC()
	return f.SkipHours&allHours != allHours && f.SkipHours&(1<<t.Hour()) != 0 ||
		f.SkipDays&digest.EveryDay != digest.EveryDay && f.SkipDays.Has(t.Weekday())
}

func notSkipped(f digest.Feed, t time.Time) time.Time {
	if t.IsZero() || !skipped(f, t) {
		return t
	}
	t = t.UTC().Truncate(time.Hour)
	for skipped(f, t) {
		t = t.Add(time.Hour)
	}
	return t
}
