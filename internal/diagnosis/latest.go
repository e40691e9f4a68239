package diagnosis

import (
	"slices"
	"time"

	"digest"
	"digest/internal/catalogue"
	"digest/store"
)

// latest reports the state of the last edition of a digest, and why there was none since.
func (c *consultation) latest(p store.DigestView) {
	i := slices.IndexFunc(c.Editions, func(e store.MailedEdition) bool { return e.DigestID == p.ID })
	switch {
	case p.State != digest.DigestActive:
	case i < 0 && p.HeldSince > 0:
		c.say("", catalogue.Key("the reader’s filters removed %d posts, and %s has had no others").With(p.HeldSince,
			c.name(p)))
	case i < 0 && p.NextDueAt.After(c.Now):
		c.say("", catalogue.Key("%s has had no edition yet; the first midnight is %s").With(c.name(p),
			c.when(p.NextDueAt)))
	case i < 0:
	default:
		e := c.Editions[i]
		if p.LastDueAt.After(e.DueAt) {
			c.noneSince(p, e)
		}
		c.edition(e)
		if e.State == digest.EditionSent {
			c.leftOut(p, e)
		}
	}
}

// noneSince reports why a digest has had no edition since its last one, although a midnight has passed.
func (c *consultation) noneSince(p store.DigestView, e store.MailedEdition) {
	if p.HeldSince > 0 {
		c.say("", catalogue.Key("the reader’s filters removed %d posts, and %s has had no others").With(p.HeldSince,
			c.name(p)))
	} else {
		c.say("", catalogue.Key(
			"%s has had no new posts since the edition of %s; a day without posts has no edition").With(c.name(p),
			e.LocalDate))
	}
	if c.isEarly(p, e) {
		c.say("", catalogue.Key(
			"the reader got their first edition early, at %s; later editions have only newer posts").With(
			c.when(e.SendAt)))
	}
	f := c.feedsOf(p)
	if f.troubled > 0 && f.troubled < f.asked {
		c.say("", notWorking(f, c.name(p)))
	}
	if f.paused > 0 && f.asked > 0 {
		c.say("", catalogue.Key("%d feeds in %s are paused").With(f.paused, c.name(p)))
	}
	if f.lent > 0 && f.asked > 0 {
		c.say("", catalogue.Key("the posts from %d feeds go into newsletters, not into %s").With(f.lent,
			c.name(p)))
	}
	for _, s := range p.Subscriptions {
		if s.Feed.MovedAt.After(c.Now.Add(-movedLately)) && !s.Paused {
			c.say("", catalogue.Key("a feed in %s moved from %s to %s at %s; its posts now come from the new address").
				With(c.name(p), digest.HostShown(s.Feed.MovedFrom), digest.HostShown(s.Feed.URL),
					c.when(s.Feed.MovedAt)))
		}
	}
}

// movedLately is how long the page mentions the move of a feed.
const movedLately = 14 * 24 * time.Hour

// isEarly reports whether an edition is a reader's first, made early at their request. It has the date of a
// midnight before they signed up.
func (c *consultation) isEarly(p store.DigestView, e store.MailedEdition) bool {
	return e.Number == 1 && p.Newsletter == nil && c.User.CreatedAt.After(e.DueAt)
}

// leftOut reports what a sent edition does not show because its reader chose so.
func (c *consultation) leftOut(p store.DigestView, e store.MailedEdition) {
	if p.Held > 0 {
		c.say("", catalogue.Key("the reader’s filters removed %d posts from the edition of %s").With(p.Held,
			e.LocalDate))
	}
	if p.Beyond > 0 {
		c.say("", catalogue.Key(
			"the edition of %s has %d posts behind links, because the reader set a limit for a feed").With(e.LocalDate,
			p.Beyond))
	}
	headlines := 0
	for _, s := range p.Subscriptions {
		if s.Display == digest.Headlines && !s.Paused {
			headlines++
		}
	}
	if headlines > 0 {
		c.say("", catalogue.Key("the reader chose headlines only for %d feeds in %s").With(headlines, c.name(p)))
	}
}

// travel reports the time zone of a reader's midnight while they travel.
func (c *consultation) travel() {
	for _, stay := range c.Stays {
		if !stay.Begun {
			continue
		}
		c.say("", catalogue.Key(
			"the reader is travelling until %s: editions follow the time in %s, and afterwards in %s").With(stay.To,
			stay.TimeZone, stay.Home))
	}
}
