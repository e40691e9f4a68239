package store

import (
	"context"

	"digest"
)

// The table feed_times holds the columns of a feed that each poll changes: its place in the queue, its lease, its last
// attempt and the next possible one. The record in feeds is wide and has many indexes. So a poll without news only
// writes and locks a narrow row with one index.
//
// Each feed always has one row of times. A transaction that changes both locks the record first. It locks the times of
// several feeds in the order of their keys.

// timedFeeds joins feeds f with their times t.
const timedFeeds = `feeds f JOIN feed_times t ON t.feed_id = f.id`

func addTimes(ctx context.Context, c conn, ids []digest.FeedID, attempt instant) error {
	var v values
	for _, id := range ids {
		v.Row(id, attempt)
	}
	return c.RunRows(ctx, &v, `INSERT INTO feed_times (feed_id, last_attempt_at) VALUES {rows}`)
}

// lockTimes locks the times of feeds until the transaction ends. Later reads see what the previous holder of the lock
// has committed, also in the record.
func lockTimes(ctx context.Context, c conn, ids []digest.FeedID) error {
	if c.d.ForUpdate == "" {
		return nil
	}
	return c.Run(ctx, `SELECT 1 FROM feed_times t WHERE t.feed_id`+c.d.OneOf+` ORDER BY t.feed_id`+c.d.ForUpdate,
		ids)
}
