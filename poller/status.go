package poller

import (
	"fmt"
	"math/bits"
	"time"

	"digest"
	"digest/internal/catalogue"
)

// The states that Status tells apart.
const (
	StateActive    = "active"
	StateWaiting   = "waiting"   // may not be asked now, or has brought too much, though it is well
	StatePenalised = "penalised" // waits out an error
	StateDead      = "dead"
	StateGone      = "gone"
)

// Status says how a feed stands, and why and since when, in one line for people. Instants are in UTC; what the feed's server
// answered is as it was recorded, without what may be secret.
func Status(f digest.Feed, now time.Time) (state string, reason catalogue.Sayable) {
	gone := dated(catalogue.Key("the site says that this feed is gone for good (410)"), f.GoneAt)
	switch {
	case f.State == digest.FeedGone:
		return StateGone, gone
	case f.State == digest.FeedBlocked:
		return StateWaiting, catalogue.Key("whoever runs this reader has its host blocked")
	case f.State == digest.FeedDeclined:
		return StateWaiting, catalogue.Key("the owner of its host has asked that nothing is read from there")
	case f.State == digest.FeedDead:
		return StateDead, catalogue.Key("%s, asked no more until a ping or a reader speaks for it: %s").With(failingSince(f.FirstErrorAt), lastError(f))
	case f.State == digest.FeedTrial && !f.GoneAt.IsZero():
		return StateWaiting, onceMore(gone)
	case f.State == digest.FeedTrial && f.FirstErrorAt.IsZero():
		return StateWaiting, onceMore(catalogue.Key("given up"))
	case f.State == digest.FeedTrial:
		return StateWaiting, onceMore(catalogue.Key("given up after failing since %s").With(minute(f.FirstErrorAt)))
	case f.Errors > 0:
		return failing(f, now)
	case f.PostsWaiting > 0:
		return StateWaiting, catalogue.Key("%d of its posts wait since %s, as more came than is stored in one day; the rest comes with the first poll from %s on, as far as the feed still lists it").
			With(f.PostsWaiting, minute(f.LastOKAt), minute(digest.DayOf(f.LastOKAt).Add(oneDay)))
	}
	if until, why := heldBack(f); until.After(now) {
		return StateWaiting, why
	}
	switch {
	case f.ParsedAt.IsZero():
		return StateActive, catalogue.Key("not read yet")
	case skipped(f, now):
		return StateWaiting, catalogue.Key("wants to be left alone at this time (%s); asked before and after it").With(skips(f))
	case f.BusyInterval > 0:
		return StateActive, catalogue.Key("posts may be lost between the midnights of its readers: asked %s until they no longer are").With(every(f.BusyInterval))
	case f.PushedUntil.After(now):
		return StateActive, catalogue.Key("its hub pushes what is new, so that it is polled once a week")
	}
	return StateActive, habits(f)
}

func onceMore(why catalogue.Sayable) catalogue.Sayable {
	return catalogue.Key("%s; somebody wants it, so it is asked once more").With(why)
}

// failing says why a feed is left alone, or that it is not any more.
func failing(f digest.Feed, now time.Time) (state string, reason catalogue.Sayable) {
	reason = lastError(f)
	if f.Errors > 1 {
		reason = catalogue.Key("%s; %s, %d times in a row").With(reason, failingSince(f.FailingSince), f.Errors)
	}
	if !f.GoneAt.IsZero() {
		reason = catalogue.Key("%s; said since %s, and gone for good unless all of its host says so").With(reason, minute(f.GoneAt))
	}
	switch {
	case f.NotBefore.After(now):
		return StatePenalised, catalogue.Key("%s; left alone until %s").With(reason, minute(f.NotBefore))
	case !f.PollAt.IsZero():
		return StateActive, catalogue.Key("%s; asked again at %s").With(reason, minute(f.PollAt))
	}
	return StateActive, catalogue.Key("%s; asked again at the next midnight of a reader").With(reason)
}

func failingSince(t time.Time) catalogue.Sayable {
	if t.IsZero() {
		return catalogue.Key("failing")
	}
	return catalogue.Key("failing since %s").With(minute(t))
}

func lastError(f digest.Feed) catalogue.Sayable { return Noted(digest.WithoutCredentials(f.LastError)) }

// dated adds the instant since when something is so, if it is known.
func dated(words catalogue.Sayable, since time.Time) catalogue.Sayable {
	if since.IsZero() {
		return words
	}
	return catalogue.Key("%s, since %s").With(words, minute(since))
}

