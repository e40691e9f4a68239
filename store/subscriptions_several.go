package store

import (
	"context"
	"slices"
	"time"

	"digest"
)

// An action on several subscriptions changes them all in one transaction. It skips those that have ended, for example
// in another window.

// SetFolder moves subscriptions into a folder, "" for none, and returns how many.
func (s Subscriptions) SetFolder(ctx context.Context, id digest.DigestID, feeds []digest.FeedID, folder string) (int,
	error) {
	return s.setSeveral(ctx, "moving subscriptions", `folder = ?`, []any{folder}, id, feeds)
}

// SetDisplay copies Display, Most and RollUp from own to subscriptions. It returns the number of
// subscriptions.
func (s Subscriptions) SetDisplay(ctx context.Context, id digest.DigestID, feeds []digest.FeedID,
	own digest.Subscription) (int, error) {
	return s.setSeveral(ctx, "changing how subscriptions are shown", `display = ?, most = ?, roll_up = ?`,
		[]any{string(own.Display), own.Most, own.RollUp}, id, feeds)
}

func (s *database) setSeveral(ctx context.Context, doing, set string, values []any, id digest.DigestID,
	feeds []digest.FeedID) (int, error) {
	return changed(ctx, s, doing, func(c conn) (int, error) {
		n, err := c.Exec(ctx, `UPDATE subscriptions SET `+set+` WHERE digest_id = ? AND feed_id`+
			c.d.OneOf, append(slices.Clone(values), id, feeds)...)
		return int(n), err
	})
}

// PauseSubscriptions is PauseSubscriptionUntil for several subscriptions, and returns how many. It does not change
// subscriptions whose posts a newsletter delivers.
func (s Subscriptions) PauseSubscriptions(ctx context.Context, id digest.DigestID, feeds []digest.FeedID,
	until time.Time) (int, error) {
	return s.eachFeed(ctx, "pausing subscriptions", feeds, func(c conn, feed digest.FeedID) error {
		return pauseUntil(ctx, c, id, feed, at(until))
	})
}

// UnsubscribeSeveral is Unsubscribe for several subscriptions, and returns the feeds. It skips private feeds, because
// Resubscribe cannot restore them.
func (s Subscriptions) UnsubscribeSeveral(ctx context.Context, id digest.DigestID,
	feeds []digest.FeedID) (left []digest.FeedID, err error) {
	_, err = s.eachFeed(ctx, "unsubscribing", feeds, func(c conn, feed digest.FeedID) error {
		if feed == slices.Min(feeds) {
			left = nil // the transaction may be retried
		}
		f, err := c.former(ctx, id, feed)
		if err == nil && digest.IsPrivate(f.URL) {
			err = noSubscription()
		}
		if err == nil {
			err = unsubscribe(ctx, c, id, feed)
		}
		if err == nil {
			left = append(left, feed)
		}
		return err
	})
	return left, err
}

// eachFeed calls do for several feeds in one transaction, and returns how many succeeded. It locks the feeds in the
// order of their keys, to avoid deadlocks. It skips a feed if do returns digest.NotFound.
func (s *database) eachFeed(ctx context.Context, doing string, feeds []digest.FeedID,
	do func(conn, digest.FeedID) error) (
	int, error) {
	feeds = slices.Compact(slices.Sorted(slices.Values(feeds)))
	return changed(ctx, s, doing, func(c conn) (n int, err error) {
		if err := c.UntilCommit(ctx, s.d.LockShared); err != nil {
			return 0, err
		}
		for _, feed := range feeds {
			if err := lockFeed(ctx, c, feed); err != nil {
				return 0, err
			}
			switch err := do(c, feed); {
			case err == nil:
				n++
			case digest.KindOf(err) != digest.NotFound:
				return 0, err
			}
		}
		return n, nil
	})
}
