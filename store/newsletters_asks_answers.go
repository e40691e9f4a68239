package store

import (
	"context"
	"time"

	"digest"
	"digest/newsletter"
)

// RecordAskBounce records a bounce of a confirmation request, or a complaint about it. A hard bounce suppresses the
// address and returns it. A complaint suppresses it for this newsletter only. It ignores other kinds. It returns
// digest.NotFound if the request is unknown or has ended, as after an earlier report.
func (s Members) RecordAskBounce(ctx context.Context, now time.Time, id int64, b digest.Bounce) (suppressed string,
	err error) {
	state := map[digest.BounceKind]newsletter.AskState{digest.HardBounce: newsletter.AskBounced,
		digest.Complaint: newsletter.AskComplained}[b.Kind]
	if state == "" {
		return "", nil
	}
	err = s.changeAlone(ctx, "recording what came back of a letter", func(c conn) error {
		email, err := answerAsk(ctx, c, id, state, string(state), now)
		if err != nil || state != newsletter.AskBounced {
			return err
		}
		suppressed = email
		return suppress(ctx, c, digest.Suppression{Email: email, Reason: digest.ForHardBounce, Evidence: b.Evidence,
			CreatedAt: now})
	})
	return suppressed, err
}

// DeclineAsk records that a person who got a request does not want the newsletter. It returns digest.NotFound if the
// request is unknown or has ended.
func (s Members) DeclineAsk(ctx context.Context, id int64, now time.Time) error {
	return s.changeAlone(ctx, "noting who does not want a newsletter", func(c conn) error {
		_, err := answerAsk(ctx, c, id, newsletter.AskLapsed, eventLeft, now)
		return err
	})
}

// answerAsk ends a request, deletes its link, and suppresses the address for the newsletter. It returns the address.
func answerAsk(ctx context.Context, c conn, id int64, state newsletter.AskState, reason string, now time.Time) (string,
	error) {
	a, err := readOne[newsletter.Ask](ctx, c, "", notFound("nobody waits for this letter"), `SELECT `+
		newsletterAskColumns+` FROM confirmation_requests a WHERE a.id = ? AND a.state = 'asked'`, id)
	if err != nil {
		return "", err
	}
	if err := c.Run(ctx, `DELETE FROM join_requests WHERE newsletter_id = ? AND email_key = ?`, a.NewsletterID,
		emailKey(a.Email)); err != nil {
		return "", err
	}
	if err := endAsk(ctx, c, a.ID, state); err != nil {
		return "", err
	}
	return a.Email, suppressMember(ctx, c, a.NewsletterID, a.Email, reason, now)
}
