package store

import (
	"context"

	"digest"
)

// rollUp moves the posts of roll-ups from the digests d of the batch to their next midnight, unless this edition has
// them (Subscription.RollsUp). So they always wait for the digest's next midnight, as all hidden posts do, and changes
// of the schedule, the zone or a pause need not know them. A first edition at its reader's request has all posts.
func (g releaseBatch) rollUp(ctx context.Context, c conn, times groupTimes, where string, args []any) error {
	var rows []struct {
		digest.Subscription
		LastDueAt instant
	}
	if !g.atOnce.IsZero() {
		return nil
	}
	if err := c.All(ctx, &rows, `SELECT s.digest_id, s.feed_id, s.roll_up, d.last_due_at
		FROM digests d CROSS JOIN subscriptions s WHERE s.digest_id = d.id AND s.roll_up > 0 AND `+where+`
		ORDER BY s.digest_id, s.feed_id`, args...); err != nil {
		return err
	}
	var waiting values
	for _, r := range rows {
		var after digest.Date
		if r.LastDueAt != 0 {
			after = digest.DateOf(r.LastDueAt.Time().In(times.zone))
		}
		if !r.RollsUp(after, times.date) {
			waiting.Row(r.DigestID, r.FeedID)
		}
	}
	return moveRollUps(ctx, c, &waiting, g.DueAt, times)
}

// moveRollUps moves the posts of subscriptions (digest_id, feed_id) from a midnight to the next one.
func moveRollUps(ctx context.Context, c conn, waiting *values, was instant, times groupTimes) error {
	const rows = `SELECT dp.digest_id, dp.visible_at, dp.post_id FROM v CROSS JOIN digest_posts dp CROSS JOIN posts p
		CROSS JOIN feeds f WHERE dp.digest_id = v.digest_id AND dp.visible_at = ? AND p.id = dp.post_id
		AND f.id = p.feed_id AND ` + ofFeed + ` = v.feed_id`
	for _, step := range []struct {
		statement string
		args      []any
	}{
		{`WITH v (digest_id, feed_id) AS (VALUES {rows}), x (digest_id, visible_at, post_id) AS (` + rows + `)
			UPDATE posts SET shown_at = ? WHERE id IN (SELECT x.post_id FROM x)`, []any{was, times.now}},
		{`INSERT INTO digest_posts (digest_id, visible_at, post_id)
			WITH v (digest_id, feed_id) AS (VALUES {rows}), x (digest_id, visible_at, post_id) AS (` + rows + `)
			SELECT x.digest_id, CAST(? AS BIGINT), x.post_id FROM x ORDER BY x.digest_id, x.post_id
			ON CONFLICT DO NOTHING`, []any{was, times.next}},
		{`DELETE FROM digest_posts WHERE (digest_id, visible_at, post_id) IN (
			WITH v (digest_id, feed_id) AS (VALUES {rows}) ` + rows + `)`, []any{was}},
	} {
		if err := c.RunRows(ctx, waiting, step.statement, step.args...); err != nil {
			return err
		}
	}
	return nil
}
