package web

import (
	"net/http"

	"digest"
	"digest/internal/catalogue"
	"digest/render"
	"digest/web/page"
)

// A linksPage lists changes by links in emails, and turns off old links.
type linksPage struct {
	*page.Visit
	Unsubscribe string       // path of the page that unsubscribes the digest
	Changes     []linkChange // recent changes by links, the latest first
}

type linkChange struct {
	Words catalogue.Sayable
	When  catalogue.Moment
	Path  string // of the page that undoes it; "": it is undone
}

func (s *site) linksPage(v *page.Visit) error {
	p := linksPage{Visit: v, Unsubscribe: s.UnsubscribePath(v.Digest)}
	changes, err := s.Store.Readers.LinkChanges(v.Ctx, v.ID, v.Now.Add(-digest.LinkUndoTime))
	for _, x := range changes {
		c := linkChange{Words: render.LinkChange(x.LinkChange, v.Zone()), When: clockTime(x.ChangedAt, v.Zone())}
		if x.UndoneAt.IsZero() {
			c.Path = "/undo/" + s.Signer.SignPair(digest.ForUndo, digest.InRound(int64(x.DigestID), x.LinkRound), x.ID)
		}
		p.Changes = append(p.Changes, c)
	}
	return v.Show(err, "settings_links", catalogue.Key("Links in old emails"), p)
}

func (s *site) voidLinks(v *page.Visit) error {
	if !s.Limits.Rounds.Allow(v.Key(), v.Now) {
		return page.ErrTooMany
	}
	return v.SeeSaved(s.Store.Readers.VoidLinks(v.Ctx, v.Digest.ID), "/settings/links", "void")
}

// orOwn handles a link that the reader has turned off. It redirects that reader, if signed in, to path, and returns
// ErrOldLink to everybody else.
func (s *site) orOwn(w http.ResponseWriter, r *http.Request, d digest.Digest, path string) error {
	u, err := s.SignedIn(r)
	if err == nil && (u.ID == 0 || u.ID != d.UserID) {
		err = page.ErrOldLink
	}
	if err != nil {
		return err
	}
	return page.SeeOther(w, r, path)
}
