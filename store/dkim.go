package store

import (
	"context"

	"digest"
	"digest/store/db"
)

// AddDKIMKey stores a key. The first key of a domain becomes active; later ones need UseDKIMKey. It returns
// digest.Conflict if the domain already has a key with this selector.
func (s Editions) AddDKIMKey(ctx context.Context, k digest.DKIMKey) (active bool, err error) {
	err = s.changeAlone(ctx, "", func(c conn) error { // two concurrent calls must not both be the first
		return c.Get(ctx, &active, `INSERT INTO dkim_keys (domain, selector, private_key, active, created_at)
			SELECT ?, ?, ?, CASE WHEN EXISTS (SELECT 1 FROM dkim_keys k WHERE k.domain = ?) THEN 0
			ELSE 1 END, CAST(? AS BIGINT)
			RETURNING active`, laneName(k.Domain), k.Selector, k.PrivateKey, laneName(k.Domain), k.CreatedAt)
	})
	err = db.IfUnique(err, db.Conflict("%s has a key of the selector %s already; name another", k.Domain, k.Selector))
	return active, failed("keeping the key", err)
}

// DKIMKeys returns all keys, by domain and selector.
func (s Editions) DKIMKeys(ctx context.Context) ([]digest.DKIMKey, error) {
	return readRows[digest.DKIMKey](ctx, s.read(), "reading the keys",
		`SELECT domain, selector, private_key, active, created_at FROM dkim_keys ORDER BY domain, selector`)
}

// UseDKIMKey makes a key the active one of its domain. It returns digest.NotFound if the key does not exist.
func (s Editions) UseDKIMKey(ctx context.Context, domain, selector string) error {
	return s.changeKey(ctx, "taking a key into use", domain, selector, func(c conn, _ bool, _ int) error {
		return c.Run(ctx, `UPDATE dkim_keys SET active = CASE WHEN selector = ? THEN 1 ELSE 0 END WHERE domain = ?`,
			selector, laneName(domain))
	})
}

// RemoveDKIMKey deletes a key. It returns digest.NotFound if the key does not exist. It returns digest.Conflict if the
// key is active and the domain has others, because mail would be sent unsigned.
func (s Editions) RemoveDKIMKey(ctx context.Context, domain, selector string) error {
	return s.changeKey(ctx, "removing a key", domain, selector, func(c conn, active bool, others int) error {
		if active && others > 0 {
			return db.Conflict("the key %s signs the mail of %s; first take another into use: digest dkim use",
				selector,
				domain)
		}
		return c.Run(ctx, `DELETE FROM dkim_keys WHERE domain = ? AND selector = ?`, laneName(domain), selector)
	})
}

// changeKey locks the keys of a domain and calls f with whether the key is active and how many others exist.
func (s *database) changeKey(ctx context.Context, doing, domain, selector string,
	f func(c conn, active bool, others int) error) error {
	return s.change(ctx, doing, func(c conn) error {
		var found []struct {
			Selector string
			Active   bool
		}
		if err := c.All(ctx, &found,
			`SELECT k.selector, k.active FROM dkim_keys k WHERE k.domain = ? ORDER BY k.selector`+c.d.LockRows("k"),
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
