package store

import (
	"context"
	"time"

	"digest"
)

// SetOperatorLink stores the hash of the token that makes its holder an operator,
// once, until expires, in place of any former one; false, and nothing is
// stored, if there is an operator already.
func (s *Store) SetOperatorLink(ctx context.Context, hash []byte, expires time.Time) (bool, error) {
	return changed(ctx, s, "storing the operator's link", func(c conn) (stored bool, err error) {
		if err := c.untilCommit(ctx, s.d.lockAccounts); err != nil {
			return false, err
		}
		if _, err := c.exec(ctx, `DELETE FROM operator_links`); err != nil {
			return false, err
		}
		has, err := hasOperator(ctx, c)
		if err != nil || has {
			return false, err
		}
		_, err = c.exec(ctx, `INSERT INTO operator_links (token_hash, expires_at) VALUES (?, ?)`, hash, at(expires))
		return true, err
	})
}

// hasOperator reports whether there is an operator.
func hasOperator(ctx context.Context, c conn) (bool, error) {
	n, err := c.number(ctx, `SELECT count(*) FROM users WHERE operator = 1`)
	return n > 0, err
}

// OperatorLink reports whether a token is the operator's and can still be used.
func (s *Store) OperatorLink(ctx context.Context, hash []byte, now time.Time) (bool, error) {
	n, err := s.read().number(ctx, `SELECT count(*) FROM operator_links WHERE token_hash = ? AND expires_at > ?
		AND NOT EXISTS (SELECT 1 FROM users WHERE operator = 1)`, hash, at(now))
	return n > 0, failed("reading the operator's link", err)
}

// UseOperatorLink uses up the operator's link: the user of an address, who is added
// if there is none, becomes an operator. digest.NotFound if the link is unknown,
// used or expired, or somebody else has become operator since.
func (s *Store) UseOperatorLink(ctx context.Context, hash []byte, email, zone string, now time.Time) (digest.User,
	error) {
	return changed(ctx, s, "letting the operator in", func(c conn) (u digest.User, err error) {
		if err := c.untilCommit(ctx, s.d.lockAccounts); err != nil {
			return u, err
		}
		n, err := c.exec(ctx, `DELETE FROM operator_links WHERE token_hash = ? AND expires_at > ?`, hash, at(now))
		if err != nil {
			return u, err
		}
		has, err := hasOperator(ctx, c)
		if err != nil {
			return u, err
		}
		if n == 0 || has {
			return u, notFound("this link was used or is too old; start digest serve again for another one")
		}
		if u, err = findUser(ctx, c, email); isNone(err) {
			u, err = admit(ctx, c, email, zone, "", now)
		}
		if err != nil {
			return u, err
		}
		u.Operator = true
		_, err = c.exec(ctx, `UPDATE users SET operator = 1 WHERE id = ?`, u.ID)
		return u, err
	})
}

// OtherOperators counts those who run this instance besides one user.
func (s *Store) OtherOperators(ctx context.Context, user digest.UserID) (int, error) {
	n, err := s.read().number(ctx, `SELECT count(*) FROM users WHERE operator = 1 AND id <> ?`, user)
	return n, failed("counting the operators", err)
}

// SetOperator makes a user one of those who run this instance, or no more.
func (s *Store) SetOperator(ctx context.Context, user digest.UserID, operator bool) error {
	return s.runOne(ctx, "changing who runs this", noUser(), `UPDATE users SET operator = ? WHERE id = ?`,
		bit(operator), user)
}

// DropOperator lets a user run this instance no more; digest.Conflict if nobody else does.
func (s *Store) DropOperator(ctx context.Context, user digest.UserID) error {
	return s.changeUnder(ctx, s.d.lockAccounts, "changing who runs this", func(c conn) error {
		return c.runOne(ctx, conflict("this reader is the only operator"), `UPDATE users SET operator = 0
			WHERE id = ? AND EXISTS (SELECT 1 FROM users o WHERE o.operator = 1 AND o.id <> ?)`, user, user)
	})
}
