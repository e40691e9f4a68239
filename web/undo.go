package web

import (
	"context"
	"net/http"
	"time"

	"digest"
	"digest/internal/catalogue"
	"digest/render"
	"digest/store"
)

// An undoPage is the page behind the link with which a reader undoes a change that was made by a link in an email.
type undoPage struct {
	namedPage
	store.LinkChangeView
	Path string
	zone *time.Location
}

// mailedTo is the reader whose email the link is from.
func (p undoPage) mailedTo() digest.UserID { return p.Digest.UserID }

// Changed says what was changed, and by which email.
func (p undoPage) Changed() catalogue.Sayable { return render.LinkChange(p.LinkChange, p.zone) }

// When is when it was changed, by the reader's clock.
func (p undoPage) When() catalogue.Moment { return clockTime(p.MadeAt, p.zone) }

// Can reports whether it can be undone.
func (p undoPage) Can() bool { return p.Standing == store.LinkOpen }

// Undone reports whether all is as it was before.
func (p undoPage) Undone() bool { return p.Standing == store.LinkUndone }

// clockTime is an instant by the clock of a zone.
func clockTime(t time.Time, zone *time.Location) catalogue.Moment {
	return catalogue.Time("2 January 2006, 15:04", t.In(zone))
}

// undoPage shows a button and changes nothing: link scanners open every link in an email.
func (s *site) undoPage(w http.ResponseWriter, r *http.Request) error {
	p, err := s.undoOf(r, s.Store.LinkChange)
	if err == errOldLink {
		return s.orOwn(w, r, p.Digest, "/settings/links")
	}
	return s.showUndo(w, r, p, err)
}

// undo restores the former value, once. A second use of the link only shows the page.
func (s *site) undo(w http.ResponseWriter, r *http.Request) error {
	p, err := s.undoOf(r, s.Store.UndoLinkChange)
	return s.showUndo(w, r, p, err)
}

func (s *site) showUndo(w http.ResponseWriter, r *http.Request, p undoPage, err error) error {
	return s.showPage(w, r, err, "undo", catalogue.Key("Undo a change"), p)
}

// A linkChangeFinder finds a change that was made by a link, and may undo it.
type linkChangeFinder func(context.Context, digest.DigestID, int64, time.Time) (store.LinkChangeView, error)

// undoOf finds the change that a request's link speaks of, by a method of the store. errOldLink, with the digest: its
// reader has made the link void.
func (s *site) undoOf(r *http.Request, find linkChangeFinder) (p undoPage, err error) {
	number, change, ok := s.Signer.VerifyPair(digest.ForUndo, r.PathValue("token"))
	if !ok {
		return p, errNotFound
	}
	id, round := digest.OfRound(number)
	d, err := s.Store.Digest(r.Context(), digest.DigestID(id))
	if err != nil {
		return p, orSpent(err, errSpentUndo)
	}
	p = undoPage{namedPage: named(d), Path: "/undo/" + r.PathValue("token"), zone: zoneOr(d.TimeZone)}
	if p.Digest = d; d.LinkRound != round {
		return p, errOldLink
	}
	p.LinkChangeView, err = find(r.Context(), d.ID, change, s.Now())
	return p, orSpent(err, errSpentUndo)
}
