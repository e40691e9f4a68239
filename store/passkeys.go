package store

import (
	"context"
	"time"

	"digest"
	"digest/store/db"
)

const mostPasskeys = 20

// A Passkey is a WebAuthn credential of a user.
type Passkey struct {
	ID           int64
	UserID       digest.UserID
	CredentialID []byte
	Credential   string // JSON that verifies its signatures
	SignCount    int64  // of its last signature; 0 if it does not count
	Name         string
	CreatedAt    time.Time
	UsedAt       time.Time // zero if never used
}

const passkeyColumns = `id, user_id, credential_id, credential, sign_count, name, created_at, used_at`

// Handle returns the WebAuthn handle of a user. It stores fresh as the handle if the user has none.
func (s Sessions) Handle(ctx context.Context, user digest.UserID, fresh []byte) (handle []byte, err error) {
	return changed(ctx, s.database, "reading a user's handle", func(c conn) ([]byte, error) {
		return readOne[[]byte](ctx, c, "", noUser(),
			`UPDATE users SET handle = COALESCE(handle, ?) WHERE id = ? RETURNING handle`, fresh, user)
	})
}

// UserByHandle returns the user with a WebAuthn handle, or digest.NotFound.
func (s Sessions) UserByHandle(ctx context.Context, handle []byte) (digest.User, error) {
	return readOne[digest.User](ctx, s.read(), "finding the user of a passkey", notFound("nobody has this passkey"),
		`SELECT `+userColumns+` FROM users u WHERE u.handle = ?`, handle)
}

// AddPasskey stores a passkey of a user. It returns digest.Conflict if any user has it already, and digest.Invalid if
// the user has mostPasskeys.
func (s Sessions) AddPasskey(ctx context.Context, p Passkey, now time.Time) error {
	err := s.write(ctx, func(c conn) error {
		n, err := c.Number(ctx, `SELECT count(*) FROM passkeys WHERE user_id = ?`, p.UserID)
		if err != nil {
			return err
		}
		if n >= mostPasskeys {
			return db.Invalid("there are %d passkeys already; remove one first", n)
		}
		err = c.Run(ctx, `INSERT INTO passkeys (user_id, credential_id, credential, sign_count, name, created_at)
			VALUES (?, ?, ?, ?, ?, ?)`,
			p.UserID, p.CredentialID, p.Credential, p.SignCount, p.Name, now)
		return err
	})
	if db.IsUnique(err) {
		err = db.Conflict("this passkey already exists")
	}
	return failed("storing a passkey", err)
}

// Passkeys returns a user's passkeys, oldest first.
func (s Sessions) Passkeys(ctx context.Context, user digest.UserID) ([]Passkey, error) {
	return readRows[Passkey](ctx, s.read(), "listing the passkeys",
		`SELECT `+passkeyColumns+` FROM passkeys WHERE user_id = ? ORDER BY id`, user)
}

// UsePasskey stores the credential and the sign count after a use of was. It returns digest.NotFound if the passkey
// was removed, or its count has changed since was was read.
func (s Sessions) UsePasskey(ctx context.Context, was Passkey, credential string, count int64, now time.Time) error {
	return s.runOne(ctx, "recording the use of a passkey", notFound("this passkey no longer exists"),
		`UPDATE passkeys SET credential = ?, sign_count = ?, used_at = ? WHERE id = ? AND sign_count = ?`,
		credential, count, now, was.ID, was.SignCount)
}

// RemovePasskey deletes a user's passkey, and ends the sessions that began with it, except keep. It returns
// digest.NotFound if the user has no such passkey.
func (s Sessions) RemovePasskey(ctx context.Context, user digest.UserID, id int64, keep []byte) error {
	return s.change(ctx, "removing a passkey", func(c conn) error {
		if err := c.RunOne(ctx, notFound("there is no such passkey"),
			`DELETE FROM passkeys WHERE id = ? AND user_id = ?`, id, user); err != nil {
			return err
		}
		return endOtherSessions(ctx, c, user, keep, ` AND passkey_id = ?`, id)
	})
}

// AddCeremony stores the challenge of a WebAuthn ceremony until it is used or expires. user is 0 for a sign-in.
func (s Sessions) AddCeremony(ctx context.Context, hash []byte, user digest.UserID, data string, now,
	expires time.Time) error {
	return s.change(ctx, "storing what a passkey is asked", func(c conn) error {
		if err := c.Run(ctx, `DELETE FROM passkey_challenges WHERE expires_at <= ?`, now); err != nil {
			return err
		}
		err := c.Run(ctx, `INSERT INTO passkey_challenges (token_hash, user_id, data, expires_at)
			VALUES (?, ?, ?, ?)`, hash, user, data, expires)
		return err
	})
}

// UseCeremony deletes a challenge and returns its data. Of concurrent calls exactly one succeeds. It returns
// digest.NotFound for a challenge that is unknown, used, expired, or another user's.
func (s Sessions) UseCeremony(ctx context.Context, hash []byte, user digest.UserID, now time.Time) (data string,
	err error) {
	return changed(ctx, s.database, "reading what a passkey was asked", func(c conn) (string, error) {
		return readOne[string](ctx, c, "", notFound("nothing was asked, or too long ago"),
			`DELETE FROM passkey_challenges WHERE token_hash = ? AND user_id = ? AND expires_at > ? RETURNING data`,
			hash, user, now)
	})
}
