package store

import (
	"context"
	"time"

	"digest"
)

// mostPasskeys bounds what one reader may keep.
const mostPasskeys = 20

// A Passkey is one of a reader's passkeys.
type Passkey struct {
	ID           int64
	UserID       digest.UserID
	CredentialID []byte
	Credential   string // what is needed to check its signatures, as JSON
	SignCount    int64  // of its last signature; 0: it does not count
	Name         string
	CreatedAt    time.Time
	UsedAt       time.Time // zero: never
}

const passkeyColumns = `id, user_id, credential_id, credential, sign_count, name, created_at, used_at`

// Handle gives what passkeys know a user by; fresh becomes it if they have none.
func (s *Store) Handle(ctx context.Context, user digest.UserID, fresh []byte) (handle []byte, err error) {
	return changed(ctx, s, "reading a user's handle", func(c conn) ([]byte, error) {
		return readOne[[]byte](ctx, c, "", noUser(),
			`UPDATE users SET handle = COALESCE(handle, ?) WHERE id = ? RETURNING handle`, fresh, user)
	})
}

// UserByHandle finds the user whom passkeys know by a handle; digest.NotFound if there is none.
func (s *Store) UserByHandle(ctx context.Context, handle []byte) (digest.User, error) {
	return readOne[digest.User](ctx, s.read(), "finding the user of a passkey", notFound("nobody has this passkey"),
		`SELECT `+userColumns+` FROM users u WHERE u.handle = ?`, handle)
}

// AddPasskey adds a passkey to its user. digest.Conflict if it is there already,
// whoever's; digest.Invalid if the user has too many.
func (s *Store) AddPasskey(ctx context.Context, p Passkey, now time.Time) error {
	err := s.write(ctx, func(c conn) error {
		n, err := c.number(ctx, `SELECT count(*) FROM passkeys WHERE user_id = ?`, p.UserID)
		if err != nil {
			return err
		}
		if n >= mostPasskeys {
			return invalid("there are %d passkeys already; remove one first", n)
		}
		_, err = c.exec(ctx, `INSERT INTO passkeys (user_id, credential_id, credential, sign_count, name, created_at) VALUES (?, ?, ?, ?, ?, ?)`,
			p.UserID, p.CredentialID, p.Credential, p.SignCount, p.Name, at(now))
		return err
	})
	if isUnique(err) {
		err = conflict("this passkey already exists")
	}
	return failed("storing a passkey", err)
}

// Passkeys lists a user's passkeys in the order in which they came.
func (s *Store) Passkeys(ctx context.Context, user digest.UserID) ([]Passkey, error) {
	return readRows[Passkey](ctx, s.read(), "listing the passkeys",
		`SELECT `+passkeyColumns+` FROM passkeys WHERE user_id = ? ORDER BY id`, user)
}

// UsePasskey records a use of was: what its credential and count are now.
// digest.NotFound if it was removed, or used with the same count, meanwhile.
func (s *Store) UsePasskey(ctx context.Context, was Passkey, credential string, count int64, now time.Time) error {
	return s.runOne(ctx, "recording the use of a passkey", notFound("this passkey no longer exists"),
		`UPDATE passkeys SET credential = ?, sign_count = ?, used_at = ? WHERE id = ? AND sign_count = ?`,
		credential, count, at(now), was.ID, was.SignCount)
}

// RemovePasskey removes one of a user's passkeys, and ends the sessions that
// began with it, but for keep; digest.NotFound if it is not theirs.
func (s *Store) RemovePasskey(ctx context.Context, user digest.UserID, id int64, keep []byte) error {
	return s.change(ctx, "removing a passkey", func(c conn) error {
		n, err := c.exec(ctx, `DELETE FROM passkeys WHERE id = ? AND user_id = ?`, id, user)
		if err == nil && n == 0 {
			return notFound("there is no such passkey")
		}
		if err != nil {
			return err
		}
		return endOtherSessions(ctx, c, user, keep, ` AND passkey_id = ?`, id)
	})
}

// AddCeremony keeps what a passkey is asked, until it answers or expires; user
// is 0 where somebody signs in.
func (s *Store) AddCeremony(ctx context.Context, hash []byte, user digest.UserID, data string, now,
	expires time.Time) error {
	return s.change(ctx, "storing what a passkey is asked", func(c conn) error {
		if _, err := c.exec(ctx, `DELETE FROM passkey_challenges WHERE expires_at <= ?`, at(now)); err != nil {
			return err
		}
		_, err := c.exec(ctx, `INSERT INTO passkey_challenges (token_hash, user_id, data, expires_at) VALUES (?, ?, ?, ?)`, hash, user, data, at(expires))
		return err
	})
}

// UseCeremony uses up what a passkey of a user was asked: of any number of
// calls exactly one succeeds. digest.NotFound for one that is unknown, used,
// expired or another user's.
func (s *Store) UseCeremony(ctx context.Context, hash []byte, user digest.UserID, now time.Time) (data string,
	err error) {
	return changed(ctx, s, "reading what a passkey was asked", func(c conn) (string, error) {
		return readOne[string](ctx, c, "", notFound("nothing was asked, or too long ago"),
			`DELETE FROM passkey_challenges WHERE token_hash = ? AND user_id = ? AND expires_at > ? RETURNING data`,
			hash, user, at(now))
	})
}
