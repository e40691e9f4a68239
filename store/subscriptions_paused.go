package store

import (
	"context"
	"time"

	"digest"
)

// PauseSubscription pauses a subscription until its reader says otherwise; what waits of the feed goes.
// digest.NotFound if there is none; one that is paused already has no end any more.
func (s *Store) PauseSubscription(ctx context.Context, id digest.DigestID, feed digest.FeedID) error {
	return s.PauseSubscriptionUntil(ctx, id, feed, time.Time{})
}

// PauseSubscriptionUntil is PauseSubscription with an end, at which EndSubscriptionPauses resumes it; zero: none.
func (s *Store) PauseSubscriptionUntil(ctx context.Context, id digest.DigestID, feed digest.FeedID, until time.Time) error {
	return s.change(ctx, "pausing a subscription", func(c conn) error {
		if err := c.untilCommit(ctx, s.d.lockShared); err != nil {
			return err
		}
		if err := lockFeed(ctx, c, feed); err != nil {
			return err
		}
		return pauseUntil(ctx, c, id, feed, at(until))
	})
}

// pauseUntil is PauseSubscriptionUntil of a feed that is locked.
func pauseUntil(ctx context.Context, c conn, id digest.DigestID, feed digest.FeedID, until instant) error {
	n, err := c.exec(ctx, `UPDATE subscriptions SET rests = 1, paused_until = ? WHERE digest_id = ? AND feed_id = ? AND rests = 0`, until, id, feed)
	if err != nil {
		return err
	}
	if n == 0 {
		if err := requireSubscription(ctx, c, id, feed); err != nil {
			return err
		}
		return c.run(ctx, `UPDATE subscriptions SET paused_until = ? WHERE digest_id = ? AND feed_id = ? AND rests_for = 0`, until, id, feed)
	}
	return withdraw(ctx, c, id, feed)
}

// ResumeSubscription ends the pause of a subscription: it brings what Subscribe
// would bring, and never a post that the digest has had (I4). digest.NotFound if
// there is none; one that is not paused stays as it is.
func (s *Store) ResumeSubscription(ctx context.Context, id digest.DigestID, feed digest.FeedID, now time.Time) error {
	return s.change(ctx, "resuming a subscription", func(c conn) error {
		if err := c.untilCommit(ctx, s.d.lockShared); err != nil {
			return err
		}
		if err := requireSubscription(ctx, c, id, feed); err != nil {
			return err
		}
		_, err := subscribe(ctx, c, digest.Subscription{DigestID: id, FeedID: feed}, at(now))
		return err
	})
}

// EndSubscriptionPauses resumes the subscriptions whose pause is over, and says how many.
func (s *Store) EndSubscriptionPauses(ctx context.Context, now time.Time) (int, error) {
	over, err := readRows[digest.Subscription](ctx, s.read(), "reading the pauses of subscriptions",
		`SELECT digest_id, feed_id FROM subscriptions WHERE paused_until > 0 AND paused_until <= ? AND rests = 1 AND rests_for = 0 ORDER BY digest_id, feed_id`, at(now))
	if err != nil {
		return 0, err
	}
	for i, sub := range over {
		if err := s.ResumeSubscription(ctx, sub.DigestID, sub.FeedID, now); err != nil && digest.KindOf(err) != digest.NotFound { // left meanwhile
			return i, err
		}
	}
	return len(over), nil
}

// addPaused adds a subscription that is paused from the beginning.
func addPaused(ctx context.Context, c conn, sub digest.Subscription, now instant) (bool, error) {
	if err := lockFeed(ctx, c, sub.FeedID); err != nil {
		return false, err
	}
	n, err := c.exec(ctx, `INSERT INTO subscriptions (digest_id, feed_id, title, folder, display, created_at, rests)
		SELECT d.id, f.id, CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS BIGINT), 1 FROM digests d CROSS JOIN feeds f
		WHERE d.id = ? AND f.id = ? AND f.merged_into = 0
		ON CONFLICT (digest_id, feed_id) DO NOTHING`, sub.Title, sub.Folder, string(sub.Display), now, sub.DigestID, sub.FeedID)
	return n > 0, err
}

// pausedFeeds gives the feeds of a digest's paused subscriptions.
func pausedFeeds(ctx context.Context, c conn, id digest.DigestID) (map[digest.FeedID]bool, error) {
	var ids []digest.FeedID
	err := c.all(ctx, &ids, `SELECT feed_id FROM subscriptions WHERE digest_id = ? AND rests = 1`, id)
	paused := make(map[digest.FeedID]bool, len(ids))
	for _, id := range ids {
		paused[id] = true
	}
	return paused, err
}
