package store

import (
	"context"
	"fmt"
	"time"

	"digest"
)

// A SignUp is an address that somebody wants to come in with, until whoever
// reads its mail says yes.
type SignUp struct {
	Email      string
	TimeZone   string
	Invitation int64 // 0: none
}

type signUpRow struct {
	Email      string `db:"email"`
	TimeZone   string `db:"time_zone"`
	Invitation int64  `db:"invitation_id"`
}

const signUpColumns = `email, time_zone, invitation_id`

// AddSignUp keeps a sign-up under the hash of its token, until expires.
func (s *Store) AddSignUp(ctx context.Context, hash []byte, up SignUp, now, expires time.Time) error {
	err := s.write(ctx, func(c conn) error {
		if _, err := c.exec(ctx, `DELETE FROM sign_ups WHERE expires_at <= ?`, at(now)); err != nil {
			return err
		}
		_, err := c.exec(ctx, `INSERT INTO sign_ups (token_hash, email_key, email, time_zone, invitation_id, expires_at) VALUES (?, ?, ?, ?, ?, ?)`,
			hash, emailKey(up.Email), digest.NormalEmail(up.Email), up.TimeZone, up.Invitation, at(expires))
		return err
	})
	if err != nil {
		return fmt.Errorf("storing a sign-up: %w", err)
	}
	return nil
}

// SignUp gives a sign-up without using it; digest.NotFound for one that is
// unknown, used or expired.
func (s *Store) SignUp(ctx context.Context, hash []byte, now time.Time) (SignUp, error) {
	var row signUpRow
	err := s.read().get(ctx, &row, `SELECT `+signUpColumns+` FROM sign_ups WHERE token_hash = ? AND expires_at > ?`, hash, at(now))
	if isNone(err) {
		return SignUp{}, notFound("this link was used or is too old")
	}
	if err != nil {
		return SignUp{}, fmt.Errorf("reading a sign-up: %w", err)
	}
	return SignUp(row), nil
}

// ConfirmSignUp uses up a sign-up and its invitation and adds the user, all in
// one transaction: of any number of calls with one hash exactly one succeeds,
// and of all sign-ups by one invitation too. Whoever has an account meanwhile
// keeps it as it is. digest.NotFound for a sign-up that is unknown, used or
// expired; digest.Conflict if its invitation is used or revoked, or if there is
// none and invited says that there must be.
func (s *Store) ConfirmSignUp(ctx context.Context, hash []byte, invited bool, now time.Time) (digest.User, error) {
	var u digest.User
	err := s.write(ctx, func(c conn) error {
		if err := c.hold(ctx, s.d.lockDoor); err != nil {
			return err
		}
		var row signUpRow
		err := c.get(ctx, &row, `DELETE FROM sign_ups WHERE token_hash = ? AND expires_at > ? RETURNING `+signUpColumns, hash, at(now))
		if isNone(err) {
			return notFound("this link was used or is too old")
		}
		if err != nil {
			return err
		}
		known, err := findUser(ctx, c, row.Email)
		if err == nil {
			u = known
			return nil
		}
		if !isNone(err) {
			return err
		}
		if err := takeInvitation(ctx, c, row.Invitation, invited, now); err != nil {
			return err
		}
		u, err = admit(ctx, c, row.Email, row.TimeZone, now)
		return err
	})
	if err != nil {
		return digest.User{}, fmt.Errorf("confirming a sign-up: %w", err)
	}
	return u, nil
}

// findUser finds a user by address; isNone if there is none.
func findUser(ctx context.Context, c conn, email string) (digest.User, error) {
	var row userRow
	err := c.get(ctx, &row, `SELECT `+userColumns+` FROM users u WHERE u.email_key = ?`, emailKey(email))
	return row.user(), err
}

// admit adds a user whose address is confirmed, and forgets what else had been
// asked for it. digest.Conflict if another transaction adds them just now.
func admit(ctx context.Context, c conn, email, zone string, now time.Time) (digest.User, error) {
	u, d, err := newUser(email, zone, now)
	if err != nil {
		return u, err
	}
	if err := insertUser(ctx, c, &u, &d, now); err != nil {
		if isUnique(err) {
			err = &digest.Error{Kind: digest.Conflict, Message: "this address has come in by another way just now; open the link again"}
		}
		return u, err
	}
	_, err = c.exec(ctx, `DELETE FROM sign_ups WHERE email_key = ?`, emailKey(email))
	return u, err
}
