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
	Says string // a sentence without its full stop
	Do   string // a command; "": nothing can be done here, or the sentence says it
}

// Advise says what explains that a reader has no edition, what weighs most first. It always says something.
func Advise(v store.ReaderView, f Facts) []Advice {
	c := &consultation{ReaderView: v, Facts: f}
	if f.Fence != "" {
		c.say("digest fence", "nothing is polled and nothing is mailed here: %s", f.Fence)
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
		c.say("", "nothing is wrong here; the reader's own mail program or their provider may have filtered it")
	}
	return c.advice
}

// A Feed is a feed that keeps something away from its reader.
type Feed struct {
	Digest string // the digest
	Title  string
	URL    string // without what may be secret
	State  string // as poller.Status has it; or paused
	Reason string
}

// TroubledFeeds lists the feeds of a reader that do not answer well, and those that the reader has paused.
func TroubledFeeds(v store.ReaderView, now time.Time) []Feed {
	feeds := []Feed{}
	for _, p := range v.Digests {
		for _, s := range p.Subscriptions {
			state, reason := poller.Status(s.Feed, now)
			switch {
			case s.Paused && s.PausedFor == 0:
				state, reason = "paused", "the reader has paused it"
			case s.Paused, !isTroubled(s.Feed, now):
				continue
			}
			feeds = append(feeds, Feed{Digest: p.Name, Title: cmp.Or(s.Title, s.Feed.Title), URL: shown(s.Feed.URL), State: state, Reason: digest.WithoutCredentials(reason)})
		}
	}
	return feeds
}

