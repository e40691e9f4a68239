package operator

import (
	"net/http"
	"strings"

	"digest"
	"digest/internal/catalogue"
	"digest/store"
	"digest/web/page"
)

// An removePage asks an operator to confirm the removal of a reader.
type removePage struct {
	*page.Visit
	Whose digest.User
	Path  string
	Owns  []store.NewsletterInfo // newsletters that must get another owner or end first
	Goes  []store.NewsletterInfo // ended or unapproved newsletters, which are deleted, too
	Edits []store.NewsletterInfo // newsletters that the reader edits, which stay
	Never catalogue.Sayable      // why the reader cannot be removed; nil if they can
}

func (s *site) removePageOf(v *page.Visit) (p removePage, err error) {
	u, err := s.operated(v.Request)
	if err != nil {
		return p, err
	}
	p.Visit, p.Whose, p.Path = v, u.User, readerPath(u.ID)
	all, err := s.Store.Newsletters.NewslettersOf(v.Ctx, u.ID)
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

// removePage deletes a reader permanently, if the operator entered their address.
func (s *site) removePage(v *page.Visit) error {
	p, err := s.removePageOf(v)
	if err != nil {
		return err
	}
	var typed string
	v.AddText(page.CodeKind, "address", &typed, 0)
	if v.Posted() && p.Never == nil && !strings.EqualFold(digest.NormalEmail(typed),
		digest.NormalEmail(p.Whose.Email)) {
		v.Reject("address", catalogue.Key("This isn’t their address. Nothing was changed."))
	} else if v.Posted() && p.Never == nil {
		err = s.Store.Readers.RemoveUser(v.Ctx, p.Whose.ID, v.Now)
		if digest.KindOf(err) != digest.Conflict {
			if err == nil {
				s.Log.InfoContext(v.Ctx, "an operator removed a reader", "operator", int64(v.ID), "reader",
					int64(p.Whose.ID))
			}
			return v.SeeSaved(err, "/operator/readers", "removed")
		}
		p.Never = catalogue.Refusal(err) // the reader has become an owner since
	}
	if v.Posted() && p.Never != nil {
		v.Status = http.StatusConflict
	}
	return v.Show(nil, "operator/remove", catalogue.Key("Remove reader"), p)
}
