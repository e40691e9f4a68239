package web

import (
	"net/http"

	"digest"
	"digest/internal/catalogue"
)

// A publisherDomainPage shows a newsletter's own sender address and the DNS record that proves control of its domain.
type publisherDomainPage struct {
	publisherFrame
	Own        digest.NewsletterDomain // without an address: none
	RecordName string
	Record     string // "": its key cannot be decrypted
	Typed      string
}

// Found returns the problem with the DNS record.
func (p publisherDomainPage) Found() catalogue.Sayable {
	return catalogue.RecordFinding(p.Own.Finding)
}

// withDomains admits requests only where newsletters can have their own sender address.
func (s *site) withDomains(h publisherHandler) publisherHandler {
	return func(w http.ResponseWriter, r *http.Request, me publisher) error {
		if s.Domains == nil {
			return errNotFound
		}
		return h(w, r, me)
	}
}

func (s *site) publisherDomainPage(w http.ResponseWriter, r *http.Request, me publisher) error {
	return s.showDomain(w, r, http.StatusOK,
		publisherDomainPage{publisherFrame: s.publisherFrame(r, me, "named", "looked", "removed")})
}

func (s *site) showDomain(w http.ResponseWriter, r *http.Request, status int, p publisherDomainPage) error {
	own, err := s.Store.NewsletterDomain(r.Context(), p.Newsletter.ID)
	if err != nil && digest.KindOf(err) != digest.NotFound {
		return err
	}
	if p.Own = own; err == nil {
		if p.RecordName, p.Record, err = s.Domains.Record(own); err != nil {
			s.Log.Error("cannot decrypt the key of a newsletter's domain", "newsletter", p.Newsletter.Slug, "error",
				err)
		}
	}
	return s.show(w, r, status, "publisher_domain", titled(catalogue.Key("Sender address"), p.Newsletter.Name), p)
}

// nameDomain creates a key for the domain of an address, which replaces the former address.
func (s *site) nameDomain(w http.ResponseWriter, r *http.Request, me publisher) error {
	if !s.limits.rounds.allow(me.key(), s.Now()) {
		return errTooMany
	}
	p := publisherDomainPage{publisherFrame: s.publisherFrame(r, me), Typed: r.PostForm.Get("address")}
	_, err := s.Domains.Name(r.Context(), me.Newsletter.ID, p.Typed)
	if wrong, err := asSaid(err); wrong != nil || err != nil {
		if p.Wrong = wrong; err != nil {
			return err
		}
		return s.showDomain(w, r, http.StatusUnprocessableEntity, p)
	}
	return showSaved(w, r, nil, me.Path()+"/domain", "named")
}

func (s *site) lookAtDomain(w http.ResponseWriter, r *http.Request, me publisher) error {
	if !s.limits.rounds.allow(me.key(), s.Now()) {
		return errTooMany
	}
	own, err := s.Store.NewsletterDomain(r.Context(), me.Newsletter.ID)
	if err == nil {
		_, err = s.Domains.Look(r.Context(), own)
	}
	return showSaved(w, r, err, me.Path()+"/domain", "looked")
}

// removeDomain makes issues use the sender address of this instance again.
func (s *site) removeDomain(w http.ResponseWriter, r *http.Request, me publisher) error {
	err := s.Store.RemoveNewsletterDomain(r.Context(), me.Newsletter.ID)
	return showSaved(w, r, err, me.Path()+"/domain", "removed")
}
