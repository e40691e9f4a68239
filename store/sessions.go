package store

import (
	"context"
	"math"
	"time"

	"digest"
)

// A Session is a browser that is signed in, without its secret.
type Session struct {
	BeganAt time.Time // zero if it began before this was recorded
	EndsAt  time.Time
	Passkey bool // it began with a passkey, not with a link
}

// Sessions returns a user's valid sessions, ordered by their end.
func (s Sessions) Sessions(ctx context.Context, user digest.UserID, now time.Time) ([]Session, error) {
	return readRows[Session](ctx, s.read(), "listing the sessions",
		`SELECT created_at AS began_at, expires_at AS ends_at, CASE WHEN passkey_id > 0 THEN 1 ELSE 0 END AS passkey
		FROM sessions WHERE user_id = ? AND expires_at > ? ORDER BY expires_at, token_hash`, user, now)
}

// The database has only hashes of the secrets of sign-in links and sessions, so that its readers cannot use them.

const signInOver = "this sign-in link was used or is too old; ask for a new one"

// AddSignIn stores the hash of a token that signs user in once, until expires.
func (s Sessions) AddSignIn(ctx context.Context, hash []byte, user digest.UserID, now, expires time.Time) error {
	return s.addToken(ctx, "sign_in_tokens", user, now,
		`INSERT INTO sign_in_tokens (token_hash, user_id, expires_at) VALUES (?, ?, ?)`, hash, user, expires)
}

// SignIn returns the user of a sign-in token without using it. It returns digest.NotFound for a token that is
// unknown, used or expired.
func (s Sessions) SignIn(ctx context.Context, hash []byte, now time.Time) (digest.User, error) {
	u, err := s.tokenUser(ctx, "sign_in_tokens", hash, now, signInOver)
	return u.User, err
}

// UseSignIn uses up a sign-in token. Of concurrent calls with one hash exactly one succeeds. It returns
// digest.NotFound for a token that is unknown, used or expired. Its user may then request another link without delay.
func (s Sessions) UseSignIn(ctx context.Context, hash []byte, now time.Time) (digest.UserID, error) {
	return changed(ctx, s.database, "using the sign-in link", func(c conn) (digest.UserID, error) {
		user, err := readOne[digest.UserID](ctx, c, "", notFound("%s", signInOver),
			`DELETE FROM sign_in_tokens WHERE token_hash = ? AND expires_at > ? RETURNING user_id`, hash, now)
		if err != nil {
			return user, err
		}
		if err := answerLetters(ctx, c, user); err != nil {
			return user, err
		}
		u, err := readUser(ctx, c, user)
		if err == nil {
			err = answerMailbox(ctx, c, u.Email)
		}
		return user, err
	})
}

// mostSessions is how many sessions a user may have. One more ends the one that was not used for longest.
const mostSessions = 50

// AddSession stores a session that began with a link and ends at expires.
func (s Sessions) AddSession(ctx context.Context, hash []byte, user digest.UserID, now, expires time.Time) error {
	return s.AddPasskeySession(ctx, hash, Passkey{UserID: user}, now, expires)
}

// AddPasskeySession stores a session that began with a passkey and ends at expires.
func (s Sessions) AddPasskeySession(ctx context.Context, hash []byte, with Passkey, now, expires time.Time) error {
	return s.addToken(ctx, "sessions", with.UserID, now,
		`INSERT INTO sessions (token_hash, user_id, expires_at, created_at, passkey_id) VALUES (?, ?, ?, ?, ?)`, hash,
		with.UserID, expires, now, with.ID)
}

func endUnusedSessions(ctx context.Context, c conn, user digest.UserID) error {
	err := c.Run(ctx, `DELETE FROM sessions WHERE token_hash IN
		(SELECT token_hash FROM sessions WHERE user_id = ? ORDER BY expires_at DESC, created_at DESC, token_hash
		LIMIT ? OFFSET ?)`,
		user, math.MaxInt32, mostSessions-1)
	return err
}

// addToken adds a row to sessions or sign_in_tokens, and deletes the user's expired rows.
func (s *database) addToken(ctx context.Context, table string, user digest.UserID, now time.Time, insert string,
	args ...any) error {
	return s.change(ctx, "storing a secret's hash", func(c conn) error {
		if err := c.Run(ctx, `DELETE FROM `+table+` WHERE user_id = ? AND expires_at <= ?`, user,
			now); err != nil {
			return err
		}
		if table == "sessions" {
			if err := endUnusedSessions(ctx, c, user); err != nil {
				return err
			}
		}
		err := c.Run(ctx, insert, args...)
		return err
	})
}

// A SessionUser is the user of a session, and when the session ends.
type SessionUser struct {
	digest.User
	EndsAt time.Time
}

// SessionUser returns the user of a session, or digest.NotFound if it is unknown or has ended.
func (s Sessions) SessionUser(ctx context.Context, hash []byte, now time.Time) (SessionUser, error) {
	return s.tokenUser(ctx, "sessions", hash, now, "this session is over; sign in again")
}

// tokenUser returns the user of a row in sessions or sign_in_tokens.
func (s *database) tokenUser(ctx context.Context, table string, hash []byte, now time.Time, none string) (SessionUser,
	error) {
	return readOne[SessionUser](ctx, s.read(), "reading whose secret it is", notFound("%s", none),
		`SELECT `+userColumns+`, t.expires_at AS ends_at
		FROM `+table+` t JOIN users u ON u.id = t.user_id WHERE t.token_hash = ? AND t.expires_at > ?`, hash, now)
}

// RenewSession moves the end of a session to expires. renewed is false if the session has ended.
func (s Sessions) RenewSession(ctx context.Context, hash []byte, now, expires time.Time) (renewed bool, err error) {
	return changed(ctx, s.database, "renewing the session", func(c conn) (bool, error) {
		n, err := c.Exec(ctx, `UPDATE sessions SET expires_at = ? WHERE token_hash = ? AND expires_at > ?`, expires,
			hash, now)
		return n > 0, err
	})
}

// EndSessions ends all of a user's sessions, deletes the unused sign-in links, and removes passkeys by their keys.
// removed is the number of passkeys.
func (s Sessions) EndSessions(ctx context.Context, user digest.UserID, passkeys ...int64) (removed int, err error) {
	return changed(ctx, s.database, "ending the sessions", func(c conn) (removed int, err error) {
		if err := answerLetters(ctx, c, user); err != nil {
			return 0, err
		}
		for _, id := range passkeys {
			n, err := c.Exec(ctx, `DELETE FROM passkeys WHERE id = ? AND user_id = ?`, id, user)
			if err != nil {
				return 0, err
			}
			removed += n
		}
		return removed, c.ExecEach(ctx,
			[]string{`DELETE FROM sign_in_tokens WHERE user_id = ?`, `DELETE FROM sessions WHERE user_id = ?`}, user)
	})
}

// EndSession ends a session. An unknown one is no error.
func (s Sessions) EndSession(ctx context.Context, hash []byte) error {
	return s.run(ctx, "ending the session", `DELETE FROM sessions WHERE token_hash = ?`, hash)
}

// endOtherSessions ends the sessions of a user that the condition which selects, except keep.
func endOtherSessions(ctx context.Context, c conn, user digest.UserID, keep []byte, which string, args ...any) error {
	if len(keep) > 0 {
		which, args = which+` AND token_hash <> ?`, append(args, keep)
	}
	err := c.Run(ctx, `DELETE FROM sessions WHERE user_id = ?`+which, append([]any{user}, args...)...)
	return err
}
