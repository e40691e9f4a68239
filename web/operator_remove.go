package web

import (
	"net/http"
	"strings"

	"digest"
	"digest/internal/catalogue"
	"digest/store"
)

// An operatorRemovePage asks an operator to confirm the removal of a reader.
type operatorRemovePage struct {
	digest.User
	Path  string
	Owns  []store.NewsletterInfo // newsletters that must get another owner or end first
	Goes  []store.NewsletterInfo // ended or unapproved newsletters, which are deleted, too
	Edits []store.NewsletterInfo // newsletters that the reader edits, which stay
	Typed string
	Wrong catalogue.Sayable // nil if there is no error
	Never catalogue.Sayable // why the reader cannot be removed; nil if they can
}

func (s *site) operatorRemovePageOf(r *http.Request, me reader) (p operatorRemovePage, err error) {
	u, err := s.operated(r)
	if err != nil {
		return p, err
	}
	p.User, p.Path = u.User, readerPath(u.ID)
	all, err := s.Store.NewslettersOf(r.Context(), u.ID)
	for _, n := range all {
		switch {
		case n.Role != digest.RoleOwner:
			p.Edits = append(p.Edits, n)
		case n.State == digest.NewsletterEnded || n.State == digest.NewsletterPending:
			p.Goes = append(p.Goes, n)
		default:
			p.Owns = append(p.Owns, n)
		}
	}
	switch {
	case u.ID == me.ID:
		p.Never = catalogue.Key("This is you. Ask another operator, or delete your account in your settings.")
	case u.Operator:
		p.Never = catalogue.Key("They are an operator. Remove their operator access first.")
	case len(p.Owns) > 0:
		p.Never = catalogue.Key("They own a newsletter. End it or transfer it first.")
	}
	return p, err
}

func (s *site) operatorRemovePage(w http.ResponseWriter, r *http.Request, me reader) error {
	p, err := s.operatorRemovePageOf(r, me)
	return s.showPage(w, r, err, "operator_remove", catalogue.Key("Remove reader"), p)
}

// removeReader deletes a reader permanently, if the operator entered their address.
func (s *site) removeReader(w http.ResponseWriter, r *http.Request, me reader) error {
	p, err := s.operatorRemovePageOf(r, me)
	if err != nil {
		return err
	}
	if p.Never != nil {
		return s.show(w, r, http.StatusConflict, "operator_remove", catalogue.Key("Remove reader"), p)
	}
	p.Typed = r.PostForm.Get("address")
	if !strings.EqualFold(digest.NormalEmail(p.Typed), digest.NormalEmail(p.Email)) {
		p.Wrong = catalogue.Key("This isn’t their address. Nothing was changed.")
		return s.show(w, r, http.StatusUnprocessableEntity, "operator_remove", catalogue.Key("Remove reader"), p)
	}
	err = s.Store.RemoveUser(r.Context(), p.ID, s.Now())
	if digest.KindOf(err) == digest.Conflict { // the reader has become an owner since
		p.Never = catalogue.Refusal(err)
		return s.show(w, r, http.StatusConflict, "operator_remove", catalogue.Key("Remove reader"), p)
	}
	if err == nil {
		s.Log.InfoContext(r.Context(), "an operator removed a reader", "operator", int64(me.ID), "reader", int64(p.ID))
	}
	return showSaved(w, r, err, "/operator/readers", "removed")
}
