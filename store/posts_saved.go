package store

import (
	"context"
	"fmt"
	"math"
	"time"

	"digest"
)

// A reader saves posts of editions that are out. What is saved stays for good:
// the row says in which edition it came, for that is deleted in time, and Prune
// leaves the post and its feed.

// A VisiblePost is a post that a reader may see.
type VisiblePost struct {
	digest.Post
	DigestID digest.DigestID  // which brought it: the reader's own, or that of a membership
	Label    digest.FeedLabel // by the reader's own title of the feed, if they are subscribed to it and gave one
	Edition  digest.Date      // in which it came; older ones are no longer kept, but for what was saved
	DueAt    time.Time        // the midnight of that edition
	Saved    bool
}

// A SavedPost is a post that a reader has saved; its content is not read.
type SavedPost struct {
	VisiblePost
	SavedAt time.Time
}

// Key is where in the list the post stands.
func (p SavedPost) Key() SavedKey { return SavedKey{SavedAt: p.SavedAt, Post: p.ID} }

// A SavedKey is a place in the list of what a reader has saved: the zero one is its beginning.
type SavedKey struct {
	SavedAt time.Time
	Post    digest.PostID
}

// forever is later than any time that is stored.
const forever = instant(math.MaxInt64)

// A delivery is the edition in which a post came to a reader.
type delivery struct {
	DigestID digest.DigestID
	DueAt    instant
	CameAt   instant // DueAt, or of a newsletter when its letter could leave
	Date     digest.Date
	Saved    bool
}

// VisiblePost gives a post with its feed's label, if an edition that this reader has
// got holds it, or if they saved it; digest.NotFound otherwise. Another
// process, whose clock is ahead, may have made an edition whose midnight is
// still to come by the caller's: DueAt tells.
func (s *Store) VisiblePost(ctx context.Context, user digest.UserID, post digest.PostID) (VisiblePost, error) {
	came, err := delivered(ctx, s.read(), user, post, forever)
	var posts []digest.Post
	if err == nil {
		posts, err = s.Posts(ctx, []digest.PostID{post})
	}
	if err == nil && len(posts) == 0 {
		err = errNoPost()
	}
	if err != nil {
		return VisiblePost{}, failed("reading the post", err)
	}
	v := VisiblePost{Post: posts[0], DigestID: came.DigestID, Edition: came.Date, DueAt: came.CameAt.time(),
		Saved: came.Saved}
	labels, err := s.labelsFor(ctx, user, []digest.FeedID{v.FeedID})
	v.Label = labels[v.FeedID]
	return v, failed("reading the post", err)
}

func errNoPost() error { return notFound("there is no such post") }

// delivered finds the edition that brought a post to a reader, of those whose
// midnight is not after now: what they saved first, and else by one look into
// each edition's range, as there is no index of hidden rows by post. The inner
// SELECT is a scalar so that no planner can begin with all rows of the post.
func delivered(ctx context.Context, c conn, user digest.UserID, post digest.PostID, now instant) (delivery, error) {
	var d delivery
	saved, err := c.find(ctx, &d,
		`SELECT digest_id, due_at, due_at AS came_at, local_date AS date, 1 AS saved FROM saved_posts WHERE user_id = ? AND post_id = ?`, user, post)
	if saved || err != nil {
		return d, err
	}
	return readOne[delivery](ctx, c, "", errNoPost(),
		`SELECT e.digest_id, e.due_at, `+cameAt+` AS came_at, e.local_date AS date, 0 AS saved FROM digests d CROSS JOIN editions e
		WHERE d.user_id = ? AND e.digest_id = d.id AND e.due_at <= d.last_due_at AND `+cameAt+` <= ?
		AND (SELECT count(*) FROM digest_posts dp WHERE dp.digest_id = e.digest_id AND dp.visible_at = e.due_at AND dp.post_id = ?) > 0
		ORDER BY came_at, e.due_at LIMIT 1`, user, now, post)
}

