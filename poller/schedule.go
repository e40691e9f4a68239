package poller

import (
	"math/bits"
	"math/rand/v2"
	"time"

	"digest"
)

const (
	jitterLeast = time.Minute // RandomJitter
	jitterMost  = 3 * time.Minute
)

// pollRoom is what a poll needs, once it has begun, that is neither the fastest nor
// the slowest: its requests in their host's gaps, and the document read and stored.
const pollRoom = 2 * time.Minute

// LeastDeadline is the shortest Spread.Deadline with which an edition has its feeds:
// the last poll of a midnight begins after the whole jitter, or as the hot minutes
// end, and takes its time. With NoWait polls begin at once, and any will do.
const LeastDeadline = max(jitterMost, hotEnd+time.Minute) + pollRoom

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

// recentPoll is how old the last answer of a feed may be at a midnight that does without
// another one: half an hour lies between the midnights of neighbouring zones. A midnight
// every hour is not to wait for one every two.
const recentPoll = 30 * time.Minute

// MidnightPoll says when to ask f for a digest due at due; false: not for that
// midnight. A feed that becomes askable before the deadline waits for that
// moment, otherwise a max-age of a day would cost it every second one. One that has just
// been read, mostly for the midnight of another zone, is waited for by nobody: its posts
// are there. And a feed that may be asked now is asked however late the hour runs. No
// slot lies in the hot minutes :59 to :01, when everyone else's timers fire,
// nor in the hours and days that the feed wants skipped: ExtraPoll has had it asked
// before them, and after them is time enough for the next midnight.
func MidnightPoll(f digest.Feed, due, now time.Time, s Spread) (at time.Time, ok bool) {
	if !alive(f) {
		return time.Time{}, false
	}
	if leftToHubs(f, due) {
		return time.Time{}, false
	}
	askable := heldUntil(f, s.Gap)
	if askable.After(now) {
		if askable, ok = s.inTime(f, due, askable); !ok || justRead(f, due) {
			return time.Time{}, false
		}
	}
	at = s.slot(f, due, askable, now)
	if skipped(f, at) {
		if at = s.extraPollOf(f, due, now).beforeSkipped(); at.IsZero() {
			return time.Time{}, false
		}
	}
	if f.PollAt.IsZero() || !f.PollAt.Before(at) || f.PollAt.Before(askable) || skipped(f, f.PollAt) {
		return at, true
	}
	return f.PollAt, true
}

// justRead reports whether the last poll of a feed went well, and shortly before a midnight.
func justRead(f digest.Feed, due time.Time) bool {
	return f.Errors == 0 && !f.LastOKAt.Before(f.LastAttemptAt) && f.LastOKAt.Before(due) &&
		due.Sub(f.LastOKAt) <= recentPoll
}

// backupPoll is how often a feed is polled at the least whose hubs are trusted, and backupSlack
// how much earlier a midnight may come: the last poll was a while after its own.
const (
	backupPoll  = 7 * oneDay
	backupSlack = oneDay / 2
)

// leftToHubs reports whether a feed need not be polled for a midnight because its hubs are
// trusted. Only polls count for its next one, and only if they went well: what is pushed
// says nothing of what is not.
func leftToHubs(f digest.Feed, due time.Time) bool {
	return due.Before(f.PushedUntil) && f.Errors == 0 && f.PostsWaiting == 0 && !f.LastOKAt.IsZero() &&
		due.Sub(f.LastOKAt) < backupPoll-backupSlack
}

// alive reports whether a feed is asked at all.
func alive(f digest.Feed) bool {
	return f.State.Asked()
}

// inTime gives the first quiet instant at which a feed askable from then on may
// be asked for a midnight, and whether it comes before the deadline.
func (s Spread) inTime(f digest.Feed, due, askable time.Time) (time.Time, bool) {
	if !s.NoWait {
		askable = quiet(askable, f.ID)
	}
	return askable, !askable.After(due.Add(s.Deadline))
}

func (s Spread) slot(f digest.Feed, due, askable, now time.Time) time.Time {
	if s.NoWait {
		return latest(now, askable)
	}
	at := now.Add(share(f.ID, s.width(due, now))).Add(s.jitter())
	return quiet(latest(at, askable), f.ID)
}

// width is the part of the window that is used. An hour that runs late makes
// do with what is left before the deadline: a feed that is asked once in 24
// hours and was asked after the deadline could not be asked in time a day later.
func (s Spread) width(due, now time.Time) time.Duration {
	left := due.Add(s.Deadline).Sub(now) - jitterMost
	if left <= 0 {
		return s.Window // too late for that
	}
	return min(max(left-pollRoom, 0), s.Window)
}

func (s Spread) jitter() time.Duration {
	if s.Jitter == nil {
		return 0
	}
	return s.Jitter()
}

// NextPoll guesses when f is asked next, for people: due is the next midnight
// of any of its readers, zero if it has none. A feed that is queued is asked then,
// or when it may be if that is later. Zero: not as things stand.
func NextPoll(f digest.Feed, due, now time.Time, s Spread) time.Time {
	switch {
	case !alive(f):
		return time.Time{}
	case !f.PollAt.IsZero():
		return Askable(f, s.Gap, f.PollAt)
	case due.IsZero():
		return time.Time{}
	}
	s.NoWait = true
	for {
		if at, ok := MidnightPoll(f, due, latest(due, now), s); ok {
			return at
		}
		due = due.Add(oneDay)
	}
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
	part, _ := bits.Mul64(mix(uint64(id)), uint64(window))
	return time.Duration(part)
}

// mix scatters consecutive keys evenly (the finalizer of SplitMix64).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// hotEnd is how long after an hour's beginning its hot minutes end.
const hotEnd = 2 * time.Minute

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
	return hour.Add(hotEnd + share(id, time.Minute))
}

// quiet avoids the hot minutes for a poll that is planned: since it may begin a
// little late, and takes its time, it avoids :58 too.
func quiet(t time.Time, id digest.FeedID) time.Time {
	if t.UTC().Minute() == 58 {
		t = t.Add(time.Minute)
	}
	return avoidHotMinutes(t, id)
}

// AfterHotMinutes gives t, or the end of the hot minutes if it lies in them: for whoever
// begins polls that are late.
func (s Spread) AfterHotMinutes(t time.Time) time.Time {
	if s.NoWait || !isHot(t) {
		return t
	}
	return t.UTC().Add(3 * time.Minute).Truncate(time.Hour).Add(hotEnd)
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
