// Package domains looks after the newsletters' own domains: it makes their keys, which are sealed,
// and finds out by the DNS whether their records are there.
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
	"digest/store"
)

// A Resolver asks the DNS for TXT records; *net.Resolver is one.
type Resolver interface {
	LookupTXT(ctx context.Context, name string) ([]string, error)
}

// A Registrar names the domains of newsletters and looks for their records. All but Stopped is required.
type Registrar struct {
	Store    *store.Store
	Keys     *seal.Keys
	Resolver Resolver
	Now      func() time.Time
	Log      *slog.Logger

	// Stopped is told of a newsletter whose key has stopped signing; nil: only the log is.
	Stopped func(ctx context.Context, n digest.Newsletter, d digest.NewsletterDomain) error
}

// Name gives a newsletter an address of its publisher's own, and makes a key for its domain. The
// letters come from there once its record is seen. digest.Invalid for what is no address, or at a
// domain that is nobody's.
func (r *Registrar) Name(ctx context.Context, id digest.NewsletterID, address string) (digest.NewsletterDomain, error) {
	from, err := mailer.OwnMailbox(strings.TrimSpace(address))
	if err != nil {
		return digest.NewsletterDomain{},
			digest.Refuse(digest.Invalid,
				"that is not an email address; enter one at your own domain, such as letters@anna.example")
	}
	d := digest.NewsletterDomain{NewsletterID: id, FromAddress: from, CreatedAt: r.Now()}
	if !doctor.IsPublicName(d.Domain()) {
		return d, digest.Refuse(digest.Invalid, "%s is not a public domain; enter one of yours, such as anna.example",
			d.Domain())
	}
	// Nobody can have published a record under this name before, nor has a key of others there.
	selector := fmt.Sprintf("n%d-%s", id, strings.ToLower(rand.Text()[:8]))
	key, err := mailer.NewDKIMKey(d.Domain(), selector, d.CreatedAt)
	if err != nil {
		return d, err
	}
	d.Selector = key.Selector
	if d.Sealed, err = r.Keys.SealKey(key.PrivateKey); err != nil {
		return d, err
	}
	return d, r.Store.SetNewsletterDomain(ctx, d)
}

// Key gives the key of a newsletter's own domain, while its record is seen.
func (r *Registrar) Key(ctx context.Context, id digest.NewsletterID) (digest.DKIMKey, error) {
	d, err := r.Store.NewsletterDomain(ctx, id)
	if err == nil && !d.Signs {
		err = errors.New("its record is no longer found")
	}
	if err != nil {
		return digest.DKIMKey{}, err
	}
	return r.open(d)
}

func (r *Registrar) open(d digest.NewsletterDomain) (digest.DKIMKey, error) {
	private, err := r.Keys.OpenKey(d.Sealed)
	return digest.DKIMKey{Domain: d.Domain(), Selector: d.Selector, PrivateKey: private, CreatedAt: d.CreatedAt}, err
}

// Record gives the TXT record that shows a domain's key: its name and its value.
func (r *Registrar) Record(d digest.NewsletterDomain) (name, value string, err error) {
	key, err := r.open(d)
	if err != nil {
		return "", "", err
	}
	return mailer.DKIMRecord(key)
}

// lookLimit is how long the DNS may take for one record.
const lookLimit = 10 * time.Second

// Look looks for the record of a domain, and stores what came of it.
func (r *Registrar) Look(ctx context.Context, d digest.NewsletterDomain) (digest.NewsletterDomain, error) {
	key, err := r.open(d)
	if err != nil {
		return d, err
	}
	asking, cancel := context.WithTimeout(ctx, lookLimit)
	defer cancel()
	found, answered := doctor.LookForKey(asking, r.Resolver, key)
	if ctx.Err() != nil {
		return d, ctx.Err() // a stop is no finding
	}
	sight := digest.KeyMissing
	switch {
	case !answered:
		sight = digest.KeyUnasked
	case found.Status == doctor.OK:
		sight = digest.KeySeen
	}
	is := d.Looked(sight, found.Found, r.Now())
	turned, err := r.Store.RecordDomainLook(ctx, d, is)
	if err == nil && turned {
		err = r.turned(ctx, is)
	}
	return is, err
}

// turned says that a key signs, or does so no more.
func (r *Registrar) turned(ctx context.Context, d digest.NewsletterDomain) error {
	if d.Signs {
		r.Log.Info("a newsletter uses its own domain now", "newsletter", int64(d.NewsletterID), "domain", d.Domain())
		return nil
	}
	r.Log.Warn("a newsletter uses the instance's address again: its DNS record is missing", "newsletter",
		int64(d.NewsletterID), "domain", d.Domain(), "found", d.Finding)
	if r.Stopped == nil {
		return nil
	}
	n, err := r.Store.Newsletter(ctx, d.NewsletterID)
	if err == nil {
		err = r.Stopped(ctx, n, d)
	}
	return err
}

// LookDue looks for the records that are due, for a minute at most; what is left is due the next time.
func (r *Registrar) LookDue(ctx context.Context) error {
	const most, limit = 100, time.Minute
	due, err := r.Store.NewsletterDomainsDue(ctx, r.Now(), most)
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

// Reseal seals all keys anew with the first key of the file, and gives how many.
func (r *Registrar) Reseal(ctx context.Context) (n int, err error) {
	ids, err := r.Keys.IDs()
	if err != nil {
		return 0, err
	}
	all, err := r.Store.NewsletterDomains(ctx)
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
			err = r.Store.ResealDomain(ctx, d, sealed)
		}
		if err != nil {
			return n, err
		}
		n++
	}
	return n, err
}
