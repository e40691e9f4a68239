package store

import (
	"context"

	"digest"
)

// What each poll of a feed changes stands apart from its record, in feed_times: its
// place in the queue, its lease, when it was asked and when it may be asked again. The
// record is wide and has many indexes; the times are a narrow row with one. A poll
// that finds nothing new writes and locks its times alone.
//
// Each feed has one row of times, from its first day to its last. Who changes both
// locks the record first, and the times of many feeds in the order of their keys.

// timedFeeds are the feeds f with their times t.
const timedFeeds = `feeds f JOIN feed_times t ON t.feed_id = f.id`

// addTimes gives feeds their times that have just been added.
func addTimes(ctx context.Context, c conn, ids []digest.FeedID, attempt instant) error {
	var v values
	for _, id := range ids {
		v.row(id, attempt)
	}
	return c.runRows(ctx, &v, `INSERT INTO feed_times (feed_id, last_attempt_at) VALUES {rows}`)
}

// lockTimes locks the times of feeds until the transaction ends. What is read after it is
// as the last who held the lock has left it, the record too.
func lockTimes(ctx context.Context, c conn, ids []digest.FeedID) error {
	if c.d.forUpdate == "" {
		return nil
	}
	return c.run(ctx, `SELECT 1 FROM feed_times t WHERE t.feed_id`+c.d.oneOf+` ORDER BY t.feed_id`+c.d.forUpdate,
		keys(c.d, ids))
}
