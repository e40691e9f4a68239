package store

import (
	"context"
	"time"

	"digest"
)

// A ReceivedLetter is an issue of a newsletter that a member received.
type ReceivedLetter struct {
	Slug      string // of the newsletter
	Name      string
	DigestID  digest.DigestID // the member's digest of the newsletter
	LocalDate digest.Date
}

// ReceivedLetters returns the issues that a user received from the date first to last, latest first, at most limit. It
// omits issues that wait for their publisher's approval.
func (s Members) ReceivedLetters(ctx context.Context, user digest.UserID, first, last digest.Date, now time.Time,
	limit int) ([]ReceivedLetter, error) {
	return readRows[ReceivedLetter](ctx, s.read(), "listing the letters of a reader",
		`SELECT n.slug, n.name, m.digest_id, e.local_date
		FROM memberships m JOIN newsletters n ON n.id = m.newsletter_id JOIN editions e ON e.digest_id = m.digest_id
		WHERE m.user_id = ? AND e.local_date >= ? AND e.local_date <= ? AND e.due_at <= ? AND e.send_at <= ?
		ORDER BY e.local_date DESC, n.name, n.id LIMIT ?`, user, first, last, now, now, limit)
}

// A MemberEvent is an event in the history of a member.
type MemberEvent struct {
	At     time.Time
	Kind   string // joined, left, back, imported, asked
	Detail string // the form, list or person that caused it
}

// MemberEvents returns the history of an address in a newsletter, earliest first.
func (s Members) MemberEvents(ctx context.Context, id digest.NewsletterID, email string) ([]MemberEvent, error) {
	return readRows[MemberEvent](ctx, s.read(), "reading a member's history",
		`SELECT e.at, e.kind, e.detail FROM membership_events e
		WHERE e.newsletter_id = ? AND e.email_key = ? ORDER BY e.id`, id, emailKey(email))
}
