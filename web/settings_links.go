package web

import (
	"net/http"

	"digest"
	"digest/internal/catalogue"
	"digest/render"
)

// A linksPage lists changes by links in emails, and turns off old links.
type linksPage struct {
	*visit
	Unsubscribe string       // path of the page that unsubscribes the digest
	Changes     []linkChange // recent changes by links, the latest first
}

type linkChange struct {
	Words catalogue.Sayable
	When  catalogue.Moment
	Path  string // of the page that undoes it; "": it is undone
}

func (s *site) linksPage(v *visit) error {
	p := linksPage{visit: v, Unsubscribe: s.unsubscribePath(v.Digest)}
	changes, err := s.Store.Readers.LinkChanges(v.ctx, v.ID, v.now.Add(-digest.LinkUndoTime))
	for _, x := range changes {
		c := linkChange{Words: render.LinkChange(x.LinkChange, v.zone()), When: clockTime(x.ChangedAt, v.zone())}
		if x.UndoneAt.IsZero() {
			c.Path = "/undo/" + s.Signer.SignPair(digest.ForUndo, digest.InRound(int64(x.DigestID), x.LinkRound), x.ID)
		}
		p.Changes = append(p.Changes, c)
	}
	return v.show(err, "settings_links", catalogue.Key("Links in old emails"), p)
}

func (s *site) voidLinks(v *visit) error {
	if !s.limits.rounds.allow(v.key(), v.now) {
		return errTooMany
	}
	return v.saved(s.Store.Readers.VoidLinks(v.ctx, v.Digest.ID), "/settings/links", "void")
}

// unsubscribePath returns the path of the unsubscribe link in the digest's emails.
func (s *site) unsubscribePath(d digest.Digest) string {
	return "/unsubscribe/" + s.Signer.Sign(digest.ForUnsubscribe, digest.InRound(int64(d.ID), d.LinkRound))
}

// orOwn handles a link that the reader has turned off. It redirects that reader, if signed in, to path, and returns
// errOldLink to everybody else.
func (s *site) orOwn(w http.ResponseWriter, r *http.Request, d digest.Digest, path string) error {
	u, err := s.signedIn(r)
	if err == nil && (u.ID == 0 || u.ID != d.UserID) {
		err = errOldLink
	}
	if err != nil {
		return err
	}
	return seeOther(w, r, path)
}
