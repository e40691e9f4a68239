package poller

import (
	"math/bits"
	"math/rand/v2"
	"time"

	"digest"
)

const (
	jitterLeast = time.Minute // see RandomJitter
	jitterMost  = 3 * time.Minute
)

// pollRoom is the time for an average poll after it began: its requests with their pauses, the document
// parsed and stored.
const pollRoom = 2 * time.Minute

// LeastDeadline is the shortest Spread.Deadline with which an edition gets its feeds. The last poll of a
// midnight begins after the maximum jitter, or after the hot minutes, and takes pollRoom. With NoWait,
// polls begin immediately, and any deadline works.
const LeastDeadline = max(jitterMost, hotEnd+time.Minute) + pollRoom

// Spread describes how the polls of one midnight are spread.
type Spread struct {
	Gap      time.Duration // minimum time between two polls of one feed
	Deadline time.Duration // the longest wait of an edition after midnight
	Window   time.Duration // each feed has a fixed share of it

	// Jitter is added to every slot; nil adds none. See RandomJitter.
	Jitter func() time.Duration

	// NoWait polls each feed as soon as possible, without jitter and share.
	NoWait bool
}

// recentPoll is the age up to which an answer is recent enough for a midnight, if the feed may not be
// polled. Midnights of neighbouring zones are half an hour apart. An hourly midnight must not wait for a
// feed that may be polled every two hours.
const recentPoll = 30 * time.Minute

// MidnightPoll returns when to poll f for a digest due at due; ok is false if it is not polled for that
// midnight. A feed that may be polled later but before the deadline is polled then. Otherwise a max-age of
// a day would cost it every second midnight.
//
// A feed that was just polled, mostly for another zone's midnight, delays no edition. A feed that may be
// polled now is polled, however late it is. No poll is in the hot minutes :59 to :01, when other programs'
// timers fire. No poll is in the hours and days that the feed skips: ExtraPoll polls it before them.
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

// justRead reports whether the last poll of a feed succeeded, shortly before a midnight.
func justRead(f digest.Feed, due time.Time) bool {
	return f.Errors == 0 && !f.LastOKAt.Before(f.LastAttemptAt) && f.LastOKAt.Before(due) &&
		due.Sub(f.LastOKAt) <= recentPoll
}

// backupPoll is the longest interval between polls of a feed with trusted hubs. backupSlack is how much
// earlier a midnight may come, because the last poll was some time after its own midnight.
const (
	backupPoll  = 7 * oneDay
	backupSlack = oneDay / 2
)

// leftToHubs reports whether a midnight needs no poll of a feed, because its hubs are trusted. Only
// successful polls count for backupPoll: pushed posts do not show which posts the hub missed.
func leftToHubs(f digest.Feed, due time.Time) bool {
	return due.Before(f.PushedUntil) && f.Errors == 0 && f.PostsWaiting == 0 && !f.LastOKAt.IsZero() &&
		due.Sub(f.LastOKAt) < backupPoll-backupSlack
}

func alive(f digest.Feed) bool {
	return f.State.Asked()
}

// inTime returns the first instant outside the hot minutes from askable on. It reports whether that is
// before the deadline of a midnight.
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

// width returns the used part of the window. A late job uses only the time before the deadline. Otherwise a
// feed with a poll every 24 hours would miss the deadline on the next day too.
func (s Spread) width(due, now time.Time) time.Duration {
	left := due.Add(s.Deadline).Sub(now) - jitterMost
	if left <= 0 {
		return s.Window // the deadline is missed anyway
	}
	return min(max(left-pollRoom, 0), s.Window)
}

func (s Spread) jitter() time.Duration {
	if s.Jitter == nil {
		return 0
	}
	return s.Jitter()
}

// NextPoll estimates the next poll of f, for people. due is the next midnight of any reader, or zero. A
// queued feed is polled at its time in the queue, or later if it must wait. Zero means that no poll is
// planned.
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

// RandomJitter returns one to three minutes.
func RandomJitter() time.Duration {
	return jitterLeast + rand.N(jitterMost-jitterLeast)
}

// share returns the fixed offset of a feed in the window (S35), in [0, window).
func share(id digest.FeedID, window time.Duration) time.Duration {
	if window <= 0 {
		return 0
	}
	part, _ := bits.Mul64(mix(uint64(id)), uint64(window))
	return time.Duration(part)
}

// mix distributes consecutive keys evenly (the finalizer of SplitMix64).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

const hotEnd = 2 * time.Minute

// avoidHotMinutes moves an instant in minute :59, :00 or :01 into minute :02. The feed's share of that
// minute spreads the requests.
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

// quiet avoids the hot minutes for a planned poll. It also avoids :58, because the poll may begin late and
// takes some time.
func quiet(t time.Time, id digest.FeedID) time.Time {
	if t.UTC().Minute() == 58 {
		t = t.Add(time.Minute)
	}
	return avoidHotMinutes(t, id)
}

// AfterHotMinutes returns t, or the end of the hot minutes if t is in them.
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