// cameAt is when the edition e of the digest d has come to its reader: a letter of a newsletter may wait for
// its publisher's approval.
const cameAt = `CASE WHEN d.newsletter_id IS NULL THEN e.due_at ELSE e.send_at END`

// SavePost saves a post for a reader; one that is saved already stays as it is.
// digest.NotFound unless they may see it at now.
func (s *Store) SavePost(ctx context.Context, user digest.UserID, post digest.PostID, now time.Time) error {
	return s.change(ctx, "saving the post", func(c conn) error {
		d, err := delivered(ctx, c, user, post, at(now))
		if err != nil || d.Saved {
			return err
		}
		// Prune deletes posts in transactions of its own.
		if _, err := readOne[digest.PostID](ctx, c, "", errNoPost(), `SELECT p.id FROM posts p WHERE p.id = ?`+
			c.d.keepRow, post); err != nil {
			return err
		}
		return c.run(ctx, `INSERT INTO saved_posts (user_id, post_id, saved_at, digest_id, due_at, local_date)
			VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`, user, post, at(now), d.DigestID, d.DueAt,
			d.Date.String())
	})
}

// UnsavePost removes a saved post, if it was saved at an instant or later. One that is not saved is no error.
func (s *Store) UnsavePost(ctx context.Context, user digest.UserID, post digest.PostID, since time.Time) error {
	return s.run(ctx, "removing the post",
		`DELETE FROM saved_posts WHERE user_id = ? AND post_id = ? AND saved_at >= ?`, user, post, at(since))
}

// SavedPosts lists what a reader has saved, the newest first, limit at most: those after a key.
func (s *Store) SavedPosts(ctx context.Context, user digest.UserID, after SavedKey, limit int) ([]SavedPost, error) {
	from := at(after.SavedAt)
	if after == (SavedKey{}) {
		from = forever
	}
	saved, err := readRows[SavedPost](ctx, s.read(), "listing what is saved",
		`SELECT v.digest_id, v.saved_at, v.due_at, v.local_date AS edition, 1 AS saved, `+postColumns+`
		FROM saved_posts v CROSS JOIN posts p WHERE v.user_id = ? AND p.id = v.post_id AND (v.saved_at, v.post_id) < (?, ?)
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

// SavedAmong tells which of some posts a reader has saved.
func (s *Store) SavedAmong(ctx context.Context, user digest.UserID, posts []digest.PostID) (map[digest.PostID]bool,
	error) {
	saved := make(map[digest.PostID]bool)
	if len(posts) == 0 {
		return saved, nil
	}
	var ids []digest.PostID
	err := s.read().all(ctx, &ids, `SELECT post_id FROM saved_posts WHERE user_id = ? AND post_id`+s.d.oneOf, user,
		keys(s.d, posts))
	if err != nil {
		return nil, fmt.Errorf("looking for what is saved: %w", err)
	}
	for _, id := range ids {
		saved[id] = true
	}
	return saved, nil
}

// labelsFor gives feeds as one reader sees them: by their own title, also of a
// feed that has become part of one to which they are subscribed. What they left keeps the feed's.
func (s *Store) labelsFor(ctx context.Context, user digest.UserID,
	feeds []digest.FeedID) (map[digest.FeedID]digest.FeedLabel, error) {
	labels, err := s.labelsByFeed(ctx, feeds)
	if err != nil {
		return nil, err
	}
	var rows []struct {
		FeedID digest.FeedID `db:"id"`
		Title  string
	}
	err = s.read().all(ctx, &rows, `SELECT f.id, s.title FROM feeds f CROSS JOIN digests d CROSS JOIN subscriptions s
		WHERE f.id`+s.d.oneOf+` AND d.user_id = ? AND s.digest_id = d.id AND s.paused = 0
		AND s.feed_id = CASE WHEN f.merged_into = 0 THEN f.id ELSE f.merged_into END AND s.title <> ''`,
		keys(s.d, feeds), user)
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
