package store

import (
	"context"

	"digest"
)

// ReplaceSubscription ends a digest's subscription to old in favour of its subscription to by. That one inherits the
// title, folder, display, most, roll-up and trial where it has none, the lead, and the filters. It returns
// digest.NotFound if either is missing.
func (s Subscriptions) ReplaceSubscription(ctx context.Context, id digest.DigestID, old, by digest.FeedID) error {
	return s.change(ctx, "replacing a subscription", func(c conn) error {
		if err := c.UntilCommit(ctx, s.d.LockShared); err != nil {
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
		if err := c.Run(ctx, `UPDATE subscriptions AS s SET title = CASE s.title WHEN '' THEN o.title ELSE s.title END,
				folder = CASE s.folder WHEN '' THEN o.folder ELSE s.folder END, display = CASE s.display
				WHEN '' THEN o.display ELSE s.display END,
				most = CASE s.most WHEN 0 THEN o.most ELSE s.most END,
				roll_up = CASE s.roll_up WHEN 0 THEN o.roll_up ELSE s.roll_up END, leads = CASE o.leads WHEN 1 THEN 1
				ELSE s.leads END,
				trial_until = CASE s.trial_until WHEN '' THEN o.trial_until ELSE s.trial_until END,
				trial_ends = CASE s.trial_until WHEN '' THEN o.trial_ends ELSE s.trial_ends END
			FROM subscriptions o WHERE o.digest_id = s.digest_id AND o.feed_id = ? AND s.digest_id = ?
			AND s.feed_id = ?`, old, id, by); err != nil {
			return err
		}
		if err := c.Run(ctx, `UPDATE filters SET feed_id = ? WHERE digest_id = ? AND feed_id = ?`, by, id,
			old); err != nil {
			return err
		}
		if err := unsubscribe(ctx, c, id, old); err != nil {
			return err
		}
		// The subscription to by has the settings now.
		return c.Run(ctx, `UPDATE former_subscriptions SET settings = '' WHERE digest_id = ? AND feed_id = ?`, id, old)
	})
}
