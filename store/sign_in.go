package store

import (
	"context"
	"fmt"
	"strings"
	"time"

	"digest"
)

// Secrets of sign-in links and sessions come here as hashes only: who reads
// the database can use none of them.

// AddSignIn stores the hash of a token that lets user in once, until expires.
func (s *Store) AddSignIn(ctx context.Context, hash []byte, user digest.UserID, now, expires time.Time) error {
	return s.addGrant(ctx, "sign_in_tokens", hash, user, now, expires, "")
}

// SignIn gives whom a sign-in token lets in without using it; digest.NotFound
// for one that is unknown, used or expired.
func (s *Store) SignIn(ctx context.Context, hash []byte, now time.Time) (digest.User, error) {
	return s.grantee(ctx, "sign_in_tokens", hash, now, "this sign-in link was used or is too old; ask for a new one")
}

// UseSignIn uses up a sign-in token: of any number of calls with one hash
// exactly one succeeds. digest.NotFound for one that is unknown, used or expired.
func (s *Store) UseSignIn(ctx context.Context, hash []byte, now time.Time) (digest.UserID, error) {
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

// AddSession stores a session that began with a link and ends at expires.
func (s *Store) AddSession(ctx context.Context, hash []byte, user digest.UserID, now, expires time.Time) error {
	return s.addGrant(ctx, "sessions", hash, user, now, expires, `created_at`, at(now))
}

// AddPasskeySession stores a session that began with a passkey and ends at expires.
func (s *Store) AddPasskeySession(ctx context.Context, hash []byte, with Passkey, now, expires time.Time) error {
	return s.addGrant(ctx, "sessions", hash, with.UserID, now, expires, `created_at, passkey_id`, at(now), with.ID)
}

// addGrant adds a row to one of the two tables, and drops those that are over.
func (s *Store) addGrant(ctx context.Context, table string, hash []byte, user digest.UserID, now, expires time.Time, more string, values ...any) error {
	columns, marks := `token_hash, user_id, expires_at`, `?, ?, ?`
	if more != "" {
		columns, marks = columns+", "+more, marks+strings.Repeat(", ?", len(values))
	}
	err := s.write(ctx, func(c conn) error {
		if _, err := c.exec(ctx, `DELETE FROM `+table+` WHERE user_id = ? AND expires_at <= ?`, user, at(now)); err != nil {
			return err
		}
		_, err := c.exec(ctx, `INSERT INTO `+table+` (`+columns+`) VALUES (`+marks+`)`, append([]any{hash, user, at(expires)}, values...)...)
		return err
	})
	if err != nil {
		return fmt.Errorf("storing a secret's hash: %w", err)
	}
	return nil
}

// SessionUser gives whose session it is; digest.NotFound if it is unknown or over.
func (s *Store) SessionUser(ctx context.Context, hash []byte, now time.Time) (digest.User, error) {
	return s.grantee(ctx, "sessions", hash, now, "this session is over; sign in again")
}

// grantee gives whose row of one of the two tables it is.
func (s *Store) grantee(ctx context.Context, table string, hash []byte, now time.Time, none string) (digest.User, error) {
	var row userRow
	err := s.read().get(ctx, &row, `SELECT `+userColumns+` FROM `+table+` t JOIN users u ON u.id = t.user_id
		WHERE t.token_hash = ? AND t.expires_at > ?`, hash, at(now))
	if isNone(err) {
		return digest.User{}, notFound("%s", none)
	}
	if err != nil {
		return digest.User{}, fmt.Errorf("reading whose secret it is: %w", err)
	}
	return row.user(), nil
}

// EndSessions ends all of a user's sessions, and voids the sign-in links that
// are still on their way.
func (s *Store) EndSessions(ctx context.Context, user digest.UserID) error {
	err := s.write(ctx, func(c conn) error {
		if _, err := c.exec(ctx, `DELETE FROM sign_in_tokens WHERE user_id = ?`, user); err != nil {
			return err
		}
		_, err := c.exec(ctx, `DELETE FROM sessions WHERE user_id = ?`, user)
		return err
	})
	if err != nil {
		return fmt.Errorf("ending the sessions: %w", err)
	}
	return nil
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

// endOthers ends a user's sessions, of those that which holds for, but for keep.
func endOthers(ctx context.Context, c conn, user digest.UserID, keep []byte, which string, args ...any) error {
	if len(keep) > 0 {
		which, args = which+` AND token_hash <> ?`, append(args, keep)
	}
	_, err := c.exec(ctx, `DELETE FROM sessions WHERE user_id = ?`+which, append([]any{user}, args...)...)
	return err
}
