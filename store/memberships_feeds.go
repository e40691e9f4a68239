package store

import (
	"context"

	"digest"
)

// A site in a person's own digest and in a newsletter appears in both, unless they choose the newsletter only. Then
// their own subscription is paused (paused_for) until they leave the newsletter, or the newsletter drops the feed. It
// resumes with the posts that no issue contained.

// A SharedFeed is a feed that is both in a user's own digest and in a newsletter that they receive.
type SharedFeed struct {
	Membership digest.DigestID // the digest of the newsletter's issues
	FeedID     digest.FeedID
	Title      string // the user's own title, or the feed's
	URL        string
	Once       bool // it appears only in the newsletter
}

// SharedFeeds returns a user's shared feeds.
func (s Members) SharedFeeds(ctx context.Context, user digest.UserID) ([]SharedFeed, error) {
	return readRows[SharedFeed](ctx, s.read(), "listing the feeds of newsletters",
		`SELECT m.digest_id AS membership, f.id AS feed_id,
		CASE WHEN s.title <> '' THEN s.title ELSE f.title END AS title, f.url, CASE
		WHEN s.paused_for = m.digest_id THEN 1 ELSE 0 END AS once
		FROM memberships m JOIN digests md ON md.id = m.digest_id AND `+bringsPosts+`
		JOIN subscriptions ms ON ms.digest_id = m.digest_id AND ms.paused = 0
		JOIN digests d ON d.user_id = m.user_id AND d.newsletter_id IS NULL AND d.state <> 'left'
		JOIN subscriptions s ON s.digest_id = d.id AND s.feed_id = ms.feed_id AND (s.paused = 0
		OR s.paused_for = m.digest_id)
		JOIN feeds f ON f.id = s.feed_id WHERE m.user_id = ? ORDER BY m.digest_id, f.id`, user)
}

// ReadInLetter makes a shared feed appear only in the issues of a membership, or returns digest.NotFound. Hidden posts
// that are in the own digest but in no issue are still released there.
func (s Members) ReadInLetter(ctx context.Context, user digest.UserID, membership digest.DigestID,
	feed digest.FeedID) error {
	return s.change(ctx, "reading a site in the letter", func(c conn) error {
		own, err := lockShared(ctx, s.database, c, user, membership, feed)
		if err != nil {
			return err
		}
		if err := c.Run(ctx, `UPDATE subscriptions SET paused = 1, paused_for = ?, `+asksAgain+`
			WHERE digest_id = ? AND feed_id = ?`, membership, own, feed); err != nil {
			return err
		}
		return c.Run(ctx, `DELETE FROM digest_posts WHERE digest_id = ? AND visible_at =
			(SELECT d.next_due_at FROM digests d WHERE d.id = ?)
			AND post_id IN (SELECT dp.post_id FROM digests m JOIN digest_posts dp ON dp.digest_id = m.id
			AND dp.visible_at = m.next_due_at
				JOIN posts p ON p.id = dp.post_id AND p.feed_id = ? WHERE m.id = ?)`, own, own, feed, membership)
	})
}

// ReadInBoth makes a shared feed appear in the own digest again, from the next post on, or returns digest.NotFound.
func (s Members) ReadInBoth(ctx context.Context, user digest.UserID, membership digest.DigestID,
	feed digest.FeedID) error {
	return s.change(ctx, "reading a site in both", func(c conn) error {
		own, err := lockShared(ctx, s.database, c, user, membership, feed)
		if err != nil {
			return err
		}
		return c.Run(ctx, `UPDATE subscriptions SET paused = 0, paused_for = 0 WHERE digest_id = ?
			AND feed_id = ? AND paused_for = ?`, own, feed, membership)
	})
}

// lockShared locks a shared feed and returns the user's own digest.
func lockShared(ctx context.Context, s *database, c conn, user digest.UserID, membership digest.DigestID,
	feed digest.FeedID) (own digest.DigestID, err error) {
	if err := c.UntilCommit(ctx, s.d.LockShared); err != nil {
		return 0, err
	}
	if err := lockFeed(ctx, c, feed); err != nil {
		return 0, err
	}
	return readOne[digest.DigestID](ctx, c, "", noSubscription(), `SELECT d.id FROM memberships m
		JOIN digests md ON md.id = m.digest_id AND `+bringsPosts+` JOIN subscriptions ms ON ms.digest_id = m.digest_id
		AND ms.feed_id = ? AND ms.paused = 0
		JOIN digests d ON d.user_id = m.user_id AND d.newsletter_id IS NULL AND d.state <> 'left'
		JOIN subscriptions s ON s.digest_id = d.id AND s.feed_id = ms.feed_id AND (s.paused = 0
		OR s.paused_for = m.digest_id)
		WHERE m.user_id = ? AND m.digest_id = ?`, feed, user, membership)
}

// bringsPosts holds for the digest md of a membership that delivers all posts of its feeds. A digest that is paused
// without an end does not.
const bringsPosts = `(md.state = 'active' OR md.state = 'paused' AND md.paused_until > 0)`

// wakeOwn resumes feeds in the own digest while the issues of a membership do not deliver their posts.
func wakeOwn(ctx context.Context, c conn, membership digest.DigestID) error {
	return c.Run(ctx, `UPDATE subscriptions SET paused = 0, paused_for = 0 WHERE paused_for = ?`, membership)
}

// resumeOwn resumes one feed, or all with 0, in the person's own digest after it appeared only in a newsletter. The
// posts that no issue contained follow. With 0 the membership ends, so its waiting issues are not sent.
func resumeOwn(ctx context.Context, c conn, membership digest.DigestID, feed digest.FeedID) error {
	const resting = `s.paused_for = ? AND (s.feed_id = ? OR ? = 0)`
	n, err := c.Number(ctx, `SELECT count(*) FROM subscriptions s WHERE `+resting, membership, feed, feed)
	if err != nil || n == 0 {
		return err
	}
	err = c.Run(ctx, `INSERT INTO digest_posts (digest_id, visible_at, post_id)
		SELECT DISTINCT d.id, d.next_due_at, dp.post_id FROM subscriptions s JOIN digests d ON d.id = s.digest_id
		AND `+gathers+`
		JOIN digests m ON m.id = s.paused_for JOIN digest_posts dp ON dp.digest_id = m.id
			AND (dp.visible_at = m.next_due_at OR ? = 0 AND dp.visible_at IN (SELECT e.due_at
			FROM editions e WHERE e.digest_id = m.id AND e.state = 'ready'))
		JOIN posts p ON p.id = dp.post_id AND p.feed_id = s.feed_id
		WHERE `+resting+` AND NOT EXISTS (SELECT 1 FROM digest_posts o WHERE o.digest_id = d.id
		AND o.post_id = dp.post_id)
		AND NOT EXISTS (SELECT 1 FROM filtered_posts o WHERE o.digest_id = d.id AND o.post_id = dp.post_id)
		ON CONFLICT DO NOTHING`, feed, membership, feed, feed)
	if err != nil {
		return err
	}
	return c.Run(ctx, `UPDATE subscriptions AS s SET paused = 0, paused_for = 0 WHERE `+resting, membership, feed, feed)
}
