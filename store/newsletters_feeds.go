package store

import (
	"context"
	"time"

	"digest"
)

// The feeds of a newsletter are the subscriptions of its archive, and members have
// the same ones: whatever becomes of a feed (a move, a merge) becomes of all of them.

// AddNewsletterFeed makes a feed part of a newsletter, of its archive first; members get it
// in parts. What Subscribe says of recent posts goes for each member: a site that joins
// a newsletter brings what it had within a day. A feed that is part of it already gets
// the title, folder and display of sub, and comes to whom it has not come yet.
func (s *Store) AddNewsletterFeed(ctx context.Context, id digest.NewsletterID, sub digest.Subscription,
	now time.Time) error {
	ids, err := s.newsletterDigests(ctx, id)
	if err != nil {
		return err
	}
	_, err = changeInParts(ctx, s, "adding a feed to the newsletter", ids,
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
				if err := c.run(ctx, `UPDATE subscriptions SET title = ?, folder = ?, display = ?, extras = ? WHERE digest_id = ? AND feed_id = ?`,
					sub.Title, sub.Folder, string(sub.Display), int(sub.Extras), d, sub.FeedID); err != nil {
					return 0, err
				}
			}
			return len(part), nil
		})
	return err
}

// RemoveNewsletterFeed takes a feed out of a newsletter, with what waits of it;
// digest.NotFound if it is no part of it.
func (s *Store) RemoveNewsletterFeed(ctx context.Context, id digest.NewsletterID, feed digest.FeedID) error {
	n, err := s.Newsletter(ctx, id)
	if err != nil {
		return err
	}
	if _, err := s.Subscription(ctx, n.ArchiveID, feed); err != nil {
		return err
	}
	ids, err := s.newsletterDigests(ctx, id)
	if err != nil {
		return err
	}
	_, err = changeInParts(ctx, s, "taking a feed out of the newsletter", ids,
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

// newsletterDigests gives the digests of a newsletter, its archive first.
func (s *Store) newsletterDigests(ctx context.Context, id digest.NewsletterID) ([]digest.DigestID, error) {
	return readRows[digest.DigestID](ctx, s.read(), "finding the members",
		`SELECT d.id FROM digests d JOIN newsletters n ON n.id = d.newsletter_id
		WHERE d.newsletter_id = ? AND (d.state <> 'left' OR d.id = n.archive_id) ORDER BY CASE d.id WHEN n.archive_id THEN 0 ELSE 1 END, d.id`, id)
}
