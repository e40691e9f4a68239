package store

import (
	"context"
	"fmt"
	"time"

	"digest"
)

// A planned digest has a row in waiting_digests until it is released. The row names the feed of the digest that is
// polled last. The store checks the digest again only when this feed has been recorded or the deadline has passed. The
// feed that is polled last is usually recorded last. So a digest is checked about twice, no matter how many feeds it
// has.
//
// A feed_id of 0 means that the feed must be looked up, waitsForNone that the digest can be released. A row may
// outlive the midnight of its digest, if the reader travels or the digest is deleted. The next worker that finds it
// deletes it.
const waitsForNone = -1

// lookStep is how many digests one transaction checks. Transactions that store posts wait for it.
const lookStep = 2000

// beginWaiting adds rows for the digests that have just been planned.
func beginWaiting(ctx context.Context, c conn, now instant) error {
	return noteWaiting(ctx, c, `d.next_due_at <= ? AND d.planned_at = ?`, now, now)
}

// noteWaiting marks planned digests d to be checked.
func noteWaiting(ctx context.Context, c conn, where string, args ...any) error {
	return c.Run(ctx, `INSERT INTO waiting_digests (digest_id, feed_id, planned_at)
		SELECT d.id, 0, d.planned_at FROM digests d
		WHERE d.state = 'active' AND d.planned_due_at = d.next_due_at AND `+where+` ORDER BY d.id
		ON CONFLICT (digest_id) DO UPDATE SET feed_id = 0, planned_at = excluded.planned_at`, args...)
}

// endWaiting deletes the rows of digests that were just released or moved to another midnight.
func endWaiting(ctx context.Context, c conn, ids []digest.DigestID) error {
	return c.Run(ctx, `DELETE FROM waiting_digests WHERE digest_id`+c.d.OneOf+`
		AND NOT EXISTS (SELECT 1 FROM digests d WHERE d.id = waiting_digests.digest_id
		AND d.planned_due_at = d.next_due_at)`, ids)
}

// tellWaiting marks the digests that wait for one of these feeds to be checked, and returns their number.
func tellWaiting(ctx context.Context, c conn, feeds []digest.FeedID) (int, error) {
	if len(feeds) == 0 {
		return 0, nil
	}
	return c.Exec(ctx, `UPDATE waiting_digests SET feed_id = 0 WHERE feed_id`+c.d.OneOf, feeds)
}

// lookAtWaiting checks the marked digests and the digests past their deadline, and stores the feed that each waits
// for. It locks out transactions that store posts: a feed recorded at the same time would otherwise mark no digest.
func (s *database) lookAtWaiting(ctx context.Context, now instant, deadline time.Duration) error {
	late := fmt.Sprint(`w.feed_id > 0 AND w.planned_at <= `, now.Plus(-deadline))
	for _, where := range []string{`w.feed_id = 0`, late} {
		for more := true; more; {
			var ids []digest.DigestID
			err := s.read().All(ctx, &ids, `SELECT w.digest_id FROM waiting_digests w WHERE `+where+` LIMIT ?`,
				lookStep)
			if err == nil && len(ids) > 0 {
				err = s.changeAlone(ctx, "", func(c conn) error { return lookAt(ctx, c, ids, now, deadline) })
			}
			if err != nil {
				return err
			}
			more = len(ids) == lookStep
		}
	}
	return nil
}

// waitsFor returns the feed that a digest of waiting_digests waits for: the last in the queue before the deadline, or
// -1. The argument is the deadline in seconds. The subquery with LIMIT forces the planner to look up each feed by its
// key. Otherwise it would read the queue for each digest.
const waitsFor = `COALESCE((SELECT x.feed_id FROM (SELECT s.feed_id, (SELECT t.poll_at FROM feed_times t
	WHERE t.feed_id = s.feed_id) AS poll_at
		FROM subscriptions s WHERE s.digest_id = waiting_digests.digest_id AND s.paused = 0 LIMIT 1000000000) x
	WHERE x.poll_at <= waiting_digests.planned_at + ? ORDER BY x.poll_at DESC, x.feed_id LIMIT 1), -1)`

// lookAt stores the feed that each digest waits for. It skips digests that another worker has already checked.
func lookAt(ctx context.Context, c conn, ids []digest.DigestID, now instant, deadline time.Duration) error {
	if err := endWaiting(ctx, c, ids); err != nil {
		return err
	}
	return c.Run(ctx, `UPDATE waiting_digests SET feed_id = CASE WHEN planned_at <= ? THEN -1 ELSE `+waitsFor+` END
		WHERE digest_id`+c.d.OneOf+` AND (feed_id = 0 OR feed_id > 0 AND planned_at <= ?)`,
		now.Plus(-deadline), deadline, ids, now.Plus(-deadline))
}
