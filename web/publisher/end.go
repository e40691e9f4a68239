package publisher

import (
	"digest"
	"digest/internal/catalogue"
	"digest/web/page"
)

// A endPage asks the owner to confirm the end of a newsletter.
type endPage struct {
	publisher
	Members int
}

// endPage ends the newsletter if the owner typed its slug.
func (s *Site) endPage(me publisher) error {
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
	return me.show(err, "publisher/end", catalogue.Key("End newsletter"), endPage{me, members})
}
