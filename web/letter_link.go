package web

import (
	"net/http"
	"path"

	"digest"
)

// A letterLink is what a link beside a post or a site of a mail speaks of. Whoever has the mail has the link: it can do
// nothing that cannot be undone behind it, and ends with what is stored of the edition.
type letterLink struct {
	namedPage
	Path string      // of its page
	Date digest.Date // of the edition

	of    digest.Digest
	about int64 // the post or the feed
}

// mailedTo is the reader whose mail the link is from.
func (l letterLink) mailedTo() digest.UserID { return l.of.UserID }

// letterLinkOf finds what a request's link speaks of. errOldLink, with what it led to: its reader has made it void.
func (s *site) letterLinkOf(r *http.Request, purpose digest.Purpose, root string) (l letterLink, err error) {
	token := r.PathValue("token")
	number, about, ok := s.Signer.VerifyPair(purpose, token)
	if !ok {
		return l, errNotFound
	}
	id, round := digest.OfRound(number)
	e, d, err := s.Store.EditionOfDigest(r.Context(), digest.EditionID(id))
	if err != nil {
		return l, orSpent(err, errSpentEdition)
	}
	l = letterLink{namedPage: named(d), Path: root + token, Date: e.LocalDate, of: d, about: about}
	switch {
	case d.NewsletterID != 0:
		return l, errNotFound // its feeds are its publisher's
	case d.LinkRound != round:
		return l, errOldLink
	}
	return l, nil
}

// toLinkPage leads who opens the answer to a form again, without sending it, to the page behind the link.
func toLinkPage(w http.ResponseWriter, r *http.Request) error {
	return seeOther(w, r, path.Dir(r.URL.Path))
}
