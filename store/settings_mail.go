package store

import (
	"context"
	"time"

	"digest"
)

// webOnly is the error of an edition whose reader has no mail.
const webOnly = "web only"

// SetMailed says whether a digest's editions are mailed, or stand in the web
// view only. What is sealed and not sent when mail is switched off is not sent
// later either: of the editions already handed to a mailer, those whose final
// dot is not written are refused it (BeginDots). Switched on again, it holds
// from the next edition on.
func (s *Store) SetMailed(ctx context.Context, id digest.DigestID, mailed bool, now time.Time) error {
	return s.changeDigest(ctx, "switching the mail", id, func(c conn, d digestRow) error {
		if d.Mailed == mailed {
			return nil
		}
		if _, err := c.exec(ctx, `UPDATE digests SET mailed = ? WHERE id = ?`, bit(mailed), id); err != nil || mailed {
			return err
		}
		_, err := c.exec(ctx, `UPDATE editions AS e SET state = ?, error = ? WHERE e.digest_id = ? AND (e.state = 'ready' OR `+lost+`)`,
			digest.EditionUnmailed, webOnly, id)
		return err
	})
}
