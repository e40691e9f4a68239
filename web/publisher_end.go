package web

import (
	"digest"
	"digest/internal/catalogue"
	"digest/web/page"
)

// A publisherEndPage asks the owner to confirm the end of a newsletter.
type publisherEndPage struct {
	publisher
	Members int
}

// publisherEndPage ends the newsletter if the owner typed its slug.
func (s *site) publisherEndPage(me publisher) error {
	typed, n := "", me.Newsletter
	me.AddText(page.CodeKind, "slug", &typed, 0)
	switch {
	case me.Posted() && typed != n.Slug:
		me.Reject("slug", catalogue.Key("That doesn’t match. Nothing was changed."))
	case me.Posted() && me.Pending(): // it has no members and no issues yet
		return me.Visit.SeeSaved(s.Store.Newsletters.RefuseNewsletter(me.Ctx, n.ID), "/newsletters", "ended")
	case me.Posted():
		return me.saved(s.Store.Newsletters.SetNewsletterState(me.Ctx, n.ID, digest.NewsletterEnded, "", me.Now), "",
			"ended")
	}
	members, err := s.Store.Newsletters.CountMembers(me.Ctx, n.ID)
	return me.show(err, "publisher_end", catalogue.Key("End newsletter"), publisherEndPage{me, members})
}
