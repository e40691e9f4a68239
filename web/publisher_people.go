package web

import (
	"net/http"
	"slices"

	"digest"
	"digest/internal/catalogue"
	"digest/store"
)

type publisherPeoplePage struct {
	publisher
	People []store.Publisher
}

const mostPublishers = 20

// publisherPeoplePage lists the team. A POST of the owner makes another reader an editor. The form reveals whether an
// address belongs to a reader, so it is rate limited.
func (s *site) publisherPeoplePage(me publisher) error {
	if me.posted() && !s.limits.rounds.allow(me.key(), me.now) {
		return errTooMany
	}
	people, err := s.Store.Newsletters.Publishers(me.ctx, me.Newsletter.ID)
	var email string
	me.text(emailKind, "email", &email, 0)
	if err == nil && me.posted() {
		var u digest.User
		u, err = s.Store.Readers.UserByEmail(me.ctx, email)
		switch {
		case digest.KindOf(err) == digest.NotFound || digest.KindOf(err) == digest.Invalid:
			me.wrong("email", catalogue.Key("There’s no account with that address. Ask the person to sign up first."))
			err = nil
		case err != nil:
		case len(people) >= mostPublishers:
			me.wrong("email", catalogue.Key("This team has the maximum number of editors. Remove one first."))
			me.status = http.StatusConflict
		case u.ID == me.ID:
			me.wrong("email", catalogue.Key("That’s your own address. Enter someone else’s."))
		default:
			return me.saved(s.Store.Newsletters.SetRole(me.ctx, me.Newsletter.ID, u.ID, digest.RoleEditor, me.now),
				"/people", "editor")
		}
	}
	return me.show(err, "publisher_people", catalogue.Key("Team"), publisherPeoplePage{me, people})
}

// removeEditor removes the role of an editor. Editors may remove their own.
func (s *site) removeEditor(me publisher) error {
	self := digest.UserID(me.pathID) == me.ID
	if !self && !me.Owns() {
		return errOwnerOnly
	}
	err := s.Store.Newsletters.SetRole(me.ctx, me.Newsletter.ID, digest.UserID(me.pathID), digest.RoleNone, me.now)
	if digest.KindOf(err) == digest.Conflict {
		return errLastOwner
	}
	if self {
		return me.visit.saved(err, "/newsletters", "removed")
	}
	return me.saved(err, "/people", "removed")
}

// Offered reports whether the owner offers the newsletter to the signed-in publisher.
func (p publisherPeoplePage) Offered() bool { return offered(p.People, p.ID) }

func offered(people []store.Publisher, to digest.UserID) bool {
	return slices.ContainsFunc(people, func(p store.Publisher) bool { return p.UserID == to && p.Offered })
}

// offerNewsletter offers the ownership of the newsletter to an editor.
func (s *site) offerNewsletter(me publisher) error {
	return me.saved(s.Store.Newsletters.OfferNewsletter(me.ctx, me.Newsletter.ID, digest.UserID(me.pathID), me.now),
		"/people", "offered")
}

func (s *site) withdrawOffer(me publisher) error {
	return me.saved(s.Store.Newsletters.EndOffer(me.ctx, me.Newsletter.ID, digest.UserID(me.pathID)), "/people",
		"ended")
}

func (s *site) declineOffer(me publisher) error {
	return me.saved(s.Store.Newsletters.EndOffer(me.ctx, me.Newsletter.ID, me.ID), "/people", "ended")
}

// acceptOffer makes the signed-in editor the owner, if the newsletter is offered to them. The former owner becomes an
// editor.
func (s *site) acceptOffer(me publisher) error {
	return me.saved(s.Store.Newsletters.AcceptOffer(me.ctx, me.Newsletter.ID, me.ID, me.now), "/people", "owner")
}
