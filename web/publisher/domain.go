package publisher

import (
	"digest"
	"digest/internal/catalogue"
	"digest/newsletter"
	"digest/web/page"
)

// A domainPage shows a newsletter's own sender address and the DNS record that proves control of its domain.
type domainPage struct {
	publisher
	Own        newsletter.Domain // without an address: none
	RecordName string
	Record     string // "": its key cannot be decrypted
}

// Found returns the problem with the DNS record.
func (p domainPage) Found() catalogue.Sayable {
	return catalogue.RecordFinding(p.Own.Finding)
}

// withDomains admits requests only where newsletters can have their own sender address.
func (s *Site) withDomains(h func(publisher) error) func(publisher) error {
	return func(me publisher) error {
		if s.Domains == nil {
			return page.ErrNotFound
		}
		return h(me)
	}
}

func (s *Site) domainPage(me publisher) error {
	me.AddText(page.EmailKind, "address", new(string), 254)
	return s.showDomain(me)
}

func (s *Site) showDomain(me publisher) error {
	p := domainPage{publisher: me}
	own, err := s.Store.Newsletters.NewsletterDomain(me.Ctx, me.Newsletter.ID)
	if err != nil && digest.KindOf(err) != digest.NotFound {
		return err
	}
	if p.Own = own; err == nil {
		if p.RecordName, p.Record, err = s.Domains.Record(own); err != nil {
			s.Log.Error("cannot decrypt the key of a newsletter's domain", "newsletter", me.Newsletter.Slug, "error",
				err)
		}
	}
	return me.show(nil, "publisher/domain", catalogue.Key("Sender address"), p)
}

// nameDomain creates a key for the domain of an address, which replaces the former address.
func (s *Site) nameDomain(me publisher) error {
	if !s.Limits.Rounds.Allow(me.Key(), me.Now) {
		return page.ErrTooMany
	}
	var address string
	me.AddText(page.EmailKind, "address", &address, 254)
	_, err := s.Domains.Name(me.Ctx, me.Newsletter.ID, address)
	if me.Refused(err, "address") {
		return s.showDomain(me)
	}
	return me.saved(err, "/domain", "named")
}

func (s *Site) lookAtDomain(me publisher) error {
	if !s.Limits.Rounds.Allow(me.Key(), me.Now) {
		return page.ErrTooMany
	}
	own, err := s.Store.Newsletters.NewsletterDomain(me.Ctx, me.Newsletter.ID)
	if err == nil {
		_, err = s.Domains.Look(me.Ctx, own)
	}
	return me.saved(err, "/domain", "looked")
}

// removeDomain makes issues use the sender address of this instance again.
func (s *Site) removeDomain(me publisher) error {
	return me.saved(s.Store.Newsletters.RemoveNewsletterDomain(me.Ctx, me.Newsletter.ID), "/domain", "removed")
}
