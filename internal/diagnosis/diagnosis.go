// Package diagnosis explains why a reader did not get an edition, and what to do about it. It is pure; store.ReaderView
// reads its input.
package diagnosis

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"digest"
	"digest/internal/catalogue"
	"digest/poller"
	"digest/store"
	"digest/timezone"
)

// Shown is the number of a reader's editions to examine.
const Shown = 30

// Facts are facts about the whole instance.
type Facts struct {
	Now      time.Time
	Fence    string        // why nothing is polled or sent; "": no fence
	Beat     time.Time     // last run of the hourly job; zero: never
	Deadline time.Duration // maximum time between a midnight and its edition
}

// An Advice is a possible reason why a reader gets no editions, with the remedy.
type Advice struct {
	Says catalogue.Sayable // without a full stop; times are in the reader's time zone
	Do   string            // a command; "": none, or the sentence has the remedy
}

// Advise returns the reasons why a reader gets no editions, most important first. It returns at least one.
func Advise(v store.ReaderView, f Facts) []Advice {
	c := &consultation{ReaderView: v, Facts: f}
	if f.Fence != "" {
		c.say("digest fence", catalogue.Key("this instance polls no feeds and sends no email: %s").With(f.Fence))
	}
	c.address()
	for _, p := range v.Digests {
		c.digestView(p)
	}
	c.lanes()
	for _, p := range v.Digests {
		c.latest(p)
	}
	c.travel()
	if len(c.advice) == 0 {
		c.say("", catalogue.Key(
			"nothing is wrong here; the reader’s mail program or provider may have filtered the email"))
	}
	return c.advice
}

// A Feed is a feed without posts for its reader.
type Feed struct {
	Digest string // name of the digest
	Title  string
	URL    string // without secret parts
	State  string // by poller.Status, or paused
	Reason catalogue.Sayable
}

// TroubledFeeds returns the failing feeds of a reader, and those that the reader paused.
func TroubledFeeds(v store.ReaderView, now time.Time) []Feed {
	feeds := []Feed{}
	for _, p := range v.Digests {
		for _, s := range p.Subscriptions {
			state, reason := poller.Status(s.Feed, now)
			switch {
			case s.Paused && s.PausedFor == 0:
				state, reason = "paused", catalogue.Key("the reader paused it")
			case s.Paused, !isTroubled(s.Feed, now):
				continue
			}
			feeds = append(feeds, Feed{Digest: p.Name, Title: cmp.Or(s.Title, s.Feed.Title), URL: shown(s.Feed.URL),
				State: state, Reason: reason})
		}
	}
	return feeds
}

// isTroubled reports whether a feed fails, is not polled in its state, or is over its quota. A feed that only waits for
// its next poll is not troubled.
func isTroubled(f digest.Feed, now time.Time) bool {
	state, _ := poller.Status(f, now)
	return f.Errors > 0 || f.PostsWaiting > 0 || f.State != digest.FeedActive || state == poller.StateDead ||
		state == poller.StateGone
}

// keepsBack reports whether a feed has no posts now, because it is troubled or may not be polled yet.
func keepsBack(f digest.Feed, now time.Time) bool {
	state, _ := poller.Status(f, now)
	return isTroubled(f, now) || state != poller.StateActive
}

// shown returns the address of a feed without a possible secret: a password, or its query.
func shown(address string) string {
	address, query, has := strings.Cut(digest.PublicAddress(address), "?")
	if has && query != "" {
		address += "?..."
	}
	return address
}

type consultation struct {
	store.ReaderView
	Facts
	advice []Advice
}

func (c *consultation) say(do string, says catalogue.Sayable) {
	c.advice = append(c.advice, Advice{Says: says, Do: do})
}

// when converts an instant into the reader's time zone.
func (c *consultation) when(t time.Time) catalogue.Instant {
	loc, err := timezone.Load(c.User.TimeZone)
	if err != nil {
		loc = time.UTC
	}
	return catalogue.Instant(t.In(loc))
}

