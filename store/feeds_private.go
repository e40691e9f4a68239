package store

import (
	"context"
	"fmt"
	"time"

	"digest"
	"digest/store/db"
)

// A private feed has one reader and a credential that package seal has encrypted (column sealed). No document can
// contain its address (digest.IsPrivate), so only people who know the credential find it. It never moves, and no feed
// merges into it (I9). The credential is deleted with the subscription.

func setSealed(ctx context.Context, c conn, id digest.FeedID, sealed string) error {
	return c.Run(ctx, `UPDATE feeds SET sealed = ? WHERE id = ? AND sealed <> ?`, sealed, id, sealed)
}

// forgetSealed deletes the credentials of private feeds without subscriptions.
func forgetSealed(ctx context.Context, c conn) error {
	return c.Run(ctx, `UPDATE feeds SET sealed = '' WHERE sealed <> '' AND NOT EXISTS
		(SELECT 1 FROM subscriptions s WHERE s.feed_id = feeds.id)`)
}

// SetSealed stores the credential of a private feed.
func (s Feeds) SetSealed(ctx context.Context, id digest.FeedID, sealed string) error {
	return s.change(ctx, "storing a credential", func(c conn) error { return setSealed(ctx, c, id, sealed) })
}

// RenewSealed replaces the credential and the address of a private feed after the server has rejected the old one. It
// uses f.ID, f.URL and f.Sealed. It queues the feed for as soon as it may be requested, and discards a poll in flight.
func (s Feeds) RenewSealed(ctx context.Context, f digest.Feed, now time.Time) error {
	return s.change(ctx, "storing a credential", func(c conn) error {
		id := f.ID
		if err := lockFeed(ctx, c, id); err != nil {
			return err
		}
		address, err := freeAddress(ctx, c, f)
		if err != nil {
			return err
		}
		if err := c.Run(ctx, `UPDATE feed_times SET not_before = 0 WHERE feed_id = ?
			AND EXISTS (SELECT 1 FROM feeds f WHERE f.id = feed_id AND f.last_status NOT IN (429, 503))`,
			id); err != nil {
			return err
		}
		if err := c.RunOne(ctx, noFeed(),
			`UPDATE feeds SET url = ?, sealed = ?, state = 'active', errors = 0, first_error_at = 0, failing_since = 0,
			gone_at = 0, last_error = '', own_interval = 0 WHERE id = ? AND merged_into = 0`, address, f.Sealed,
			id); err != nil {
			return err
		}
		if err := endLease(ctx, c, id); err != nil {
			return err
		}
		return queue(ctx, c, []digest.FeedID{id}, at(now))
	})
}

// staysPrivate removes moves and the document from the poll of a private feed. It uses the stored address, which a new
// key may have changed since.
func (p Polled) staysPrivate(row lockedFeed) Polled {
	if digest.IsPrivate(row.URL) {
		p.Feed.URL, p.Feed.Host, p.Feed.Move = row.URL, row.Host, digest.Move{}
		p.Was.URL, p.Body = row.URL, nil
	}
	return p
}

// endLease ends the lease of a feed, so that a poll in flight is discarded.
func endLease(ctx context.Context, c conn, id digest.FeedID) error {
	return c.Run(ctx, `UPDATE feed_times SET lease_until = 0, lease_token = '' WHERE feed_id = ?`, id)
}

// MakePrivate makes a feed private, with f's ID, URL, Sealed and SiteURL, and deletes its old address everywhere. It
// returns digest.Conflict if a digest other than only subscribes to the feed. If only is 0, all subscriptions remain.
func (s Feeds) MakePrivate(ctx context.Context, f digest.Feed, only digest.DigestID) error {
	return s.change(ctx, "making a feed private", func(c conn) error {
		if err := c.UntilCommit(ctx, s.d.LockShared); err != nil {
			return err
		}
		if err := lockFeed(ctx, c, f.ID); err != nil {
			return err
		}
		if only != 0 {
			n, err := c.Number(ctx, `SELECT count(*) FROM subscriptions WHERE feed_id = ? AND digest_id <> ?`, f.ID,
				only)
			if err != nil {
				return err
			}
			if n > 0 {
				return db.Conflict("other readers here follow this feed too; unsubscribe from it, and add it anew with its password or as a secret")
			}
		}
		var was string
		err := c.Get(ctx, &was, `SELECT url FROM feeds WHERE id = ? AND merged_into = 0`, f.ID)
		if isNone(err) {
			return noFeed()
		}
		if err == nil {
			f.URL, err = freeAddress(ctx, c, f)
		}
		if err != nil {
			return err
		}
		return hideAddress(ctx, c, f, was)
	})
}

// freeAddress returns the address of a private feed, with a number if another feed has it. This happens if a reader
// subscribed with an old and a new password.
func freeAddress(ctx context.Context, c conn, f digest.Feed) (string, error) {
	n, err := c.Number(ctx, `SELECT count(*) FROM feeds WHERE url = ? AND id <> ?`, f.URL, f.ID)
	if n > 0 {
		return fmt.Sprintf("%s-%d", f.URL, f.ID), err
	}
	return f.URL, err
}

