package store

import (
	"context"
	"time"

	"digest"
	"digest/store/db"
)

// A SignUp is an address that someone signs up with, until the owner of its mailbox confirms it.
type SignUp struct {
	Email      string
	TimeZone   string
	Invitation int64  // 0 if none
	Language   string // in which they signed up
}

const signUpColumns = `email, time_zone, invitation_id AS invitation, language`

// AddSignUp stores a sign-up under the hash of its token, until expires.
func (s Sessions) AddSignUp(ctx context.Context, hash []byte, up SignUp, now, expires time.Time) error {
	return s.change(ctx, "storing a sign-up", func(c conn) error {
		if err := c.Run(ctx, `DELETE FROM sign_ups WHERE expires_at <= ?`, now); err != nil {
			return err
		}
		err := c.Run(ctx, `INSERT INTO sign_ups (token_hash, email_key, email, time_zone, invitation_id, language,
			expires_at) VALUES (?, ?, ?, ?, ?, ?, ?)`,
			hash, emailKey(up.Email), digest.NormalEmail(up.Email), up.TimeZone, up.Invitation, up.Language,
			expires)
		return err
	})
}

// SignUp returns a sign-up without using it. It returns digest.NotFound for one that is unknown, used or expired.
func (s Sessions) SignUp(ctx context.Context, hash []byte, now time.Time) (SignUp, error) {
	return readOne[SignUp](ctx, s.read(), "reading a sign-up", noSignUp(),
		`SELECT `+signUpColumns+` FROM sign_ups WHERE token_hash = ? AND expires_at > ?`, hash, now)
}

func noSignUp() error { return notFound("this link was used or is too old") }

// ConfirmSignUp uses up a sign-up and its invitation and adds the user, in one transaction. Of concurrent calls with
// one hash exactly one succeeds, and so does one of all sign-ups with one invitation. An account that exists by then
// does not change, but a user who had only newsletters begins their own digest.
//
// It returns digest.NotFound for a sign-up that is unknown, used or expired. It returns digest.Conflict if the
// invitation is used or revoked, or is missing although invited requires one.
func (s Sessions) ConfirmSignUp(ctx context.Context, hash []byte, invited bool, now time.Time) (digest.User, error) {
	return changed(ctx, s.database, "confirming a sign-up", func(c conn) (digest.User, error) {
		if err := c.UntilCommit(ctx, s.d.LockAccounts); err != nil {
			return digest.User{}, err
		}
		up, err := readOne[SignUp](ctx, c, "", noSignUp(),
			`DELETE FROM sign_ups WHERE token_hash = ? AND expires_at > ? RETURNING `+signUpColumns, hash, now)
		if err != nil {
			return digest.User{}, err
		}
		if err := answerMailbox(ctx, c, up.Email); err != nil {
			return digest.User{}, err
		}
		known, err := findUser(ctx, c, up.Email)
		if !isNone(err) && (err != nil || !known.MemberOnly) {
			return known, err
		}
		if err := useInvitation(ctx, c, up.Invitation, invited, now); err != nil {
			return digest.User{}, err
		}
		if known.MemberOnly {
			err := begin(ctx, c, &known, now)
			return known, err
		}
		return admit(ctx, c, up.Email, up.TimeZone, up.Language, now)
	})
}

// begin starts the own digest of a user who had only newsletters.
func begin(ctx context.Context, c conn, u *digest.User, now time.Time) error {
	if err := c.UntilCommit(ctx, c.d.LockAlone); err != nil { // because a midnight moves
		return err
	}
	if err := beginReading(ctx, c, u.ID); err != nil {
		return err
	}
	u.MemberOnly = false
	d, err := readDigest(ctx, c, `d.user_id = ? AND d.newsletter_id IS NULL`, u.ID)
	if err != nil || d.State != digest.DigestLeft {
		return err
	}
	return setDigestState(ctx, c, d, digest.DigestActive, now)
}

