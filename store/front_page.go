package store

import (
	"context"

	"digest"
)

// SetDigestName names a digest; empty: it has the name of all that have none.
func (s *Store) SetDigestName(ctx context.Context, id digest.DigestID, name string) error {
	return s.changeDigest(ctx, "naming the digest", id, func(c conn, _ digestRow) error {
		return c.run(ctx, `UPDATE digests SET name = ? WHERE id = ?`, name, id)
	})
}

// MoveFolder moves a folder of a digest so many places down, or up: see digest.FolderOrder.
func (s *Store) MoveFolder(ctx context.Context, id digest.DigestID, folder string, by int) error {
	return s.changeDigest(ctx, "moving a folder", id, func(c conn, d digestRow) error {
		var folders []string
		if err := c.all(ctx, &folders, foldersInUse, id); err != nil {
			return err
		}
		return c.run(ctx, `UPDATE digests SET folder_order = ? WHERE id = ?`,
			string(d.Folders.Move(folders, folder, by)), id)
	})
}

// SetLead lets one feed of a digest lead and no other; 0: none does. digest.NotFound if there is no such subscription.
func (s *Store) SetLead(ctx context.Context, id digest.DigestID, feed digest.FeedID) error {
	return s.changeDigest(ctx, "choosing the site that leads", id, func(c conn, _ digestRow) error {
		if err := requireSubscription(ctx, c, id, feed); err != nil {
			return err
		}
		return c.run(ctx, `UPDATE subscriptions SET leads = CASE WHEN feed_id = ? THEN 1 ELSE 0 END WHERE digest_id = ? AND (leads = 1 OR feed_id = ?)`, feed, id, feed)
	})
}

// A FrontPageView is what arranges a digest's editions, with the feeds there are.
type FrontPageView struct {
	Folders       []string           // in the reader's order; "" for the feeds of none
	Subscriptions []SubscriptionInfo // as AllSubscriptions gives them
}

// FrontPageView gives what arranges the editions of a digest.
func (s *Store) FrontPageView(ctx context.Context, id digest.DigestID) (v FrontPageView, err error) {
	err = s.atOneInstant(ctx, "", func(s *Store) (err error) {
		if v.Folders, err = s.Folders(ctx, id); err != nil {
			return err
		}
		v.Subscriptions, err = s.AllSubscriptions(ctx, id)
		return err
	})
	return v, err
}
