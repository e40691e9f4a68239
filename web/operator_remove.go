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
	*visit
	Whose digest.User
	Path  string
	Owns  []store.NewsletterInfo // newsletters that must get another owner or end first
	Goes  []store.NewsletterInfo // ended or unapproved newsletters, which are deleted, too
	Edits []store.NewsletterInfo // newsletters that the reader edits, which stay
	Never catalogue.Sayable      // why the reader cannot be removed; nil if they can
}

func (s *site) operatorRemovePageOf(v *visit) (p operatorRemovePage, err error) {
	u, err := s.operated(v.Request)
	if err != nil {
		return p, err
	}
	p.visit, p.Whose, p.Path = v, u.User, readerPath(u.ID)
	all, err := s.Store.Newsletters.NewslettersOf(v.ctx, u.ID)
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
	case u.ID == v.ID:
		p.Never = catalogue.Key("This is your own account. Ask another operator to change it, or delete it in your settings.")
	case u.Operator:
		p.Never = catalogue.Key("They are an operator. Remove their operator access first.")
	case len(p.Owns) > 0:
		p.Never = catalogue.Key("They own a newsletter. End it or transfer it first.")
	}
	return p, err
}

// operatorRemovePage deletes a reader permanently, if the operator entered their address.
func (s *site) operatorRemovePage(v *visit) error {
	p, err := s.operatorRemovePageOf(v)
	if err != nil {
		return err
	}
	var typed string
	v.text(codeKind, "address", &typed, 0)
	if v.posted() && p.Never == nil && !strings.EqualFold(digest.NormalEmail(typed),
		digest.NormalEmail(p.Whose.Email)) {
		v.wrong("address", catalogue.Key("This isn’t their address. Nothing was changed."))
	} else if v.posted() && p.Never == nil {
		err = s.Store.Readers.RemoveUser(v.ctx, p.Whose.ID, v.now)
		if digest.KindOf(err) != digest.Conflict {
			if err == nil {
				s.Log.InfoContext(v.ctx, "an operator removed a reader", "operator", int64(v.ID), "reader",
					int64(p.Whose.ID))
			}
			return v.saved(err, "/operator/readers", "removed")
		}
		p.Never = catalogue.Refusal(err) // the reader has become an owner since
	}
	if v.posted() && p.Never != nil {
		v.status = http.StatusConflict
	}
	return v.show(nil, "operator_remove", catalogue.Key("Remove reader"), p)
}