// hideAddress stores the address of a feed that becomes private. It deletes the old address, which may be a secret,
// everywhere.
func hideAddress(ctx context.Context, c conn, f digest.Feed, was string) error {
	for _, s := range []struct {
		statement string
		args      []any
	}{
		{`UPDATE feeds SET url = ?, sealed = ?, site_url = ?, validator_url = '', etag = '',
			last_modified = '', moved_to = '', moved_since = 0,
			moved_from = '', moved_at = 0, move_undone = 0, last_error = '' WHERE id = ?`,
			[]any{f.URL, f.Sealed, f.SiteURL, f.ID}},
		{`UPDATE feeds SET url = CAST(? AS TEXT) || '#' || id, site_url = '', validator_url = '',
			moved_to = '', moved_from = '', last_error = '' WHERE merged_into = ?`, []any{f.URL, f.ID}},
		{`DELETE FROM former_addresses WHERE feed_id = ?`, []any{f.ID}},
		{`DELETE FROM refusals WHERE url = ?`, []any{was}},
		{`DELETE FROM bodies WHERE feed_id = ?`, []any{f.ID}},
		{`UPDATE polls SET note = '' WHERE feed_id = ? AND outcome = 'failed'`, []any{f.ID}},
		{`UPDATE posts SET read_address = '' WHERE feed_id = ? AND read_address <> ''`, []any{f.ID}},
		{`UPDATE subscriptions SET address = '' WHERE feed_id = ?`, []any{f.ID}},
		{`UPDATE subscriptions SET title = '' WHERE feed_id = ? AND title = ?`, []any{f.ID, was}},
		{`UPDATE notices SET url = ?, moved_to = '' WHERE feed_id = ?`, []any{f.URL, f.ID}},
	} {
		if err := c.Run(ctx, s.statement, s.args...); err != nil {
			return err
		}
	}
	return endLease(ctx, c, f.ID)
}

// SealedFeeds returns the ID, URL and Sealed of every feed with a credential.
func (s Feeds) SealedFeeds(ctx context.Context) ([]digest.Feed, error) {
	return readRows[digest.Feed](ctx, s.read(), "reading private feeds",
		`SELECT f.id, f.url, f.sealed FROM feeds f WHERE f.sealed <> '' ORDER BY f.id`)
}

// Reseal stores the new address and credential of a private feed, unless the credential has changed since was was
// read.
func (s Feeds) Reseal(ctx context.Context, was, is digest.Feed) error {
	return s.change(ctx, "sealing a credential anew", func(c conn) error {
		if err := lockFeed(ctx, c, was.ID); err != nil {
			return err
		}
		address, err := freeAddress(ctx, c, is)
		if err != nil {
			return err
		}
		return c.Run(ctx, `UPDATE feeds SET url = ?, sealed = ? WHERE id = ? AND sealed = ?`, address, is.Sealed,
			was.ID, was.Sealed)
	})
}

// A ClearFeed is a feed with a name or a password in its address.
type ClearFeed struct {
	ID      digest.FeedID
	URL     string
	SiteURL string
	First   digest.DigestID // first subscribed digest; 0: none
}

// ClearFeeds returns the feeds with a name or a password in their addresses. Older versions of the program stored them
// so.
func (s Feeds) ClearFeeds(ctx context.Context) ([]ClearFeed, error) {
	return readRows[ClearFeed](ctx, s.read(), "looking for passwords in addresses", `SELECT f.id, f.url, f.site_url,
		COALESCE((SELECT MIN(s.digest_id) FROM subscriptions s WHERE s.feed_id = f.id), 0) AS first
		FROM feeds f WHERE f.merged_into = 0 AND f.url LIKE 'http%://%@%' ORDER BY f.id`)
}

// HideFormer removes names and passwords from former addresses of feeds.
func (s Feeds) HideFormer(ctx context.Context) error {
	const clear = ` LIKE '%://%@%'`
	return s.change(ctx, "hiding former addresses", func(c conn) error {
		for _, cells := range []struct {
			find  string
			hides []string // with the address without and with credentials as arguments
		}{
			{`SELECT DISTINCT moved_from FROM feeds WHERE moved_from` + clear, []string{
				`UPDATE posts SET read_address = ? WHERE read_address = ? AND feed_id IN
					(SELECT id FROM feeds WHERE moved_from <> '')`,
				`UPDATE feeds SET moved_from = ? WHERE moved_from = ?`}},
			{`SELECT url FROM feeds WHERE merged_into <> 0 AND url` +
				clear, []string{`UPDATE feeds SET url = ? WHERE url = ?`}},
			{`SELECT url FROM former_addresses WHERE url` +
				clear, []string{`DELETE FROM former_addresses WHERE url <> ? AND url = ?`}},
			{`SELECT DISTINCT address FROM subscriptions WHERE address` +
				clear, []string{`UPDATE subscriptions SET address = ? WHERE address = ?`}},
			{`SELECT DISTINCT url FROM notices WHERE url` +
				clear, []string{`UPDATE notices SET url = ? WHERE url = ?`}},
		} {
			var stored []string
			if err := c.All(ctx, &stored, cells.find); err != nil {
				return err
			}
			for _, address := range stored {
				if bare := digest.WithoutCredentials(address); bare != address {
					if err := c.ExecEach(ctx, cells.hides, bare, address); err != nil {
						return err
					}
				}
			}
		}
		return nil
	})
}
