package store

import (
	"context"
	"time"

	"digest"
)

// A JoinRequest is a request to join a newsletter that the owner of the address has not confirmed yet.
type JoinRequest struct {
	NewsletterID digest.NewsletterID
	Email        string
	TimeZone     string
	Form         string // the page with the form
	ReturnURL    string // destination after the confirmation; empty: none
	Latest       bool   // they want the latest issue now
	RequestedAt  time.Time
}

const joinColumns = `newsletter_id, email, time_zone, form, return_url, latest, requested_at`

// AddJoinRequest stores a request under the hash of its token until expires.
func (s Members) AddJoinRequest(ctx context.Context, hash []byte, q JoinRequest, now, expires time.Time) error {
	return s.change(ctx, "storing a wish to join", func(c conn) error {
		if err := c.Run(ctx, `DELETE FROM join_requests WHERE expires_at <= ?`, now); err != nil {
			return err
		}
		return insertJoinRequest(ctx, c, hash, q, now, expires)
	})
}

func insertJoinRequest(ctx context.Context, c conn, hash []byte, q JoinRequest, now, expires time.Time) error {
	return c.Run(ctx, `INSERT INTO join_requests (token_hash, newsletter_id, email_key, email, time_zone,
		form, return_url, latest, requested_at, expires_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, hash, q.NewsletterID, emailKey(q.Email), digest.NormalEmail(q.Email),
		q.TimeZone, q.Form,
		q.ReturnURL, q.Latest, now, expires)
}

// JoinRequest returns a request without using it. It returns digest.NotFound if it is unknown, used or expired.
func (s Members) JoinRequest(ctx context.Context, hash []byte, now time.Time) (JoinRequest, error) {
	return readOne[JoinRequest](ctx, s.read(), "reading a wish to join", noJoinRequest(),
		`SELECT `+joinColumns+` FROM join_requests WHERE token_hash = ? AND expires_at > ?`, hash, now)
}

func noJoinRequest() error { return notFound("this link was used or is too old") }

// ConfirmJoin uses a request and makes its address a member, in one transaction. Of several calls with the same hash,
// one succeeds. address is the network address of the person who confirms. If they requested the latest issue, they
// get it. It returns digest.NotFound if the request is unknown, used or expired, and digest.Conflict if the newsletter
// is closed or full.
func (s Members) ConfirmJoin(ctx context.Context, hash []byte, address string, now time.Time) (q JoinRequest,
	m digest.Member, err error) {
	err = s.changeAlone(ctx, "joining the newsletter", func(c conn) (err error) {
		q, err = readOne[JoinRequest](ctx, c, "", noJoinRequest(),
			`DELETE FROM join_requests WHERE token_hash = ? AND expires_at > ? RETURNING `+joinColumns, hash, now)
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
