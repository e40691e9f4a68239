package poller

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"time"

	"digest"
	"digest/feed"
	"digest/internal/catalogue"
)

// The states that Status returns.
const (
	StateActive    = "active"
	StateWaiting   = "waiting"   // works, but may not be polled now, or exceeded its quota
	StatePenalised = "penalised" // waits after an error
	StateDead      = "dead"
	StateGone      = "gone"
)

// Status returns the state of a feed, and its reason and start as one line for people. Instants are in UTC.
// Responses of the server appear as stored, without credentials.
func Status(f digest.Feed, now time.Time) (state string, reason catalogue.Sayable) {
	gone := dated(catalogue.Key("the site says this feed is gone permanently (410)"), f.GoneAt)
	switch {
	case f.State == digest.FeedGone:
		return StateGone, gone
	case f.State == digest.FeedBlocked:
		return StateWaiting, catalogue.Line(digest.HostRule{Host: feed.Host(digest.PublicAddress(f.URL))}.Why())
	case f.State == digest.FeedDeclined:
		return StateWaiting, catalogue.Line(digest.HostRule{Host: feed.Host(digest.PublicAddress(f.URL)),
			ByOwner: true}.Why())
	case f.State == digest.FeedDead:
		return StateDead, catalogue.Key("%s (%s); polled again only after a ping or a reader’s request").With(
			dated(catalogue.Key("failing"), f.FirstErrorAt), lastError(f))
	case f.State == digest.FeedTrial && !f.GoneAt.IsZero():
		return StateWaiting, onceMore(gone)
	case f.State == digest.FeedTrial:
		return StateWaiting, onceMore(dated(catalogue.Key("dead"), f.FirstErrorAt))
	case f.Errors > 0:
		return failing(f, now)
	case f.PostsWaiting > 0:
		return StateWaiting, catalogue.Key(
			"over the daily limit: %d posts have been waiting since %s; the first poll after %s stores them if the feed still lists them").
			With(f.PostsWaiting, minute(f.LastOKAt), minute(digest.DayOf(f.LastOKAt).Add(oneDay)))
	}
	if until, why := heldBack(f); until.After(now) {
		return StateWaiting, why
	}
	switch {
	case f.ParsedAt.IsZero():
		return StateActive, catalogue.Key("not read yet")
	case skipped(f, now):
		return StateWaiting, habits(f)
	case f.BusyInterval > 0:
		return StateActive, catalogue.Key("it publishes more than one poll can read, so we poll it %s for now").With(
			every(f.BusyInterval))
	case f.PushedUntil.After(now):
		return StateActive, catalogue.Key("its hub pushes new posts, so we poll the feed only once a week")
	}
	return StateActive, habits(f)
}

func onceMore(why catalogue.Sayable) catalogue.Sayable {
	return catalogue.Key("%s; will be polled one more time because somebody requested it").With(why)
}

// failing describes the error of a feed and its next poll.
func failing(f digest.Feed, now time.Time) (state string, reason catalogue.Sayable) {
	reason = lastError(f)
	if f.Errors > 1 {
		reason = catalogue.Key("%s; %s (%d errors in a row)").With(reason,
			dated(catalogue.Key("failing"), f.FailingSince), f.Errors)
	}
	if !f.GoneAt.IsZero() {
		reason = catalogue.Key("%s; treated as permanently gone since %s, unless every feed on its host returns the same").With(reason,
			minute(f.GoneAt))
	}
	switch {
	case f.NotBefore.After(now):
		return StatePenalised, nextPoll(reason, f.NotBefore)
	case !f.PollAt.IsZero():
		return StateActive, nextPoll(reason, f.PollAt)
	}
	return StateActive, reason
}

func nextPoll(reason catalogue.Sayable, at time.Time) catalogue.Sayable {
	return catalogue.Key("%s; next poll at %s").With(reason, minute(at))
}

func lastError(f digest.Feed) catalogue.Sayable { return Noted(digest.WithoutCredentials(f.LastError)) }

