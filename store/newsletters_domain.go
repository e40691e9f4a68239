package store

import (
	"context"
	"time"

	"digest"
	"digest/newsletter"
)

const domainColumns = `x.newsletter_id, x.from_address, x.selector, x.sealed, x.created_at, x.signs, x.finding,
	x.checked_at, x.seen_at`

// signedAddress selects the newsletter's own From address, or "" if n is sent from the instance's address.
const signedAddress = `COALESCE((SELECT x.from_address FROM newsletter_domains x WHERE x.newsletter_id = n.id
	AND x.signs = 1), '')`

// SetNewsletterDomain stores the address and the key from which a newsletter is sent, in place of any former ones. It
// returns digest.Conflict if the newsletter has ended.
func (s Newsletters) SetNewsletterDomain(ctx context.Context, d newsletter.Domain) error {
	return s.change(ctx, "storing the domain of a newsletter", func(c conn) error {
		n, err := readNewsletter(ctx, c, `n.id = ?`, d.NewsletterID)
		switch {
		case err != nil:
			return err
		case n.State == digest.NewsletterEnded:
			return digest.Refuse(digest.Conflict, "the newsletter has ended, so it sends no issues")
		}
		if err := c.Run(ctx, `DELETE FROM newsletter_domains WHERE newsletter_id = ?`, d.NewsletterID); err != nil {
			return err
		}
		return c.Run(ctx, `INSERT INTO newsletter_domains (newsletter_id, from_address, selector, sealed, created_at,
			signs, finding, checked_at, seen_at, next_at)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, d.NewsletterID, d.FromAddress, d.Selector, d.Sealed,
			d.CreatedAt,
			d.Signs, d.Finding, d.CheckedAt, d.SeenAt, d.NextLook())
	})
}

// NewsletterDomain returns a newsletter's own address and key, or digest.NotFound.
func (s Newsletters) NewsletterDomain(ctx context.Context, id digest.NewsletterID) (newsletter.Domain, error) {
	return readOne[newsletter.Domain](ctx, s.read(), "reading the domain of a newsletter",
		notFound("the newsletter has no sending domain; set one: digest newsletter domain SLUG letters@example.org"),
		`SELECT `+domainColumns+` FROM newsletter_domains x WHERE x.newsletter_id = ?`, id)
}

// NewsletterDomainsDue returns up to most domains whose DNS records are due for a check, longest due first.
func (s Newsletters) NewsletterDomainsDue(ctx context.Context, now time.Time, most int) ([]newsletter.Domain,
	error) {
	return readRows[newsletter.Domain](ctx, s.read(), "finding domains to look at",
		`SELECT `+domainColumns+` FROM newsletter_domains x
		WHERE x.next_at <= ? ORDER BY x.next_at, x.newsletter_id LIMIT ?`, now, most)
}

// RecordDomainLook stores the result of a DNS check, unless the domain has a new key. turned reports whether this
// check changed whether the key signs. Of several concurrent checks, one reports it.
func (s Newsletters) RecordDomainLook(ctx context.Context, was, is newsletter.Domain) (turned bool, err error) {
	n, err := changed(ctx, s.database, "storing what was seen of a domain", func(c conn) (int, error) {
		return c.Exec(ctx, `UPDATE newsletter_domains SET signs = ?, finding = ?, checked_at = ?, seen_at = ?,
			next_at = ?
			WHERE newsletter_id = ? AND selector = ? AND signs = ?`,
			is.Signs, is.Finding, is.CheckedAt, is.SeenAt, is.NextLook(), is.NewsletterID, is.Selector,
			was.Signs)
	})
	return n > 0 && was.Signs != is.Signs, err
}

// RemoveNewsletterDomain deletes a newsletter's own address and key, so that it is sent from the instance's address
// again. It returns digest.NotFound if the newsletter has none.
func (s Newsletters) RemoveNewsletterDomain(ctx context.Context, id digest.NewsletterID) error {
	return s.runOne(ctx, "removing the domain of a newsletter", notFound("the newsletter has no sending domain"),
		`DELETE FROM newsletter_domains WHERE newsletter_id = ?`, id)
}

// NewsletterDomains returns the domains of all newsletters.
func (s Newsletters) NewsletterDomains(ctx context.Context) ([]newsletter.Domain, error) {
	return readRows[newsletter.Domain](ctx, s.read(), "listing the domains of newsletters", `SELECT `+
		domainColumns+` FROM newsletter_domains x ORDER BY x.newsletter_id`)
}

// ResealDomain stores the key of a domain sealed anew, unless the key has changed.
func (s Newsletters) ResealDomain(ctx context.Context, was newsletter.Domain, sealed string) error {
	return s.run(ctx, "sealing the key of a domain",
		`UPDATE newsletter_domains SET sealed = ? WHERE newsletter_id = ? AND sealed = ?`, sealed, was.NewsletterID,
		was.Sealed)
}
