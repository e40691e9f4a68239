package poller

import (
	"fmt"
	"math/bits"
	"strings"
	"time"

	"digest"
)

// The states that Status tells apart.
const (
	StateActive    = "active"
	StateWaiting   = "waiting"   // may not be asked now, or has brought too much, though it is well
	StatePenalised = "penalised" // waits out an error
	StateDead      = "dead"
	StateGone      = "gone"
)

// Ordinary is what Status says of a feed of which there is nothing to say.
const Ordinary = "asked at each midnight of a reader"

// Status says how a feed stands, why, and since when, in one line for people.
func Status(f digest.Feed, now time.Time) (state, reason string) {
	switch {
	case f.State == digest.FeedGone:
		return StateGone, "the site says that this feed is gone for good (410)" + since(", since", f.GoneAt)
	case f.State == digest.FeedBlocked:
		return StateWaiting, "whoever runs this reader has its host blocked"
	case f.State == digest.FeedDeclined:
		return StateWaiting, "the owner of its host has asked that nothing is read from there"
	case f.State == digest.FeedDead:
		return StateDead, fmt.Sprintf("failing%s, asked no more until a ping or a reader speaks for it: %s",
			since(" since", f.FirstErrorAt), f.LastError)
	case f.State == digest.FeedTrial && !f.GoneAt.IsZero():
		return StateWaiting, "the site said that it is gone for good (410)" + since(", since", f.GoneAt) +
			"; somebody wants it, so it is asked once more"
	case f.State == digest.FeedTrial:
		return StateWaiting, "given up" + since(" after failing since", f.FirstErrorAt) + "; somebody wants it, so it is asked once more"
	case f.Errors > 0:
		return failing(f, now)
	}
	if f.PostsWaiting > 0 {
		return StateWaiting, overQuota(f)
	}
	if until, why := heldBack(f); until.After(now) {
		return StateWaiting, why
	}
	switch {
	case f.ParsedAt.IsZero():
		return StateActive, "not read yet"
	case skipped(f, now):
		return StateWaiting, "wants to be left alone at this time (" + skips(f) + "); asked before and after it"
	case f.BusyInterval > 0:
		return StateActive, "posts may be lost between the midnights of its readers: asked every " +
			span(f.BusyInterval) + " until they no longer are"
	}
	if f.PushedUntil.After(now) {
		return StateActive, "its hub pushes what is new, so that it is polled once a week"
	}
	return StateActive, Ordinary + habits(f)
}

// overQuota says that posts of a feed are not stored yet.
func overQuota(f digest.Feed) string {
	posts := fmt.Sprintf("%d of its posts wait", f.PostsWaiting)
	if f.PostsWaiting == 1 {
		posts = "one of its posts waits"
	}
	return posts + since(" since", f.LastOKAt) + ", as more came than is stored in one day; the rest comes with the first poll from " +
		minute(digest.DayOf(f.LastOKAt).Add(oneDay)) + " on, as far as the feed still lists it"
}

// failing says why a feed is left alone, or that it is not any more.
func failing(f digest.Feed, now time.Time) (state, reason string) {
	reason = f.LastError
	if f.Errors > 1 {
		reason += fmt.Sprintf("; failing%s, %d times in a row", since(" since", f.FailingSince), f.Errors)
	}
	if !f.GoneAt.IsZero() {
		reason += since("; said since", f.GoneAt) + ", and gone for good unless all of its host says so"
	}
	switch {
	case f.NotBefore.After(now):
		return StatePenalised, reason + "; left alone until " + minute(f.NotBefore)
	case !f.PollAt.IsZero():
		return StateActive, reason + "; asked again at " + minute(f.PollAt)
	}
	return StateActive, reason + "; asked again at the next midnight of a reader"
}

// heldBack gives what keeps a feed that is well from being asked for longest,
// and says it. What lets it be asked at each midnight of one reader is a habit.
func heldBack(f digest.Feed) (until time.Time, why string) {
	if f.OwnInterval <= oneDay {
		f.OwnInterval = 0
	}
	if f.HostInterval <= oneDay {
		f.HostInterval = 0
	}
	until = heldUntil(f, 0)
	switch {
	case until.Equal(f.NotBefore):
		return until, "the site asked to wait until " + minute(until)
	case until.Equal(f.FreshUntil):
		return until, "by its own word nothing new before " + minute(until)
	case max(f.HostInterval, f.OwnInterval) == 0: // nothing but that it has been asked
		return time.Time{}, ""
	case f.HostInterval >= f.OwnInterval:
		return until, "asked every " + span(f.HostInterval) + " at most, as the rule for its host says: not before " + minute(until)
	}
	return until, "asked every " + span(f.OwnInterval) + " at most, " + slowed(f) + ": not before " + minute(until)
}

// slowed says why our own manners ask a feed seldom.
func slowed(f digest.Feed) string {
	switch {
	case alwaysInFull(f) && f.OwnInterval == inFull:
		return "since its server sends all of it each time"
	case credentialed(f) && f.OwnInterval == withPassword:
		return "since it is made for one reader"
	}
	return "as its newest post is of " + day(f.NewestAt)
}

// habits says what is unusual about how a feed is asked that is well.
func habits(f digest.Feed) string {
	var b strings.Builder
	if f.HostInterval >= oneDay/2 && f.HostInterval >= f.OwnInterval {
		b.WriteString(", every " + span(f.HostInterval) + " at most, as the rule for its host says")
	} else if f.OwnInterval >= oneDay/2 {
		b.WriteString(", every " + span(f.OwnInterval) + " at most, " + slowed(f))
	}
	if s := skips(f); s != "" {
		b.WriteString(", or before the times at which it wants to be left alone (" + s + ")")
	}
	return b.String()
}

// skips lists the hours and days that a feed wants skipped: "00-05h, Sunday UTC".
func skips(f digest.Feed) string {
	var list []string
	if f.SkipHours&allHours != allHours {
		for h := 0; h < 24; h++ {
			if f.SkipHours>>h&1 == 0 {
				continue
			}
			run := bits.TrailingZeros32(^(f.SkipHours & allHours >> h))
			if run == 1 {
				list = append(list, fmt.Sprintf("%02dh", h))
			} else {
				list = append(list, fmt.Sprintf("%02d-%02dh", h, h+run-1))
			}
			h += run
		}
	}
	if f.SkipDays&digest.EveryDay != digest.EveryDay {
		for d := time.Sunday; d <= time.Saturday; d++ {
			if f.SkipDays.Has(d) {
				list = append(list, d.String())
			}
		}
	}
	if len(list) == 0 {
		return ""
	}
	return strings.Join(list, ", ") + " UTC"
}

// since adds an instant to words, if it is known.
func since(words string, t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return words + " " + minute(t)
}

// span is a length of time for people.
func span(d time.Duration) string {
	unit, n := "minute", max(int((d+time.Minute-1)/time.Minute), 1)
	if d == time.Hour || d > time.Hour*3/2 {
		unit, n = "hour", int((d+time.Hour/2)/time.Hour)
	}
	if d >= 3*oneDay {
		unit, n = "day", int((d+oneDay/2)/oneDay)
	}
	if n == 1 {
		return unit
	}
	return fmt.Sprintf("%d %ss", n, unit)
}

func day(t time.Time) string    { return t.UTC().Format(time.DateOnly) }
func minute(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }
