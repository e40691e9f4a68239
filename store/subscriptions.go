package store

import (
	"context"
	"slices"
	"time"

	"digest"
	"digest/store/db"
)

// A SubscriptionInfo is a subscription with its feed.
type SubscriptionInfo struct {
	digest.Subscription
	Feed      digest.Feed
	Paused    bool
	PausedFor digest.DigestID // the membership whose issues have its posts, which is why it is paused; 0 if none

	PausedUntil time.Time // when the pause ends; zero if only its reader ends it
}

// A paused subscription (paused = 1) brings no posts, and the feed is not polled for its reader. Queries for
// subscribers require paused = 0.

// Subscriptions returns the subscriptions of a digest that are not paused, oldest first.
func (s Subscriptions) Subscriptions(ctx context.Context, id digest.DigestID) ([]SubscriptionInfo, error) {
	return s.subscriptions(ctx, `s.digest_id = ? AND s.paused = 0`, id)
}

// PausedSubscriptions returns the paused subscriptions of a digest, oldest first.
func (s Subscriptions) PausedSubscriptions(ctx context.Context, id digest.DigestID) ([]SubscriptionInfo, error) {
	return s.subscriptions(ctx, `s.digest_id = ? AND s.paused = 1`, id)
}

// AllSubscriptions returns all subscriptions of a digest, paused or not, oldest first.
func (s Subscriptions) AllSubscriptions(ctx context.Context, id digest.DigestID) ([]SubscriptionInfo, error) {
	return s.subscriptions(ctx, `s.digest_id = ?`, id)
}

// Subscription returns one subscription, paused or not. It returns digest.NotFound if the digest has none to this
// feed.
func (s Subscriptions) Subscription(ctx context.Context, id digest.DigestID, feed digest.FeedID) (SubscriptionInfo,
	error) {
	return s.subscription(ctx, `s.digest_id = ? AND s.feed_id = ?`, id, feed)
}

// SubscriptionSince is Subscription for a feed that may have been merged into another since. It then returns the
// subscription to the other.
func (s Subscriptions) SubscriptionSince(ctx context.Context, id digest.DigestID, feed digest.FeedID) (SubscriptionInfo,
	error) {
	return s.subscription(ctx,
		`s.digest_id = ? AND s.feed_id = (SELECT CASE WHEN m.merged_into > 0 THEN m.merged_into ELSE m.id END
			FROM feeds m WHERE m.id = ?)`, id, feed)
}

// subscription returns the one subscription s that where selects, or digest.NotFound.
func (s *database) subscription(ctx context.Context, where string, args ...any) (SubscriptionInfo, error) {
	infos, err := s.subscriptions(ctx, where, args...)
	if err == nil && len(infos) == 0 {
		err = noSubscription()
	}
	if err != nil {
		return SubscriptionInfo{}, err
	}
	return infos[0], nil
}

// subscriptions returns the subscriptions s that where selects, oldest first.
func (s *database) subscriptions(ctx context.Context, where string, args ...any) (infos []SubscriptionInfo, err error) {
	type row struct {
		digest.Feed
		Own       digest.Subscription
		Paused    bool
		PausedFor digest.DigestID

		PausedUntil time.Time
	}
	rows, err := readRows[row](ctx, s.read(), "reading subscriptions", `SELECT `+feedColumns+`,
		s.digest_id AS "own.digest_id", s.feed_id AS "own.feed_id", s.title AS "own.title", s.folder AS "own.folder",
		s.display AS "own.display", s.most AS "own.most", s.extras AS "own.extras", s.leads AS "own.leads",
		s.roll_up AS "own.roll_up", s.trial_until AS "own.trial_until", s.trial_ends AS "own.trial_ends",
		s.trial_asked AS "own.trial_asked",
		s.address AS "own.address", s.paused, s.paused_for, s.paused_until
		FROM subscriptions s JOIN feeds f ON f.id = s.feed_id JOIN feed_times t ON t.feed_id = f.id WHERE `+
		where+` ORDER BY s.created_at, f.id`, args...)
	for _, r := range rows {
		infos = append(infos, SubscriptionInfo{r.Own, r.Feed, r.Paused, r.PausedFor, r.PausedUntil})
	}
	return infos, err
}

// SetSubscription stores a reader's Title, Folder, Display, Most, Extras, RollUp and Trial of a feed, paused or not. It
// deletes waiting posts whose extras are not wanted any longer, and the question about a trial that has ended. It
// returns digest.NotFound if there is no such subscription.
func (s Subscriptions) SetSubscription(ctx context.Context, sub digest.Subscription) error {
	return s.change(ctx, "changing the subscription", func(c conn) error {
		if err := c.UntilCommit(ctx, s.d.LockShared); err != nil {
			return err
		}
		if err := c.RunOne(ctx, noSubscription(), `UPDATE subscriptions SET title = ?, folder = ?, display = ?,
			most = ?, extras = ?, roll_up = ?, trial_until = ?, trial_ends = ?, trial_asked = ?
			WHERE digest_id = ? AND feed_id = ?`, sub.Title, sub.Folder, sub.Display, sub.Most, sub.Extras, sub.RollUp,
			sub.TrialUntil, sub.TrialEnds, sub.TrialAsked, sub.DigestID, sub.FeedID); err != nil {
			return err
		}
		if !sub.TrialAsked {
			if err := dropQuestion(ctx, c, sub.DigestID, sub.FeedID); err != nil {
				return err
			}
		}
		return c.Run(ctx, `DELETE FROM digest_posts`+waits+`post_id IN (SELECT p.id FROM posts p
			WHERE p.feed_id = ? AND p.extra <> 0 AND (p.extra & ?) = 0)`, sub.DigestID, sub.DigestID, sub.FeedID,
			sub.Extras)
	})
}

// waits selects the rows that wait for a digest's next midnight. Both arguments are the digest.
const waits = ` WHERE digest_id = ? AND visible_at = (SELECT next_due_at FROM digests WHERE id = ?) AND `

// Folders returns the folders of a digest's subscriptions in their reader's order. "" means subscriptions without a
// folder.
func (s Subscriptions) Folders(ctx context.Context, id digest.DigestID) ([]string, error) {
	d, err := Readers(s).Digest(ctx, id)
	if err != nil {
		return nil, err
	}
	folders, err := readRows[string](ctx, s.read(), "listing the folders", foldersInUse, id)
	d.Folders.Arrange(folders)
	return folders, err
}

const foldersInUse = `SELECT DISTINCT s.folder FROM subscriptions s WHERE s.digest_id = ?`

// SubscriptionSettings returns how readers name, place and display their feeds. It omits paused subscriptions and
// those without settings.
func (s Editions) SubscriptionSettings(ctx context.Context,
	ids []digest.DigestID) (map[digest.DigestID]map[digest.FeedID]digest.Subscription, error) {
	settings := make(map[digest.DigestID]map[digest.FeedID]digest.Subscription, len(ids))
	for part := range slices.Chunk(ids, db.StatementRows) {
		rows, err := readRows[digest.Subscription](ctx, s.read(), "reading subscriptions",
			`SELECT s.digest_id, s.feed_id, s.title, s.folder, s.display, s.most, s.extras, s.leads, s.roll_up
			FROM subscriptions s WHERE s.digest_id`+
				s.d.OneOf+` AND s.paused = 0 AND (s.title <> '' OR s.display <> '' OR s.folder <> '' OR s.leads = 1
					OR s.most > 0 OR s.extras > 0 OR s.roll_up > 0)`, part)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			if settings[r.DigestID] == nil {
				settings[r.DigestID] = make(map[digest.FeedID]digest.Subscription)
			}
			settings[r.DigestID][r.FeedID] = r
		}
	}
	return settings, nil
}

// Subscribe adds a subscription; created is false if it existed before. It resumes a paused one, and keeps the
// reader's settings where sub has none. If the feed has stored posts, the reader's next edition has its posts of the
// last 24 hours, or the newest one. It never has a post that the digest has delivered or held back (I4).
func (s Subscriptions) Subscribe(ctx context.Context, sub digest.Subscription, now time.Time) (created bool,
	err error) {
	return changed(ctx, s.database, "subscribing", func(c conn) (bool, error) {
		if err := c.UntilCommit(ctx, s.d.LockShared); err != nil {
			return false, err
		}
		return subscribe(ctx, c, sub, at(now))
	})
}

// subscribe locks the feed first, as Record does, so that the later of the two transactions sees the posts or the
// subscription of the other.
func subscribe(ctx context.Context, c conn, sub digest.Subscription, now instant) (bool, error) {
	feed, err := readOne[struct {
		ParsedAt   instant
		MergedInto digest.FeedID
	}](ctx, c, "", noFeed(), `SELECT parsed_at, merged_into FROM feeds WHERE id = ?`+c.d.ForUpdate, sub.FeedID)
	if err != nil {
		return false, err
	}
	if feed.MergedInto != 0 { // the caller looked up the feed before the merge
		sub.FeedID = feed.MergedInto
		return subscribe(ctx, c, sub, now)
	}
	n, err := c.Exec(ctx, `INSERT INTO subscriptions (digest_id, feed_id, title, folder, display, most, extras,
		roll_up, trial_until, trial_ends, created_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (digest_id, feed_id) DO UPDATE
		SET paused = 0, paused_for = 0, paused_until = 0, waiting_posts = '', created_at = excluded.created_at,
			extras = CASE WHEN excluded.extras = 0 THEN subscriptions.extras ELSE excluded.extras END,
			title = CASE WHEN excluded.title = '' THEN subscriptions.title ELSE excluded.title END,
			folder = CASE WHEN excluded.folder = '' THEN subscriptions.folder ELSE excluded.folder END,
			display = CASE WHEN excluded.display = '' THEN subscriptions.display ELSE excluded.display END,
			most = CASE WHEN excluded.most = 0 THEN subscriptions.most ELSE excluded.most END,
			roll_up = CASE WHEN excluded.roll_up = 0 THEN subscriptions.roll_up ELSE excluded.roll_up END,
			trial_ends = CASE WHEN excluded.trial_until = '' THEN subscriptions.trial_ends ELSE excluded.trial_ends END,
			trial_until = CASE WHEN excluded.trial_until = '' THEN subscriptions.trial_until
			ELSE excluded.trial_until END
		WHERE subscriptions.paused = 1`,
		sub.DigestID, sub.FeedID, sub.Title, sub.Folder, sub.Display, sub.Most, sub.Extras, sub.RollUp, sub.TrialUntil,
		sub.TrialEnds, now)
	if err != nil || n == 0 {
		return n > 0, err
	}
	if err := hideRecent(ctx, c, sub, now); err != nil {
		return false, err
	}
	if feed.ParsedAt == 0 { // the feed was not read yet, or the posts of its first read wait for the next day
		return true, nil
	}
	return true, askInTime(ctx, c, sub, now)
}

// askInTime queues a feed for a digest whose midnight is planned and waits for polls, if the feed may be polled. The
// feed may have left the queue when its only reader unsubscribed.
func askInTime(ctx context.Context, c conn, sub digest.Subscription, now instant) error {
	missed, err := c.Number(ctx,
		`SELECT count(*) FROM digests d CROSS JOIN feed_times t WHERE d.id = ? AND t.feed_id = ? AND t.poll_at IS NULL
			AND t.askable_at <= ?
		AND d.state = 'active' AND d.planned_due_at = d.next_due_at AND d.next_due_at <= ?`, sub.DigestID, sub.FeedID,
		now, now)
	if err != nil || missed == 0 {
		return err
	}
	return queue(ctx, c, []digest.FeedID{sub.FeedID}, now)
}

// hideRecent adds a feed's recent posts to a new reader's next edition. A post without a date is as old as its first
// sighting, unless that was the first read of the feed: then it may be of any age. Posts that the publisher has
// deleted stay out, and so do posts read at another address, unless the feed still moves there (I9).
func hideRecent(ctx context.Context, c conn, sub digest.Subscription, now instant) error {
	const dated = `CASE WHEN p.published_at > 0 THEN p.published_at
		WHEN p.seen_at > (SELECT MIN(q.seen_at) FROM posts q WHERE q.feed_id = p.feed_id) THEN p.seen_at ELSE 0 END`
	var ids []digest.PostID
	err := c.All(ctx, &ids, `SELECT p.id FROM posts p WHERE `+mayCome+` AND `+dated+` > ? ORDER BY p.id`,
		sub.FeedID, sub.DigestID, now.Plus(-Recent))
	if err == nil && len(ids) == 0 {
		err = c.All(ctx, &ids, `SELECT p.id FROM posts p WHERE `+mayCome+`
			ORDER BY CASE WHEN p.extra = 0 THEN 0 ELSE 1 END, `+dated+` DESC, p.seen_at DESC, p.id LIMIT 1`, sub.FeedID,
			sub.DigestID)
	}
	if err != nil {
		return err
	}
	return hideNew(ctx, c, sub, ids, now)
}

// mayCome selects the posts p that a new subscription may deliver. The arguments are its feed and its digest.
const mayCome = `p.feed_id = ? AND NOT (p.withdrawn_at > 0 AND p.content_hash = '')
	AND (p.read_address = '' OR p.read_address = (SELECT f.moved_to FROM feeds f WHERE f.id = p.feed_id
	AND f.move_undone = 0))
		AND (p.extra = 0 OR (p.extra & (SELECT s.extras FROM subscriptions s WHERE s.digest_id = ?
		AND s.feed_id = p.feed_id)) <> 0)`

// hideNew adds the posts that a digest has not had to its next edition.
func hideNew(ctx context.Context, c conn, sub digest.Subscription, ids []digest.PostID, now instant) error {
	var had []digest.PostID
	if err := c.All(ctx, &had, `SELECT post_id FROM digest_posts WHERE digest_id = ? AND post_id`+c.d.OneOf+`
		UNION SELECT post_id FROM filtered_posts WHERE digest_id = ? AND post_id`+c.d.OneOf,
		sub.DigestID, ids, sub.DigestID, ids); err != nil {
		return err
	}
	before, err := hadBefore(ctx, c, sub, ids)
	if err != nil {
		return err
	}
	had = append(had, before...)
	ids = slices.DeleteFunc(ids, func(id digest.PostID) bool { return slices.Contains(had, id) })
	if err := c.Run(ctx, `INSERT INTO digest_posts (digest_id, visible_at, post_id)
		SELECT d.id, d.next_due_at, p.id FROM digests d CROSS JOIN posts p
		WHERE d.id = ? AND `+gathers+` AND p.id`+c.d.OneOf+` ORDER BY p.id`, sub.DigestID, ids); err != nil {
		return err
	}
	return showNow(ctx, c, ids, now)
}

// showNow sets when posts were last added for a reader, and queues those that are new to readers for the search
// index.
func showNow(ctx context.Context, c conn, ids []digest.PostID, now instant) error {
	if err := c.Run(ctx,
		`INSERT INTO index_queue (post_id) SELECT p.id FROM posts p WHERE p.id`+c.d.OneOf+` AND p.shown_at = 0
		ORDER BY p.id ON CONFLICT DO NOTHING`, ids); err != nil {
		return err
	}
	err := c.Run(ctx, `UPDATE posts SET shown_at = ? WHERE id`+c.d.OneOf, now, ids)
	return err
}

// hadBefore returns the posts that a digest has had from a feed that was merged into this one. Few feeds have merged
// ones; for the others it stops after one query.
func hadBefore(ctx context.Context, c conn, sub digest.Subscription, ids []digest.PostID) (had []digest.PostID,
	err error) {
	var parts []digest.FeedID
	if err := c.All(ctx, &parts, `SELECT id FROM feeds WHERE merged_into > 0 AND merged_into = ? LIMIT 1`,
		sub.FeedID); err != nil || len(parts) == 0 {
		return nil, err
	}
	twin := ` JOIN posts q ON q.id = dp.post_id JOIN feeds m ON m.id = q.feed_id AND m.merged_into = ?
		JOIN posts p ON p.id` + c.d.OneOf +
		` AND p.identity = q.identity AND (p.title = q.title OR p.content_hash = q.content_hash)`
	err = c.All(ctx, &had, `SELECT p.id FROM digest_posts dp`+twin+` WHERE dp.digest_id = ?
		UNION SELECT p.id FROM filtered_posts dp`+twin+` WHERE dp.digest_id = ?`,
		sub.FeedID, ids, sub.DigestID, sub.FeedID, ids, sub.DigestID)
	return had, err
}

// Unsubscribe ends a subscription, paused or not. It deletes the feed's waiting posts and its filters, which
// Resubscribe restores. Released editions keep their posts. A feed without subscribers is not polled. Unsubscribe
// returns digest.NotFound if there was no such subscription.
func (s Subscriptions) Unsubscribe(ctx context.Context, id digest.DigestID, feed digest.FeedID) error {
	return s.change(ctx, "unsubscribing", func(c conn) error {
		if err := c.UntilCommit(ctx, s.d.LockShared); err != nil {
			return err
		}
		if err := lockFeed(ctx, c, feed); err != nil {
			return err
		}
		return unsubscribe(ctx, c, id, feed)
	})
}

// unsubscribe is Unsubscribe for a locked feed.
func unsubscribe(ctx context.Context, c conn, id digest.DigestID, feed digest.FeedID) error {
	own, err := c.former(ctx, id, feed)
	if err != nil {
		return err
	}
	if err := keepMade(ctx, c, own); err != nil {
		return err
	}
	if err := resumeOwn(ctx, c, id, feed); err != nil {
		return err
	}
	err = c.Run(ctx, `DELETE FROM subscriptions WHERE digest_id = ? AND feed_id = ?`, id, feed)
	if err == nil && !own.Paused {
		err = withdraw(ctx, c, id, feed)
	}
	if err == nil {
		err = forgetSealed(ctx, c)
	}
	if err == nil {
		err = dropQuestion(ctx, c, id, feed)
	}
	if err != nil {
		return err
	}
	n, err := c.Exec(ctx, `DELETE FROM filters WHERE digest_id = ? AND feed_id = ?`, id, feed)
	if err == nil && n > 0 {
		err = noteFiltered(ctx, c, id)
	}
	return err
}

// keepFormer returns the statement that records subscriptions s before they are deleted. Readers search the posts of
// their former subscriptions too.
func keepFormer(where string) string {
	return `INSERT INTO former_subscriptions (digest_id, feed_id) SELECT s.digest_id, s.feed_id FROM subscriptions s
		WHERE ` + where + `
		ORDER BY s.digest_id, s.feed_id ON CONFLICT DO NOTHING`
}

// endSubscriptions records and deletes the subscriptions s that where selects.
func endSubscriptions(ctx context.Context, c conn, where string, args ...any) error {
	if err := c.Run(ctx, keepFormer(where), args...); err != nil {
		return err
	}
	if err := c.Run(ctx, `DELETE FROM subscriptions AS s WHERE `+where, args...); err != nil {
		return err
	}
	return forgetSealed(ctx, c)
}

func noSubscription() error { return notFound("there is no such subscription") }

// lockFeed locks a feed as Record does.
func lockFeed(ctx context.Context, c conn, feed digest.FeedID) error {
	var locked []digest.FeedID
	return c.All(ctx, &locked, `SELECT id FROM feeds WHERE id = ?`+c.d.ForUpdate, feed)
}

// withdraw deletes a feed's posts and notices that wait for a digest, after the subscription has ended or been
// paused. The caller has locked the feed.
func withdraw(ctx context.Context, c conn, id digest.DigestID, feed digest.FeedID) error {
	err := c.ExecEach(ctx, []string{
		`DELETE FROM digest_posts` + waits + `post_id IN (SELECT p.id FROM posts p WHERE p.feed_id = ?)`,
		// Waiting posts of feeds that were merged into this one.
		`DELETE FROM digest_posts` + waits + `EXISTS (SELECT 1 FROM posts p JOIN feeds f ON f.id = p.feed_id
			WHERE p.id = digest_posts.post_id AND f.merged_into = ?)`,
	}, id, id, feed)
	if err != nil {
		return err
	}
	if err := c.Run(ctx, `DELETE FROM notices`+
		waits+`feed_id IN (SELECT f.id FROM feeds f WHERE f.id = ? OR f.merged_into = ?)`,
		id, id, feed, feed); err != nil {
		return err
	}
	if err := dropIdle(ctx, c, `f.id = ?`, feed); err != nil {
		return err
	}
	if err := c.Run(ctx, `UPDATE waiting_digests SET feed_id = 0 WHERE digest_id = ? AND feed_id = ?`, id,
		feed); err != nil {
		return err
	}
	// Without the subscription no row connects the feed to the editions that hold its posts: see frozen.
	err = c.Run(ctx, `UPDATE posts SET frozen = 1 WHERE feed_id = ? AND frozen = 0
		AND id IN (SELECT dp.post_id FROM digest_posts dp WHERE dp.digest_id = ?)`, feed, id)
	return err
}
