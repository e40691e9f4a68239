package store

import (
	"context"
	"time"

	"digest"
	"digest/store/db"
)

// A ReaderQuery selects the readers of a list.
type ReaderQuery struct {
	Part   string             // a part of the address, in any case; "" for any
	State  digest.DigestState // of their own digest; "" for any
	Member bool               // only readers who get newsletters and have never begun a digest of their own
	After  digest.UserID      // only readers with a higher key
	Most   int                // the maximal number
}

// A ListedReader is a reader in a list.
type ListedReader struct {
	digest.User
	State       digest.DigestState // of their own digest
	PausedUntil time.Time          // zero if the digest is not paused, or without an end
	Suppressed  bool               // the address gets no email
}

// Readers returns the readers that q selects, ordered by key.
func (s Operator) Readers(ctx context.Context, q ReaderQuery) ([]ListedReader, error) {
	where, args := `d.newsletter_id IS NULL AND d.user_id > ?`, []any{q.After}
	if q.State != "" {
		where += ` AND d.state = ?`
		args = append(args, string(q.State))
	}
	if q.State != "" && q.State != digest.DigestActive {
		where += ` AND d.state <> 'active'` // shows the planner which index to use
	}
	if q.State == digest.DigestLeft {
		where += ` AND u.member_only = ?`
		args = append(args, db.Bit(q.Member))
	}
	if q.Part != "" {
		where += ` AND u.email_key LIKE ? ESCAPE '!'`
		args = append(args, within(q.Part))
	}
	return readRows[ListedReader](ctx, s.read(), "listing the readers",
		`SELECT u.id, u.email, u.time_zone, u.created_at, u.operator, u.member_only,
		d.state, d.paused_until, CASE WHEN EXISTS (SELECT 1 FROM suppressions x WHERE x.email_key = u.email_key) THEN 1
		ELSE 0 END AS suppressed
		FROM digests d JOIN users u ON u.id = d.user_id WHERE `+where+` ORDER BY d.user_id LIMIT ?`,
		append(args, q.Most)...)
}

// An Unconfirmed is an address that signed up and is not confirmed.
type Unconfirmed struct {
	Email     string
	ExpiresAt time.Time // when the latest link sent to it expires
}

// Unconfirmed returns up to most sign-ups whose links still work and whose address contains part, ordered by address.
// It starts behind the address after. It omits readers.
func (s Operator) Unconfirmed(ctx context.Context, part, after string, most int, now time.Time) ([]Unconfirmed, error) {
	return readRows[Unconfirmed](ctx, s.read(), "listing the sign-ups",
		`SELECT MIN(p.email) AS email, MAX(p.expires_at) AS expires_at FROM sign_ups p
		WHERE p.email_key > ? AND p.email_key LIKE ? ESCAPE '!' AND p.expires_at > ?
		AND NOT EXISTS (SELECT 1 FROM users u WHERE u.email_key = p.email_key AND u.member_only = 0)
		GROUP BY p.email_key ORDER BY p.email_key LIMIT ?`, emailKey(after), within(part), now, most)
}
