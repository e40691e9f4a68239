package store

import (
	"context"
	"time"

	"digest"
)

// The feeds of a newsletter are the subscriptions of its archive. Its members have the same subscriptions, so that a
// move or a merge of a feed changes all of them.

// AddNewsletterFeed adds a feed to a newsletter: to its archive first, then to its members, in several transactions.
// As after Subscribe, each next issue has the feed's recent posts. If the newsletter has the feed already,
// AddNewsletterFeed stores the title, folder, display and extras of sub, and adds the feed for members who lack it.
func (s Newsletters) AddNewsletterFeed(ctx context.Context, id digest.NewsletterID, sub digest.Subscription,
	now time.Time) error {
	ids, err := s.newsletterDigests(ctx, id)
	if err != nil {
		return err
	}
	_, err = changeInParts(ctx, s.database, "adding a feed to the newsletter", ids,
		func(c conn, part []digest.DigestID) (int, error) {
			for _, d := range part {
				sub.DigestID = d
				created, err := subscribe(ctx, c, sub, at(now))
				if err != nil {
					return 0, err
				}
				if created {
					continue
				}
				if err := c.Run(ctx, `UPDATE subscriptions SET title = ?, folder = ?, display = ?, extras = ?
					WHERE digest_id = ? AND feed_id = ?`,
					sub.Title, sub.Folder, sub.Display, sub.Extras, d, sub.FeedID); err != nil {
					return 0, err
				}
			}
			return len(part), nil
		})
	return err
}

// RemoveNewsletterFeed removes a feed from a newsletter, with its waiting posts. It returns digest.NotFound if the
// newsletter does not have the feed.
func (s Newsletters) RemoveNewsletterFeed(ctx context.Context, id digest.NewsletterID, feed digest.FeedID) error {
	n, err := s.Newsletter(ctx, id)
	if err != nil {
		return err
	}
	if _, err := Subscriptions(s).Subscription(ctx, n.ArchiveID, feed); err != nil {
		return err
	}
	ids, err := s.newsletterDigests(ctx, id)
	if err != nil {
		return err
	}
	_, err = changeInParts(ctx, s.database, "taking a feed out of the newsletter", ids,
		func(c conn, part []digest.DigestID) (int, error) {
			if err := lockFeed(ctx, c, feed); err != nil {
				return 0, err
			}
			for _, d := range part {
				if err := unsubscribe(ctx, c, d, feed); err != nil && digest.KindOf(err) != digest.NotFound {
					return 0, err
				}
			}
			return len(part), nil
		})
	return err
}

// newsletterDigests returns the digests of a newsletter's archive and its members, the archive first.
func (s *database) newsletterDigests(ctx context.Context, id digest.NewsletterID) ([]digest.DigestID, error) {
	return readRows[digest.DigestID](ctx, s.read(), "finding the members",
		`SELECT d.id FROM digests d JOIN newsletters n ON n.id = d.newsletter_id
		WHERE d.newsletter_id = ? AND (d.state <> 'left' OR d.id = n.archive_id)
		ORDER BY CASE d.id WHEN n.archive_id THEN 0 ELSE 1 END, d.id`, id)
}
