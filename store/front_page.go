package store

import (
	"context"

	"digest"
)

// SetDigestName sets the name of a digest; empty: the default name.
func (s Readers) SetDigestName(ctx context.Context, id digest.DigestID, name string) error {
	return s.changeDigest(ctx, "naming the digest", id, func(c conn, _ digestRow) error {
		return c.Run(ctx, `UPDATE digests SET name = ? WHERE id = ?`, name, id)
	})
}

// MoveFolder moves a folder of a digest down by a number of places, or up if by is negative. See digest.FolderOrder.
func (s Readers) MoveFolder(ctx context.Context, id digest.DigestID, folder string, by int) error {
	return s.changeDigest(ctx, "moving a folder", id, func(c conn, d digestRow) error {
		var folders []string
		if err := c.All(ctx, &folders, foldersInUse, id); err != nil {
			return err
		}
		return c.Run(ctx, `UPDATE digests SET folder_order = ? WHERE id = ?`,
			d.Folders.Move(folders, folder, by), id)
	})
}

// SetLead makes one feed lead a digest's editions; 0: no feed. It returns digest.NotFound if the subscription does not
// exist.
func (s Readers) SetLead(ctx context.Context, id digest.DigestID, feed digest.FeedID) error {
	return s.changeDigest(ctx, "choosing the site that leads", id, func(c conn, _ digestRow) error {
		if err := requireSubscription(ctx, c, id, feed); err != nil {
			return err
		}
		return c.Run(ctx, `UPDATE subscriptions SET leads = CASE WHEN feed_id = ? THEN 1 ELSE 0 END
			WHERE digest_id = ? AND (leads = 1 OR feed_id = ?)`, feed, id, feed)
	})
}

// A FrontPageView holds what arranges a digest's editions.
type FrontPageView struct {
	Folders       []string           // in the reader's order; "" is for feeds without a folder
	Subscriptions []SubscriptionInfo // in the order of AllSubscriptions
}

// FrontPageView returns what arranges a digest's editions.
func (s Readers) FrontPageView(ctx context.Context, id digest.DigestID) (v FrontPageView, err error) {
	err = s.atOneInstant(ctx, "", func(s *Store) (err error) {
		if v.Folders, err = s.Subscriptions.Folders(ctx, id); err != nil {
			return err
		}
		v.Subscriptions, err = s.Subscriptions.AllSubscriptions(ctx, id)
		return err
	})
	return v, err
}
