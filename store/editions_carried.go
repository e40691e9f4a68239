package store

import (
	"context"
	"slices"

	"digest"
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

// carry makes the editions that a group has just been given carry what is lost
// of their digests. One that is not mailed carries nothing: what is lost waits
// until the reader can be.
func (g releaseGroup) carry(ctx context.Context, c conn, now instant) error {
	_, err := c.exec(ctx, `INSERT INTO carried (edition_id, from_id)
		WITH l (edition_id, from_id) AS (SELECT n.id, e.id
			FROM editions e CROSS JOIN digests d CROSS JOIN editions n
			WHERE `+lost+` AND d.id = e.digest_id AND d.last_due_at = ? AND d.released_at = ?
			AND `+g.some()+` AND n.digest_id = d.id AND n.due_at = d.last_due_at AND n.state = 'ready' AND n.id <> e.id)
		SELECT l.edition_id, l.from_id FROM l
		UNION SELECT l.edition_id, y.from_id FROM l JOIN carried y ON y.edition_id = l.from_id
		ORDER BY 1, 2`, g.DueAt, now)
	if err != nil {
		return err
	}
	return bindCarriers(ctx, c)
}

// bindCarriers makes editions bound that carry a bound one: what is much in that
// is no less in them. Few editions are on their way while something was lost.
func bindCarriers(ctx context.Context, c conn) error {
	const bound = `FROM carried y JOIN editions b ON b.id = y.from_id WHERE y.edition_id = n.id AND b.bound_from > 0`
	_, err := c.exec(ctx, `UPDATE editions AS n SET bound_from = (SELECT MIN(b.bound_from) `+bound+`), bound_to = (SELECT MAX(b.bound_to) `+bound+`)
		WHERE n.state = 'ready' AND n.bound_from = 0 AND n.id IN (SELECT y.edition_id FROM carried y JOIN editions b ON b.id = y.from_id WHERE b.bound_from > 0)`)
	return err
}

// A part is a range of posts and notices that an edition shows: its own, or
// those of an edition that it carries.
type part struct {
	EditionID digest.EditionID `db:"edition_id"`
	DigestID  digest.DigestID  `db:"digest_id"`
	DueAt     instant          `db:"due_at"`
	Carried   bool             `db:"carried"`
}

// partsOf gives the parts of editions, their own first.
func (s *Store) partsOf(ctx context.Context, editions []digest.Delivery) ([]part, error) {
	parts := make([]part, len(editions))
	for i, e := range editions {
		parts[i] = part{EditionID: e.ID, DigestID: e.DigestID, DueAt: at(e.DueAt)}
	}
	ids := keys(editions, func(e digest.Delivery) digest.EditionID { return e.ID })
	var carried []part
	err := s.read().all(ctx, &carried, `SELECT y.edition_id, e.digest_id, e.due_at, 1 AS carried
		FROM carried y JOIN editions e ON e.id = y.from_id WHERE y.edition_id IN (`+list(ids)+`)`)
	return append(parts, carried...), err
}

// waitingParts gives the parts of the edition that a digest's next midnight
// would bring as things stand.
func (s *Store) waitingParts(ctx context.Context, id digest.DigestID) ([]part, error) {
	var parts []part
	err := s.read().all(ctx, &parts, `WITH l (id) AS (SELECT e.id FROM editions e WHERE e.digest_id = ? AND `+toCarry+`)
		SELECT 0 AS edition_id, d.id AS digest_id, d.next_due_at AS due_at, 0 AS carried FROM digests d WHERE d.id = ?
		UNION SELECT 0, e.digest_id, e.due_at, 1 FROM l JOIN editions e ON e.id = l.id
		UNION SELECT 0, e.digest_id, e.due_at, 1 FROM l JOIN carried y ON y.edition_id = l.id JOIN editions e ON e.id = y.from_id`, id, id)
	slices.SortFunc(parts, func(a, b part) int { return bit(a.Carried) - bit(b.Carried) })
	return parts, err
}

// partRows writes parts as (edition_id, digest_id, due_at, carried).
func partRows(parts []part) values {
	var v values
	for _, p := range parts {
		v.row(p.EditionID, p.DigestID, p.DueAt, bit(p.Carried))
	}
	return v
}
