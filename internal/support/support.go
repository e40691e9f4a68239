// Package support answers the letter "my edition did not come": of all that is known of a reader it says what
// keeps their editions away and what can be done about it. It is pure; store.ReaderView reads what it decides by.
package support

import (
	"cmp"
	"fmt"
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
		c.say("digest fence", catalogue.Key("nothing is polled and nothing is mailed here: %s").With(f.Fence))
	}
	c.address()
	for _, p := range v.Digests {
		c.digestView(p)
	}
	c.lanes()
	for _, p := range v.Digests {
		c.latest(p)
	}
	if len(c.advice) == 0 {
		c.say("", catalogue.Key("nothing is wrong here; the reader's own mail program or their provider may have filtered it"))
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
				state, reason = "paused", catalogue.Key("the reader has paused it")
			case s.Paused, !isTroubled(s.Feed, now):
				continue
			}
			feeds = append(feeds, Feed{Digest: p.Name, Title: cmp.Or(s.Title, s.Feed.Title), URL: shown(s.Feed.URL), State: state, Reason: reason})
		}
	}
	return feeds
}

// isTroubled reports whether a feed does not answer well, is not asked as things stand, or brings too much. One that is well and
// only waits for its time is not.
func isTroubled(f digest.Feed, now time.Time) bool {
	state, _ := poller.Status(f, now)
	return f.Errors > 0 || f.PostsWaiting > 0 || f.State != digest.FeedActive || state == poller.StateDead || state == poller.StateGone
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

// address says whether the address is mailed at all.
func (c *consultation) address() {
	if s := c.Suppressed; s != nil {
		var why catalogue.Sayable = map[digest.Reason]catalogue.Key{
			digest.ForHardBounce: catalogue.Key("mail to it came back"), digest.ForSoftBounces: catalogue.Key("mail to it came back for a week"),
			digest.ForComplaint: catalogue.Key("its reader called a mail spam"), digest.ForOperator: catalogue.Key("an operator said so"),
		}[s.Reason]
		if s.Evidence != "" {
			why = catalogue.Key("%s (%s)").With(why, s.Evidence)
		}
		c.say("digest suppressions remove "+c.User.Email, catalogue.Key("nothing is mailed to %s since %s: %s; mail it again once it takes mail and its reader wants it").With(c.User.Email, c.when(s.CreatedAt), why))
	}
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
	switch {
	case p.State == digest.DigestLeft && p.Newsletter != nil:
		c.say("", catalogue.Key("they left the newsletter %s").With(p.Newsletter.Slug))
		return
	case p.State == digest.DigestLeft:
		c.say(set+" --state active", catalogue.Key("they left their digest"))
		return
	case p.State == digest.DigestPaused && p.PausedUntil.IsZero():
		c.say(within(set, " --state active"), catalogue.Key("%s is paused until its reader ends that").With(c.name(p)))
		return
	case p.State == digest.DigestPaused:
		c.say(within(set, " --state active"), catalogue.Key("%s is paused until %s").With(c.name(p), c.when(p.PausedUntil)))
		return
	}
	if !p.Mailed {
		c.say(within(set, " --mailed"), catalogue.Key("%s is not mailed: its editions stand in the web view").With(c.name(p)))
	}
	if n := p.Newsletter; n != nil && n.State != digest.NewsletterActive {
		says := map[digest.NewsletterState]catalogue.Key{
			digest.NewsletterPending: catalogue.Key("the newsletter %s waits for approval: its letters do not leave"),
			digest.NewsletterHeld:    catalogue.Key("the newsletter %s is held: its letters do not leave"),
			digest.NewsletterEnded:   catalogue.Key("the newsletter %s has ended: its letters do not leave"),
		}[n.State]
		c.say("digest newsletter show "+n.Slug, says.With(n.Slug))
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
	return catalogue.Key("their digest")
}

// midnight says when the next edition is made, if that is late or far off.
func (c *consultation) midnight(p store.DigestView) {
	switch late := c.Now.Sub(p.NextDueAt); {
	case c.Fence != "" || p.NextDueAt.IsZero():
	case late > c.Deadline && c.Beat.IsZero():
		c.say("digest serve", catalogue.Key("the edition of %s is not made: the hourly job was never at work").With(c.when(p.NextDueAt)))
	case late > c.Deadline:
		c.say("digest doctor", catalogue.Key("the edition of %s is not made yet; the hourly job was last at work %s").With(c.when(p.NextDueAt), c.when(c.Beat)))
	case late > 0:
		c.say("", catalogue.Key("the edition of %s is being made: feeds are waited for until %s").With(c.when(p.NextDueAt), c.when(p.NextDueAt.Add(c.Deadline))))
	case p.Cadence != digest.Daily:
		c.say("", catalogue.Key("%s comes %s; the next is made %s").With(c.name(p), catalogue.Cadence(p.Cadence), c.when(p.NextDueAt)))
	}
}

// content says whether there is anything that an edition could bring.
func (c *consultation) content(p store.DigestView) {
	asked, troubled := 0, 0
	for _, s := range p.Subscriptions {
		if s.Paused {
			continue
		}
		asked++
		if keepsBack(s.Feed, c.Now) {
			troubled++
		}
	}
	switch {
	case len(p.Subscriptions) == 0 && p.Newsletter == nil && c.isMember():
	case len(p.Subscriptions) == 0:
		c.say("", catalogue.Key("%s has no feeds, so there is nothing to send").With(c.name(p)))
	case asked == 0:
		c.say("", catalogue.Key("all feeds of %s are paused").With(c.name(p)))
	case troubled == asked:
		c.say("", catalogue.Key("no feed of %s can be asked or answers well; see the feeds in trouble").With(c.name(p)))
	}
}

func (c *consultation) isMember() bool {
	return slices.ContainsFunc(c.Digests, func(p store.DigestView) bool { return p.Newsletter != nil && p.State == digest.DigestActive })
}

// lanes says whether mail to the address is held up.
func (c *consultation) lanes() {
	for _, l := range c.Lanes {
		var what catalogue.Sayable = catalogue.Key("all mail")
		do := "digest queue resume"
		if l.Name != "" {
			what, do = catalogue.Key("mail to %s").With(l.Name), do+" "+l.Name
		}
		if l.IsPaused(c.Now) {
			c.say(do, catalogue.Key("%s is paused until %s: %s").With(what, c.when(l.Until), l.Reason))
		} else if l.Alarm {
			c.say(do, catalogue.Key("%s is in trouble that an operator has to end: %s").With(what, l.Reason))
		}
	}
}

// latest says what became of the last edition of a digest.
func (c *consultation) latest(p store.DigestView) {
	i := slices.IndexFunc(c.Editions, func(e store.MailedEdition) bool { return e.DigestID == p.ID })
	switch {
	case p.State != digest.DigestActive:
	case i < 0 && p.NextDueAt.After(c.Now):
		c.say("", catalogue.Key("%s has had no edition yet; the first midnight is %s").With(c.name(p), c.when(p.NextDueAt)))
	case i < 0:
	default:
		if e := c.Editions[i]; p.LastDueAt.After(e.DueAt) {
			c.say("", catalogue.Key("nothing new came for %s since the edition of %s; on days without posts none is sent").With(c.name(p), e.LocalDate))
		}
		c.edition(c.Editions[i])
	}
}

// edition says what became of an edition's mail.
func (c *consultation) edition(e store.MailedEdition) {
	again := fmt.Sprintf("digest user resend %s %s", c.User.Email, e.LocalDate)
	if p := c.digestOf(e); p.Newsletter != nil {
		again += " --newsletter " + p.Newsletter.Slug
	}
	for _, b := range e.Returned {
		c.say("", catalogue.Key("the edition of %s came back: %s").With(e.LocalDate, cmp.Or(b.Evidence, b.Status, string(b.Kind))))
	}
	switch e.State {
	case digest.EditionSent:
		if len(e.Returned) == 0 {
			var at catalogue.Sayable = c.when(e.SentAt)
			if e.Reply != "" {
				at = catalogue.Key("%s (%s)").With(at, e.Reply)
			}
			c.say(again, catalogue.Key("a server took the edition of %s for %s at %s; if it is not there, their spam folder or their provider has it, who finds it by Message-ID <%s>").With(e.LocalDate, e.Email, at, e.MessageID))
		}
	case digest.EditionUnconfirmed:
		c.say(again, catalogue.Key("the edition of %s was sent twice and no server said that it has it").With(e.LocalDate))
	case digest.EditionFailed:
		c.say(again, catalogue.Key("the edition of %s was refused for good: %s").With(e.LocalDate, unsent(e)))
	case digest.EditionExpired:
		c.say(again, catalogue.Key("the edition of %s could not be sent in its time (%s); the next one brings its posts").With(e.LocalDate, unsent(e)))
	case digest.EditionUnmailed:
		c.say(again, catalogue.Key("the edition of %s was not mailed: %s").With(e.LocalDate, unsent(e)))
	default:
		c.waiting(e)
	}
}

// unsent is why an edition was not sent: the error, or else what the server answered.
func unsent(e store.MailedEdition) catalogue.Sayable {
	return catalogue.Unsent(cmp.Or(e.Error, e.Reply))
}

// waiting says why an edition that is to be sent is not sent yet.
func (c *consultation) waiting(e store.MailedEdition) {
	switch {
	case e.State != digest.EditionReady:
		c.say("", catalogue.Key("the edition of %s is on its way to the server now").With(e.LocalDate))
	case e.Error != "" && e.NextAt.After(c.Now):
		c.say("", catalogue.Key("the edition of %s was refused for now (%s); it is tried again %s").With(e.LocalDate, unsent(e), c.when(e.NextAt)))
	case e.NextAt.After(c.Now):
		c.say("", catalogue.Key("the edition of %s leaves %s").With(e.LocalDate, c.when(e.NextAt)))
	default:
		c.say("", catalogue.Key("the edition of %s waits for its turn since %s").With(e.LocalDate, c.when(e.NextAt)))
	}
}

func (c *consultation) digestOf(e store.MailedEdition) store.DigestView {
	i := slices.IndexFunc(c.Digests, func(p store.DigestView) bool { return p.ID == e.DigestID })
	if i < 0 {
		return store.DigestView{}
	}
	return c.Digests[i]
}
