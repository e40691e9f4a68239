package web

import (
	"context"
	"net/http"
	"time"

	"digest"
	"digest/internal/catalogue"
	"digest/render"
	"digest/store"
	"digest/web/page"
)

// An undoPage is the page on which a reader can undo a change that a link in an email has made.
type undoPage struct {
	page.NamedPage
	store.LinkChangeView
	Path string
	zone *time.Location
}

// MailedTo returns the reader who got the email with the link.
func (p undoPage) MailedTo() digest.UserID { return p.Digest.UserID }

// Changed describes the change, and names the email whose link made it.
func (p undoPage) Changed() catalogue.Sayable { return render.LinkChange(p.LinkChange, p.zone) }

// When returns the time of the change in the reader's time zone.
func (p undoPage) When() catalogue.Moment { return clockTime(p.ChangedAt, p.zone) }

// Can reports whether the change can be undone.
func (p undoPage) Can() bool { return p.Standing == store.LinkOpen }

// Undone reports whether the setting is as it was before the change.
func (p undoPage) Undone() bool { return p.Standing == store.LinkUndone }

func clockTime(t time.Time, zone *time.Location) catalogue.Moment {
	return catalogue.Time("2 January 2006, 15:04", t.In(zone))
}

// undoPage shows a button and changes nothing, because link scanners open every link in an email.
func (s *site) undoPage(w http.ResponseWriter, r *http.Request) error {
	p, err := s.undoOf(r, func(ctx context.Context, d digest.Digest, change int64) (store.LinkChangeView, error) {
		return s.Store.Readers.LinkChange(ctx, d.ID, change, s.Now())
	})
	if err == page.ErrOldLink {
		return s.orOwn(w, r, p.Digest, "/settings/links")
	}
	return s.showUndo(w, r, p, err)
}

// undo restores the former value, once. A second use of the link only shows the page. The link is in the edition that
// reported the change, so an undo without a session is itself a change by a link.
func (s *site) undo(w http.ResponseWriter, r *http.Request) error {
	p, err := s.undoOf(r, func(ctx context.Context, d digest.Digest, change int64) (v store.LinkChangeView, err error) {
		err = s.changeByLink(r, d.UserID, store.LinkUse{DigestID: d.ID}, func(st *store.Store) (err error) {
			v, err = st.Readers.UndoLinkChange(ctx, d.ID, change, s.Now())
			return err
		})
		return v, err
	})
	return s.showUndo(w, r, p, err)
}

func (s *site) showUndo(w http.ResponseWriter, r *http.Request, p undoPage, err error) error {
	return s.ShowPage(w, r, err, "undo", catalogue.Key("Undo this change"), p)
}

type linkChangeFinder func(context.Context, digest.Digest, int64) (store.LinkChangeView, error)

// undoOf finds the change that the link of a request names. If the reader has turned off old links, it returns
// ErrOldLink and a page with the digest.
func (s *site) undoOf(r *http.Request, find linkChangeFinder) (p undoPage, err error) {
	number, change, ok := s.Signer.VerifyPair(digest.ForUndo, r.PathValue("token"))
	if !ok {
		return p, page.ErrNotFound
	}
	id, round := digest.OfRound(number)
	d, err := s.Store.Readers.Digest(r.Context(), digest.DigestID(id))
	if err != nil {
		return p, page.OrSpent(err, page.ErrSpentUndo)
	}
	p = undoPage{NamedPage: page.Named(d), Path: "/undo/" + r.PathValue("token"), zone: page.ZoneOr(d.TimeZone)}
	if p.Digest = d; d.LinkRound != round {
		return p, page.ErrOldLink
	}
	p.LinkChangeView, err = find(r.Context(), d, change)
	return p, page.OrSpent(err, page.ErrSpentUndo)
}
