package store

import (
	"context"

	"digest"
)

// AddDKIMKey keeps a key; a domain's first one signs at once, later ones when
// they are taken into use. digest.Conflict if the domain has a key of that selector.
func (s *Store) AddDKIMKey(ctx context.Context, k digest.DKIMKey) (active bool, err error) {
	err = s.changeAlone(ctx, "", func(c conn) error { // of two that are made at once, one is the first
		return c.get(ctx, &active, `INSERT INTO dkim_keys (domain, selector, private_key, active, created_at)
			SELECT ?, ?, ?, CASE WHEN EXISTS (SELECT 1 FROM dkim_keys k WHERE k.domain = ?) THEN 0 ELSE 1 END, CAST(? AS BIGINT)
			RETURNING active`, laneName(k.Domain), k.Selector, k.PrivateKey, laneName(k.Domain), at(k.CreatedAt))
	})
	err = ifUnique(err, conflict("%s has a key of the selector %s already; name another", k.Domain, k.Selector))
	return active, failed("keeping the key", err)
}

// DKIMKeys lists the keys, by domain and selector.
func (s *Store) DKIMKeys(ctx context.Context) ([]digest.DKIMKey, error) {
	return readRows[digest.DKIMKey](ctx, s.read(), "reading the keys",
		`SELECT domain, selector, private_key, active, created_at FROM dkim_keys ORDER BY domain, selector`)
}

// UseDKIMKey makes one of a domain's keys the one that signs; digest.NotFound
// if there is no such key.
func (s *Store) UseDKIMKey(ctx context.Context, domain, selector string) error {
	return s.changeKey(ctx, "taking a key into use", domain, selector, func(c conn, _ bool, _ int) error {
		return c.run(ctx, `UPDATE dkim_keys SET active = CASE WHEN selector = ? THEN 1 ELSE 0 END WHERE domain = ?`,
			selector, laneName(domain))
	})
}

// RemoveDKIMKey forgets a key; digest.NotFound if there is no such key. The one
// that signs goes last (digest.Conflict): mail would leave unsigned, and nobody
// would know.
func (s *Store) RemoveDKIMKey(ctx context.Context, domain, selector string) error {
	return s.changeKey(ctx, "removing a key", domain, selector, func(c conn, active bool, others int) error {
		if active && others > 0 {
			return conflict("the key %s signs the mail of %s; first take another into use: digest dkim use", selector,
				domain)
		}
		return c.run(ctx, `DELETE FROM dkim_keys WHERE domain = ? AND selector = ?`, laneName(domain), selector)
	})
}

// changeKey locks the keys of a domain, and tells f of the one that is meant
// whether it signs, and how many others there are.
func (s *Store) changeKey(ctx context.Context, doing, domain, selector string,
	f func(c conn, active bool, others int) error) error {
	return s.change(ctx, doing, func(c conn) error {
		var found []struct {
			Selector string
			Active   bool
		}
		if err := c.all(ctx, &found,
			`SELECT k.selector, k.active FROM dkim_keys k WHERE k.domain = ? ORDER BY k.selector`+c.d.lockRows("k"),
			laneName(domain)); err != nil {
			return err
		}
		for _, k := range found {
			if k.Selector == selector {
				return f(c, k.Active, len(found)-1)
			}
		}
		return notFound("%s has no key of the selector %s; see: digest dkim list", domain, selector)
	})
}
