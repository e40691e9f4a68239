package store

import (
	"context"
	"time"

	"digest"
)

// A ReceivedLetter is a letter of a newsletter as it came to one of its members.
type ReceivedLetter struct {
	Slug      string // the newsletter's
	Name      string
	DigestID  digest.DigestID // the member's digest of it
	LocalDate digest.Date
}

// ReceivedLetters lists the letters that have come to a user on dates from the first to the last, the
// latest first, limit at most. One that waits for its publisher's approval has not come yet.
func (s *Store) ReceivedLetters(ctx context.Context, user digest.UserID, first, last digest.Date, now time.Time, limit int) ([]ReceivedLetter, error) {
	return readRows[ReceivedLetter](ctx, s.read(), "listing the letters of a reader", `SELECT n.slug, n.name, m.digest_id, e.local_date
		FROM memberships m JOIN newsletters n ON n.id = m.newsletter_id JOIN editions e ON e.digest_id = m.digest_id
		WHERE m.user_id = ? AND e.local_date >= ? AND e.local_date <= ? AND e.due_at <= ? AND e.send_at <= ?
		ORDER BY e.local_date DESC, n.name, n.id LIMIT ?`, user, first.String(), last.String(), at(now), at(now), limit)
}
