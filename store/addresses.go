package store

import (
	"context"
	"time"

	"digest"
	"digest/store/db"
)

// An AddressChange is a reader's request to change their address. Both addresses must confirm it.
type AddressChange struct {
	UserID       digest.UserID
	Email        string // the new address
	OldConfirmed bool   // from the current address
	NewConfirmed bool   // from the new address
	CreatedAt    time.Time
	ExpiresAt    time.Time // in the past: completed, cancelled or expired
}

const addressColumns = `user_id, email, old_confirmed, new_confirmed, created_at, expires_at`

// AddAddressChange stores a request with the hashes of its two tokens and replaces an earlier one. It returns
// digest.Conflict if the earlier request is younger than apart.
func (s Readers) AddAddressChange(ctx context.Context, user digest.UserID, email string, oldHash, newHash []byte, now,
	expires time.Time, apart time.Duration) error {
	err := s.changeUnder(ctx, s.d.LockAccounts, "", func(c conn) error {
		if err := c.Run(ctx, `DELETE FROM address_changes WHERE user_id = ? AND created_at <= ?`, user,
			now.Add(-apart)); err != nil {
			return err
		}
		return c.Run(ctx, `INSERT INTO address_changes (user_id, email, old_hash, new_hash, created_at, expires_at)
			VALUES (?, ?, ?, ?, ?, ?)`,
			user, digest.NormalEmail(email), oldHash, newHash, now, expires)
	})
	return failed("storing a change of address",
		db.IfUnique(err, db.Conflict("another address was asked for already within a day")))
}

// AddressChange returns a reader's latest request, which may have expired, or digest.NotFound.
func (s Readers) AddressChange(ctx context.Context, user digest.UserID) (AddressChange, error) {
	return s.addressChange(ctx, `user_id = ?`, user)
}

// AddressChangeOf returns the request that one of its two tokens names. It returns digest.NotFound if the token is
// unknown or expired.
func (s Readers) AddressChangeOf(ctx context.Context, hash []byte, now time.Time) (AddressChange, error) {
	return s.addressChange(ctx, `(old_hash = ? OR new_hash = ?) AND expires_at > ?`, hash, hash, now)
}

func (s *database) addressChange(ctx context.Context, where string, args ...any) (AddressChange, error) {
	return readOne[AddressChange](ctx, s.read(), "reading a change of address",
		notFound("there is no such change of address"),
		`SELECT `+addressColumns+` FROM address_changes WHERE `+where, args...)
}

// EndAddressChange cancels a reader's request. It still counts against the limit of one a day.
func (s Readers) EndAddressChange(ctx context.Context, user digest.UserID) error {
	return s.run(ctx, "ending a change of address", `UPDATE address_changes SET expires_at = 0 WHERE user_id = ?`, user)
}

// DropAddressChange deletes a reader's request because its emails could not be sent. It does not count against the
// limit.
func (s Readers) DropAddressChange(ctx context.Context, user digest.UserID) error {
	return s.run(ctx, "ending a change of address", `DELETE FROM address_changes WHERE user_id = ?`, user)
}

// ConfirmAddress confirms a change from the side that holds the token. When both sides have confirmed, it changes the
// address and deletes the reader's other sessions (all except keep) and sign-in links, which the old address received.
// changed is false until both sides have confirmed. It returns digest.NotFound if the token is unknown or expired. It
// returns digest.Conflict, and ends the request, if another account now has the new address.
func (s Readers) ConfirmAddress(ctx context.Context, hash, keep []byte, now time.Time) (changed bool, err error) {
	var another bool
	err = s.changeUnder(ctx, s.d.LockAccounts, "", func(c conn) error {
		changed, another = false, false
		row, err := readOne[AddressChange](ctx, c, "", notFound("this link was used or is too old"),
			`UPDATE address_changes SET old_confirmed = CASE WHEN old_hash = ? THEN 1
			ELSE old_confirmed END,
			new_confirmed = CASE WHEN new_hash = ? THEN 1 ELSE new_confirmed END
			WHERE (old_hash = ? OR new_hash = ?) AND expires_at > ? RETURNING `+addressColumns, hash, hash, hash, hash,
			now)
		if err == nil && row.NewConfirmed {
			err = answerMailbox(ctx, c, row.Email)
		}
		if err != nil || !row.OldConfirmed || !row.NewConfirmed {
			return err
		}
		if err := c.Run(ctx, `UPDATE address_changes SET expires_at = 0 WHERE user_id = ?`,
			row.UserID); err != nil {
			return err
		}
		if u, err := findUser(ctx, c, row.Email); !isNone(err) && (err != nil || u.ID != row.UserID) {
			another = err == nil
			return err
		}
		changed = true
		return changeEmail(ctx, c, row.UserID, row.Email, keep)
	})
	if err == nil && another || db.IsUnique(err) {
		err = db.Conflict("this address has come to another account meanwhile")
	}
	return changed, failed("changing an address", err)
}

// changeEmail changes an address, the mail domain of unsent editions, and deletes sign-in links and sessions. A
// suppression of the old address remains.
func changeEmail(ctx context.Context, c conn, user digest.UserID, email string, keep []byte) error {
	email = digest.NormalEmail(email)
	err := c.RunOne(ctx, noUser(), `UPDATE users SET email = ?, email_key = ?, mail_domain = ? WHERE id = ?`, email,
		emailKey(email), mailDomain(email), user)
	if err == nil {
		err = c.Run(ctx, `UPDATE editions SET domain = ? WHERE state = 'ready' AND digest_id IN
			(SELECT id FROM digests WHERE user_id = ?)`, mailDomain(email), user)
	}
	if err != nil {
		return err
	}
	if err := c.Run(ctx, `DELETE FROM sign_in_tokens WHERE user_id = ?`, user); err != nil {
		return err
	}
	if err := answerLetters(ctx, c, user); err != nil { // requested under the old address
		return err
	}
	return endOtherSessions(ctx, c, user, keep, ``)
}

// SetEmail changes a user's address for the operator, without confirmation. It returns digest.Conflict if another user
// has the address.
func (s Readers) SetEmail(ctx context.Context, user digest.UserID, email string) error {
	err := s.changeUnder(ctx, s.d.LockAccounts, "", func(c conn) error {
		if err := c.Run(ctx, `UPDATE address_changes SET expires_at = 0 WHERE user_id = ?`, user); err != nil {
			return err
		}
		return changeEmail(ctx, c, user, email, nil)
	})
	return failed("changing the address",
		db.IfUnique(err, db.Conflict("%s is already a reader", digest.NormalEmail(email))))
}
