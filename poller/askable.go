package poller

import (
	"time"

	"digest"
)

// Askable gives the first instant, not before from, at which f may be asked
// (I5). It is the one statement of that rule:
//
//   - no worker has f under a lease (S38)
//   - the last attempt lies back as far as the poll gap, our own manners and
//     the operator's rule for the host want, whichever wants most (S14, S16, S33);
//     manners count from the last attempt of which something was stored
//   - the site's Retry-After and our penalty for an error are over (S19, S20)
//   - the last answer is no longer fresh by the site's own word (S15)
//   - the hour and the day are none that the feed wants skipped
//
// Whether f is asked at all (its State), when it is asked (PollAt) and how its
// host is paced (S34) are other questions. Answers are whole seconds, as they
// are stored: the store keeps the instant beside each feed, and compares. The
// zero time means at once.
func Askable(f digest.Feed, gap time.Duration, from time.Time) time.Time {
	return notSkipped(f, wholeSecond(latest(from, f.LeaseUntil, heldUntil(f, gap))))
}

// heldUntil is Askable without leases and without the time that a feed wants
// skipped. Callers that plan a poll check leases and skipped time themselves.
func heldUntil(f digest.Feed, gap time.Duration) time.Time {
	at := latest(f.NotBefore, f.FreshUntil)
	if !f.LastAttemptAt.IsZero() {
		at = latest(at, f.LastAttemptAt.Add(max(gap, f.HostInterval)), mannersFrom(f).Add(f.OwnInterval))
	}
	return at
}

// mannersFrom is when our own manners begin to count: with the last attempt, or
// with the last answer if the attempt after it left nothing, neither an answer nor
// a failure. Then it could not be stored, for lack of disk or because the process
// was killed, and its readers wait for the poll gap and not for a day or a week.
func mannersFrom(f digest.Feed) time.Time {
	if f.Errors == 0 && !f.LastOKAt.IsZero() && f.LastOKAt.Before(f.LastAttemptAt) {
		return f.LastOKAt
	}
	return f.LastAttemptAt
}

// wholeSecond rounds up.
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

// skipped reports whether f does not want to be asked at t (skipHours and
// skipDays, which speak of UTC). Who skips all hours, or all days, means none.
func skipped(f digest.Feed, t time.Time) bool {
	t = t.UTC()
	return f.SkipHours&allHours != allHours && f.SkipHours&(1<<t.Hour()) != 0 ||
		f.SkipDays&digest.EveryDay != digest.EveryDay && f.SkipDays.Has(t.Weekday())
}

// notSkipped gives the first instant, from t on, in no hour and on no day that
// f wants skipped.
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