// isTroubled reports whether a feed keeps something back: it does not answer well, or may not be asked now.
func isTroubled(f digest.Feed, now time.Time) bool {
	state, _ := poller.Status(f, now)
	return f.Errors > 0 || state != poller.StateActive
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

func (c *consultation) say(do, format string, args ...any) {
	c.advice = append(c.advice, Advice{Says: fmt.Sprintf(format, args...), Do: do})
}

// when shows an instant by the reader's clock.
func (c *consultation) when(t time.Time) string {
	loc, err := timezone.Load(c.User.TimeZone)
	if err != nil {
		loc = time.UTC
	}
	return t.In(loc).Format("2006-01-02 15:04 MST")
}

// address says whether the address is mailed at all.
func (c *consultation) address() {
	if s := c.Suppressed; s != nil {
		why := map[digest.Reason]string{
			digest.ForHardBounce: "mail to it came back", digest.ForSoftBounces: "mail to it came back for a week",
			digest.ForComplaint: "its reader called a mail spam", digest.ForOperator: "an operator said so",
		}[s.Reason]
		if s.Evidence != "" {
			why += " (" + s.Evidence + ")"
		}
		c.say("digest suppressions remove "+c.User.Email, "nothing is mailed to %s since %s: %s; mail it again once it takes mail and its reader wants it", c.User.Email, c.when(s.CreatedAt), why)
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
		c.say("", "they left the newsletter %s", p.Newsletter.Slug)
		return
	case p.State == digest.DigestLeft:
		c.say(set+" --state active", "they left their digest")
		return
	case p.State == digest.DigestPaused && p.PausedUntil.IsZero():
		c.say(within(set, " --state active"), "%s is paused until its reader ends that", c.name(p))
		return
	case p.State == digest.DigestPaused:
		c.say(within(set, " --state active"), "%s is paused until %s", c.name(p), c.when(p.PausedUntil))
		return
	}
	if !p.Mailed {
		c.say(within(set, " --mailed"), "%s is not mailed: its editions stand in the web view", c.name(p))
	}
	if n := p.Newsletter; n != nil && n.State != digest.NewsletterActive {
		c.say("digest newsletter show "+n.Slug, "the newsletter %s is %s: its letters do not leave", n.Slug, n.State)
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

func (c *consultation) name(p store.DigestView) string {
	if p.Newsletter != nil {
		return "the newsletter " + p.Newsletter.Slug
	}
	return "their digest"
}

// midnight says when the next edition is made, if that is late or far off.
func (c *consultation) midnight(p store.DigestView) {
	switch late := c.Now.Sub(p.NextDueAt); {
	case c.Fence != "" || p.NextDueAt.IsZero():
	case late > c.Deadline && c.Beat.IsZero():
		c.say("digest serve", "the edition of %s is not made: the hourly job was never at work", c.when(p.NextDueAt))
	case late > c.Deadline:
		c.say("digest doctor", "the edition of %s is not made yet; the hourly job was last at work %s", c.when(p.NextDueAt), c.when(c.Beat))
	case late > 0:
		c.say("", "the edition of %s is being made: feeds are waited for until %s", c.when(p.NextDueAt), c.when(p.NextDueAt.Add(c.Deadline)))
	case p.Cadence != digest.Daily:
		c.say("", "%s comes %s; the next is made %s", c.name(p), p.Cadence, c.when(p.NextDueAt))
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
		if isTroubled(s.Feed, c.Now) {
			troubled++
		}
	}
	switch {
	case len(p.Subscriptions) == 0 && p.Newsletter == nil && c.isMember():
	case len(p.Subscriptions) == 0:
		c.say("", "%s has no feeds, so there is nothing to send", c.name(p))
	case asked == 0:
		c.say("", "all feeds of %s are paused", c.name(p))
	case troubled == asked:
		c.say("", "no feed of %s can be asked or answers well; see the feeds in trouble", c.name(p))
	}
}

func (c *consultation) isMember() bool {
	return slices.ContainsFunc(c.Digests, func(p store.DigestView) bool { return p.Newsletter != nil && p.State == digest.DigestActive })
}

// lanes says whether mail to the address is held up.
func (c *consultation) lanes() {
	for _, l := range c.Lanes {
		what, do := "all mail", "digest queue resume"
		if l.Name != "" {
			what, do = "mail to "+l.Name, do+" "+l.Name
		}
		if l.IsPaused(c.Now) {
			c.say(do, "%s is paused until %s: %s", what, c.when(l.Until), l.Reason)
		} else if l.Alarm {
			c.say(do, "%s is in trouble that an operator has to end: %s", what, l.Reason)
		}
	}
}

// latest says what became of the last edition of a digest.
func (c *consultation) latest(p store.DigestView) {
	i := slices.IndexFunc(c.Editions, func(e store.MailedEdition) bool { return e.DigestID == p.ID })
	switch {
	case p.State != digest.DigestActive:
	case i < 0 && p.NextDueAt.After(c.Now):
		c.say("", "%s has had no edition yet; the first midnight is %s", c.name(p), c.when(p.NextDueAt))
	case i < 0:
	default:
		if e := c.Editions[i]; p.LastDueAt.After(e.DueAt) {
			c.say("", "nothing new came for %s since the edition of %s; on days without posts none is sent", c.name(p), e.LocalDate)
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
		c.say("", "the edition of %s came back: %s", e.LocalDate, cmp.Or(b.Evidence, b.Status, string(b.Kind)))
	}
	switch e.State {
	case digest.EditionSent:
		if len(e.Returned) == 0 {
			reply := ""
			if e.Reply != "" {
				reply = " (" + e.Reply + ")"
			}
			c.say(again, "a server took the edition of %s for %s at %s%s; if it is not there, their spam folder or their provider has it, who finds it by Message-ID <%s>",
				e.LocalDate, e.Email, c.when(e.SentAt), reply, e.MessageID)
		}
	case digest.EditionUnconfirmed:
		c.say(again, "the edition of %s was sent twice and no server said that it has it", e.LocalDate)
	case digest.EditionFailed:
		c.say(again, "the edition of %s was refused for good: %s", e.LocalDate, cmp.Or(e.Error, e.Reply))
	case digest.EditionExpired:
		c.say(again, "the edition of %s could not be sent in its time (%s); the next one brings its posts", e.LocalDate, cmp.Or(e.Error, e.Reply))
	case digest.EditionUnmailed:
		c.say(again, "the edition of %s was not mailed: %s", e.LocalDate, e.Error)
	default:
		c.waiting(e)
	}
}

// waiting says why an edition that is to be sent is not sent yet.
func (c *consultation) waiting(e store.MailedEdition) {
	switch {
	case e.State != digest.EditionReady:
		c.say("", "the edition of %s is on its way to the server now", e.LocalDate)
	case e.Error != "" && e.NextAt.After(c.Now):
		c.say("", "the edition of %s was refused for now (%s); it is tried again %s", e.LocalDate, e.Error, c.when(e.NextAt))
	case e.NextAt.After(c.Now):
		c.say("", "the edition of %s leaves %s", e.LocalDate, c.when(e.NextAt))
	default:
		c.say("", "the edition of %s waits for its turn since %s", e.LocalDate, c.when(e.NextAt))
	}
}

func (c *consultation) digestOf(e store.MailedEdition) store.DigestView {
	i := slices.IndexFunc(c.Digests, func(p store.DigestView) bool { return p.ID == e.DigestID })
	if i < 0 {
		return store.DigestView{}
	}
	return c.Digests[i]
}
