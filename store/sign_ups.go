package store

import (
	"context"
	"time"

	"digest"
)

// A SignUp is an address that somebody wants to come in with, until whoever
// reads its mail says yes.
type SignUp struct {
	Email      string
	TimeZone   string
	Invitation int64  // 0: none
	Language   string // in which they signed up
}

// signUpColumns are those of a SignUp.
const signUpColumns = `email, time_zone, invitation_id AS invitation, language`

// AddSignUp keeps a sign-up under the hash of its token, until expires.
func (s *Store) AddSignUp(ctx context.Context, hash []byte, up SignUp, now, expires time.Time) error {
	return s.change(ctx, "storing a sign-up", func(c conn) error {
		if _, err := c.exec(ctx, `DELETE FROM sign_ups WHERE expires_at <= ?`, at(now)); err != nil {
			return err
		}
		_, err := c.exec(ctx, `INSERT INTO sign_ups (token_hash, email_key, email, time_zone, invitation_id, language, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?)`,
			hash, emailKey(up.Email), digest.NormalEmail(up.Email), up.TimeZone, up.Invitation, up.Language,
			at(expires))
		return err
	})
}

// SignUp gives a sign-up without using it; digest.NotFound for one that is
// unknown, used or expired.
func (s *Store) SignUp(ctx context.Context, hash []byte, now time.Time) (SignUp, error) {
	return readOne[SignUp](ctx, s.read(), "reading a sign-up", noSignUp(),
		`SELECT `+signUpColumns+` FROM sign_ups WHERE token_hash = ? AND expires_at > ?`, hash, at(now))
}

func noSignUp() error { return notFound("this link was used or is too old") }

// ConfirmSignUp uses up a sign-up and its invitation and adds the user, all in
// one transaction: of any number of calls with one hash exactly one succeeds,
// and of all sign-ups by one invitation too. Whoever has an account meanwhile
// keeps it as it is, but for who came to join a newsletter: their own digest begins. digest.NotFound for a sign-up that is unknown, used or
// expired; digest.Conflict if its invitation is used or revoked, or if there is
// none and invited says that there must be.
func (s *Store) ConfirmSignUp(ctx context.Context, hash []byte, invited bool, now time.Time) (digest.User, error) {
	return changed(ctx, s, "confirming a sign-up", func(c conn) (digest.User, error) {
		if err := c.untilCommit(ctx, s.d.lockAccounts); err != nil {
			return digest.User{}, err
		}
		up, err := readOne[SignUp](ctx, c, "", noSignUp(),
			`DELETE FROM sign_ups WHERE token_hash = ? AND expires_at > ? RETURNING `+signUpColumns, hash, at(now))
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

// begin begins the own digest of a user who came to join a newsletter.
func begin(ctx context.Context, c conn, u *digest.User, now time.Time) error {
	if err := c.untilCommit(ctx, c.d.lockAlone); err != nil { // a midnight moves
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

// BeginReading lets a user who came to join a newsletter have a digest of their own, which
// SetDigestState starts.
func (s *Store) BeginReading(ctx context.Context, user digest.UserID) error {
	return s.change(ctx, "letting a member read", func(c conn) error { return beginReading(ctx, c, user) })
}

func beginReading(ctx context.Context, c conn, user digest.UserID) error {
	return c.runOne(ctx, noUser(), `UPDATE users SET member_only = 0 WHERE id = ?`, user)
}

// findUser finds a user by address; isNone if there is none.
func findUser(ctx context.Context, c conn, email string) (u digest.User, err error) {
	err = c.get(ctx, &u, `SELECT `+userColumns+` FROM users u WHERE u.email_key = ?`, emailKey(email))
	return u, err
}

// admit adds a user whose address is confirmed, and forgets what else had been
// asked for it. digest.Conflict if another transaction adds them just now.
func admit(ctx context.Context, c conn, email, zone, language string, now time.Time) (digest.User, error) {
	u, d, err := newUser(email, zone, now)
	if err != nil {
		return u, err
	}
	u.Language = language
	if err := insertUser(ctx, c, &u, &d, now); err != nil {
		if isUnique(err) {
			err = conflict("this address has come in by another way just now; open the link again")
		}
		return u, err
	}
	_, err = c.exec(ctx, `DELETE FROM sign_ups WHERE email_key = ?`, emailKey(email))
	return u, err
}

// An Invitation lets one person sign up.
type Invitation struct {
	ID        int64
	CreatedAt time.Time
	ExpiresAt time.Time
	UsedAt    time.Time // zero: not yet
}

const invitationColumns = `id, created_at, expires_at, used_at`

// keepUsed is how long the list still shows an invitation that was used or has
// expired.
const keepUsed = 30 * 24 * time.Hour

// AddInvitation stores the hash of an invitation's token.
func (s *Store) AddInvitation(ctx context.Context, hash []byte, now, expires time.Time) (Invitation, error) {
	return changed(ctx, s, "storing an invitation", func(c conn) (i Invitation, err error) {
		_, err = c.exec(ctx, `DELETE FROM invitations WHERE expires_at <= ?`, at(now.Add(-keepUsed)))
		if err == nil {
			err = c.get(ctx, &i, `INSERT INTO invitations (token_hash, created_at, expires_at) VALUES (?, ?, ?) RETURNING `+invitationColumns,
				hash, at(now), at(expires))
		}
		return i, err
	})
}

// Invitation finds an invitation that can be used; digest.NotFound for one that
// is unknown, revoked, used or expired.
func (s *Store) Invitation(ctx context.Context, hash []byte, now time.Time) (Invitation, error) {
	return readOne[Invitation](ctx, s.read(), "reading an invitation",
		notFound("this invitation was used or is too old"),
		`SELECT `+invitationColumns+` FROM invitations WHERE token_hash = ? AND used_at = 0 AND expires_at > ?`, hash,
		at(now))
}

// Invitations lists the invitations, the latest first; those used or expired
// for some weeks.
func (s *Store) Invitations(ctx context.Context) ([]Invitation, error) {
	return readRows[Invitation](ctx, s.read(), "listing the invitations", `SELECT `+
		invitationColumns+` FROM invitations ORDER BY id DESC`)
}

// RevokeInvitation takes back an invitation that nobody has used;
// digest.NotFound if there is none.
func (s *Store) RevokeInvitation(ctx context.Context, id int64) error {
	return s.runOne(ctx, "revoking an invitation", notFound("there is no such invitation, or it was used"),
		`DELETE FROM invitations WHERE id = ? AND used_at = 0`, id)
}

// useInvitation uses up the invitation of a sign-up. That it has expired since
// the sign-up began does not matter.
func useInvitation(ctx context.Context, c conn, id int64, needed bool, now time.Time) error {
	if id == 0 && !needed {
		return nil
	}
	n, err := c.exec(ctx, `UPDATE invitations SET used_at = ? WHERE id = ? AND used_at = 0`, at(now), id)
	if err == nil && n == 0 {
		return conflict("this invitation was used or revoked; ask for another one")
	}
	return err
}
