package mailer

import (
	"context"
	"errors"
	"fmt"
	"net/mail"
	"sync"

	"digest"
)

// newsletterSigner gives the signer for a letter whose From is at a newsletter's own domain; nil for
// one from the instance's address. It signs for exactly the domain of From, so that the
// signature speaks for it however strict the domain's DMARC policy is (RFC 7489 §3.1.1).
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
	if host := hostOf(l.From); key.Domain != host {
		return nil, fmt.Errorf("the key is of %s by now, and not of %s", key.Domain, host)
	}
	return NewDKIMSigner([]digest.DKIMKey{key}, l.From)
}

// fromInstance gives the letter of a newsletter with the instance's address in place of the newsletter's own.
func (s *Sender) fromInstance(l Letter) Letter {
	l.Newsletter = 0
	from, err := parseAddress(s.From)
	if was, old := parseAddress(l.From); err == nil && old == nil {
		l.From = (&mail.Address{Name: was.Name, Address: from.Address}).String()
	}
	return l
}

// returnPath is where bounces come back to: the instance, whomever a letter is from.
func (s *Sender) returnPath() string {
	if s.ReturnPath != "" {
		return s.ReturnPath
	}
	from, err := parseAddress(s.From)
	if err != nil {
		return "" // whoever composes says what is wrong with it
	}
	return bare(from)
}

// newsletterSigners are the signers of newsletters of one run.
type newsletterSigners struct {
	mu  sync.Mutex
	all map[newsletterFrom]*DKIMSigner // nil: it cannot be had, which was logged
}

type newsletterFrom struct {
	id   digest.NewsletterID
	from string
}

// signerOf gives the signer of a letter. Where the key of a newsletter's own domain cannot be had
// the letter comes from the instance's address.
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
