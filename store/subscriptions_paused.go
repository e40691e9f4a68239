package store

import (
	"context"
	"time"

	"digest"
)

// PauseSubscription pauses a subscription until its reader resumes it, and removes the end of a present pause. Its
// waiting posts are withdrawn until then. It returns digest.NotFound if there is no such subscription.
func (s Subscriptions) PauseSubscription(ctx context.Context, id digest.DigestID, feed digest.FeedID) error {
	return s.PauseSubscriptionUntil(ctx, id, feed, time.Time{})
}

// PauseSubscriptionUntil is PauseSubscription with an end, at which EndSubscriptionPauses resumes the subscription.
// The zero time means no end.
func (s Subscriptions) PauseSubscriptionUntil(ctx context.Context, id digest.DigestID, feed digest.FeedID,
	until time.Time) error {
	return s.change(ctx, "pausing a subscription", func(c conn) error {
		if err := c.UntilCommit(ctx, s.d.LockShared); err != nil {
			return err
		}
		if err := lockFeed(ctx, c, feed); err != nil {
			return err
		}
		return pauseUntil(ctx, c, id, feed, at(until))
	})
}

// pauseUntil is PauseSubscriptionUntil for a locked feed.
func pauseUntil(ctx context.Context, c conn, id digest.DigestID, feed digest.FeedID, until instant) error {
	w, err := c.waitingOf(ctx, id, feed)
	if err != nil {
		return err
	}
	text, err := asJSON(w)
	if err != nil {
		return err
	}
	n, err := c.Exec(ctx, `UPDATE subscriptions SET paused = 1, paused_until = ?, waiting_posts = ?, `+asksAgain+`
		WHERE digest_id = ? AND feed_id = ? AND paused = 0`, until, text, id, feed)
	if err != nil {
		return err
	}
	if n == 0 {
		if err := requireSubscription(ctx, c, id, feed); err != nil {
			return err
		}
		return c.Run(ctx, `UPDATE subscriptions SET paused_until = ? WHERE digest_id = ? AND feed_id = ?
			AND paused_for = 0`, until, id, feed)
	}
	return withdraw(ctx, c, id, feed)
}

// ResumeSubscription ends the pause of a subscription. The next edition has the feed's recent posts, as after
// Subscribe, and the posts that waited before the pause, but never a post that the digest has had (I4). It returns
// digest.NotFound if there is no such subscription, and changes nothing if it is not paused.
func (s Subscriptions) ResumeSubscription(ctx context.Context, id digest.DigestID, feed digest.FeedID,
	now time.Time) error {
	return s.change(ctx, "resuming a subscription", func(c conn) error {
		if err := c.UntilCommit(ctx, s.d.LockShared); err != nil {
			return err
		}
		if err := lockFeed(ctx, c, feed); err != nil {
			return err
		}
		was, err := c.former(ctx, id, feed)
		if err != nil {
			return err
		}
		if err := resume(ctx, c, id, feed, at(now)); err != nil {
			return err
		}
		return hideThese(ctx, c, was.Subscription, was.WaitingPosts, at(now))
	})
}

// resume ends the pause of a subscription, as subscribe does.
func resume(ctx context.Context, c conn, id digest.DigestID, feed digest.FeedID, now instant) error {
	_, err := subscribe(ctx, c, digest.Subscription{DigestID: id, FeedID: feed}, now)
	return err
}

// EndSubscriptionPauses resumes the subscriptions whose pause has ended, and returns how many. Unlike
// ResumeSubscription it does not restore the posts that waited before the pause.
func (s Editions) EndSubscriptionPauses(ctx context.Context, now time.Time) (int, error) {
	const isOver = `paused_until > 0 AND paused_until <= ? AND paused = 1 AND paused_for = 0`
	over, err := readRows[digest.Subscription](ctx, s.read(), "reading the pauses of subscriptions",
		`SELECT digest_id, feed_id FROM subscriptions WHERE `+isOver+` ORDER BY digest_id, feed_id`, now)
	if err != nil {
		return 0, err
	}
	for i, sub := range over {
		err := s.change(ctx, "ending the pause of a subscription", func(c conn) error {
			if err := c.UntilCommit(ctx, s.d.LockShared); err != nil {
				return err
			}
			if n, err := c.Number(ctx, `SELECT count(*) FROM subscriptions WHERE digest_id = ? AND feed_id = ? AND `+
				isOver, sub.DigestID, sub.FeedID, now); err != nil || n == 0 {
				return err // resumed, ended or extended in between
			}
			return resume(ctx, c, sub.DigestID, sub.FeedID, at(now))
		})
		if err != nil {
			return i, err
		}
	}
	return len(over), nil
}

// addPaused adds a paused subscription. It returns false if the digest has one to the feed.
func addPaused(ctx context.Context, c conn, sub digest.Subscription, now instant) (bool, error) {
	if err := lockFeed(ctx, c, sub.FeedID); err != nil {
		return false, err
	}
	n, err := c.Exec(ctx, `INSERT INTO subscriptions (digest_id, feed_id, title, folder, display, created_at, paused)
		SELECT d.id, f.id, CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS BIGINT), 1 FROM digests d
		CROSS JOIN feeds f
		WHERE d.id = ? AND f.id = ? AND f.merged_into = 0
		ON CONFLICT (digest_id, feed_id) DO NOTHING`, sub.Title, sub.Folder, sub.Display, now, sub.DigestID,
		sub.FeedID)
	return n > 0, err
}

func pausedFeeds(ctx context.Context, c conn, id digest.DigestID) (map[digest.FeedID]bool, error) {
	var ids []digest.FeedID
	err := c.All(ctx, &ids, `SELECT feed_id FROM subscriptions WHERE digest_id = ? AND paused = 1`, id)
	paused := make(map[digest.FeedID]bool, len(ids))
	for _, id := range ids {
		paused[id] = true
	}
	return paused, err
}
