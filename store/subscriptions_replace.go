package store

import (
	"context"

	"digest"
)

// ReplaceSubscription ends a digest's subscription to a feed in favour of the one that it
// has to another: that gets the title, folder, display and most of the first where it has none of
// its own, its place if it leads, and the filters. digest.NotFound if one of them is missing.
func (s *Store) ReplaceSubscription(ctx context.Context, id digest.DigestID, old, by digest.FeedID) error {
	return s.change(ctx, "replacing a subscription", func(c conn) error {
		if err := c.untilCommit(ctx, s.d.lockShared); err != nil {
			return err
		}
		for _, feed := range []digest.FeedID{min(old, by), max(old, by)} {
			if err := lockFeed(ctx, c, feed); err != nil {
				return err
			}
			if err := requireSubscription(ctx, c, id, feed); err != nil {
				return err
			}
		}
		if err := c.run(ctx, `UPDATE subscriptions AS s SET title = CASE s.title WHEN '' THEN o.title ELSE s.title END,
				folder = CASE s.folder WHEN '' THEN o.folder ELSE s.folder END, display = CASE s.display WHEN '' THEN o.display ELSE s.display END,
				most = CASE s.most WHEN 0 THEN o.most ELSE s.most END, leads = CASE o.leads WHEN 1 THEN 1 ELSE s.leads END
			FROM subscriptions o WHERE o.digest_id = s.digest_id AND o.feed_id = ? AND s.digest_id = ? AND s.feed_id = ?`, old, id, by); err != nil {
			return err
		}
		if err := c.run(ctx, `UPDATE filters SET feed_id = ? WHERE digest_id = ? AND feed_id = ?`, by, id,
			old); err != nil {
			return err
		}
		if err := unsubscribe(ctx, c, id, old); err != nil {
			return err
		}
		// the other has it
		return c.run(ctx, `UPDATE former_subscriptions SET settings = '' WHERE digest_id = ? AND feed_id = ?`, id, old)
	})
}
