package poller

import (
	"net/http"
	"time"

	"digest"
)

// nearMidnight is how long a failed poll that might be tried again waits for a
// midnight that is to come: one request instead of two.
const nearMidnight = 2 * time.Hour

// ExtraPoll says, after a poll of f, when to ask it beside the midnights: zero if
// it waits for one. due is the next midnight of any of its readers, zero if it
// has none; one that has passed stands for those that follow it day by day.
//
// A poll that failed is tried again when its time has come, a feed that
// outruns its readers is asked by itself, and one that must not be asked at
// the coming midnight is asked before it. None of them is asked where a
// midnight does it as well.
func ExtraPoll(f digest.Feed, due, now time.Time, s Spread) time.Time {
	if !alive(f) || due.IsZero() {
		return time.Time{}
	}
	n := s.extraPollOf(f, due, now)
	var at time.Time
	switch {
	case f.Errors > 0:
		at = n.retry()
	case f.BusyInterval > 0:
		at = n.busy()
	}
	if at.IsZero() {
		at = n.beforeSkipped()
	}
	return at
}

// A extraPoll is what is known when a feed is to be asked beside the midnights. due
// is the first of them after now, and one day later comes the next.
type extraPoll struct {
	Spread
	f            digest.Feed
	now          time.Time
	due, askable time.Time
}

func (s Spread) extraPollOf(f digest.Feed, due, now time.Time) extraPoll {
	return extraPoll{Spread: s, f: f, now: now, due: following(due, now), askable: latest(heldUntil(f, s.Gap), now)}
}

// following gives the first of due and the midnights after it that is yet to come.
func following(due, now time.Time) time.Time {
	if due.After(now) {
		return due
	}
	return due.Add((now.Sub(due)/oneDay + 1) * oneDay)
}

// retry is when a failed poll is tried again. A site that has limited or
// failed us more than once, and names no time worth the name, is left alone
// for as long as one that names none.
func (n extraPoll) retry() time.Time {
	if !worthRetrying(n.f.LastStatus) {
		return time.Time{}
	}
	at := n.askable
	if n.f.Errors > 1 && n.f.NotBefore.Before(n.f.LastAttemptAt.Add(n.Gap)) {
		at = latest(at, n.f.LastAttemptAt.Add(usualPenalty))
	}
	return n.unlessMidnight(n.beside(n.f, at), nearMidnight)
}

// worthRetrying reports whether hours can mend a failure. What the site means
// as its answer, such as 403, 404 or 410, waits for a midnight.
func worthRetrying(status int) bool {
	switch status {
	case http.StatusTooManyRequests, http.StatusRequestTimeout, http.StatusTooEarly:
		return true
	case 0, http.StatusOK, http.StatusNonAuthoritativeInfo: // no answer, or an unreadable one
		return true
	}
	return status >= 500
}

// busy is when a feed that outruns its readers is looked at next.
func (n extraPoll) busy() time.Time {
	every := n.f.BusyInterval
	return n.unlessMidnight(n.beside(n.f, latest(n.askable, n.f.LastAttemptAt.Add(every))), every/4)
}

// unlessMidnight gives at, or zero where a midnight asks the feed instead: one
// before it, one within patience after it, and one that it would spoil, as the
// feed could not be asked again by then.
func (n extraPoll) unlessMidnight(at time.Time, patience time.Duration) time.Time {
	if n.midnightAsks(at.Add(max(patience, n.pace()-n.Deadline))) {
		return time.Time{}
	}
	return at
}

// pace is the time after which a feed that is asked may be asked again, if it
// answers as it did the last time that it was well.
func (n extraPoll) pace() time.Duration {
	return max(n.Gap, n.f.OwnInterval, n.f.HostInterval, min(n.f.FreshUntil.Sub(n.f.LastOKAt), maxFresh))
}

// midnightAsks reports whether a midnight until then will ask the feed.
func (n extraPoll) midnightAsks(until time.Time) bool {
	for due := n.due; !due.After(until); due = due.Add(oneDay) {
		if _, ok := n.inTime(n.f, due, n.askable); ok && !skipped(n.f, due) {
			return true
		}
	}
	return false
}