func dated(words catalogue.Sayable, since time.Time) catalogue.Sayable {
	if since.IsZero() {
		return words
	}
	return catalogue.Key("%s since %s").With(words, minute(since))
}

// heldBack returns the latest obstacle to the next poll of a working feed, and describes it. An interval of
// at most a day is no obstacle, because it allows a poll at each midnight.
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
		return until, catalogue.Key("the site asked us to wait until %s").With(minute(until))
	case until.Equal(f.FreshUntil):
		return until, catalogue.Key("its cache headers say that nothing new comes before %s").With(minute(until))
	case interval == 0: // only the last poll
		return time.Time{}, nil
	}
	return until, nextPoll(atMost(f, interval), until)
}

// slowed describes why a feed is polled seldom: by the rule for its host, or by digest's own rules.
func slowed(f digest.Feed) catalogue.Sayable {
	switch {
	case f.HostInterval >= f.OwnInterval:
		return catalogue.Key("because of the rule for its host")
	case alwaysInFull(f) && f.OwnInterval == inFull:
		return catalogue.Key("because its server sends the whole feed each time")
	case credentialed(f) && f.OwnInterval == withPassword:
		return catalogue.Key("because it’s one reader’s private feed")
	}
	return catalogue.Key("because its newest post is from %s").With(f.NewestAt.UTC().Format(time.DateOnly))
}

// Noted returns the stored note of a poll, or the stored error of a feed. It translates digest's own
// sentences and keeps responses of servers.
func Noted(stored string) catalogue.Sayable {
	if what, is := strings.CutPrefix(stored, notFeed); is {
		if what == formerList {
			what = "OPML"
		}
		return catalogue.Key("the answer is not a feed but %s").With(catalogue.Known(what))
	}
	if posts := postsNoted(stored, "changed: "); posts != nil {
		return catalogue.Key("changed: %s").With(posts)
	}
	if posts := postsNoted(stored, "found: "); posts != nil {
		return posts
	}
	return catalogue.Recognised(stored,
		catalogue.Key("unchanged: the same bytes"), catalogue.Key("unchanged: the same posts"),
		catalogue.Key("unchanged: %s"),
		catalogue.Key("stopped before the answer: %s"), catalogue.Key("no complete answer within %s"),
		catalogue.Key("the body is larger than %s MiB"), catalogue.Key("the certificate is not valid: %s"),
		catalogue.Key("the body is declared as %s but isn’t"),
		catalogue.Key("redirects to %s, but a reader chose this address"),
		catalogue.Key("%s, blocked by the site's bot protection"))
}

var atMidnights catalogue.Sayable = catalogue.Key("polled at each reader’s midnight")

// atMost describes a feed with a minimum interval, and the reason for it.
func atMost(f digest.Feed, interval time.Duration) catalogue.Sayable {
	return catalogue.Key("%s, at most once %s, %s").With(atMidnights, every(interval), slowed(f))
}

// postsNoted returns the number of posts in a note after its prefix, as in "changed: 7 entries", or nil.
func postsNoted(note, prefix string) catalogue.Sayable {
	number, unit, _ := strings.Cut(strings.TrimPrefix(note, prefix), " ")
	n, err := strconv.Atoi(number)
	if err != nil || !strings.HasPrefix(note, prefix) || unit != "entry" && unit != "entries" {
		return nil
	}
	return catalogue.Key("%d posts").With(n)
}

// habits describes how a working feed is polled.
func habits(f digest.Feed) catalogue.Sayable {
	said := atMidnights
	if interval := max(f.HostInterval, f.OwnInterval); interval >= oneDay/2 {
		said = atMost(f, interval)
	}
	if s := skips(f); s != nil {
		said = catalogue.Key("%s, except at times that the feed asks us to skip (%s)").With(said, s)
	}
	return said
}

// skips lists the hours and days that a feed skips, such as "00-05h, Sunday UTC", or nil.
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

// rounded returns a duration for people, as a number of a unit.
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
