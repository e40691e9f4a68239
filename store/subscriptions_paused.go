package store

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"digest"
)

// A feed that rests has no row in subscriptions: for this reader it is not
// asked, and nothing of it comes. What the reader made of it (title, folder,
// display, filters) is kept aside.

// PauseSubscription puts a subscription aside; what waits of the feed goes with it.
// digest.NotFound if there is none; one that rests already goes on resting.
func (s *Store) PauseSubscription(ctx context.Context, id digest.DigestID, feed digest.FeedID, now time.Time) error {
	err := s.write(ctx, func(c conn) error {
		if err := c.hold(ctx, s.d.lockShared); err != nil {
			return err
		}
		if err := lockFeed(ctx, c, feed); err != nil {
			return err
		}
		n, err := c.exec(ctx, `INSERT INTO rested (digest_id, feed_id, title, folder, display, created_at, rested_at)
			SELECT s.digest_id, s.feed_id, s.title, s.folder, s.display, s.created_at, CAST(? AS BIGINT) FROM subscriptions s
			WHERE s.digest_id = ? AND s.feed_id = ? ON CONFLICT (digest_id, feed_id) DO NOTHING`, at(now), id, feed)
		if err != nil {
			return err
		}
		if n == 0 {
			return knowsFeed(ctx, c, id, feed)
		}
		return cease(ctx, c, id, feed)
	})
	if err != nil {
		return fmt.Errorf("resting a feed: %w", err)
	}
	return nil
}

// ResumeSubscription takes a feed that rests again: it brings what Subscribe would bring, and
// never a post that the digest has had (I4). digest.NotFound if it does not
// rest; one that is taken already goes on being taken.
func (s *Store) ResumeSubscription(ctx context.Context, id digest.DigestID, feed digest.FeedID, now time.Time) error {
	err := s.write(ctx, func(c conn) error {
		if err := c.hold(ctx, s.d.lockShared); err != nil {
			return err
		}
		if err := knowsFeed(ctx, c, id, feed); err != nil {
			return err
		}
		_, err := takeUp(ctx, c, digest.Subscription{DigestID: id, FeedID: feed}, at(now))
		return err
	})
	if err != nil {
		return fmt.Errorf("waking a feed: %w", err)
	}
	return nil
}

// takeUp subscribes to a feed, which wakes if it rests.
func takeUp(ctx context.Context, c conn, sub digest.Subscription, now instant) (bool, error) {
	if err := lockFeed(ctx, c, sub.FeedID); err != nil {
		return false, err
	}
	was, ok, err := unrest(ctx, c, sub.DigestID, sub.FeedID)
	if err != nil {
		return false, err
	}
	if ok {
		sub.Title, sub.Folder, sub.Display = cmp.Or(sub.Title, was.Title), cmp.Or(sub.Folder, was.Folder), cmp.Or(sub.Display, was.Display)
	}
	return subscribe(ctx, c, sub, now)
}

// putAside lets a feed rest that the digest does not take.
func putAside(ctx context.Context, c conn, sub digest.Subscription, now instant) (bool, error) {
	if err := lockFeed(ctx, c, sub.FeedID); err != nil {
		return false, err
	}
	n, err := c.exec(ctx, `INSERT INTO rested (digest_id, feed_id, title, folder, display, created_at, rested_at)
		SELECT d.id, f.id, CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS BIGINT), CAST(? AS BIGINT) FROM digests d CROSS JOIN feeds f
		WHERE d.id = ? AND f.id = ? AND f.merged_into = 0 AND NOT EXISTS (SELECT 1 FROM subscriptions s WHERE s.digest_id = d.id AND s.feed_id = f.id)
		ON CONFLICT (digest_id, feed_id) DO NOTHING`, sub.Title, sub.Folder, string(sub.Display), now, now, sub.DigestID, sub.FeedID)
	return n > 0, err
}

// restedFeeds gives the feeds of a digest that rest.
func restedFeeds(ctx context.Context, c conn, id digest.DigestID) (map[digest.FeedID]bool, error) {
	var ids []digest.FeedID
	err := c.all(ctx, &ids, `SELECT feed_id FROM rested WHERE digest_id = ?`, id)
	rests := make(map[digest.FeedID]bool, len(ids))
	for _, id := range ids {
		rests[id] = true
	}
	return rests, err
}

// unrest takes a subscription from where it rests.
func unrest(ctx context.Context, c conn, id digest.DigestID, feed digest.FeedID) (digest.Subscription, bool, error) {
	var rows []restedRow
	err := c.all(ctx, &rows, `DELETE FROM rested WHERE digest_id = ? AND feed_id = ? RETURNING title AS own_title, folder, display`, id, feed)
	if err != nil || len(rows) == 0 {
		return digest.Subscription{}, false, err
	}
	r := rows[0]
	return digest.Subscription{DigestID: id, FeedID: feed, Title: r.OwnTitle, Folder: r.Folder, Display: r.Display}, true, nil
}

// restedRow is what a reader made of a feed.
type restedRow struct {
	OwnTitle string        `db:"own_title"`
	Folder   string        `db:"folder"`
	Display  digest.Layout `db:"display"`
}

// PausedSubscriptions lists the feeds that rest, in the order of subscribing.
func (s *Store) PausedSubscriptions(ctx context.Context, id digest.DigestID) ([]SubscriptionInfo, error) {
	infos, err := s.taken(ctx, "rested", `s.digest_id = ?`, id)
	if err != nil {
		return nil, fmt.Errorf("listing the feeds that rest: %w", err)
	}
	return infos, nil
}

// taken lists the rows of subscriptions or rested that where says of s.
func (s *Store) taken(ctx context.Context, table, where string, args ...any) ([]SubscriptionInfo, error) {
	var rows []struct {
		feedRow
		restedRow
		DigestID digest.DigestID `db:"digest_id"`
	}
	err := s.read().all(ctx, &rows, `SELECT `+feedColumns+`, s.title AS own_title, s.folder, s.display, s.digest_id
		FROM `+table+` s JOIN feeds f ON f.id = s.feed_id
		WHERE `+where+` ORDER BY s.created_at, f.id`, args...)
	infos := make([]SubscriptionInfo, len(rows))
	for i, r := range rows {
		infos[i] = SubscriptionInfo{
			Subscription: digest.Subscription{DigestID: r.DigestID, FeedID: r.ID, Title: r.OwnTitle, Folder: r.Folder, Display: r.Display},
			Feed:         r.feed(),
		}
	}
	return infos, err
}
