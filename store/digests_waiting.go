package store

import (
	"context"
	"fmt"
	"time"

	"digest"
)

// A digest whose midnight has been planned has a row in waiting_digests until it
// is released. The row names one feed, that among those it waits for which is to
// be polled last. So only two things make it worth looking at a digest: that
// feed has been recorded, which tells it (told), or its deadline has passed. As
// the last of them is mostly the last to be recorded, a digest is looked at
// about twice, however many feeds it has and however long the polls are spread.
//
// In place of the feed, 0 says that it is to be looked up, and waitsForNone that
// the digest can be released. A row may outlive its digest's midnight (a reader who
// travels, a digest that is deleted): who meets such a row drops it.
const waitsForNone = -1

// lookStep is how many digests are looked at in one transaction: storing waits for it.
const lookStep = 2000

// beginWaiting notes the digests that have just been planned.
func beginWaiting(ctx context.Context, c conn, now instant) error {
	return noteWaiting(ctx, c, `d.next_due_at <= ? AND d.planned_at = ?`, now, now)
}

// noteForgotten notes planned digests without a row: a worker of an older version
// has planned them, and has gone.
func (s *Store) noteForgotten(ctx context.Context, now instant) error {
	const forgotten = `d.next_due_at <= ? AND NOT EXISTS (SELECT 1 FROM waiting_digests w WHERE w.digest_id = d.id)`
	n, err := s.read().number(ctx,
		`SELECT count(*) FROM digests d WHERE d.state = 'active' AND d.planned_due_at = d.next_due_at AND `+
			forgotten, now)
	if err != nil || n == 0 {
		return err
	}
	return s.write(ctx, func(c conn) error { return noteWaiting(ctx, c, forgotten, now) })
}

// noteWaiting makes planned digests d be looked at.
func noteWaiting(ctx context.Context, c conn, where string, args ...any) error {
	return c.run(ctx, `INSERT INTO waiting_digests (digest_id, feed_id, planned_at)
		SELECT d.id, 0, d.planned_at FROM digests d
		WHERE d.state = 'active' AND d.planned_due_at = d.next_due_at AND `+where+` ORDER BY d.id
		ON CONFLICT (digest_id) DO UPDATE SET feed_id = 0, planned_at = excluded.planned_at`, args...)
}

// endWaiting drops the rows of digests that wait no more: they have just been released, or
// moved to another midnight.
func endWaiting(ctx context.Context, c conn, ids []digest.DigestID) error {
	return c.run(ctx, `DELETE FROM waiting_digests WHERE digest_id`+c.d.oneOf+`
		AND NOT EXISTS (SELECT 1 FROM digests d WHERE d.id = waiting_digests.digest_id AND d.planned_due_at = d.next_due_at)`, keys(c.d, ids))
}

// tellWaiting makes the digests be looked at that wait for one of these feeds,
// and says how many those are.
func tellWaiting(ctx context.Context, c conn, feeds []digest.FeedID) (int, error) {
	if len(feeds) == 0 {
		return 0, nil
	}
	return c.exec(ctx, `UPDATE waiting_digests SET feed_id = 0 WHERE feed_id`+c.d.oneOf, keys(c.d, feeds))
}

// lookAtWaiting looks at the digests that were told, or whose deadline has
// passed, and notes which feed each waits for now, if any. It excludes storing:
// else a feed that is recorded meanwhile would tell nobody.
func (s *Store) lookAtWaiting(ctx context.Context, now instant, deadline time.Duration) error {
	late := fmt.Sprint(`w.feed_id > 0 AND w.planned_at <= `, now.plus(-deadline))
	for _, where := range []string{`w.feed_id = 0`, late} {
		for more := true; more; {
			var ids []digest.DigestID
			err := s.read().all(ctx, &ids, `SELECT w.digest_id FROM waiting_digests w WHERE `+where+` LIMIT ?`,
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

// waitsFor is the feed for which a digest of waiting_digests waits: the last in the
// queue of those before its deadline; -1: none. Each feed is looked up by its key and once,
// in a way that no planner can turn round: it would go through the queue for each
// digest. The argument is the deadline, in seconds.
const waitsFor = `COALESCE((SELECT x.feed_id FROM (SELECT s.feed_id, (SELECT t.poll_at FROM feed_times t WHERE t.feed_id = s.feed_id) AS poll_at
		FROM subscriptions s WHERE s.digest_id = waiting_digests.digest_id AND s.paused = 0 LIMIT 1000000000) x
	WHERE x.poll_at <= waiting_digests.planned_at + ? ORDER BY x.poll_at DESC, x.feed_id LIMIT 1), -1)`

// lookAt notes which feed digests wait for. Those that another worker has looked at
// since they were found are left alone.
func lookAt(ctx context.Context, c conn, ids []digest.DigestID, now instant, deadline time.Duration) error {
	if err := endWaiting(ctx, c, ids); err != nil {
		return err
	}
	return c.run(ctx, `UPDATE waiting_digests SET feed_id = CASE WHEN planned_at <= ? THEN -1 ELSE `+waitsFor+` END
		WHERE digest_id`+c.d.oneOf+` AND (feed_id = 0 OR feed_id > 0 AND planned_at <= ?)`,
		now.plus(-deadline), int64(deadline/time.Second), keys(c.d, ids), now.plus(-deadline))
}
