package store

import (
	"context"

	"digest"
)

// An edition that did not reach its reader is undelivered: it expired, a server refused it, or nobody confirmed it. The
// digest's next edition carries it, so that nothing is lost (I3). It shows the posts of an expired edition in full. Of
// the other two it lists the headlines, and a notice links to the edition. An expired edition passes on the editions
// that it carried itself. A refused edition does not, because they may be the reason for the refusal. The release
// writes the rows of carried, which never change.

// undelivered holds for editions e that the next edition of their digest must carry. toCarry holds if their reader also
// gets email.
const (
	undelivered = `e.undelivered = 1`
	toCarry     = undelivered + ` AND ` + unmailedError + ` IS NULL`
)

// isReason holds for undelivered editions e that are worth an edition of their own. A refused edition without posts of
// its own is not: a server that refuses everything would otherwise cause an edition every day.
const isReason = `(e.state = 'expired' OR EXISTS (SELECT 1 FROM digest_posts x WHERE x.digest_id = e.digest_id
	AND x.visible_at = e.due_at))`

// isUndelivered reports whether the next edition must carry an edition in a state. It need not if the address does not
// exist, because nothing is mailed there any more.
func isUndelivered(state digest.EditionState, b *digest.Bounce) bool {
	switch state {
	case digest.EditionExpired, digest.EditionUnconfirmed:
		return true
	case digest.EditionFailed:
		return b == nil || b.Kind != digest.HardBounce
	}
	return false
}

// dropUnsent ends the editions of a digest that wait for a mailer or for the next edition.
func dropUnsent(ctx context.Context, c conn, id digest.DigestID, state digest.EditionState, why string) error {
	return c.Run(ctx, `UPDATE editions AS e SET undelivered = 0, state = CASE
		WHEN e.state IN ('ready', 'expired') THEN ? ELSE e.state END,
		error = CASE WHEN e.state IN ('ready', 'expired') THEN ? ELSE e.error END WHERE e.digest_id = ?
		AND (e.state = 'ready' OR `+undelivered+`)`,
		state, why, id)
}

// carry makes the new editions of a batch carry the undelivered editions of their digests. An edition that is not
// mailed carries nothing: the undelivered ones wait until its reader gets email again.
func (g releaseBatch) carry(ctx context.Context, c conn, now instant) error {
	err := c.Run(ctx, `INSERT INTO carried_posts (edition_id, from_id)
		WITH l (edition_id, from_id) AS (SELECT n.id, e.id
			FROM editions e CROSS JOIN digests d CROSS JOIN editions n
			WHERE `+undelivered+` AND d.id = e.digest_id AND d.last_due_at = ? AND d.released_at = ?
			AND d.id`+c.d.OneOf+` AND n.digest_id = d.id AND n.due_at = d.last_due_at AND n.state = 'ready'
			AND n.id <> e.id)
		SELECT l.edition_id, l.from_id FROM l
		UNION SELECT l.edition_id, y.from_id FROM l JOIN editions b ON b.id = l.from_id AND b.state = 'expired'
			JOIN carried_posts y ON y.edition_id = l.from_id
		ORDER BY 1, 2`, g.DueAt, now, g.ids)
	if err == nil {
		err = c.Run(ctx, `UPDATE editions AS e SET undelivered = 0 WHERE `+
			undelivered+` AND EXISTS (SELECT 1 FROM carried_posts y WHERE y.from_id = e.id)`)
	}
	if err != nil {
		return err
	}
	return bindCarriers(ctx, c)
}

// bindCarriers makes editions that carry an expired bound edition bound too. It starts from carried_posts, because few
// editions carry others.
func bindCarriers(ctx context.Context, c conn) error {
	const bound = `FROM carried_posts y JOIN editions b ON b.id = y.from_id WHERE y.edition_id = n.id
		AND b.bound_from > 0 AND b.state = 'expired'`
	return c.Run(ctx, `UPDATE editions AS n SET bound_from = (SELECT MIN(b.bound_from) `+bound+`), bound_to =
		(SELECT MAX(b.bound_to) `+bound+`)
		WHERE n.state = 'ready' AND n.bound_from = 0 AND n.id IN (SELECT y.edition_id FROM carried_posts y
		JOIN editions b ON b.id = y.from_id WHERE b.bound_from > 0 AND b.state = 'expired')`)
}
