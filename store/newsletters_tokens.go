package store

import (
	"context"
	"time"

	"digest"
)

// A NewsletterToken allows a program to manage a newsletter in the name of one of its publishers.
type NewsletterToken struct {
	ID           int64
	NewsletterID digest.NewsletterID
	UserID       digest.UserID
	Email        string // of its creator
	Role         digest.Role
	Name         string
	ReadOnly     bool
	CreatedAt    time.Time
	UsedOn       string // the last day in UTC; "" if never used
}

// MostNewsletterTokens is how many tokens a newsletter may have.
const MostNewsletterTokens = 20

// maxTokenName bounds the name of a token, in bytes.
const maxTokenName = 100

const tokenColumns = `t.id, t.newsletter_id, t.user_id, u.email, r.role, t.name, t.read_only, t.created_at, t.used_on`

// The join with the roles omits the tokens of users who have lost their role.
const fromTokens = ` FROM newsletter_tokens t JOIN users u ON u.id = t.user_id
	JOIN newsletter_roles r ON r.newsletter_id = t.newsletter_id AND r.user_id = t.user_id `

// AddNewsletterToken stores the hash of a token. It returns digest.Invalid if the name is empty or too long, and
// digest.Conflict if the newsletter has MostNewsletterTokens already.
func (s Newsletters) AddNewsletterToken(ctx context.Context, t NewsletterToken, hash []byte, now time.Time) (id int64,
	err error) {
	if t.Name = digest.OneLine(t.Name); t.Name == "" || len(t.Name) > maxTokenName {
		return 0, digest.Refuse(digest.Invalid, "enter a name of at most %d characters for the token", maxTokenName)
	}
	return changed(ctx, s.database, "adding a token", func(c conn) (id int64, err error) {
		n, err := c.Number(ctx, `SELECT count(*)`+fromTokens+`WHERE t.newsletter_id = ?`, t.NewsletterID)
		if err != nil {
			return 0, err
		}
		if n >= MostNewsletterTokens {
			return 0, digest.Refuse(digest.Conflict, "a newsletter can have at most %d tokens; remove one first",
				MostNewsletterTokens)
		}
		err = c.Get(ctx, &id, `INSERT INTO newsletter_tokens (newsletter_id, user_id, name, token_hash, read_only,
			created_at) VALUES (?, ?, ?, ?, ?, ?) RETURNING id`,
			t.NewsletterID, t.UserID, t.Name, hash, t.ReadOnly, now)
		return id, err
	})
}

// NewsletterTokens returns the tokens of a newsletter, oldest first.
func (s Newsletters) NewsletterTokens(ctx context.Context, id digest.NewsletterID) ([]NewsletterToken, error) {
	return readRows[NewsletterToken](ctx, s.read(), "listing the tokens", `SELECT `+
		tokenColumns+fromTokens+`WHERE t.newsletter_id = ? ORDER BY t.id`, id)
}

// RemoveNewsletterToken deletes a token. It returns digest.NotFound if the newsletter has no such token.
func (s Newsletters) RemoveNewsletterToken(ctx context.Context, newsletter digest.NewsletterID, id int64) error {
	return s.runOne(ctx, "removing a token", notFound("there is no such token"),
		`DELETE FROM newsletter_tokens WHERE id = ? AND newsletter_id = ?`, id, newsletter)
}

// UseNewsletterToken returns the token with a hash, and records the day. It returns digest.NotFound for an unknown
// hash.
func (s Newsletters) UseNewsletterToken(ctx context.Context, hash []byte, now time.Time) (NewsletterToken, error) {
	t, err := readOne[NewsletterToken](ctx, s.read(), "reading whose token it is",
		notFound("this token is invalid or was revoked"),
		`SELECT `+tokenColumns+fromTokens+`WHERE t.token_hash = ?`, hash)
	if day := digest.DateOf(now.UTC()).String(); err == nil && t.UsedOn != day {
		t.UsedOn = day
		err = s.run(ctx, "noting that a token is used", `UPDATE newsletter_tokens SET used_on = ? WHERE id = ?`, day,
			t.ID)
	}
	return t, err
}
