package store

import (
	"context"
	"fmt"
	"math"
	"time"

	"digest"
)

// Readers can save posts of released editions. A saved post and its feed are never deleted. saved_posts records the
// post's edition, because the edition itself is deleted in time.

// A VisiblePost is a post that a reader may see.
type VisiblePost struct {
	digest.Post
	DigestID digest.DigestID  // that delivered it: the reader's own, or one of a membership
	Label    digest.FeedLabel // with the reader's own title of the feed, if they gave one
	Edition  digest.Date      // that delivered it; deleted in time if the post is saved
	DueAt    time.Time        // the midnight of that edition
	Saved    bool
}

// A SavedPost is a post that a reader has saved, without its content.
type SavedPost struct {
	VisiblePost
	SavedAt time.Time
}

// Key returns the position of the post in the list of saved posts.
func (p SavedPost) Key() SavedKey { return SavedKey{SavedAt: p.SavedAt, Post: p.ID} }

// A SavedKey is a position in the list of a reader's saved posts. The zero value is the start.
type SavedKey struct {
	SavedAt time.Time
	Post    digest.PostID
}

const forever = instant(math.MaxInt64)

// A delivery is the edition that delivered a post to a reader.
type delivery struct {
	DigestID digest.DigestID
	DueAt    instant
	CameAt   instant // DueAt; of a newsletter, when the issue could be sent
	Date     digest.Date
	Saved    bool
}

// VisiblePost returns a post with its feed's label, if an edition of this reader contains it or they saved it, and
// digest.NotFound otherwise. DueAt may be after the caller's time, because the clock of the process that released the
// edition may be ahead.
func (s Posts) VisiblePost(ctx context.Context, user digest.UserID, post digest.PostID) (VisiblePost, error) {
	came, err := delivered(ctx, s.read(), user, post, forever)
	var posts []digest.Post
	if err == nil {
		posts, err = Editions(s).Posts(ctx, []digest.PostID{post})
	}
	if err == nil && len(posts) == 0 {
		err = errNoPost()
	}
	if err != nil {
		return VisiblePost{}, failed("reading the post", err)
	}
	v := VisiblePost{Post: posts[0], DigestID: came.DigestID, Edition: came.Date, DueAt: came.CameAt.Time(),
		Saved: came.Saved}
	labels, err := s.labelsFor(ctx, user, []digest.FeedID{v.FeedID})
	v.Label = labels[v.FeedID]
	return v, failed("reading the post", err)
}

func errNoPost() error { return notFound("there is no such post") }

// delivered finds the edition that delivered a post to a reader, among those whose midnight is not after now. It
// tries saved posts first, then one lookup in each edition's range, because hidden rows have no index by post. The
// inner SELECT is a scalar so that no planner starts with all rows of the post.
func delivered(ctx context.Context, c conn, user digest.UserID, post digest.PostID, now instant) (delivery, error) {
	var d delivery
	saved, err := c.Find(ctx, &d,
		`SELECT digest_id, due_at, due_at AS came_at, local_date AS date, 1 AS saved FROM saved_posts WHERE user_id = ?
			AND post_id = ?`, user, post)
	if saved || err != nil {
		return d, err
	}
	return readOne[delivery](ctx, c, "", errNoPost(),
		`SELECT e.digest_id, e.due_at, `+cameAt+` AS came_at, e.local_date AS date, 0 AS saved FROM digests d
			CROSS JOIN editions e
		WHERE d.user_id = ? AND e.digest_id = d.id AND e.due_at <= d.last_due_at AND `+cameAt+` <= ?
		AND (SELECT count(*) FROM digest_posts dp WHERE dp.digest_id = e.digest_id AND dp.visible_at = e.due_at
		AND dp.post_id = ?) > 0
		ORDER BY came_at, e.due_at LIMIT 1`, user, now, post)
}

// cameAt selects when the edition e of the digest d reached its reader. An issue of a newsletter may have waited for
// approval.
const cameAt = `CASE WHEN d.newsletter_id IS NULL THEN e.due_at ELSE e.send_at END`

