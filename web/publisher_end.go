package web

import (
	"net/http"
	"strings"

	"digest"
	"digest/internal/catalogue"
)

// A publisherEndPage asks the owner to confirm the end of a newsletter.
type publisherEndPage struct {
	publisherFrame
	Typed   string
	Members int
}

func (s *site) publisherEndPage(w http.ResponseWriter, r *http.Request, me publisher) error {
	p := publisherEndPage{publisherFrame: s.publisherFrame(r, me)}
	var err error
	p.Members, err = s.Store.CountMembers(r.Context(), me.Newsletter.ID)
	return s.showPage(w, r, err, "publisher_end", titled(catalogue.Key("End newsletter"), me.Newsletter.Name), p)
}

// endNewsletter ends the newsletter if the owner typed its slug.
func (s *site) endNewsletter(w http.ResponseWriter, r *http.Request, me publisher) error {
	p := publisherEndPage{publisherFrame: s.publisherFrame(r, me), Typed: strings.TrimSpace(r.PostForm.Get("slug"))}
	if p.Typed != me.Newsletter.Slug {
		var err error
		p.Wrong = catalogue.Key("That doesn’t match. Nothing was changed.")
		p.Members, err = s.Store.CountMembers(r.Context(), me.Newsletter.ID)
		return orShow(err, func() error {
			return s.show(w, r, http.StatusUnprocessableEntity, "publisher_end",
				titled(catalogue.Key("End newsletter"), me.Newsletter.Name), p)
		})
	}
	if me.Pending() { // it has no members and no issues yet
		return showSaved(w, r, s.Store.RefuseNewsletter(r.Context(), me.Newsletter.ID), "/newsletters", "ended")
	}
	err := s.Store.SetNewsletterState(r.Context(), me.Newsletter.ID, digest.NewsletterEnded, "", s.Now())
	return showSaved(w, r, err, me.Path(), "ended")
}
