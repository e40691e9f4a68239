package store

import (
	"context"
	"time"

	"digest"
	"digest/store/db"
)

// SetOperatorLink stores the hash of a token that makes its holder an operator once, until expires. It replaces any
// former token. If an operator exists, it stores nothing and returns false.
func (s Operator) SetOperatorLink(ctx context.Context, hash []byte, expires time.Time) (bool, error) {
	return changed(ctx, s.database, "storing the operator's link", func(c conn) (stored bool, err error) {
		if err := c.UntilCommit(ctx, s.d.LockAccounts); err != nil {
			return false, err
		}
		if err := c.Run(ctx, `DELETE FROM operator_links`); err != nil {
			return false, err
		}
		has, err := hasOperator(ctx, c)
		if err != nil || has {
			return false, err
		}
		err = c.Run(ctx, `INSERT INTO operator_links (token_hash, expires_at) VALUES (?, ?)`, hash, expires)
		return true, err
	})
}

func hasOperator(ctx context.Context, c conn) (bool, error) {
	n, err := c.Number(ctx, `SELECT count(*) FROM users WHERE operator = 1`)
	return n > 0, err
}

// OperatorLink reports whether a token is valid: it is known and not expired, and no operator exists.
func (s Operator) OperatorLink(ctx context.Context, hash []byte, now time.Time) (bool, error) {
	n, err := s.read().Number(ctx, `SELECT count(*) FROM operator_links WHERE token_hash = ? AND expires_at > ?
		AND NOT EXISTS (SELECT 1 FROM users WHERE operator = 1)`, hash, now)
	return n > 0, failed("reading the operator's link", err)
}

// UseOperatorLink uses up the operator's link and makes the user with an address an operator. It adds the user if
// necessary. It returns digest.NotFound if the link is unknown, used or expired, or an operator exists.
func (s Operator) UseOperatorLink(ctx context.Context, hash []byte, email, zone string, now time.Time) (digest.User,
	error) {
	return changed(ctx, s.database, "letting the operator in", func(c conn) (u digest.User, err error) {
		if err := c.UntilCommit(ctx, s.d.LockAccounts); err != nil {
			return u, err
		}
		n, err := c.Exec(ctx, `DELETE FROM operator_links WHERE token_hash = ? AND expires_at > ?`, hash, now)
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
		err = c.Run(ctx, `UPDATE users SET operator = 1 WHERE id = ?`, u.ID)
		return u, err
	})
}

// OtherOperators counts the operators other than user.
func (s Operator) OtherOperators(ctx context.Context, user digest.UserID) (int, error) {
	n, err := s.read().Number(ctx, `SELECT count(*) FROM users WHERE operator = 1 AND id <> ?`, user)
	return n, failed("counting the operators", err)
}

// SetOperator makes a user an operator, or revokes it.
func (s Operator) SetOperator(ctx context.Context, user digest.UserID, operator bool) error {
	return s.runOne(ctx, "changing who runs this", noUser(), `UPDATE users SET operator = ? WHERE id = ?`,
		operator, user)
}

// DropOperator revokes a user's operator role. It returns digest.Conflict if there is no other operator.
func (s Operator) DropOperator(ctx context.Context, user digest.UserID) error {
	return s.changeUnder(ctx, s.d.LockAccounts, "changing who runs this", func(c conn) error {
		return c.RunOne(ctx, db.Conflict("this reader is the only operator"), `UPDATE users SET operator = 0
			WHERE id = ? AND EXISTS (SELECT 1 FROM users o WHERE o.operator = 1 AND o.id <> ?)`, user, user)
	})
}
