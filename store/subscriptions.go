package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"digest"
)

// recent is how far back a feed's posts still go to a reader who is new to it.
const recent = 24 * time.Hour

// Subscribe adds a subscription; created is false if it was there before. One
// that rests wakes, with what the reader made of it where sub says nothing. A
// feed that was read already brings its posts of the last 24 hours, or its
// newest one if there are none, to the reader's next edition; never a post
// that the digest has had, or that was held back of it (I4).
func (s *Store) Subscribe(ctx context.Context, sub digest.Subscription, now time.Time) (created bool, err error) {
	err = s.write(ctx, func(c conn) error {
		if err := c.hold(ctx, s.d.lockShared); err != nil {
			return err
		}
		created, err = takeUp(ctx, c, sub, at(now))
		return err
	})
	if err != nil {
		return false, fmt.Errorf("subscribing: %w", err)
	}
	return created, nil
}

// subscribe locks the feed first, as Record does: whichever comes second sees
// the posts or the subscription that the other made.
func subscribe(ctx context.Context, c conn, sub digest.Subscription, now instant) (bool, error) {
	var feed struct {
		ParsedAt   instant       `db:"parsed_at"`
		MergedInto digest.FeedID `db:"merged_into"`
	}
	err := c.get(ctx, &feed, `SELECT parsed_at, merged_into FROM feeds WHERE id = ?`+c.d.forUpdate, sub.FeedID)
	if isNone(err) {
		return false, notFound("there is no such feed; see: digest feeds")
	}
	if err != nil {
		return false, err
	}
	if feed.MergedInto != 0 { // since it was found by its address
		sub.FeedID = feed.MergedInto
		return takeUp(ctx, c, sub, now)
	}
	n, err := c.exec(ctx, `INSERT INTO subscriptions (digest_id, feed_id, title, folder, display, created_at)
		VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (digest_id, feed_id) DO NOTHING`,
		sub.DigestID, sub.FeedID, sub.Title, sub.Folder, sub.Display, now)
	if err != nil || n == 0 || feed.ParsedAt == 0 {
		return n > 0, err
	}
	return true, bring(ctx, c, sub, now)
}

// bring puts a feed's recent posts before a new reader. A post without a date
// is as old as its first sighting, unless that was when the feed was first read:
// then it may be of any age.
func bring(ctx context.Context, c conn, sub digest.Subscription, now instant) error {
	const dated = `CASE WHEN p.published_at > 0 THEN p.published_at
		WHEN p.seen_at > (SELECT MIN(q.seen_at) FROM posts q WHERE q.feed_id = p.feed_id) THEN p.seen_at ELSE 0 END`
	var ids []digest.PostID
	err := c.all(ctx, &ids, `SELECT p.id FROM posts p WHERE p.feed_id = ? AND `+dated+` > ? ORDER BY p.id`,
		sub.FeedID, now.plus(-recent))
	if err == nil && len(ids) == 0 {
		err = c.all(ctx, &ids, `SELECT p.id FROM posts p WHERE p.feed_id = ?
			ORDER BY `+dated+` DESC, p.seen_at DESC, p.id LIMIT 1`, sub.FeedID)
	}
	if err != nil {
		return err
	}
	var had []digest.PostID
	if err := c.all(ctx, &had, `SELECT post_id FROM digest_posts WHERE digest_id = ? AND post_id IN (`+list(ids)+`)
		UNION SELECT post_id FROM held_posts WHERE digest_id = ? AND post_id IN (`+list(ids)+`)`, sub.DigestID, sub.DigestID); err != nil {
		return err
	}
	before, err := hadBefore(ctx, c, sub, ids)
	if err != nil {
		return err
	}
	had = append(had, before...)
	ids = slices.DeleteFunc(ids, func(id digest.PostID) bool { return slices.Contains(had, id) })
	if _, err := c.exec(ctx, `INSERT INTO digest_posts (digest_id, visible_at, post_id)
		SELECT d.id, d.next_due_at, p.id FROM digests d CROSS JOIN posts p
		WHERE d.id = ? AND `+gathers+` AND p.id IN (`+list(ids)+`) ORDER BY p.id`, sub.DigestID); err != nil {
		return err
	}
	if _, err := c.exec(ctx, `INSERT INTO index_queue (post_id) SELECT p.id FROM posts p WHERE p.id IN (`+list(ids)+`) AND p.shown_at = 0
		ORDER BY p.id ON CONFLICT DO NOTHING`); err != nil {
		return err
	}
	_, err = c.exec(ctx, `UPDATE posts SET shown_at = ? WHERE id IN (`+list(ids)+`)`, now)
	return err
}

