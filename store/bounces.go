package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"digest"
)

// Soft bounces suppress an address when so many editions in a row came back, the
// first and the last so long apart. An edition counts as having arrived when it
// was accepted so long ago and nothing came back of it since.
const (
	softEditions = 5
	softDays     = 7 * 24 * time.Hour
	softSilence  = 48 * time.Hour
)

// RecordBounce records what came back of an edition: the same kind of the same
// edition once, however often it is told. A hard bounce suppresses the address
// that the edition went to; a complaint does, and ends the digest, but one of a letter of a
// newsletter ends that membership alone; a soft one is counted; a refused one is only stored. It gives the suppression
// of the address, if there is one now.
// digest.NotFound if there is no such edition (any more).
func (s *Store) RecordBounce(ctx context.Context, now time.Time, b digest.Bounce) (sup digest.Suppression,
	suppressed bool, err error) {
	err = s.write(ctx, func(c conn) error {
		if err := lockForBounces(ctx, c, []digest.Mark{{Bounce: &b}}); err != nil {
			return err
		}
		key, err := recordBounce(ctx, c, at(now), b)
		if err != nil {
			return err
		}
		sup, suppressed, err = readSuppression(ctx, c, key)
		return err
	})
	return sup, suppressed, failed("recording a bounce", err)
}

// lockForBounces takes, before any row, the lock under which a complaint ends a digest.
func lockForBounces(ctx context.Context, c conn, marks []digest.Mark) error {
	if !slices.ContainsFunc(marks, func(m digest.Mark) bool {
		return m.Bounce != nil &&
			m.Bounce.Kind == digest.Complaint
	}) {
		return nil
	}
	return c.untilCommit(ctx, c.d.lockAlone)
}

// A bouncedEdition is one of which something came back.
type bouncedEdition struct {
	DigestID     digest.DigestID
	NewsletterID digest.NewsletterID // whose letter it is; 0: none's
	UserID       digest.UserID
	Recipient    string // the reader's address, if it was never sent
}

// recordBounce is RecordBounce in a transaction; it gives the key of the address.
func recordBounce(ctx context.Context, c conn, now instant, b digest.Bounce) (key string, err error) {
	e, err := readOne[bouncedEdition](ctx, c, "", notFound("there is no such edition"),
		`SELECT e.digest_id, COALESCE(d.newsletter_id, 0) AS newsletter_id, d.user_id, CASE WHEN e.recipient = '' THEN u.email ELSE e.recipient END AS recipient
		FROM editions e JOIN digests d ON d.id = e.digest_id JOIN users u ON u.id = d.user_id WHERE e.id = ?`,
		b.Edition)
	if err != nil {
		return "", err
	}
	key = emailKey(e.Recipient)
	n, err := c.exec(ctx, `INSERT INTO bounces (edition_id, kind, email_key, status, evidence, at) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (edition_id, kind) DO NOTHING`, b.Edition, string(b.Kind), key, b.Status,
		digest.OneLine(b.Evidence), now)
	if err != nil || n == 0 {
		return key, err
	}
	if err := followBounce(ctx, c, now, e, b); err != nil {
		return "", err
	}
	return key, countReturn(ctx, c, now, e.NewsletterID, b.Kind) // whose row stays locked: at the end
}

// followBounce does what is told of an edition for the first time: it ends a digest, suppresses an address, or
// nothing.
func followBounce(ctx context.Context, c conn, now instant, e bouncedEdition, b digest.Bounce) error {
	sup := digest.Suppression{Email: e.Recipient, Evidence: b.Evidence, EditionID: b.Edition, CreatedAt: now.time()}
	if b.Kind == digest.RefusedBounce || b.Kind == digest.SoftBounce { // its reader never got it
		if err := c.run(ctx, `UPDATE editions AS e SET undelivered = 1 WHERE e.id = ? AND e.state = 'sent'
			AND NOT EXISTS (SELECT 1 FROM carried_posts y WHERE y.from_id = e.id)`, b.Edition); err != nil {
			return err
		}
	}
	switch b.Kind {
	case digest.RefusedBounce:
		return nil
	case digest.HardBounce:
		sup.Reason = digest.ForHardBounce
	case digest.Complaint:
		sup.Reason = digest.ForComplaint
		if e.NewsletterID != 0 { // their own digest and other newsletters are not what they complained of
			return endMembership(ctx, c, e, now.time())
		}
		if err := endDigest(ctx, c, e.DigestID, now.time()); err != nil {
			return err
		}
	case digest.SoftBounce:
		tooMany, err := keepsBouncing(ctx, c, now, e, emailKey(e.Recipient))
		if err != nil || !tooMany {
			return err
		}
		sup.Reason = digest.ForSoftBounces
	default:
		return fmt.Errorf("a bounce of the kind %q", b.Kind)
	}
	return suppress(ctx, c, sup)
}

// endMembership ends what somebody complained of: nobody but they themselves can bring them back.
func endMembership(ctx context.Context, c conn, e bouncedEdition, now time.Time) error {
	if err := suppressMember(ctx, c, e.NewsletterID, e.Recipient, "complained", now); err != nil {
		return err
	}
	return endDigest(ctx, c, e.DigestID, now)
}

// endDigest is what SetDigestState does for a reader who leaves.
func endDigest(ctx context.Context, c conn, id digest.DigestID, now time.Time) error {
	d, err := readDigest(ctx, c, `d.id = ?`, id)
	if err != nil {
		return err
	}
	return setDigestState(ctx, c, d, digest.DigestLeft, now)
}

// keepsBouncing reports whether enough editions in a row came back softly. They
// stand in the order of their midnights, for word of one may come late.
func keepsBouncing(ctx context.Context, c conn, now instant, e bouncedEdition, key string) (bool, error) {
	var arrived instant
	if err := c.get(ctx, &arrived, `SELECT MAX(e.due_at) FROM editions e JOIN digests d ON d.id = e.digest_id
		WHERE d.user_id = ? AND e.state = 'sent' AND e.sent_at <= ? AND e.recipient IN ('', ?)
		AND NOT EXISTS (SELECT 1 FROM bounces b WHERE b.edition_id = e.id)`,
		e.UserID, now.plus(-softSilence), e.Recipient); err != nil {
		return false, err
	}
	var run struct {
		N     int
		First instant
		Last  instant
	}
	if err := c.get(ctx, &run, `SELECT count(*) AS n, MIN(e.due_at) AS first, MAX(e.due_at) AS last
		FROM bounces b JOIN editions e ON e.id = b.edition_id
		WHERE b.email_key = ? AND b.kind = 'soft' AND e.due_at > ?`, key, arrived); err != nil {
		return false, err
	}
	return run.N >= softEditions && run.Last >= run.First.plus(softDays), nil
}
