package web

import (
	"digest"
	"digest/internal/catalogue"
)

// A publisherEndPage asks the owner to confirm the end of a newsletter.
type publisherEndPage struct {
	publisher
	Members int
}

// publisherEndPage ends the newsletter if the owner typed its slug.
func (s *site) publisherEndPage(me publisher) error {
	typed, n := "", me.Newsletter
	me.text(codeKind, "slug", &typed, 0)
	switch {
	case me.posted() && typed != n.Slug:
		me.wrong("slug", catalogue.Key("That doesn’t match. Nothing was changed."))
	case me.posted() && me.Pending(): // it has no members and no issues yet
		return me.visit.saved(s.Store.Newsletters.RefuseNewsletter(me.ctx, n.ID), "/newsletters", "ended")
	case me.posted():
		return me.saved(s.Store.Newsletters.SetNewsletterState(me.ctx, n.ID, digest.NewsletterEnded, "", me.now), "",
			"ended")
	}
	members, err := s.Store.Newsletters.CountMembers(me.ctx, n.ID)
	return me.show(err, "publisher_end", catalogue.Key("End newsletter"), publisherEndPage{me, members})
}
