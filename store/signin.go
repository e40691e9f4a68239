package store

import (
	"context"
	"fmt"
	"time"

	"digest"
)

// Secrets of sign-in links and sessions come here as hashes only: who reads
// the database can use none of them.

// AddSignIn stores the hash of a token that lets user in once, until expires.
func (s *Store) AddSignIn(ctx context.Context, hash []byte, user digest.UserID, now, expires time.Time) error {
	return s.addGrant(ctx, "sign_in_tokens", hash, user, now, expires)
}

// TakeSignIn uses up a sign-in token: of any number of calls with one hash
// exactly one succeeds. digest.NotFound for one that is unknown, used or expired.
func (s *Store) TakeSignIn(ctx context.Context, hash []byte, now time.Time) (digest.UserID, error) {
	var user digest.UserID
	err := s.write(ctx, func(c conn) error {
		return c.get(ctx, &user, `DELETE FROM sign_in_tokens WHERE token_hash = ? AND expires_at > ? RETURNING user_id`, hash, at(now))
	})
	if isNone(err) {
		return 0, notFound("this sign-in link was used or is too old; ask for a new one")
	}
	if err != nil {
		return 0, fmt.Errorf("using the sign-in link: %w", err)
	}
	return user, nil
}

// AddSession stores a session that ends at expires.
func (s *Store) AddSession(ctx context.Context, hash []byte, user digest.UserID, now, expires time.Time) error {
	return s.addGrant(ctx, "sessions", hash, user, now, expires)
}

// addGrant adds a row to one of the two tables, and drops those that are over.
func (s *Store) addGrant(ctx context.Context, table string, hash []byte, user digest.UserID, now, expires time.Time) error {
	err := s.write(ctx, func(c conn) error {
		if _, err := c.exec(ctx, `DELETE FROM `+table+` WHERE user_id = ? AND expires_at <= ?`, user, at(now)); err != nil {
			return err
		}
		_, err := c.exec(ctx, `INSERT INTO `+table+` (token_hash, user_id, expires_at) VALUES (?, ?, ?)`, hash, user, at(expires))
		return err
	})
	if err != nil {
		return fmt.Errorf("storing a secret's hash: %w", err)
	}
	return nil
}

// SessionUser gives whose session it is; digest.NotFound if it is unknown or over.
func (s *Store) SessionUser(ctx context.Context, hash []byte, now time.Time) (digest.User, error) {
	var row userRow
	err := s.read().get(ctx, &row, `SELECT `+userColumns+` FROM sessions t JOIN users u ON u.id = t.user_id
		WHERE t.token_hash = ? AND t.expires_at > ?`, hash, at(now))
	if isNone(err) {
		return digest.User{}, notFound("this session is over; sign in again")
	}
	if err != nil {
		return digest.User{}, fmt.Errorf("reading the session: %w", err)
	}
	return row.user(), nil
}

// EndSession forgets a session; an unknown one is no error.
func (s *Store) EndSession(ctx context.Context, hash []byte) error {
	err := s.write(ctx, func(c conn) error {
		_, err := c.exec(ctx, `DELETE FROM sessions WHERE token_hash = ?`, hash)
		return err
	})
	if err != nil {
		return fmt.Errorf("ending the session: %w", err)
	}
	return nil
}
