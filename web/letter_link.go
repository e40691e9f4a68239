package web

import (
	"net/http"
	"path"

	"digest"
	"digest/web/page"
)

// A letterLink is a link for one post or site in an email. Anyone with a copy of the email has the
// link, so its page offers only actions that can be undone. It expires when the edition is deleted.
type letterLink struct {
	page.NamedPage
	Path string      // path of its page
	Date digest.Date // date of the edition

	of    digest.Digest
	about int64 // ID of the post or feed
}

func (l letterLink) MailedTo() digest.UserID { return l.of.UserID }

// letterLinkOf returns the link in a request's path. If the reader has voided the link, it returns
// the link with ErrOldLink.
func (s *site) letterLinkOf(r *http.Request, purpose digest.Purpose, root string) (l letterLink, err error) {
	token := r.PathValue("token")
	number, about, ok := s.Signer.VerifyPair(purpose, token)
	if !ok {
		return l, page.ErrNotFound
	}
	id, round := digest.OfRound(number)
	e, d, err := s.Store.Subscriptions.EditionOfDigest(r.Context(), digest.EditionID(id))
	if err != nil {
		return l, page.OrSpent(err, page.ErrSpentEdition)
	}
	l = letterLink{NamedPage: page.Named(d), Path: root + token, Date: e.LocalDate, of: d, about: about}
	switch {
	case d.NewsletterID != 0:
		return l, page.ErrNotFound // readers cannot change the feeds of a newsletter
	case d.LinkRound != round:
		return l, page.ErrOldLink
	}
	return l, nil
}

// toLinkPage redirects a GET of a form's address, after a reload, to the page of the link.
func toLinkPage(w http.ResponseWriter, r *http.Request) error {
	return page.SeeOther(w, r, path.Dir(r.URL.Path))
}
