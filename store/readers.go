package store

import (
	"context"
	"time"

	"digest"
)

// A ReaderQuery says which readers are listed.
type ReaderQuery struct {
	Part   string             // of the address, in whatever case; "": any
	State  digest.DigestState // of their own digest; "": any
	Member bool               // only those who get newsletters alone and have begun no digest of their own
	After  digest.UserID      // only those who came later
	Most   int                // so many at most
}

// A ListedReader is a reader with how they stand, as a list shows them.
type ListedReader struct {
	digest.User
	State       digest.DigestState // of their own digest
	PausedUntil time.Time          // zero: it is not paused, or without end
	Suppressed  bool               // the address is not mailed
}

// Readers lists readers in the order in which they came.
func (s *Store) Readers(ctx context.Context, q ReaderQuery) ([]ListedReader, error) {
	where, args := `d.newsletter_id IS NULL AND d.user_id > ?`, []any{q.After}
	if q.State != "" {
		where += ` AND d.state = ?`
		args = append(args, string(q.State))
	}
	if q.State != "" && q.State != digest.DigestActive {
		where += ` AND d.state <> 'active'` // so that the planner sees which index has them
	}
	if q.State == digest.DigestLeft {
		where += ` AND u.member_only = ?`
		args = append(args, bit(q.Member))
	}
	if q.Part != "" {
		where += ` AND u.email_key LIKE ? ESCAPE '!'`
		args = append(args, within(q.Part))
	}
	return readRows[ListedReader](ctx, s.read(), "listing the readers",
		`SELECT u.id, u.email, u.time_zone, u.created_at, u.operator, u.member_only,
		d.state, d.paused_until, CASE WHEN EXISTS (SELECT 1 FROM suppressions x WHERE x.email_key = u.email_key) THEN 1 ELSE 0 END AS suppressed
		FROM digests d JOIN users u ON u.id = d.user_id WHERE `+where+` ORDER BY d.user_id LIMIT ?`,
		append(args, q.Most)...)
}

// An Unconfirmed is an address that somebody gave to sign up, and that nobody has confirmed yet.
type Unconfirmed struct {
	Email     string
	ExpiresAt time.Time // when the latest link that was mailed there ends
}

// Unconfirmed lists sign-ups whose links still work, by address: those that have a part, after one of them, so many at most.
// Who is a reader already is not among them.
func (s *Store) Unconfirmed(ctx context.Context, part, after string, most int, now time.Time) ([]Unconfirmed, error) {
	return readRows[Unconfirmed](ctx, s.read(), "listing the sign-ups",
		`SELECT MIN(p.email) AS email, MAX(p.expires_at) AS expires_at FROM sign_ups p
		WHERE p.email_key > ? AND p.email_key LIKE ? ESCAPE '!' AND p.expires_at > ?
		AND NOT EXISTS (SELECT 1 FROM users u WHERE u.email_key = p.email_key AND u.member_only = 0)
		GROUP BY p.email_key ORDER BY p.email_key LIMIT ?`, emailKey(after), within(part), at(now), most)
}
