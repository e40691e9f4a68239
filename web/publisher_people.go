package web

import (
	"net/http"
	"slices"
	"strings"

	"digest"
	"digest/internal/catalogue"
	"digest/store"
)

type publisherPeoplePage struct {
	publisherFrame
	People []store.Publisher
	Typed  string // the address that was typed
}

const mostPublishers = 20

func (s *site) publisherPeoplePage(w http.ResponseWriter, r *http.Request, me publisher) error {
	return s.showPublisherPeople(w, r, http.StatusOK,
		publisherPeoplePage{publisherFrame: s.publisherFrame(r, me, "editor", "removed", "offered", "ended", "owner")})
}

func (s *site) showPublisherPeople(w http.ResponseWriter, r *http.Request, status int, p publisherPeoplePage) error {
	var err error
	if p.People, err = s.Store.Publishers(r.Context(), p.Newsletter.ID); err != nil {
		return err
	}
	return s.show(w, r, status, "publisher_people", titled(catalogue.Key("Team"), p.Newsletter.Name), p)
}

// addEditor makes another reader an editor of the newsletter. The form reveals whether an address belongs to a
// reader, so it is rate limited.
func (s *site) addEditor(w http.ResponseWriter, r *http.Request, me publisher) error {
	p := publisherPeoplePage{publisherFrame: s.publisherFrame(r, me), Typed: strings.TrimSpace(r.PostForm.Get("email"))}
	if !s.limits.rounds.allow(me.key(), s.Now()) {
		return errTooMany
	}
	people, err := s.Store.Publishers(r.Context(), me.Newsletter.ID)
	if err != nil {
		return err
	}
	u, err := s.Store.UserByEmail(r.Context(), p.Typed)
	switch {
	case digest.KindOf(err) == digest.NotFound || digest.KindOf(err) == digest.Invalid:
		p.Wrong = catalogue.Key("No reader here has that address. Ask them to sign up first.")
		return s.showPublisherPeople(w, r, http.StatusUnprocessableEntity, p)
	case err != nil:
		return err
	case len(people) >= mostPublishers:
		p.Wrong = catalogue.Key("This team has the maximum number of editors. Remove one first.")
		return s.showPublisherPeople(w, r, http.StatusConflict, p)
	case u.ID == me.ID:
		p.Wrong = catalogue.Key("That’s you.")
		return s.showPublisherPeople(w, r, http.StatusUnprocessableEntity, p)
	}
	return showSaved(w, r, s.Store.SetRole(r.Context(), me.Newsletter.ID, u.ID, digest.RoleEditor, s.Now()), me.Path()+
		"/people", "editor")
}

// removeEditor removes the role of an editor. Editors may remove their own.
func (s *site) removeEditor(w http.ResponseWriter, r *http.Request, me publisher) error {
	id, err := pathKey(r)
	if err != nil {
		return err
	}
	self := digest.UserID(id) == me.ID
	if !self && !me.Owns() {
		return errOwnerOnly
	}
	err = s.Store.SetRole(r.Context(), me.Newsletter.ID, digest.UserID(id), digest.RoleNone, s.Now())
	if digest.KindOf(err) == digest.Conflict {
		return errLastOwner
	}
	path := me.Path() + "/people"
	if self {
		path = "/newsletters"
	}
	return showSaved(w, r, err, path, "removed")
}

// Offered reports whether the owner offers the newsletter to the signed-in publisher.
func (p publisherPeoplePage) Offered() bool { return offered(p.People, p.ID) }

func offered(people []store.Publisher, to digest.UserID) bool {
	return slices.ContainsFunc(people, func(p store.Publisher) bool { return p.UserID == to && p.Offered })
}

// offerNewsletter offers the ownership of the newsletter to an editor.
func (s *site) offerNewsletter(w http.ResponseWriter, r *http.Request, me publisher) error {
	id, err := pathKey(r)
	if err != nil {
		return err
	}
	return showSaved(w, r, s.Store.OfferNewsletter(r.Context(), me.Newsletter.ID, digest.UserID(id), s.Now()),
		me.Path()+"/people", "offered")
}

func (s *site) withdrawOffer(w http.ResponseWriter, r *http.Request, me publisher) error {
	id, err := pathKey(r)
	if err != nil {
		return err
	}
	return showSaved(w, r, s.Store.EndOffer(r.Context(), me.Newsletter.ID, digest.UserID(id)), me.Path()+
		"/people", "ended")
}

func (s *site) declineOffer(w http.ResponseWriter, r *http.Request, me publisher) error {
	return showSaved(w, r, s.Store.EndOffer(r.Context(), me.Newsletter.ID, me.ID), me.Path()+"/people", "ended")
}

// acceptOffer makes the signed-in editor the owner, if the newsletter is offered to them. The former owner becomes an
// editor.
func (s *site) acceptOffer(w http.ResponseWriter, r *http.Request, me publisher) error {
	return showSaved(w, r, s.Store.AcceptOffer(r.Context(), me.Newsletter.ID, me.ID, s.Now()), me.Path()+
		"/people", "owner")
}
