package mailer

import (
	"context"
	"errors"
	"fmt"
	"net/mail"
	"sync"

	"digest"
)

// newsletterSigner returns the signer for a letter from a newsletter's own domain, or nil for one from the instance's
// address. The key must have exactly the domain of From, so that the signature satisfies a strict DMARC policy (RFC
// 7489 §3.1.1).
func (s *Sender) newsletterSigner(ctx context.Context, l Letter) (*DKIMSigner, error) {
	if l.Newsletter == 0 {
		return nil, nil
	}
	if s.NewsletterKey == nil {
		return nil, errors.New("there are no newsletter keys")
	}
	key, err := s.NewsletterKey(ctx, l.Newsletter)
	if err != nil {
		return nil, err
	}
	key.Active = true
	if host := domainOf(l.From); key.Domain != host {
		return nil, fmt.Errorf("the key is of %s by now, and not of %s", key.Domain, host)
	}
	return NewDKIMSigner([]digest.DKIMKey{key}, l.From)
}

func (s *Sender) fromInstance(l Letter) Letter {
	l.Newsletter = 0
	from, err := parseAddress(s.From)
	if was, old := parseAddress(l.From); err == nil && old == nil {
		l.From = (&mail.Address{Name: was.Name, Address: from.Address}).String()
	}
	return l
}

// returnPath returns the address for bounces. It always belongs to the instance.
func (s *Sender) returnPath() string {
	if s.ReturnPath != "" {
		return s.ReturnPath
	}
	from, err := parseAddress(s.From)
	if err != nil {
		return "" // Compose reports the error
	}
	return bare(from)
}

type newsletterSigners struct {
	mu  sync.Mutex
	all map[newsletterFrom]*DKIMSigner // nil if the key cannot be used, which has been logged
}

type newsletterFrom struct {
	id   digest.NewsletterID
	from string
}

// signerOf returns the signer of a letter. If the key of a newsletter's domain cannot be used, it changes the letter's
// sender to the instance's address.
func (r *run) signerOf(ctx context.Context, l *Letter) *DKIMSigner {
	if l.Newsletter == 0 {
		return r.dkim
	}
	r.signers.mu.Lock()
	defer r.signers.mu.Unlock()
	key := newsletterFrom{l.Newsletter, l.From}
	signer, known := r.signers.all[key]
	if !known {
		var err error
		if signer, err = r.newsletterSigner(ctx, *l); err != nil {
			r.log.Error("a newsletter uses the instance's address: cannot use the key of its domain", "newsletter",
				int64(l.Newsletter), "err", err)
		}
		if r.signers.all == nil {
			r.signers.all = make(map[newsletterFrom]*DKIMSigner)
		}
		r.signers.all[key] = signer
	}
	if signer == nil {
		*l = r.fromInstance(*l)
		return r.dkim
	}
	return signer
}
