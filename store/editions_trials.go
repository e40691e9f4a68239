package store

import (
	"context"

	"digest"
)

// endTrials decides the trials of the digests d of the batch that have no answer yet. It returns the digests
// that lose a subscription. They stay in the batch even if they lose their last filter with it.
func (g releaseBatch) endTrials(ctx context.Context, c conn, times groupTimes, where string,
	args []any) (ended []digest.DigestID, err error) {
	err = g.trials(ctx, c, times, where+` AND s.trial_asked = 1`, args, func(sub digest.Subscription) error {
		var step digest.TrialStep
		if sub.Trial, step = sub.On(times.date); step != digest.TrialStops {
			return saveTrial(ctx, c, sub)
		}
		ended = append(ended, sub.DigestID)
		if err := lockFeed(ctx, c, sub.FeedID); err != nil {
			return err
		}
		if err := unsubscribe(ctx, c, sub.DigestID, sub.FeedID); err != nil {
			return err
		}
		return noteTrial(ctx, c, sub, digest.NoticeEnded)
	})
	if err != nil || !g.Filtered || len(ended) == 0 {
		return ended, err
	}
	return ended, c.Run(ctx, `UPDATE digests SET filtered = 1 WHERE id`+c.d.OneOf, ended)
}

// askTrials asks about the trials of the digests d of the batch whose time is over, in editions with posts: no edition
// is created for a question.
func (g releaseBatch) askTrials(ctx context.Context, c conn, times groupTimes, where string, args []any) error {
	return g.trials(ctx, c, times, where+` AND s.trial_asked = 0 AND EXISTS (SELECT 1 FROM digest_posts dp
		WHERE dp.digest_id = d.id AND dp.visible_at = d.next_due_at)`, args, func(sub digest.Subscription) error {
		sub.Trial, _ = sub.On(times.date)
		if err := saveTrial(ctx, c, sub); err != nil {
			return err
		}
		return noteTrial(ctx, c, sub, digest.NoticeTrial)
	})
}

// trials calls do for the trials of digests d that have a step to take on the date of an edition. Paused subscriptions
// wait. A first edition at its reader's request takes no step.
func (g releaseBatch) trials(ctx context.Context, c conn, times groupTimes, where string, args []any,
	do func(digest.Subscription) error) error {
	if !g.atOnce.IsZero() {
		return nil
	}
	var rows []digest.Subscription
	if err := c.All(ctx, &rows, `SELECT s.digest_id, s.feed_id, s.title, s.trial_until, s.trial_ends, s.trial_asked
		FROM digests d CROSS JOIN subscriptions s WHERE s.digest_id = d.id AND s.trial_until <> ''
		AND s.trial_until <= ? AND s.paused = 0 AND `+where+` ORDER BY s.feed_id, s.digest_id`,
		append([]any{times.date}, args...)...); err != nil {
		return err
	}
	for _, r := range rows {
		if err := do(r); err != nil {
			return err
		}
	}
	return nil
}

// saveTrial stores a trial after a step, and deletes the question of an earlier edition.
func saveTrial(ctx context.Context, c conn, sub digest.Subscription) error {
	if err := c.Run(ctx, `UPDATE subscriptions SET trial_until = ?, trial_ends = ?, trial_asked = ?
		WHERE digest_id = ? AND feed_id = ?`, sub.TrialUntil, sub.TrialEnds, sub.TrialAsked, sub.DigestID,
		sub.FeedID); err != nil {
		return err
	}
	return dropQuestion(ctx, c, sub.DigestID, sub.FeedID)
}

// noteTrial stores a notice about a trial, or about one that has ended, for the digest's next midnight.
func noteTrial(ctx context.Context, c conn, sub digest.Subscription, kind digest.NoticeKind) error {
	return c.Run(ctx, `INSERT INTO notices (digest_id, visible_at, feed_id, kind, title, url)
		SELECT d.id, d.next_due_at, f.id, CAST(? AS TEXT),
		COALESCE(NULLIF(CAST(? AS TEXT), ''), f.title), f.url FROM digests d CROSS JOIN feeds f
		WHERE d.id = ? AND f.id = ? ON CONFLICT DO NOTHING`, kind, sub.Title, sub.DigestID, sub.FeedID)
}

// asksAgain sets a column of subscriptions so that another edition asks about a trial. Every pause sets it, because its
// reader may not have seen the question.
const asksAgain = `trial_asked = 0`

// dropQuestion deletes the question about a trial from all editions of a digest.
func dropQuestion(ctx context.Context, c conn, id digest.DigestID, feed digest.FeedID) error {
	return c.Run(ctx, `DELETE FROM notices WHERE digest_id = ? AND kind = 'trial'
		AND feed_id IN (SELECT f.id FROM feeds f WHERE f.id = ? OR f.merged_into = ?)`, id, feed, feed)
}
