package store

import (
	"context"
	"fmt"
	"time"

	"digest"
)

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
