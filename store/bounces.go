package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"digest"
)

// Soft bounces suppress an address when this many editions in a row bounced, and at least softDays lie between the
// first and the last. An edition counts as delivered when softSilence has passed without a bounce.
const (
	softEditions = 5
	softDays     = 7 * 24 * time.Hour
	softSilence  = 48 * time.Hour
)

// RecordBounce stores a bounce of an edition, once for each kind. It returns the suppression of the address, if there
// is one.
//
// A hard bounce suppresses the address that the edition was sent to. A complaint also ends the digest; if the edition
// belongs to a newsletter, it only ends that membership. A soft bounce is counted, a refused one only stored. It
// returns digest.NotFound if the edition does not exist.
func (s Editions) RecordBounce(ctx context.Context, now time.Time, b digest.Bounce) (sup digest.Suppression,
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

// lockForBounces takes the lock that ending a digest needs. It must precede all row locks.
func lockForBounces(ctx context.Context, c conn, marks []digest.Mark) error {
	if !slices.ContainsFunc(marks, func(m digest.Mark) bool {
		return m.Bounce != nil &&
			m.Bounce.Kind == digest.Complaint
	}) {
		return nil
	}
	return c.UntilCommit(ctx, c.d.LockAlone)
}

type bouncedEdition struct {
	DigestID     digest.DigestID
	NewsletterID digest.NewsletterID // 0: not an issue of a newsletter
	UserID       digest.UserID
	Recipient    string // the reader's current address if none is recorded
}

// recordBounce is RecordBounce in a transaction. It returns the key of the address.
func recordBounce(ctx context.Context, c conn, now instant, b digest.Bounce) (key string, err error) {
	e, err := readOne[bouncedEdition](ctx, c, "", notFound("there is no such edition"),
		`SELECT e.digest_id, COALESCE(d.newsletter_id, 0) AS newsletter_id, d.user_id, CASE
			WHEN e.recipient = '' THEN u.email ELSE e.recipient END AS recipient
		FROM editions e JOIN digests d ON d.id = e.digest_id JOIN users u ON u.id = d.user_id WHERE e.id = ?`,
		b.Edition)
	if err != nil {
		return "", err
	}
	key = emailKey(e.Recipient)
	n, err := c.Exec(ctx, `INSERT INTO bounces (edition_id, kind, email_key, status, evidence, at)
		VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (edition_id, kind) DO NOTHING`, b.Edition, b.Kind, key, b.Status,
		digest.OneLine(b.Evidence), now)
	if err != nil || n == 0 {
		return key, err
	}
	if err := followBounce(ctx, c, now, e, b); err != nil {
		return "", err
	}
	return key, countReturn(ctx, c, now, e.NewsletterID, b.Kind) // last, because it locks the newsletter's counter row
}

// followBounce acts on the first bounce of its kind for an edition: it ends a digest, suppresses an address or does
// nothing.
func followBounce(ctx context.Context, c conn, now instant, e bouncedEdition, b digest.Bounce) error {
	sup := digest.Suppression{Email: e.Recipient, Evidence: b.Evidence, EditionID: b.Edition, CreatedAt: now.Time()}
	if b.Kind == digest.RefusedBounce || b.Kind == digest.SoftBounce { // the reader never received it
		if err := c.Run(ctx, `UPDATE editions AS e SET undelivered = 1 WHERE e.id = ? AND e.state = 'sent'
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
		if e.NewsletterID != 0 { // keep their own digest and other newsletters
			return endMembership(ctx, c, e, now.Time())
		}
		if err := endDigest(ctx, c, e.DigestID, now.Time()); err != nil {
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

// endMembership ends a membership after a complaint. Only the person can join again.
func endMembership(ctx context.Context, c conn, e bouncedEdition, now time.Time) error {
	if err := suppressMember(ctx, c, e.NewsletterID, e.Recipient, "complained", now); err != nil {
		return err
	}
	return endDigest(ctx, c, e.DigestID, now)
}

// endDigest ends a digest as SetDigestState does when the reader leaves.
func endDigest(ctx context.Context, c conn, id digest.DigestID, now time.Time) error {
	d, err := readDigest(ctx, c, `d.id = ?`, id)
	if err != nil {
		return err
	}
	return setDigestState(ctx, c, d, digest.DigestLeft, now)
}

// keepsBouncing reports whether enough editions in a row soft-bounced. It orders them by their midnights, because
// reports may arrive late.
func keepsBouncing(ctx context.Context, c conn, now instant, e bouncedEdition, key string) (bool, error) {
	var arrived instant
	if err := c.Get(ctx, &arrived, `SELECT MAX(e.due_at) FROM editions e JOIN digests d ON d.id = e.digest_id
		WHERE d.user_id = ? AND e.state = 'sent' AND e.sent_at <= ? AND e.recipient IN ('', ?)
		AND NOT EXISTS (SELECT 1 FROM bounces b WHERE b.edition_id = e.id)`,
		e.UserID, now.Plus(-softSilence), e.Recipient); err != nil {
		return false, err
	}
	var run struct {
		N     int
		First instant
		Last  instant
	}
	if err := c.Get(ctx, &run, `SELECT count(*) AS n, MIN(e.due_at) AS first, MAX(e.due_at) AS last
		FROM bounces b JOIN editions e ON e.id = b.edition_id
		WHERE b.email_key = ? AND b.kind = 'soft' AND e.due_at > ?`, key, arrived); err != nil {
		return false, err
	}
	return run.N >= softEditions && run.Last >= run.First.Plus(softDays), nil
}
