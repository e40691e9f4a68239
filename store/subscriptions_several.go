package store

import (
	"context"
	"slices"
	"time"

	"digest"
)

// What a reader does to several subscriptions at once is done to all of them or to none; what they have left meanwhile,
// in another window, is passed over.

// SetFolder puts subscriptions into a folder, "" for none, and says how many.
func (s *Store) SetFolder(ctx context.Context, id digest.DigestID, feeds []digest.FeedID, folder string) (int, error) {
	return s.setSeveral(ctx, "moving subscriptions", `folder = ?`, []any{folder}, id, feeds)
}

// SetDisplay changes how the posts of subscriptions are shown, and how many an edition shows of each, 0 for all. It
// says how many subscriptions.
func (s *Store) SetDisplay(ctx context.Context, id digest.DigestID, feeds []digest.FeedID, display digest.Layout,
	most int) (int, error) {
	return s.setSeveral(ctx, "changing how subscriptions are shown", `display = ?, most = ?`,
		[]any{string(display), most}, id, feeds)
}

// setSeveral sets columns of subscriptions.
func (s *Store) setSeveral(ctx context.Context, doing, set string, values []any, id digest.DigestID,
	feeds []digest.FeedID) (int, error) {
	return changed(ctx, s, doing, func(c conn) (int, error) {
		n, err := c.exec(ctx, `UPDATE subscriptions SET `+set+` WHERE digest_id = ? AND feed_id`+
			c.d.oneOf, append(slices.Clone(values), id, keys(c.d, feeds))...)
		return int(n), err
	})
}

// PauseSubscriptions is PauseSubscriptionUntil for several; it says how many. Those of which letters of a newsletter
// bring the posts stay as they are.
func (s *Store) PauseSubscriptions(ctx context.Context, id digest.DigestID, feeds []digest.FeedID,
	until time.Time) (int, error) {
	return s.eachFeed(ctx, "pausing subscriptions", feeds, func(c conn, feed digest.FeedID) error {
		return pauseUntil(ctx, c, id, feed, at(until))
	})
}

// UnsubscribeSeveral is Unsubscribe for several; it gives those that were left. A private feed, which nothing could bring
// back, is not.
func (s *Store) UnsubscribeSeveral(ctx context.Context, id digest.DigestID,
	feeds []digest.FeedID) (left []digest.FeedID, err error) {
	_, err = s.eachFeed(ctx, "unsubscribing", feeds, func(c conn, feed digest.FeedID) error {
		if feed == slices.Min(feeds) {
			left = nil // the transaction may be tried again
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

// eachFeed does something with several feeds in one transaction, in the order of their keys so that nobody waits for one
// another in a circle, and says with how many. What is not found is passed over.
func (s *Store) eachFeed(ctx context.Context, doing string, feeds []digest.FeedID, do func(conn, digest.FeedID) error) (
	int, error) {
	feeds = slices.Compact(slices.Sorted(slices.Values(feeds)))
	return changed(ctx, s, doing, func(c conn) (n int, err error) {
		if err := c.untilCommit(ctx, s.d.lockShared); err != nil {
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
