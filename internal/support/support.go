// Package support answers the letter "my edition did not come": of all that is known of a reader it says what
// keeps their editions away and what can be done about it. It is pure; store.ReaderView reads what it decides by.
package support

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

// Shown is how many editions of a reader are looked at.
const Shown = 30

// Facts are what holds for the whole instance.
type Facts struct {
	Now      time.Time
	Fence    string        // why nothing is polled and mailed; "": nothing is in the way
	Beat     time.Time     // when the hourly job was last at work; zero: never
	Deadline time.Duration // an edition is made so long after its midnight at the latest
}

// An Advice is something that keeps editions away from a reader, or seems to, and what can be done about it.
type Advice struct {
	Says catalogue.Sayable // a sentence without its full stop; instants by the reader's clock
	Do   string            // a command; "": nothing can be done here, or the sentence says it
}

// Advise says what explains that a reader has no edition, what weighs most first. It always says something.
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

// A Feed is a feed that keeps something away from its reader.
type Feed struct {
	Digest string // the digest
	Title  string
	URL    string // without what may be secret
	State  string // as poller.Status has it; or paused
	Reason catalogue.Sayable
}

// TroubledFeeds lists the feeds of a reader that do not answer well, and those that the reader has paused.
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

// isTroubled reports whether a feed does not answer well, is not asked as things stand, or brings too much. One that is well and
// only waits for its time is not.
func isTroubled(f digest.Feed, now time.Time) bool {
	state, _ := poller.Status(f, now)
	return f.Errors > 0 || f.PostsWaiting > 0 || f.State != digest.FeedActive || state == poller.StateDead ||
		state == poller.StateGone
}

// keepsBack reports whether a feed brings nothing now: it is in trouble, or may not be asked yet.
func keepsBack(f digest.Feed, now time.Time) bool {
	state, _ := poller.Status(f, now)
	return isTroubled(f, now) || state != poller.StateActive
}

// shown is the address of a feed without what may be its secret: a password, and all behind a question mark.
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

// when shows an instant by the reader's clock.
func (c *consultation) when(t time.Time) catalogue.Instant {
	loc, err := timezone.Load(c.User.TimeZone)
	if err != nil {
		loc = time.UTC
	}
	return catalogue.Instant(t.In(loc))
}

// digestView says what of a digest keeps it from coming.
func (c *consultation) digestView(p store.DigestView) {
	set := ""
	if p.Newsletter == nil && c.User.MemberOnly {
		return // they read newsletters alone
	}
	if p.Newsletter == nil {
		set = "digest user set " + c.User.Email
	}
	left := catalogue.Key("%s: %s").With(c.name(p), catalogue.Key("its reader unsubscribed"))
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

// within is a command of one digest; of a newsletter there is none.
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

// midnight says when the next edition is made, if that is late or far off.
func (c *consultation) midnight(p store.DigestView) {
	switch late := c.Now.Sub(p.NextDueAt); {
	case c.Fence != "" || p.NextDueAt.IsZero():
	case late > c.Deadline:
		do := "digest doctor"
		if c.Beat.IsZero() {
			do = "digest serve"
		}
		c.say(do, c.lastRun(catalogue.Key("the edition of %s is not made yet").With(c.when(p.NextDueAt))))
	case late > 0:
		c.say("", catalogue.Key("the edition of %s is being made: it waits for feeds until %s").With(
			c.when(p.NextDueAt), c.when(p.NextDueAt.Add(c.Deadline))))
	case p.Cadence != digest.Daily:
		c.say("", catalogue.Key("the schedule of %s is %s; the next edition is made %s").With(c.name(p),
			catalogue.Cadence(p.Cadence), c.when(p.NextDueAt)))
	}
}

// content says whether there is anything that an edition could bring.
func (c *consultation) content(p store.DigestView) {
	f := c.feedsOf(p)
	switch {
	case len(p.Subscriptions) == 0 && p.Newsletter == nil && c.isMember():
	case len(p.Subscriptions) == 0:
		c.say("", catalogue.Key("%s has no feeds, so it has no editions").With(c.name(p)))
	case f.asked == 0:
		c.say("", catalogue.Key("%s has no feed of its own: all are paused, or their posts are in newsletters").With(
			c.name(p)))
	case f.asked == 1 && f.troubled == 1:
		c.say("", catalogue.Key("the only feed of %s is not working: %s").With(c.name(p), f.why))
	case f.troubled == f.asked:
		c.say("", notWorking(f, c.name(p)))
	}
}

// feedCounts is how the feeds of a digest are.
type feedCounts struct {
	paused   int
	lent     int               // their posts come in issues of a newsletter, and not in the digest
	asked    int               // all others
	troubled int               // of these, those that bring nothing now
	why      catalogue.Sayable // the problem of the last troubled feed
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

// notWorking says how many feeds of a digest are not working.
func notWorking(f feedCounts, name catalogue.Sayable) catalogue.Sayable {
	return catalogue.Key("%d of the %d feeds of %s are not working; see the list of feeds below").With(f.troubled,
		f.asked, name)
}
