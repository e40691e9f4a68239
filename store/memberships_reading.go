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
func (s *Store) ReceivedLetters(ctx context.Context, user digest.UserID, first, last digest.Date, now time.Time,
	limit int) ([]ReceivedLetter, error) {
	return readRows[ReceivedLetter](ctx, s.read(), "listing the letters of a reader",
		`SELECT n.slug, n.name, m.digest_id, e.local_date
		FROM memberships m JOIN newsletters n ON n.id = m.newsletter_id JOIN editions e ON e.digest_id = m.digest_id
		WHERE m.user_id = ? AND e.local_date >= ? AND e.local_date <= ? AND e.due_at <= ? AND e.send_at <= ?
		ORDER BY e.local_date DESC, n.name, n.id LIMIT ?`, user, first.String(), last.String(), at(now), at(now), limit)
}

// A MemberEvent is something that happened to a member of a newsletter.
type MemberEvent struct {
	At     time.Time
	Kind   string // joined, left, back, imported, asked
	Detail string // by which form, list or person
}

// MemberEvents gives what happened to an address in a newsletter, the earliest first.
func (s *Store) MemberEvents(ctx context.Context, id digest.NewsletterID, email string) ([]MemberEvent, error) {
	return readRows[MemberEvent](ctx, s.read(), "reading a member's history",
		`SELECT e.at, e.kind, e.detail FROM membership_events e
		WHERE e.newsletter_id = ? AND e.email_key = ? ORDER BY e.id`, id, emailKey(email))
}