// heldBack gives what keeps a feed that is well from being asked for longest,
// and says it. What lets it be asked at each midnight of one reader is a habit.
func heldBack(f digest.Feed) (until time.Time, why catalogue.Sayable) {
	if f.OwnInterval <= oneDay {
		f.OwnInterval = 0
	}
	if f.HostInterval <= oneDay {
		f.HostInterval = 0
	}
	until = heldUntil(f, 0)
	interval := max(f.HostInterval, f.OwnInterval)
	switch {
	case until.Equal(f.NotBefore):
		return until, catalogue.Key("the site asked to wait until %s").With(minute(until))
	case until.Equal(f.FreshUntil):
		return until, catalogue.Key("by its own word nothing new before %s").With(minute(until))
	case interval == 0: // nothing but that it has been asked
		return time.Time{}, nil
	}
	return until, catalogue.Key("asked %s at most, %s: not before %s").With(every(interval), slowed(f), minute(until))
}

// slowed says why a feed is asked seldom: by the rule for its host, or else by our own manners.
func slowed(f digest.Feed) catalogue.Sayable {
	switch {
	case f.HostInterval >= f.OwnInterval:
		return catalogue.Key("as the rule for its host says")
	case alwaysInFull(f) && f.OwnInterval == inFull:
		return catalogue.Key("since its server sends all of it each time")
	case credentialed(f) && f.OwnInterval == withPassword:
		return catalogue.Key("since it is made for one reader")
	}
	return catalogue.Key("as its newest post is of %s").With(f.NewestAt.UTC().Format(time.DateOnly))
}

// Noted is what was noted of a poll, or a feed's last error, as it was stored: what is a sentence of ours is said in each
// language, what a server answered as it is.
func Noted(stored string) catalogue.Sayable {
	return catalogue.Recognised(stored,
		catalogue.Key("unchanged: 304"), catalogue.Key("unchanged: HEAD %s"),
		catalogue.Key("unchanged: the same bytes"), catalogue.Key("unchanged: the same posts"),
		catalogue.Key("changed: 1 entry"), catalogue.Key("changed: %s entries"),
		catalogue.Key("found: 1 entry"), catalogue.Key("found: %s entries"),
		catalogue.Key("stopped before the answer: %s"), catalogue.Key("no complete answer within %s"),
		catalogue.Key("the body is larger than %s MiB"), catalogue.Key("the certificate is not valid: %s"),
		catalogue.Key("the answer is not a feed but a web page"), catalogue.Key("the answer is not a feed but a list of subscriptions (OPML)"), catalogue.Key("the answer is not a feed but %s"),
		catalogue.Key("the body is not the %s it claims to be"), catalogue.Key("moved to %s, and a reader wants what is at this address"),
		catalogue.Key("%s, blocked by the site's protection against bots"))
}

// habits says how a feed is asked that is well, and what is unusual about it.
func habits(f digest.Feed) catalogue.Sayable {
	var said catalogue.Sayable = catalogue.Key("asked at each midnight of a reader")
	if interval := max(f.HostInterval, f.OwnInterval); interval >= oneDay/2 {
		said = catalogue.Key("%s, %s at most, %s").With(said, every(interval), slowed(f))
	}
	if s := skips(f); s != nil {
		said = catalogue.Key("%s, or before the times at which it wants to be left alone (%s)").With(said, s)
	}
	return said
}

// skips lists the hours and days that a feed wants skipped: "00-05h, Sunday UTC"; nil: none.
func skips(f digest.Feed) catalogue.Sayable {
	var list []catalogue.Sayable
	if f.SkipHours&allHours != allHours {
		for h := 0; h < 24; h++ {
			if f.SkipHours>>h&1 == 0 {
				continue
			}
			run := bits.TrailingZeros32(^(f.SkipHours & allHours >> h))
			if run == 1 {
				list = append(list, catalogue.Text(fmt.Sprintf("%02dh", h)))
			} else {
				list = append(list, catalogue.Text(fmt.Sprintf("%02d-%02dh", h, h+run-1)))
			}
			h += run
		}
	}
	if f.SkipDays&digest.EveryDay != digest.EveryDay {
		for d := time.Sunday; d <= time.Saturday; d++ {
			if f.SkipDays.Has(d) {
				list = append(list, catalogue.Weekday(d))
			}
		}
	}
	if len(list) == 0 {
		return nil
	}
	return catalogue.Key("%s UTC").With(catalogue.Listed(list))
}

// every says how often something is, for people: "every 3 hours".
func every(d time.Duration) catalogue.Sayable {
	switch unit, n := rounded(d); unit {
	case oneDay:
		return catalogue.Key("every %d days").With(n)
	case time.Hour:
		return catalogue.Key("every %d hours").With(n)
	default:
		return catalogue.Key("every %d minutes").With(n)
	}
}

// rounded is a length of time for people: so many of a unit.
func rounded(d time.Duration) (unit time.Duration, n int) {
	switch {
	case d >= 3*oneDay:
		return oneDay, int((d + oneDay/2) / oneDay)
	case d == time.Hour || d > time.Hour*3/2:
		return time.Hour, int((d + time.Hour/2) / time.Hour)
	}
	return time.Minute, max(int((d+time.Minute-1)/time.Minute), 1)
}

func minute(t time.Time) catalogue.Instant { return catalogue.Instant(t.UTC()) }