// BeginReading allows a user who had only newsletters a digest of their own, which SetDigestState starts.
func (s Sessions) BeginReading(ctx context.Context, user digest.UserID) error {
	return s.change(ctx, "letting a member read", func(c conn) error { return beginReading(ctx, c, user) })
}

func beginReading(ctx context.Context, c conn, user digest.UserID) error {
	return c.RunOne(ctx, noUser(), `UPDATE users SET member_only = 0 WHERE id = ?`, user)
}

// findUser returns the user with an address, or an error for which isNone is true.
func findUser(ctx context.Context, c conn, email string) (u digest.User, err error) {
	err = c.Get(ctx, &u, `SELECT `+userColumns+` FROM users u WHERE u.email_key = ?`, emailKey(email))
	return u, err
}

// admit adds a user whose address is confirmed, and deletes its other sign-ups. It returns digest.Conflict if another
// transaction adds the user now.
func admit(ctx context.Context, c conn, email, zone, language string, now time.Time) (digest.User, error) {
	u, d, err := newUser(c.policy, email, zone, now)
	if err != nil {
		return u, err
	}
	u.Language = language
	if err := insertUser(ctx, c, &u, &d, now); err != nil {
		if db.IsUnique(err) {
			err = db.Conflict("this address has come in by another way just now; open the link again")
		}
		return u, err
	}
	err = c.Run(ctx, `DELETE FROM sign_ups WHERE email_key = ?`, emailKey(email))
	return u, err
}

// An Invitation allows one person to sign up.
type Invitation struct {
	ID        int64
	CreatedAt time.Time
	ExpiresAt time.Time
	UsedAt    time.Time // zero if not used
}

const invitationColumns = `id, created_at, expires_at, used_at`

// keepUsed is how long the list shows an invitation after it has expired.
const keepUsed = 30 * 24 * time.Hour

// AddInvitation stores the hash of an invitation's token.
func (s Sessions) AddInvitation(ctx context.Context, hash []byte, now, expires time.Time) (Invitation, error) {
	return changed(ctx, s.database, "storing an invitation", func(c conn) (i Invitation, err error) {
		err = c.Run(ctx, `DELETE FROM invitations WHERE expires_at <= ?`, now.Add(-keepUsed))
		if err == nil {
			err = c.Get(ctx, &i, `INSERT INTO invitations (token_hash, created_at, expires_at) VALUES (?, ?, ?)
				RETURNING `+invitationColumns,
				hash, now, expires)
		}
		return i, err
	})
}

// Invitation returns a valid invitation. It returns digest.NotFound for one that is unknown, revoked, used or
// expired.
func (s Sessions) Invitation(ctx context.Context, hash []byte, now time.Time) (Invitation, error) {
	return readOne[Invitation](ctx, s.read(), "reading an invitation",
		notFound("this invitation was used or is too old"),
		`SELECT `+invitationColumns+` FROM invitations WHERE token_hash = ? AND used_at = 0 AND expires_at > ?`, hash,
		now)
}

// Invitations returns the invitations, latest first, including used ones and those that expired within keepUsed.
func (s Sessions) Invitations(ctx context.Context) ([]Invitation, error) {
	return readRows[Invitation](ctx, s.read(), "listing the invitations", `SELECT `+
		invitationColumns+` FROM invitations ORDER BY id DESC`)
}

// RevokeInvitation deletes an unused invitation, or returns digest.NotFound.
func (s Sessions) RevokeInvitation(ctx context.Context, id int64) error {
	return s.runOne(ctx, "revoking an invitation", notFound("there is no such invitation, or it was used"),
		`DELETE FROM invitations WHERE id = ? AND used_at = 0`, id)
}

// useInvitation uses up the invitation of a sign-up. The invitation may have expired since the sign-up.
func useInvitation(ctx context.Context, c conn, id int64, needed bool, now time.Time) error {
	if id == 0 && !needed {
		return nil
	}
	return c.RunOne(ctx, db.Conflict("this invitation was used or revoked; ask for another one"),
		`UPDATE invitations SET used_at = ? WHERE id = ? AND used_at = 0`, now, id)
}