// SavePost saves a post for a reader. Saving it again changes nothing. It returns digest.NotFound unless the reader
// may see the post at now.
func (s Posts) SavePost(ctx context.Context, user digest.UserID, post digest.PostID, now time.Time) error {
	return s.change(ctx, "saving the post", func(c conn) error {
		d, err := delivered(ctx, c, user, post, at(now))
		if err != nil || d.Saved {
			return err
		}
		// Prune deletes posts in other transactions, so lock the row.
		if _, err := readOne[digest.PostID](ctx, c, "", errNoPost(), `SELECT p.id FROM posts p WHERE p.id = ?`+
			c.d.KeepRow, post); err != nil {
			return err
		}
		return c.Run(ctx, `INSERT INTO saved_posts (user_id, post_id, saved_at, digest_id, due_at, local_date)
			VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`, user, post, now, d.DigestID, d.DueAt,
			d.Date)
	})
}

// UnsavePost removes a saved post that was saved at since or later. It is no error if there is no such post.
func (s Posts) UnsavePost(ctx context.Context, user digest.UserID, post digest.PostID, since time.Time) error {
	return s.run(ctx, "removing the post",
		`DELETE FROM saved_posts WHERE user_id = ? AND post_id = ? AND saved_at >= ?`, user, post, since)
}

// SavedPosts returns the posts that a reader has saved, newest first: at most limit posts after a key.
func (s Posts) SavedPosts(ctx context.Context, user digest.UserID, after SavedKey, limit int) ([]SavedPost, error) {
	from := at(after.SavedAt)
	if after == (SavedKey{}) {
		from = forever
	}
	saved, err := readRows[SavedPost](ctx, s.read(), "listing what is saved",
		`SELECT v.digest_id, v.saved_at, v.due_at, v.local_date AS edition, 1 AS saved, `+postColumns+`
		FROM saved_posts v CROSS JOIN posts p WHERE v.user_id = ? AND p.id = v.post_id
		AND (v.saved_at, v.post_id) < (?, ?)
		ORDER BY v.saved_at DESC, v.post_id DESC LIMIT ?`, user, from, after.Post, limit)
	if err != nil {
		return nil, err
	}
	labels, err := s.labelsFor(ctx, user, each(saved, func(p SavedPost) digest.FeedID { return p.FeedID }))
	for i, p := range saved {
		saved[i].Label = labels[p.FeedID]
	}
	return saved, failed("listing what is saved", err)
}

// SavedAmong returns which of some posts a reader has saved.
func (s Posts) SavedAmong(ctx context.Context, user digest.UserID, posts []digest.PostID) (map[digest.PostID]bool,
	error) {
	saved := make(map[digest.PostID]bool)
	if len(posts) == 0 {
		return saved, nil
	}
	var ids []digest.PostID
	err := s.read().All(ctx, &ids, `SELECT post_id FROM saved_posts WHERE user_id = ? AND post_id`+s.d.OneOf, user,
		posts)
	if err != nil {
		return nil, fmt.Errorf("looking for what is saved: %w", err)
	}
	for _, id := range ids {
		saved[id] = true
	}
	return saved, nil
}

// labelsFor returns the labels of feeds for one reader, with their own titles. A feed that was merged into a
// subscribed one has its title. A feed without a subscription has its own.
func (s *database) labelsFor(ctx context.Context, user digest.UserID,
	feeds []digest.FeedID) (map[digest.FeedID]digest.FeedLabel, error) {
	labels, err := s.labelsByFeed(ctx, feeds)
	if err != nil {
		return nil, err
	}
	var rows []struct {
		FeedID digest.FeedID `db:"id"`
		Title  string
	}
	err = s.read().All(ctx, &rows, `SELECT f.id, s.title FROM feeds f CROSS JOIN digests d CROSS JOIN subscriptions s
		WHERE f.id`+s.d.OneOf+` AND d.user_id = ? AND s.digest_id = d.id AND s.paused = 0
		AND s.feed_id = CASE WHEN f.merged_into = 0 THEN f.id ELSE f.merged_into END AND s.title <> ''`,
		feeds, user)
	if err != nil {
		return nil, fmt.Errorf("reading subscriptions: %w", err)
	}
	for _, r := range rows {
		label := labels[r.FeedID]
		label.Title = r.Title
		labels[r.FeedID] = label
	}
	return labels, nil
}