// digestView reports why a digest gets no editions.
func (c *consultation) digestView(p store.DigestView) {
	set := ""
	if p.Newsletter == nil && c.User.MemberOnly {
		return // the reader has only newsletters
	}
	if p.Newsletter == nil {
		set = "digest user set " + c.User.Email
	}
	left := catalogue.Key("%s: %s").With(c.name(p), catalogue.Key("the reader unsubscribed"))
	switch {
	case p.State == digest.DigestLeft && p.Newsletter != nil:
		c.say("", left)
		return
	case p.State == digest.DigestLeft:
		c.say(set+" --state active", left)
		return
	case p.State == digest.DigestPaused && p.PausedUntil.IsZero():
		c.say(within(set, " --state active"), catalogue.Key("%s is paused").With(c.name(p)))
		return
	case p.State == digest.DigestPaused:
		c.say(within(set, " --state active"),
			catalogue.Key("%s is paused until %s").With(c.name(p), c.when(p.PausedUntil)))
		return
	}
	if !p.Mailed {
		c.say(within(set, " --mailed"), catalogue.Key("%s: %s").With(c.name(p), catalogue.Key("web only")))
	}
	if n := p.Newsletter; n != nil && n.State != digest.NewsletterActive {
		state := map[digest.NewsletterState]catalogue.Key{
			digest.NewsletterPending: catalogue.Key("waiting for the operator’s approval"),
			digest.NewsletterHeld:    catalogue.Key("on hold"),
			digest.NewsletterEnded:   catalogue.Key("ended"),
		}[n.State]
		c.say("digest newsletter show "+n.Slug, catalogue.Key("%s: %s").With(c.name(p), state))
	}
	c.midnight(p)
	c.content(p)
}

// within returns a command for the reader's digest, or "" for a newsletter.
func within(set, flag string) string {
	if set == "" {
		return ""
	}
	return set + flag
}

func (c *consultation) name(p store.DigestView) catalogue.Sayable {
	if p.Newsletter != nil {
		return catalogue.Key("the newsletter %s").With(p.Newsletter.Slug)
	}
	return catalogue.Key("the daily digest")
}

// midnight reports when the next edition is created, if that is late or not daily.
func (c *consultation) midnight(p store.DigestView) {
	switch late := c.Now.Sub(p.NextDueAt); {
	case c.Fence != "" || p.NextDueAt.IsZero():
	case late > c.Deadline:
		do := "digest doctor"
		if c.Beat.IsZero() {
			do = "digest serve"
		}
		c.say(do, c.lastRun(catalogue.Key("the edition of %s hasn’t been created yet").With(c.when(p.NextDueAt))))
	case late > 0:
		c.say("", catalogue.Key("the edition of %s is being created and waits for feeds until %s").With(
			c.when(p.NextDueAt), c.when(p.NextDueAt.Add(c.Deadline))))
	case p.Cadence != digest.Daily:
		c.say("", catalogue.Key("the schedule of %s is %s; the next edition is created at %s").With(c.name(p),
			catalogue.Cadence(p.Cadence), c.when(p.NextDueAt)))
	}
}

// content reports whether a digest has feeds that can fill an edition.
func (c *consultation) content(p store.DigestView) {
	f := c.feedsOf(p)
	switch {
	case len(p.Subscriptions) == 0 && p.Newsletter == nil && c.isMember():
	case len(p.Subscriptions) == 0:
		c.say("", catalogue.Key("%s has no feeds, so it has no editions").With(c.name(p)))
	case f.asked == 0:
		c.say("", catalogue.Key("%s has no active feeds: all are paused, or their posts go into newsletters").With(
			c.name(p)))
	case f.asked == 1 && f.troubled == 1:
		c.say("", catalogue.Key("the only feed in %s is not working: %s").With(c.name(p), f.why))
	case f.troubled == f.asked:
		c.say("", notWorking(f, c.name(p)))
	}
}

type feedCounts struct {
	paused   int
	lent     int               // their posts are in issues of a newsletter, and not in the digest
	asked    int               // all others
	troubled int               // of these, feeds without posts now
	why      catalogue.Sayable // reason of the last troubled feed
}

func (c *consultation) feedsOf(p store.DigestView) (f feedCounts) {
	for _, s := range p.Subscriptions {
		switch {
		case s.PausedFor != 0:
			f.lent++
		case s.Paused:
			f.paused++
		case keepsBack(s.Feed, c.Now):
			_, f.why = poller.Status(s.Feed, c.Now)
			f.asked, f.troubled = f.asked+1, f.troubled+1
		default:
			f.asked++
		}
	}
	return f
}

func (c *consultation) isMember() bool {
	return slices.ContainsFunc(c.Digests, func(p store.DigestView) bool {
		return p.Newsletter != nil &&
			p.State == digest.DigestActive
	})
}

func (c *consultation) digestOf(e store.MailedEdition) store.DigestView {
	i := slices.IndexFunc(c.Digests, func(p store.DigestView) bool { return p.ID == e.DigestID })
	if i < 0 {
		return store.DigestView{}
	}
	return c.Digests[i]
}

func notWorking(f feedCounts, name catalogue.Sayable) catalogue.Sayable {
	return catalogue.Key("%d of the %d feeds in %s are not working; see the list of feeds below").With(f.troubled,
		f.asked, name)
}
