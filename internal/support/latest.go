package support

import (
	"slices"
	"time"

	"digest"
	"digest/internal/catalogue"
	"digest/store"
)

// latest reports what happened to the last edition of a digest, and why it has had none since.
func (c *consultation) latest(p store.DigestView) {
	i := slices.IndexFunc(c.Editions, func(e store.MailedEdition) bool { return e.DigestID == p.ID })
	switch {
	case p.State != digest.DigestActive:
	case i < 0 && p.HeldSince > 0:
		c.say("", catalogue.Key("this reader's filters held back %d posts, and nothing else has come for %s").With(p.HeldSince, c.name(p)))
	case i < 0 && p.NextDueAt.After(c.Now):
		c.say("", catalogue.Key("%s has had no edition yet; the first midnight is %s").With(c.name(p), c.when(p.NextDueAt)))
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
		c.say("", catalogue.Key("this reader's filters held back %d posts since the edition of %s, and nothing else came for %s").With(p.HeldSince, e.LocalDate, c.name(p)))
	} else {
		c.say("", catalogue.Key("nothing new came for %s since the edition of %s; on days without posts none is sent").With(c.name(p), e.LocalDate))
	}
	if c.isEarly(p, e) {
		c.say("", catalogue.Key("their first edition was made early, at their request, %s; later editions have only newer posts").With(c.when(e.SendAt)))
	}
	f := c.feedsOf(p)
	if f.troubled > 0 && f.troubled < f.asked {
		c.say("", catalogue.Key("%d of the %d feeds of %s bring nothing now; see the feeds in trouble").With(f.troubled, f.asked, c.name(p)))
	}
	if f.paused > 0 && f.asked > 0 {
		c.say("", catalogue.Key("%d feeds of %s are paused").With(f.paused, c.name(p)))
	}
	if f.lent > 0 && f.asked > 0 {
		c.say("", catalogue.Key("the posts of %d feeds come in issues of newsletters, not in %s").With(f.lent, c.name(p)))
	}
	for _, s := range p.Subscriptions {
		if s.Feed.MovedAt.After(c.Now.Add(-movedLately)) && !s.Paused {
			c.say("", catalogue.Key("a feed of %s moved from %s to %s at %s; it now brings the posts published there").
				With(c.name(p), digest.HostShown(s.Feed.MovedFrom), digest.HostShown(s.Feed.URL), c.when(s.Feed.MovedAt)))
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
		c.say("", catalogue.Key("this reader's filters held back %d posts from the edition of %s").With(p.Held, e.LocalDate))
	}
	if p.Beyond > 0 {
		c.say("", catalogue.Key("the edition of %s has %d posts behind links: the reader limits how many posts of a feed it shows").With(e.LocalDate, p.Beyond))
	}
	headlines := 0
	for _, s := range p.Subscriptions {
		if s.Display == digest.Headlines && !s.Paused {
			headlines++
		}
	}
	if headlines > 0 {
		c.say("", catalogue.Key("%d feeds of %s come as headlines only, as the reader chose").With(headlines, c.name(p)))
	}
}

// travel reports the time zone of a reader's midnight while they travel.
func (c *consultation) travel() {
	for _, stay := range c.Stays {
		if !stay.Begun {
			continue
		}
		c.say("", catalogue.Key("they travel until %s: their days begin at midnight in %s, and afterwards in %s").With(stay.To, stay.TimeZone, stay.Home))
	}
}
