package poller

import (
	"fmt"
	"time"

	"digest"
)

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
