package web

import (
	"net/http"
	"path"

	"digest"
)

// A letterLink is a link for one post or site in an email. Anyone with a copy of the email has the
// link, so its page offers only actions that can be undone. It expires when the edition is deleted.
type letterLink struct {
	namedPage
	Path string      // path of its page
	Date digest.Date // date of the edition

	of    digest.Digest
	about int64 // ID of the post or feed
}

func (l letterLink) mailedTo() digest.UserID { return l.of.UserID }

// letterLinkOf returns the link in a request's path. If the reader has voided the link, it returns
// the link with errOldLink.
func (s *site) letterLinkOf(r *http.Request, purpose digest.Purpose, root string) (l letterLink, err error) {
	token := r.PathValue("token")
	number, about, ok := s.Signer.VerifyPair(purpose, token)
	if !ok {
		return l, errNotFound
	}
	id, round := digest.OfRound(number)
	e, d, err := s.Store.Subscriptions.EditionOfDigest(r.Context(), digest.EditionID(id))
	if err != nil {
		return l, orSpent(err, errSpentEdition)
	}
	l = letterLink{namedPage: named(d), Path: root + token, Date: e.LocalDate, of: d, about: about}
	switch {
	case d.NewsletterID != 0:
		return l, errNotFound // readers cannot change the feeds of a newsletter
	case d.LinkRound != round:
		return l, errOldLink
	}
	return l, nil
}

// toLinkPage redirects a GET of a form's address, after a reload, to the page of the link.
func toLinkPage(w http.ResponseWriter, r *http.Request) error {
	return seeOther(w, r, path.Dir(r.URL.Path))
}
