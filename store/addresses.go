package store

import (
	"context"
	"time"

	"digest"
)

// An AddressChange is a reader's wish for another address.
type AddressChange struct {
	UserID       digest.UserID
	Email        string // the wished one
	OldConfirmed bool   // from the current address
	NewConfirmed bool   // from the new address
	CreatedAt    time.Time
	ExpiresAt    time.Time // in the past: done, taken back, or nobody agreed in time
}

const addressColumns = `user_id, email, old_confirmed, new_confirmed, created_at, expires_at`

// AddAddressChange stores a reader's wish under the hashes of the two tokens, in
// place of any former one; digest.Conflict if that is younger than apart.
func (s *Store) AddAddressChange(ctx context.Context, user digest.UserID, email string, oldHash, newHash []byte, now,
	expires time.Time, apart time.Duration) error {
	err := s.changeUnder(ctx, s.d.lockAccounts, "", func(c conn) error {
		if _, err := c.exec(ctx, `DELETE FROM address_changes WHERE user_id = ? AND created_at <= ?`, user,
			at(now.Add(-apart))); err != nil {
			return err
		}
		return c.run(ctx, `INSERT INTO address_changes (user_id, email, old_hash, new_hash, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?)`,
			user, digest.NormalEmail(email), oldHash, newHash, at(now), at(expires))
	})
	return failed("storing a change of address",
		ifUnique(err, conflict("another address was asked for already within a day")))
}

// AddressChange gives a reader's latest wish, which may be over; digest.NotFound
// if there is none.
func (s *Store) AddressChange(ctx context.Context, user digest.UserID) (AddressChange, error) {
	return s.addressChange(ctx, `user_id = ?`, user)
}

// AddressChangeOf finds the wish that a token of either side speaks of;
// digest.NotFound if it is unknown or over.
func (s *Store) AddressChangeOf(ctx context.Context, hash []byte, now time.Time) (AddressChange, error) {
	return s.addressChange(ctx, `(old_hash = ? OR new_hash = ?) AND expires_at > ?`, hash, hash, at(now))
}

func (s *Store) addressChange(ctx context.Context, where string, args ...any) (AddressChange, error) {
	return readOne[AddressChange](ctx, s.read(), "reading a change of address",
		notFound("there is no such change of address"),
		`SELECT `+addressColumns+` FROM address_changes WHERE `+where, args...)
}

// EndAddressChange takes a reader's wish back. It still counts as the day's.
func (s *Store) EndAddressChange(ctx context.Context, user digest.UserID) error {
	return s.run(ctx, "ending a change of address", `UPDATE address_changes SET expires_at = 0 WHERE user_id = ?`, user)
}

// DropAddressChange forgets a reader's wish: its letters did not leave.
func (s *Store) DropAddressChange(ctx context.Context, user digest.UserID) error {
	return s.run(ctx, "ending a change of address", `DELETE FROM address_changes WHERE user_id = ?`, user)
}

// ConfirmAddress is the yes of the side whose token it is. When both have said
// it the address is changed, and every session of the reader but keep ends, and
// every sign-in link: they had gone to the old address. changed is false while
// the other side is still to answer. digest.NotFound for a token that is unknown
// or over; digest.Conflict if the wished address is another account's by then,
// which ends the wish.
func (s *Store) ConfirmAddress(ctx context.Context, hash, keep []byte, now time.Time) (changed bool, err error) {
	var another bool
	err = s.changeUnder(ctx, s.d.lockAccounts, "", func(c conn) error {
		changed, another = false, false
		var row AddressChange
		err := c.get(ctx, &row, `UPDATE address_changes SET old_confirmed = CASE WHEN old_hash = ? THEN 1 ELSE old_confirmed END,
			new_confirmed = CASE WHEN new_hash = ? THEN 1 ELSE new_confirmed END
			WHERE (old_hash = ? OR new_hash = ?) AND expires_at > ? RETURNING `+addressColumns, hash, hash, hash, hash,
			at(now))
		if isNone(err) {
			return notFound("this link was used or is too old")
		}
		if err == nil && row.NewConfirmed {
			err = answerMailbox(ctx, c, row.Email)
		}
		if err != nil || !row.OldConfirmed || !row.NewConfirmed {
			return err
		}
		if _, err := c.exec(ctx, `UPDATE address_changes SET expires_at = 0 WHERE user_id = ?`,
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
	if err == nil && another || isUnique(err) {
		err = conflict("this address has come to another account meanwhile")
	}
	return changed, failed("changing an address", err)
}

// changeEmail changes an address and all that follows from it. A suppression of
// the old one stays with that.
func changeEmail(ctx context.Context, c conn, user digest.UserID, email string, keep []byte) error {
	email = digest.NormalEmail(email)
	err := c.runOne(ctx, noUser(), `UPDATE users SET email = ?, email_key = ?, mail_domain = ? WHERE id = ?`, email,
		emailKey(email), mailDomain(email), user)
	if err == nil {
		err = c.run(ctx, `UPDATE editions SET domain = ? WHERE state = 'ready' AND digest_id IN (SELECT id FROM digests WHERE user_id = ?)`, mailDomain(email), user)
	}
	if err != nil {
		return err
	}
	if _, err := c.exec(ctx, `DELETE FROM sign_in_tokens WHERE user_id = ?`, user); err != nil {
		return err
	}
	if err := answerLetters(ctx, c, user); err != nil { // asked for before they had this address
		return err
	}
	return endOtherSessions(ctx, c, user, keep, ``)
}

// SetEmail changes a user's address on the operator's word: nobody has to agree.
// digest.Conflict if it is another user's.
func (s *Store) SetEmail(ctx context.Context, user digest.UserID, email string) error {
	err := s.changeUnder(ctx, s.d.lockAccounts, "", func(c conn) error {
		if _, err := c.exec(ctx, `UPDATE address_changes SET expires_at = 0 WHERE user_id = ?`, user); err != nil {
			return err
		}
		return changeEmail(ctx, c, user, email, nil)
	})
	return failed("changing the address", ifUnique(err, conflict("%s is already a reader", digest.NormalEmail(email))))
}
