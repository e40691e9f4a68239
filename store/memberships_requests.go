package store

import (
	"context"
	"time"

	"digest"
)

// A JoinRequest is an address that somebody wants to join a newsletter with, until
// whoever reads its mail says yes.
type JoinRequest struct {
	NewsletterID digest.NewsletterID
	Email        string
	TimeZone     string
	Form         string // the page on which it was asked for
	ReturnURL    string // where the confirmation leads back to; "" nowhere
	Latest       bool   // they want the latest letter at once
	RequestedAt  time.Time
}

const joinColumns = `newsletter_id, email, time_zone, form, return_url, latest, requested_at`

// AddJoinRequest keeps a wish to join under the hash of its token, until expires.
func (s *Store) AddJoinRequest(ctx context.Context, hash []byte, q JoinRequest, now, expires time.Time) error {
	return s.change(ctx, "storing a wish to join", func(c conn) error {
		if err := c.run(ctx, `DELETE FROM join_requests WHERE expires_at <= ?`, at(now)); err != nil {
			return err
		}
		return insertJoinRequest(ctx, c, hash, q, now, expires)
	})
}

func insertJoinRequest(ctx context.Context, c conn, hash []byte, q JoinRequest, now, expires time.Time) error {
	return c.run(ctx, `INSERT INTO join_requests (token_hash, newsletter_id, email_key, email, time_zone, form, return_url, latest, requested_at, expires_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, hash, q.NewsletterID, emailKey(q.Email), digest.NormalEmail(q.Email),
		q.TimeZone, q.Form,
		q.ReturnURL, bit(q.Latest), at(now), at(expires))
}

// JoinRequest gives a wish to join without using it; digest.NotFound for one that
// is unknown, used or expired.
func (s *Store) JoinRequest(ctx context.Context, hash []byte, now time.Time) (JoinRequest, error) {
	return readOne[JoinRequest](ctx, s.read(), "reading a wish to join", noJoinRequest(),
		`SELECT `+joinColumns+` FROM join_requests WHERE token_hash = ? AND expires_at > ?`, hash, at(now))
}

func noJoinRequest() error { return notFound("this link was used or is too old") }

// ConfirmJoin uses up a wish to join and makes its address a member, in one
// transaction: of any number of calls with one hash exactly one succeeds. address is
// that of the network from which it was confirmed. Who wanted the latest letter at once gets it. digest.NotFound for a wish that is
// unknown, used or expired; digest.Conflict where the newsletter takes nobody.
func (s *Store) ConfirmJoin(ctx context.Context, hash []byte, address string, now time.Time) (q JoinRequest,
	m digest.Member, err error) {
	err = s.changeAlone(ctx, "joining the newsletter", func(c conn) (err error) {
		q, err = readOne[JoinRequest](ctx, c, "", noJoinRequest(),
			`DELETE FROM join_requests WHERE token_hash = ? AND expires_at > ? RETURNING `+joinColumns, hash, at(now))
		if err != nil {
			return err
		}
		proof := digest.Proof{Form: q.Form, Address: address, AskedAt: q.RequestedAt, At: now}
		var created bool
		m, created, err = join(ctx, c, q.NewsletterID,
			Joining{Email: q.Email, TimeZone: q.TimeZone, Proof: proof, Asked: true}, now)
		if err == nil {
			err = askConfirmed(ctx, c, q)
		}
		if err == nil {
			err = answerMailbox(ctx, c, q.Email)
		}
		if err != nil || !created || !q.Latest {
			return err
		}
		n, err := readNewsletter(ctx, c, `n.id = ?`, q.NewsletterID)
		if err != nil {
			return err
		}
		return sendLatest(ctx, c, n, m.DigestID, now)
	})
	return q, m, err
}
