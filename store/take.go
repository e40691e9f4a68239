package store

import (
	"context"
	"fmt"
	"time"

	"digest"
)

// Subscription gives one feed that a digest takes; digest.NotFound if it takes
// no such feed, whoever else does.
func (s *Store) Subscription(ctx context.Context, id digest.DigestID, feed digest.FeedID) (SubscriptionInfo, error) {
	infos, err := s.subscriptions(ctx, `s.digest_id = ? AND s.feed_id = ?`, id, feed)
	if err == nil && len(infos) == 0 {
		err = notFound("there is no such subscription")
	}
	if err != nil {
		return SubscriptionInfo{}, err
	}
	return infos[0], nil
}

// SetSubscription changes what a reader has decided of a feed that they take:
// its Title, Folder and Display. digest.NotFound if they do not take it.
func (s *Store) SetSubscription(ctx context.Context, sub digest.Subscription) error {
	err := s.write(ctx, func(c conn) error {
		n, err := c.exec(ctx, `UPDATE subscriptions SET title = ?, folder = ?, display = ? WHERE digest_id = ? AND feed_id = ?`,
			sub.Title, sub.Folder, sub.Display, sub.DigestID, sub.FeedID)
		if err == nil && n == 0 {
			err = notFound("there is no such subscription")
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("changing the subscription: %w", err)
	}
	return nil
}

// A Delivered is a post that a reader has had, without its content.
type Delivered struct {
	PostID digest.PostID
	Title  string
	URL    string
	Date   digest.Date // of the edition that brought it
}

// Delivered gives the last posts of one feed, or of those that have become part
// of it, that editions of a digest have brought, the latest first. What is
// still hidden is not among them.
func (s *Store) Delivered(ctx context.Context, id digest.DigestID, feed digest.FeedID, now time.Time, limit int) ([]Delivered, error) {
	var rows []struct {
		ID    digest.PostID `db:"id"`
		Title string        `db:"title"`
		URL   string        `db:"url"`
		Date  digest.Date   `db:"local_date"`
	}
	err := s.read().all(ctx, &rows, `SELECT p.id, p.title, p.url, e.local_date
		FROM editions e JOIN digest_posts dp ON dp.digest_id = e.digest_id AND dp.visible_at = e.due_at JOIN posts p ON p.id = dp.post_id
		WHERE e.digest_id = ? AND e.due_at <= ? AND p.feed_id IN (SELECT f.id FROM feeds f WHERE f.id = ? OR f.merged_into = ?)
		ORDER BY e.due_at DESC, p.id DESC LIMIT `+fmt.Sprint(limit), id, at(now), feed, feed)
	if err != nil {
		return nil, fmt.Errorf("reading what was delivered: %w", err)
	}
	list := make([]Delivered, len(rows))
	for i, r := range rows {
		list[i] = Delivered{PostID: r.ID, Title: r.Title, URL: r.URL, Date: r.Date}
	}
	return list, nil
}
