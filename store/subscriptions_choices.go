package store

import (
	"context"
	"fmt"
	"time"

	"digest"
)

// Subscription gives one feed that a digest takes or lets rest; digest.NotFound
// if it does neither, whoever else does.
func (s *Store) Subscription(ctx context.Context, id digest.DigestID, feed digest.FeedID) (info SubscriptionInfo, rests bool, err error) {
	for _, table := range []string{"subscriptions", "rested"} {
		infos, err := s.taken(ctx, table, `s.digest_id = ? AND s.feed_id = ?`, id, feed)
		if err != nil {
			return info, false, fmt.Errorf("reading the subscription: %w", err)
		}
		if len(infos) > 0 {
			return infos[0], table == "rested", nil
		}
	}
	return info, false, notFound("there is no such subscription")
}

// SetSubscription changes what a reader has decided of a feed that they take or
// let rest: its Title, Folder and Display. digest.NotFound if they do neither.
func (s *Store) SetSubscription(ctx context.Context, sub digest.Subscription) error {
	err := s.write(ctx, func(c conn) error {
		for _, table := range []string{"subscriptions", "rested"} {
			n, err := c.exec(ctx, `UPDATE `+table+` SET title = ?, folder = ?, display = ? WHERE digest_id = ? AND feed_id = ?`,
				sub.Title, sub.Folder, string(sub.Display), sub.DigestID, sub.FeedID)
			if err != nil || n > 0 {
				return err
			}
		}
		return notFound("there is no such subscription")
	})
	if err != nil {
		return fmt.Errorf("changing the subscription: %w", err)
	}
	return nil
}

// Folders lists the folders that a digest's feeds are in, by name.
func (s *Store) Folders(ctx context.Context, id digest.DigestID) ([]string, error) {
	var folders []string
	err := s.read().all(ctx, &folders, `SELECT s.folder FROM subscriptions s WHERE s.digest_id = ? AND s.folder <> ''
		UNION SELECT r.folder FROM rested r WHERE r.digest_id = ? AND r.folder <> '' ORDER BY 1`, id, id)
	if err != nil {
		return nil, fmt.Errorf("listing the folders: %w", err)
	}
	return folders, nil
}

// A DeliveredPost is a post that a reader has had, without its content.
type DeliveredPost struct {
	PostID digest.PostID
	Title  string
	URL    string
	Date   digest.Date // of the edition that brought it
}

// DeliveredPosts gives the last posts of one feed, or of those that have become part
// of it, that editions of a digest have brought, the latest first. What is
// still hidden is not among them.
func (s *Store) DeliveredPosts(ctx context.Context, id digest.DigestID, feed digest.FeedID, now time.Time, limit int) ([]DeliveredPost, error) {
	var rows []struct {
		ID    digest.PostID `db:"id"`
		Title string        `db:"title"`
		URL   string        `db:"url"`
		Date  string        `db:"local_date"`
	}
	err := s.read().all(ctx, &rows, `SELECT p.id, p.title, p.url, e.local_date
		FROM editions e JOIN digest_posts dp ON dp.digest_id = e.digest_id AND dp.visible_at = e.due_at JOIN posts p ON p.id = dp.post_id
		WHERE e.digest_id = ? AND e.due_at <= ? AND p.feed_id IN (SELECT f.id FROM feeds f WHERE f.id = ? OR f.merged_into = ?)
		ORDER BY e.due_at DESC, p.id DESC LIMIT `+fmt.Sprint(limit), id, at(now), feed, feed)
	if err != nil {
		return nil, fmt.Errorf("reading what was delivered: %w", err)
	}
	list := make([]DeliveredPost, len(rows))
	for i, r := range rows {
		date, err := digest.ParseDate(r.Date)
		if err != nil {
			return nil, fmt.Errorf("reading what was delivered: %w", err)
		}
		list[i] = DeliveredPost{PostID: r.ID, Title: r.Title, URL: r.URL, Date: date}
	}
	return list, nil
}
