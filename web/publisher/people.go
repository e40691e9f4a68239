package publisher

import (
	"net/http"
	"slices"

	"digest"
	"digest/internal/catalogue"
	"digest/store"
	"digest/web/page"
)

type peoplePage struct {
	publisher
	People []store.Publisher
}

const mostPublishers = 20

// peoplePage lists the team. A POST of the owner makes another reader an editor. The form reveals whether an
// address belongs to a reader, so it is rate limited.
func (s *Site) peoplePage(me publisher) error {
	if me.Posted() && !s.Limits.Rounds.Allow(me.Key(), me.Now) {
		return page.ErrTooMany
	}
	people, err := s.Store.Newsletters.Publishers(me.Ctx, me.Newsletter.ID)
	var email string
	me.AddText(page.EmailKind, "email", &email, 0)
	if err == nil && me.Posted() {
		var u digest.User
		u, err = s.Store.Readers.UserByEmail(me.Ctx, email)
		switch {
		case digest.KindOf(err) == digest.NotFound || digest.KindOf(err) == digest.Invalid:
			me.Reject("email", catalogue.Key(
				"There’s no account with that address. Ask the person to sign up first."))
			err = nil
		case err != nil:
		case len(people) >= mostPublishers:
			me.Reject("email", catalogue.Key("This team has the maximum number of editors. Remove one first."))
			me.Status = http.StatusConflict
		case u.ID == me.ID:
			me.Reject("email", catalogue.Key("That’s your own address. Enter someone else’s."))
		default:
			return me.saved(s.Store.Newsletters.SetRole(me.Ctx, me.Newsletter.ID, u.ID, digest.RoleEditor, me.Now),
				"/people", "editor")
		}
	}
	return me.show(err, "publisher/people", catalogue.Key("Team"), peoplePage{me, people})
}

// removeEditor removes the role of an editor. Editors may remove their own.
func (s *Site) removeEditor(me publisher) error {
	self := digest.UserID(me.PathID) == me.ID
	if !self && !me.Owns() {
		return page.ErrOwnerOnly
	}
	err := s.Store.Newsletters.SetRole(me.Ctx, me.Newsletter.ID, digest.UserID(me.PathID), digest.RoleNone, me.Now)
	if digest.KindOf(err) == digest.Conflict {
		return page.ErrLastOwner
	}
	if self {
		return me.Visit.SeeSaved(err, "/newsletters", "removed")
	}
	return me.saved(err, "/people", "removed")
}

// Offered reports whether the owner offers the newsletter to the signed-in publisher.
func (p peoplePage) Offered() bool { return offered(p.People, p.ID) }

func offered(people []store.Publisher, to digest.UserID) bool {
	return slices.ContainsFunc(people, func(p store.Publisher) bool { return p.UserID == to && p.Offered })
}

// offerNewsletter offers the ownership of the newsletter to an editor.
func (s *Site) offerNewsletter(me publisher) error {
	return me.saved(s.Store.Newsletters.OfferNewsletter(me.Ctx, me.Newsletter.ID, digest.UserID(me.PathID), me.Now),
		"/people", "offered")
}

func (s *Site) withdrawOffer(me publisher) error {
	return me.saved(s.Store.Newsletters.EndOffer(me.Ctx, me.Newsletter.ID, digest.UserID(me.PathID)), "/people",
		"ended")
}

func (s *Site) declineOffer(me publisher) error {
	return me.saved(s.Store.Newsletters.EndOffer(me.Ctx, me.Newsletter.ID, me.ID), "/people", "ended")
}

// acceptOffer makes the signed-in editor the owner, if the newsletter is offered to them. The former owner becomes an
// editor.
func (s *Site) acceptOffer(me publisher) error {
	return me.saved(s.Store.Newsletters.AcceptOffer(me.Ctx, me.Newsletter.ID, me.ID, me.Now), "/people", "owner")
}
