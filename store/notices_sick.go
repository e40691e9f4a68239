package store

import (
	"context"
	"time"

	"digest"
)

// toldAgain is how long after a notice about one illness of a feed its readers get none about another illness.
const toldAgain = 30 * 24 * time.Hour

// tellSick stores notices about feeds that have failed for days, or are dead and polled no longer. If a feed answers
// again, it deletes the notices that readers have not got.
func (r *recording) tellSick(ctx context.Context) error {
	var n notices
	var sick values
	var back []digest.FeedID
	for _, p := range r.polls {
		switch {
		case p.stored.State == digest.FeedActive && p.Feed.State == digest.FeedDead:
			n.add(p.Feed, digest.NoticeDead, digest.Gap{})
			back = append(back, p.Feed.ID) // the notice that it is dead replaces the one that it is sick
		case p.stored.State != digest.FeedActive && p.Feed.State == digest.FeedActive, p.WasSick &&
			p.Illness == digest.Well:
			back = append(back, p.Feed.ID)
		case p.Illness != digest.Well && p.Feed.State == digest.FeedActive:
			f := p.Feed
			sick.Row(f.ID, f.Title, f.URL, from(f.FailingSince), p.Illness, r.now.Plus(-toldAgain))
		}
	}
	if err := dropWaitingNotices(ctx, r.c, back, `'sick', 'dead'`); err != nil {
		return err
	}
	if err := saveSickForPublishers(ctx, r.c, &sick, r.now.Plus(-toldAgain)); err != nil {
		return err
	}
	if err := saveSick(ctx, r.c, &sick); err != nil {
		return err
	}
	return n.save(ctx, r.c)
}

// saveSick stores notices that feeds are sick. It skips readers who have a notice of this illness, or a recent one of
// another illness.
func saveSick(ctx context.Context, c conn, sick *values) error {
	return c.RunRows(ctx, sick,
		`INSERT INTO notices (digest_id, visible_at, feed_id, kind, title, url, from_at, illness)
		WITH v (feed_id, title, url, from_at, illness, notified_at) AS (VALUES {rows})
		SELECT s.digest_id, d.next_due_at, v.feed_id, 'sick', CASE WHEN s.title <> '' THEN s.title ELSE v.title END,
		v.url, v.from_at, v.illness
		FROM v CROSS JOIN subscriptions s CROSS JOIN digests d
		WHERE s.feed_id = v.feed_id AND s.paused = 0 AND d.id = s.digest_id AND `+isTold+`
		AND (`+gathers+` OR d.state = 'paused')
		AND NOT EXISTS (SELECT 1 FROM notices n WHERE n.digest_id = s.digest_id AND n.feed_id = v.feed_id
		AND n.kind = 'sick'
			AND (n.from_at = v.from_at OR n.visible_at > v.notified_at))
		ORDER BY s.digest_id, v.feed_id ON CONFLICT (digest_id, visible_at, feed_id, kind) DO NOTHING`)
}

// dropWaitingNotices deletes the notices of some kinds, separated by commas, that readers have not got. Publishers'
// notices other than sick go even if they were sent, so that publishers get a new one if the trouble returns.
func dropWaitingNotices(ctx context.Context, c conn, ids []digest.FeedID, kinds string) error {
	if len(ids) == 0 {
		return nil
	}
	if err := c.Run(ctx, `DELETE FROM newsletter_notices WHERE kind IN (`+
		kinds+`) AND (kind <> 'sick' OR notified_at = 0) AND feed_id IN (`+list(ids)+`)`); err != nil {
		return err
	}
	return c.Run(ctx, `DELETE FROM notices WHERE kind IN (`+kinds+`) AND (digest_id, visible_at, feed_id) IN (
		SELECT s.digest_id, d.next_due_at, s.feed_id FROM subscriptions s JOIN digests d ON d.id = s.digest_id
		WHERE s.feed_id IN (`+list(ids)+`))`)
}
