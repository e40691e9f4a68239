// Package domains manages the newsletters' own domains. It creates and encrypts their keys, and looks up their DNS
// records.
package domains

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"digest"
	"digest/internal/doctor"
	"digest/internal/seal"
	"digest/mailer"
	"digest/newsletter"
	"digest/store"
)

// A Resolver looks up TXT records; *net.Resolver implements it.
type Resolver interface {
	LookupTXT(ctx context.Context, name string) ([]string, error)
}

// A Registrar sets the domains of newsletters and looks up their records. All fields but Stopped are required.
type Registrar struct {
	Store    *store.Store
	Keys     *seal.Keys
	Resolver Resolver
	Now      func() time.Time
	Log      *slog.Logger

	// Stopped is called when the key of a newsletter stops signing; nil: only the log reports it.
	Stopped func(ctx context.Context, n digest.Newsletter, d newsletter.Domain) error
}

// Name sets the sender address of a newsletter and creates a key for its domain. Emails use it once the DNS has the
// record. Name returns a digest.Invalid error if the address is not valid or its domain is not public.
func (r *Registrar) Name(ctx context.Context, id digest.NewsletterID, address string) (newsletter.Domain, error) {
	from, err := mailer.OwnMailbox(strings.TrimSpace(address))
	if err != nil {
		return newsletter.Domain{},
			digest.Refuse(digest.Invalid,
				"that is not an email address; enter one at your own domain, such as letters@anna.example")
	}
	d := newsletter.Domain{NewsletterID: id, FromAddress: from, CreatedAt: r.Now()}
	if !doctor.IsPublicName(d.Domain()) {
		return d, digest.Refuse(digest.Invalid, "%s is not a public domain; enter one of yours, such as anna.example",
			d.Domain())
	}
	// The random part makes sure that the DNS has no record of this name yet.
	selector := fmt.Sprintf("n%d-%s", id, strings.ToLower(rand.Text()[:8]))
	key, err := mailer.NewDKIMKey(d.Domain(), selector, d.CreatedAt)
	if err != nil {
		return d, err
	}
	d.Selector = key.Selector
	if d.Sealed, err = r.Keys.SealKey(key.PrivateKey); err != nil {
		return d, err
	}
	return d, r.Store.Newsletters.SetNewsletterDomain(ctx, d)
}

// Key returns the key of a newsletter's own domain while the DNS has its record.
func (r *Registrar) Key(ctx context.Context, id digest.NewsletterID) (digest.DKIMKey, error) {
	d, err := r.Store.Newsletters.NewsletterDomain(ctx, id)
	if err == nil && !d.Signs {
		err = errors.New("its record is no longer found")
	}
	if err != nil {
		return digest.DKIMKey{}, err
	}
	return r.open(d)
}

func (r *Registrar) open(d newsletter.Domain) (digest.DKIMKey, error) {
	private, err := r.Keys.OpenKey(d.Sealed)
	return digest.DKIMKey{Domain: d.Domain(), Selector: d.Selector, PrivateKey: private, CreatedAt: d.CreatedAt}, err
}

// Record returns the name and value of the TXT record for a domain's key.
func (r *Registrar) Record(d newsletter.Domain) (name, value string, err error) {
	key, err := r.open(d)
	if err != nil {
		return "", "", err
	}
	return mailer.DKIMRecord(key)
}

// lookLimit is the time limit for one DNS lookup.
const lookLimit = 10 * time.Second

// Look looks up the record of a domain and stores the result.
func (r *Registrar) Look(ctx context.Context, d newsletter.Domain) (newsletter.Domain, error) {
	key, err := r.open(d)
	if err != nil {
		return d, err
	}
	asking, cancel := context.WithTimeout(ctx, lookLimit)
	defer cancel()
	found, answered := doctor.LookForKey(asking, r.Resolver, key)
	if ctx.Err() != nil {
		return d, ctx.Err() // an interrupted lookup has no result
	}
	sight := newsletter.KeyMissing
	switch {
	case !answered:
		sight = newsletter.KeyUnasked
	case found.Status == doctor.OK:
		sight = newsletter.KeySeen
	}
	is := d.Looked(sight, found.Found, r.Now())
	turned, err := r.Store.Newsletters.RecordDomainLook(ctx, d, is)
	if err == nil && turned {
		err = r.turned(ctx, is)
	}
	return is, err
}

// turned logs that a key began or stopped signing, and calls Stopped.
func (r *Registrar) turned(ctx context.Context, d newsletter.Domain) error {
	if d.Signs {
		r.Log.Info("a newsletter uses its own domain now", "newsletter", int64(d.NewsletterID), "domain", d.Domain())
		return nil
	}
	r.Log.Warn("a newsletter uses the instance's address again: its DNS record is missing", "newsletter",
		int64(d.NewsletterID), "domain", d.Domain(), "found", d.Finding)
	if r.Stopped == nil {
		return nil
	}
	n, err := r.Store.Newsletters.Newsletter(ctx, d.NewsletterID)
	if err == nil {
		err = r.Stopped(ctx, n, d)
	}
	return err
}

// LookDue looks up the records that are due, for at most a minute. The rest stays due.
func (r *Registrar) LookDue(ctx context.Context) error {
	const most, limit = 100, time.Minute
	due, err := r.Store.Newsletters.NewsletterDomainsDue(ctx, r.Now(), most)
	if err != nil || len(due) == 0 {
		return err
	}
	looking, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for _, d := range due {
		if _, one := r.Look(looking, d); one != nil && looking.Err() == nil {
			err = errors.Join(err, fmt.Errorf("looking at %s: %w", d.Domain(), one))
		}
	}
	return err
}

// Reseal encrypts all keys again with the first key of the file, and returns their number.
func (r *Registrar) Reseal(ctx context.Context) (n int, err error) {
	ids, err := r.Keys.IDs()
	if err != nil {
		return 0, err
	}
	all, err := r.Store.Newsletters.NewsletterDomains(ctx)
	for _, d := range all {
		if len(ids) > 0 && seal.IDOf(d.Sealed) == ids[0] {
			continue
		}
		private, err := r.Keys.OpenKey(d.Sealed)
		if err != nil {
			return n, fmt.Errorf("the key of %s: %w", d.Domain(), err)
		}
		sealed, err := r.Keys.SealKey(private)
		if err == nil {
			err = r.Store.Newsletters.ResealDomain(ctx, d, sealed)
		}
		if err != nil {
			return n, err
		}
		n++
	}
	return n, err
}
