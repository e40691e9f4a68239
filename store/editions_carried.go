package store

import (
	"context"
)

// What expired never left: the digest's next edition carries it, and what it
// carried itself, so that nothing is lost (I3). The rows of carried say so; they
// are made when the edition is sealed, and never change. An edition that failed
// or is not mailed at all has nothing carried: it stands in the web view.

// lost holds for editions e that never left and that no later edition carries.
// Of those the digest's next edition carries whose reader is mailed.
const (
	lost    = `e.state = 'expired' AND NOT EXISTS (SELECT 1 FROM carried y WHERE y.from_id = e.id)`
	toCarry = lost + ` AND ` + unmailedError + ` IS NULL`
)

// carry makes the editions that a batch has just been given carry what is lost
// of their digests. One that is not mailed carries nothing: what is lost waits
// until the reader can be.
func (g releaseBatch) carry(ctx context.Context, c conn, now instant) error {
	_, err := c.exec(ctx, `INSERT INTO carried (edition_id, from_id)
		WITH l (edition_id, from_id) AS (SELECT n.id, e.id
			FROM editions e CROSS JOIN digests d CROSS JOIN editions n
			WHERE `+lost+` AND d.id = e.digest_id AND d.last_due_at = ? AND d.released_at = ?
			AND d.id`+c.d.oneOf+` AND n.digest_id = d.id AND n.due_at = d.last_due_at AND n.state = 'ready' AND n.id <> e.id)
		SELECT l.edition_id, l.from_id FROM l
		UNION SELECT l.edition_id, y.from_id FROM l JOIN carried y ON y.edition_id = l.from_id
		ORDER BY 1, 2`, g.DueAt, now, keys(c.d, g.ids))
	if err != nil {
		return err
	}
	return bindCarriers(ctx, c)
}

// bindCarriers makes editions bound: an edition that carries a bound one is bound too.
// Few editions are on their way while something was lost.
func bindCarriers(ctx context.Context, c conn) error {
	const bound = `FROM carried y JOIN editions b ON b.id = y.from_id WHERE y.edition_id = n.id AND b.bound_from > 0`
	return c.run(ctx, `UPDATE editions AS n SET bound_from = (SELECT MIN(b.bound_from) `+bound+`), bound_to = (SELECT MAX(b.bound_to) `+bound+`)
		WHERE n.state = 'ready' AND n.bound_from = 0 AND n.id IN (SELECT y.edition_id FROM carried y JOIN editions b ON b.id = y.from_id WHERE b.bound_from > 0)`)
}
