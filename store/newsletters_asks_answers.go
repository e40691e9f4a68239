package store

import (
	"context"
	"time"

	"digest"
)

// RecordAskBounce records what came back of a letter that asked somebody: the same of the same letter
// once. A hard bounce suppresses the address, which it gives; a complaint keeps this newsletter alone
// from it. digest.NotFound for a letter whose reader is forgotten or has answered.
func (s *Store) RecordAskBounce(ctx context.Context, now time.Time, id int64, b digest.Bounce) (suppressed string,
	err error) {
	state := map[digest.BounceKind]digest.AskState{digest.HardBounce: digest.AskBounced,
		digest.Complaint: digest.AskComplained}[b.Kind]
	if state == "" {
		return "", nil
	}
	err = s.changeAlone(ctx, "recording what came back of a letter", func(c conn) error {
		email, err := answerAsk(ctx, c, id, state, string(state), now)
		if err != nil || state != digest.AskBounced {
			return err
		}
		suppressed = email
		return suppress(ctx, c, digest.Suppression{Email: email, Reason: digest.ForHardBounce, Evidence: b.Evidence,
			CreatedAt: now})
	})
	return suppressed, err
}

// DeclineAsk notes that somebody who was asked does not want the newsletter; digest.NotFound for who
// is forgotten or has answered.
func (s *Store) DeclineAsk(ctx context.Context, id int64, now time.Time) error {
	return s.changeAlone(ctx, "noting who does not want a newsletter", func(c conn) error {
		_, err := answerAsk(ctx, c, id, digest.AskLapsed, eventLeft, now)
		return err
	})
}

// answerAsk ends an ask of which something came back: the link is void, and no list brings them in. It
// gives the address.
func answerAsk(ctx context.Context, c conn, id int64, state digest.AskState, reason string, now time.Time) (string,
	error) {
	a, err := readOne[digest.Ask](ctx, c, "", notFound("nobody waits for this letter"), `SELECT `+
		newsletterAskColumns+` FROM confirmation_requests a WHERE a.id = ? AND a.state = 'asked'`, id)
	if err != nil {
		return "", err
	}
	if err := c.run(ctx, `DELETE FROM join_requests WHERE newsletter_id = ? AND email_key = ?`, a.NewsletterID,
		emailKey(a.Email)); err != nil {
		return "", err
	}
	if err := endAsk(ctx, c, a.ID, state); err != nil {
		return "", err
	}
	return a.Email, suppressMember(ctx, c, a.NewsletterID, a.Email, reason, now)
}