// hadBefore gives those of a feed's posts that a digest has had from a feed that
// became part of it. Few feeds have had another address: of the others nothing
// is asked.
func hadBefore(ctx context.Context, c conn, sub digest.Subscription, ids []digest.PostID) (had []digest.PostID, err error) {
	var former []string
	if err := c.all(ctx, &former, `SELECT url FROM former_addresses WHERE feed_id = ? LIMIT 1`, sub.FeedID); err != nil || len(former) == 0 {
		return nil, err
	}
	err = c.all(ctx, &had, `SELECT p.id FROM posts p WHERE p.id IN (`+list(ids)+`) AND p.identity IN (
		SELECT q.identity FROM digest_posts dp JOIN posts q ON q.id = dp.post_id JOIN feeds m ON m.id = q.feed_id
		WHERE dp.digest_id = ? AND m.merged_into = ?
		UNION SELECT q.identity FROM held_posts h JOIN posts q ON q.id = h.post_id JOIN feeds m ON m.id = q.feed_id
		WHERE h.digest_id = ? AND m.merged_into = ?)`, sub.DigestID, sub.FeedID, sub.DigestID, sub.FeedID)
	return had, err
}

// Unsubscribe ends a subscription, one that rests too; what waits of the feed
// and the filters of its posts go with it. Editions already released keep their posts. A feed that nobody takes any more
// is not asked either. digest.NotFound if there was none.
func (s *Store) Unsubscribe(ctx context.Context, id digest.DigestID, feed digest.FeedID) error {
	err := s.write(ctx, func(c conn) error {
		if err := c.hold(ctx, s.d.lockShared); err != nil {
			return err
		}
		if err := lockFeed(ctx, c, feed); err != nil {
			return err
		}
		_, rests, err := unrest(ctx, c, id, feed)
		if err == nil && !rests {
			err = cease(ctx, c, id, feed)
		}
		if err != nil {
			return err
		}
		n, err := c.exec(ctx, `DELETE FROM filters WHERE digest_id = ? AND feed_id = ?`, id, feed)
		if err == nil && n > 0 {
			err = noteFiltered(ctx, c, id)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("unsubscribing: %w", err)
	}
	return nil
}

// lockFeed locks a feed as Record does.
func lockFeed(ctx context.Context, c conn, feed digest.FeedID) error {
	var locked []digest.FeedID
	return c.all(ctx, &locked, `SELECT id FROM feeds WHERE id = ?`+c.d.forUpdate, feed)
}

// cease takes a feed, which is locked, from a digest with what waits of it.
func cease(ctx context.Context, c conn, id digest.DigestID, feed digest.FeedID) error {
	n, err := c.exec(ctx, `DELETE FROM subscriptions WHERE digest_id = ? AND feed_id = ?`, id, feed)
	if err != nil {
		return err
	}
	if n == 0 {
		return notFound("there is no such subscription")
	}
	_, err = c.exec(ctx, `DELETE FROM digest_posts WHERE digest_id = ?
		AND visible_at = (SELECT next_due_at FROM digests WHERE id = ?)
		AND post_id IN (SELECT p.id FROM posts p WHERE p.feed_id = ?)`, id, id, feed)
	if err != nil {
		return err
	}
	// What waits of feeds that became part of this one.
	_, err = c.exec(ctx, `DELETE FROM digest_posts WHERE digest_id = ? AND visible_at = (SELECT next_due_at FROM digests WHERE id = ?)
		AND EXISTS (SELECT 1 FROM posts p JOIN feeds f ON f.id = p.feed_id WHERE p.id = digest_posts.post_id AND f.merged_into = ?)`, id, id, feed)
	if err != nil {
		return err
	}
	_, err = c.exec(ctx, `DELETE FROM notices WHERE digest_id = ? AND visible_at = (SELECT next_due_at FROM digests WHERE id = ?)
		AND feed_id IN (SELECT f.id FROM feeds f WHERE f.id = ? OR f.merged_into = ?)`, id, id, feed, feed)
	if err != nil {
		return err
	}
	if err := dropIdle(ctx, c, `f.id = ?`, feed); err != nil {
		return err
	}
	// Without the subscription nothing leads from the feed to the editions that hold its posts: see frozen.
	_, err = c.exec(ctx, `UPDATE posts SET frozen = 1 WHERE feed_id = ? AND frozen = 0
		AND id IN (SELECT dp.post_id FROM digest_posts dp WHERE dp.digest_id = ?)`, feed, id)
	return err
}

// Subscriptions lists what a digest takes, in the order of subscribing.
func (s *Store) Subscriptions(ctx context.Context, id digest.DigestID) ([]SubscriptionInfo, error) {
	infos, err := s.taken(ctx, "subscriptions", `s.digest_id = ?`, id)
	if err != nil {
		return nil, fmt.Errorf("listing the subscriptions: %w", err)
	}
	return infos, nil
}
