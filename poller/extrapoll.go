package poller

import (
	"net/http"
	"time"

	"digest"
)

const (
	// nearMidnight is how long a failed poll waits for a coming midnight in place of a retry: one request,
	// not two.
	nearMidnight = 2 * time.Hour

	// beforeClosing is the length of the slot before the last hour in which a feed is polled that forbids
	// polls at midnight. It equals the time from a midnight to its deadline.
	beforeClosing = 30 * time.Minute
)

// ExtraPoll returns when to poll f again apart from the midnights, after a poll of it; zero: the next midnight is soon
// enough. due is the next midnight of any of its readers, zero for none. If it has passed, the same time on a later day
// counts. later is the midnight after due, of any reader.
//
// ExtraPoll retries a failed poll after its penalty. It polls a feed that publishes more in a day than its document
// holds at the feed's own interval. It polls a feed before a midnight at which the feed forbids polls. It returns zero
// if a midnight polls the feed as well. A retry makes way for due if its failure would cost that midnight, unless a
// failure at due would cost the midnight of other readers.
func ExtraPoll(f digest.Feed, due, now time.Time, s Spread, later ...time.Time) time.Time {
	if !alive(f) || due.IsZero() {
		return time.Time{}
	}
	n := s.extraPollOf(f, due, now)
	for _, l := range later {
		if !l.IsZero() {
			n.apart = min(n.apart, l.Sub(due))
		}
	}
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

// An extraPoll holds the facts that decide about an extra poll. due is the first midnight after now; the
// next is a day later. askable is the first instant at which the feed may be polled, apart from skipped
// time.
type extraPoll struct {
	Spread
	f            digest.Feed
	now          time.Time
	due, askable time.Time
	apart        time.Duration // between due and the next midnight of any reader
}

func (s Spread) extraPollOf(f digest.Feed, due, now time.Time) extraPoll {
	if !due.After(now) {
		due = due.Add((now.Sub(due)/oneDay + 1) * oneDay)
	}
	return extraPoll{Spread: s, f: f, now: now, due: due, askable: latest(heldUntil(f, s.Gap), now), apart: oneDay}
}

// retry returns when to retry a failed poll. If a site has failed or limited us more than once, and names only a
// short time, it waits as long as a site that names none. If the penalty of another failure would last until after a
// midnight, retry returns zero: the poll for that midnight reads a site that recovers before it. That does not hold
// where a failure at that midnight would cost the midnight of other readers.
func (n extraPoll) retry() time.Time {
	if !worthRetrying(n.f.LastStatus) {
		return time.Time{}
	}
	at := n.askable
	if n.f.Errors > 1 && n.f.NotBefore.Before(n.f.LastAttemptAt.Add(n.Gap)) {
		at = latest(at, n.f.LastAttemptAt.Add(usualPenalty))
	}
	pace := n.pace()
	if next := n.nextPenalty(); next-n.Deadline <= n.apart {
		pace = max(pace, next)
	}
	return n.unlessMidnight(n.allowed(at), nearMidnight, pace)
}

// nextPenalty returns the penalty for another failure of the same kind. If a site names more than a day, it means
// a certain time, so the next failure probably costs less.
func (n extraPoll) nextPenalty() time.Duration {
	f := n.f
	if Limited(f) {
		switch wait := f.NotBefore.Sub(f.LastAttemptAt); {
		case wait > oneDay:
			return 0
		case wait >= n.Gap:
			return wait
		}
		return usualPenalty
	}
	failing := time.Duration(0)
	if !f.FailingSince.IsZero() {
		failing = n.now.Sub(f.FailingSince)
	}
	return penalty(failure{status: f.LastStatus}, f.Errors+1, failing)
}

// worthRetrying reports whether a failure can pass within hours. Deliberate answers, such as 403, 404 or
// 410, wait for a midnight.
func worthRetrying(status int) bool {
	switch status {
	case http.StatusTooManyRequests, http.StatusRequestTimeout, http.StatusTooEarly:
		return true
	case 0, http.StatusOK, http.StatusNonAuthoritativeInfo: // no answer, or an unreadable one
		return true
	}
	return status >= 500
}

// busy returns the next poll of a feed that publishes more in a day than its document holds.
func (n extraPoll) busy() time.Time {
	every := n.f.BusyInterval
	return n.unlessMidnight(n.allowed(latest(n.askable, n.f.LastAttemptAt.Add(every))), every/4, n.pace())
}

// allowed returns t, or the next instant outside the hot minutes and the feed's skipped time. After skipped
// time, feeds are spread over the first hour.
func (n extraPoll) allowed(t time.Time) time.Time {
	if !n.NoWait {
		t = quiet(t, n.f.ID)
	}
	if !skipped(n.f, t) {
		return t
	}
	t = notSkipped(n.f, t)
	if n.NoWait {
		return t
	}
	const most = time.Hour - jitterMost - 3*time.Minute // all of it in this hour
	return quiet(t.Add(share(n.f.ID, min(n.Window, most))).Add(n.jitter()), n.f.ID)
}

// unlessMidnight returns at, or zero if a poll for a midnight replaces it. That midnight is before at, within patience
// after it, or so soon that the pace would not allow its poll.
func (n extraPoll) unlessMidnight(at time.Time, patience, pace time.Duration) time.Time {
	until := at.Add(max(patience, pace-n.Deadline))
	for due := n.due; !due.After(until); due = due.Add(oneDay) {
		if n.midnightAsks(due) {
			return time.Time{}
		}
	}
	return at
}

// pace is the time between two polls, if the feed answers as it did when it last worked.
func (n extraPoll) pace() time.Duration {
	return max(n.Gap, n.f.OwnInterval, n.f.HostInterval, min(n.f.FreshUntil.Sub(n.f.LastOKAt), maxFresh))
}

// midnightAsks reports whether the feed may be polled for the midnight at due.
func (n extraPoll) midnightAsks(due time.Time) bool {
	_, ok := n.inTime(n.f, due, n.askable)
	return ok && !skipped(n.f, due)
}

// beforeSkipped returns when to poll a feed that skips the coming midnight: in the last minutes before the
// skipped time. If these have passed or are too early, it tries the midnights of the next days. It returns
// zero if a midnight polls the feed anyway.
func (n extraPoll) beforeSkipped() time.Time {
	if n.f.SkipHours == 0 && n.f.SkipDays == 0 {
		return time.Time{}
	}
	due := n.due
	for range 8 + int(n.askable.Sub(n.now)/oneDay) {
		if n.midnightAsks(due) {
			return time.Time{}
		}
		if at, ok := n.lastMinutes(due); ok && skipped(n.f, due) {
			return at
		}
		due = due.Add(oneDay)
	}
	return time.Time{}
}

// lastMinutes returns the slot before the skipped time around a midnight, at most a day before it. The slot
// is at the end of the last hour but one, so that an instance that only wakes on the hour finds it in the
// last. A frozen clock may not move before the hour is over; there the slot is the beginning of that hour.
func (n extraPoll) lastMinutes(due time.Time) (time.Time, bool) {
	end := due.UTC().Truncate(time.Hour) // the start of the skipped time
	for due.Sub(end) < oneDay && skipped(n.f, end.Add(-time.Hour)) {
		end = end.Add(-time.Hour)
	}
	if n.NoWait {
		at := end.Add(-time.Hour)
		return at, !n.askable.After(at) && due.Sub(at) <= oneDay
	}
	at := end.Add(-time.Hour - beforeClosing)
	if skipped(n.f, at) { // only this hour is allowed
		at = end.Add(-beforeClosing)
	}
	if due.Sub(at) > oneDay || n.f.LastAttemptAt.After(at) { // polled in the slot already
		return time.Time{}, false
	}
	width := min(n.Window, beforeClosing-jitterMost-3*time.Minute)
	at = quiet(latest(at.Add(share(n.f.ID, width)).Add(n.jitter()), n.askable), n.f.ID)
	return at, at.Before(end.Add(-2 * time.Minute)) // not in :58, see quiet
}
