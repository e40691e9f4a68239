package store

import (
	"context"
	"time"

	"digest"
)

// A feed that moves permanently is merged into the feed at its new address (see merge). Its readers keep the address
// at which they subscribed, and can go back to it.

// A Move is a notice that a feed has moved, with the state of the reader's subscription.
type Move struct {
	digest.Notice
	At    digest.FeedID // the feed with the subscription since the move, from which the reader can go back; 0: none
	Back  bool          // the reader is subscribed at the old address
	Stays bool          // the reader subscribed at the new address too
}

// An Arrival describes a new address of a feed.
type Arrival struct {
	Rename bool // another spelling of the old address
	Abroad bool // on another site, so readers get a notice

	Read  bool          // the document was just read there; otherwise the move waits
	Posts []digest.Post // all posts of the document
}

// Moves returns the moves in past and future notices of a digest's reader, oldest first.
func (s Subscriptions) Moves(ctx context.Context, id digest.DigestID) ([]Move, error) {
	return readRows[Move](ctx, s.read(), "reading the moves of feeds", selectMoves+`ORDER BY n.visible_at, n.feed_id`,
		id, digest.NoticeMoved)
}

const selectMoves = `SELECT ` + noticeColumns + `,
	COALESCE((SELECT MIN(s.feed_id) FROM subscriptions s WHERE s.digest_id = n.digest_id
	AND replace(s.address, ` + aLine + ` || n.url || ` + aLine + `, '') <> s.address), 0) AS at,
	(SELECT count(*) FROM subscriptions s JOIN feeds f ON f.id = s.feed_id WHERE s.digest_id = n.digest_id
	AND f.url = n.url) AS back,
	(SELECT count(*) FROM subscriptions s JOIN feeds f ON f.id = s.feed_id WHERE s.digest_id = n.digest_id
	AND f.url = n.moved_to AND s.address <> ` + aLine + ` || n.url || ` + aLine + `) AS stays
	FROM notices n WHERE n.digest_id = ? AND n.kind = ? `

// UndoMove subscribes a digest to the address from before a move. It removes the subscription at the new address, with
// its hidden posts. Both remain if the digest also subscribed there, or arrived there from another address. The feed
// at the old address cannot move to another site again until ForgetMoves permits it. UndoMove does nothing if the
// digest is already back, or unsubscribed. It returns digest.NotFound if the notice of the move is no longer stored.
func (s Subscriptions) UndoMove(ctx context.Context, id digest.DigestID, feed digest.FeedID, now time.Time) error {
	return s.changeAlone(ctx, "going back to where a feed was", func(c conn) error {
		m, err := readOne[Move](ctx, c, "", notFound("this move can no longer be undone"),
			selectMoves+`AND n.feed_id = ? ORDER BY n.visible_at DESC LIMIT 1`,
			id, digest.NoticeMoved, feed)
		if err != nil || m.At == 0 {
			return err
		}
		r := recording{c: c, now: at(now)}
		return r.undo(ctx, id, m.At, m.URL)
	})
}

func (r *recording) undo(ctx context.Context, id digest.DigestID, from digest.FeedID, address string) error {
	if err := lockFeed(ctx, r.c, from); err != nil {
		return err
	}
	to, err := r.settle(ctx, digest.Feed{URL: address, Host: digest.HostOf(address)})
	if err != nil {
		return err
	}
	if err := r.goBack(ctx, from, to.ID, address, id); err != nil {
		return err
	}
	stays, err := r.c.Number(ctx, `SELECT count(*) FROM subscriptions WHERE digest_id = ? AND feed_id = ?`, id, from)
	if err == nil && stays == 0 {
		err = r.c.Run(ctx, `UPDATE filters SET feed_id = ? WHERE digest_id = ? AND feed_id = ?`, to.ID, id, from)
		if err == nil {
			err = withdraw(ctx, r.c, id, from)
		}
	}
	if err != nil {
		return err
	}
	if err := r.c.Run(ctx, `UPDATE former_addresses SET since = ? WHERE url = ?`, r.now, address); err != nil {
		return err
	}
	return r.c.ExecEach(ctx, []string{
		`UPDATE feeds SET move_undone = 1 WHERE id = ?`,
		// Hidden posts that were read at the new address.
		`DELETE FROM digest_posts WHERE post_id IN (SELECT p.id FROM posts p WHERE p.feed_id = ?
			AND p.read_address <> '')
			AND digest_id = ` + list([]digest.DigestID{id}) +
			` AND visible_at = (SELECT next_due_at FROM digests WHERE id = digest_posts.digest_id)`,
	}, to.ID)
}

// goBack subscribes digests that arrived at a feed from a former address to the feed at that address: the digests in
// only, or all if it is empty. They lose the old subscription unless they subscribed there too, or arrived from
// another address as well. Subscriptions that a newsletter has paused (paused_for) resume.
func (r *recording) goBack(ctx context.Context, from, to digest.FeedID, address string, only ...digest.DigestID) error {
	which := ` s.feed_id = ? AND ` + cameFrom
	var those []any
	if len(only) > 0 {
		which += ` AND s.digest_id` + r.c.d.OneOf
		those = []any{only}
	}
	came := listed(address)
	if err := r.c.Run(ctx, `INSERT INTO subscriptions (digest_id, feed_id, title, folder, display,
		most, extras, roll_up, trial_until, trial_ends, leads, created_at, paused, paused_until)
		SELECT s.digest_id, CAST(? AS BIGINT), CASE WHEN s.address = ? THEN s.title
		ELSE '' END, s.folder, s.display, s.most, s.extras, s.roll_up, s.trial_until, s.trial_ends,
		CASE WHEN s.address = ? THEN s.leads
		ELSE 0 END, s.created_at, CASE WHEN s.paused_for > 0 THEN 0 ELSE s.paused END, s.paused_until
		FROM subscriptions s WHERE`+which+` ORDER BY s.digest_id ON CONFLICT (digest_id, feed_id) DO NOTHING`,
		append([]any{to, came, came, from, came}, those...)...); err != nil {
		return err
	}
	if err := endSubscriptions(ctx, r.c, `s.address = ? AND`+
		which, append([]any{came, from, came}, those...)...); err != nil {
		return err
	}
	return r.c.Run(ctx, `UPDATE subscriptions AS s SET address = `+plainly(`replace(s.address, ?, '')`)+` WHERE`+
		which, append([]any{came, came, from, came}, those...)...)
}

// A subscription stores the addresses at which its reader subscribed, as an unordered list. The list is empty if it
// would only contain the feed's own address.

// listed returns an address as an entry of such a list.
func listed(address string) string { return "\n" + address + "\n" }

// aLine is the SQL literal that begins and ends an entry. No address contains it.
const aLine = "'\n'"

// ownAddress is the entry for the feed's own address.
const ownAddress = "\n*\n"

// cameFrom holds for subscriptions s whose list contains an entry.
const cameFrom = `replace(s.address, ?, '') <> s.address`

// plainly returns SQL that replaces a list with only the own address by the empty list.
func plainly(addresses string) string {
	return `CASE ` + addresses + ` WHEN '` + ownAddress + `' THEN '' ELSE ` + addresses + ` END`
}

// keepOld is how long after a move readers go back if the feed is missing.
const keepOld = 30 * 24 * time.Hour

// sendBack moves readers who recently arrived at a missing feed by a move back to where they subscribed. Readers who
// subscribed at its own address remain, and their hidden posts are released (I3).
func (r *recording) sendBack(ctx context.Context, p *polled) error {
	if !p.Missing {
		return nil
	}
	var addresses []string
	err := r.c.All(ctx, &addresses, `SELECT a.url FROM former_addresses a WHERE a.feed_id = ? AND a.since > ?
		AND EXISTS (SELECT 1 FROM subscriptions s WHERE s.feed_id = a.feed_id
		AND replace(s.address, `+aLine+` || a.url || `+aLine+`, '') <> s.address)
		ORDER BY a.url`, p.Feed.ID, r.now.Plus(-keepOld))
	if err != nil || len(addresses) == 0 {
		return err
	}
	if back, err := r.bringBack(ctx, p, addresses); back || err != nil {
		return err
	}
	for _, address := range addresses {
		to, err := r.settle(ctx, digest.Feed{URL: address, Host: digest.HostOf(address)})
		if err != nil {
			return err
		}
		if err := r.goBack(ctx, p.Feed.ID, to.ID, address); err != nil {
			return err
		}
	}
	return r.dropUnwanted(ctx)
}

// ForgetMoves deletes former addresses older than keepOld. After that, FeedByURL returns the feed that is at such an
// address now. A feed that a reader went back to, and that works there, may move again.
func (s Subscriptions) ForgetMoves(ctx context.Context, now time.Time) error {
	return s.change(ctx, "forgetting where feeds were", func(c conn) error {
		if err := c.Run(ctx, `DELETE FROM former_addresses WHERE since <= ?`, at(now).Plus(-keepOld)); err != nil {
			return err
		}
		return c.Run(ctx, `UPDATE feeds SET move_undone = 0 WHERE move_undone = 1 AND errors = 0 AND
			EXISTS (SELECT 1 FROM feed_times t WHERE t.feed_id = feeds.id AND t.last_ok_at > 0)
			AND NOT EXISTS (SELECT 1 FROM former_addresses a WHERE a.url = feeds.url)`)
	})
}

// FeedMovedFrom returns the feed that was at an address until it recently moved permanently, even if another feed is
// there now. It returns digest.NotFound if no feed was.
func (s Subscriptions) FeedMovedFrom(ctx context.Context, url string) (digest.Feed, error) {
	return readOne[digest.Feed](ctx, s.read(), "finding where a feed has moved", noFeed(),
		`SELECT `+feedColumns+` FROM `+timedFeeds+`
		JOIN former_addresses a ON a.feed_id = f.id WHERE a.url = ?`, url)
}

// bringBack changes a feed itself back to its old address, if all its readers subscribed there and no other feed has
// the address.
func (r *recording) bringBack(ctx context.Context, p *polled, addresses []string) (bool, error) {
	old := p.Feed.MovedFrom
	if len(addresses) != 1 || addresses[0] != old {
		return false, nil
	}
	others, err := r.c.Number(ctx, `SELECT count(*) FROM subscriptions WHERE feed_id = ? AND address <> ?`, p.Feed.ID,
		listed(old))
	if err != nil || others > 0 {
		return false, err
	}
	if _, occupied, err := r.holderOf(ctx, old); occupied || err != nil {
		return false, err
	}
	p.Feed.URL, p.Feed.Host, p.Feed.MovedFrom, p.Feed.MovedAt = old, digest.HostOf(old), "", time.Time{}
	return true, r.noteAddresses(ctx, p)
}

// noteAddresses records where the posts of a feed were read and its readers subscribed, when its address changes.
func (r *recording) noteAddresses(ctx context.Context, p *polled) error {
	if err := r.noteSubscribed(ctx, p); err != nil {
		return err
	}
	if err := r.c.Run(ctx, `UPDATE subscriptions SET address = `+
		plainly(`replace(address, ?, '`+ownAddress+`')`)+` WHERE feed_id = ?`,
		listed(p.Feed.URL), listed(p.Feed.URL), p.Feed.ID); err != nil {
		return err
	}
	return r.c.Run(ctx, `UPDATE posts SET read_address = CASE read_address WHEN '' THEN CAST(? AS TEXT)
		WHEN CAST(? AS TEXT) THEN '' ELSE read_address END
		WHERE feed_id = ?`, p.stored.URL, p.Feed.URL, p.Feed.ID)
}

// noteSubscribed records the address that a feed leaves as the address of its subscriptions, unless they have a recent
// former one.
func (r *recording) noteSubscribed(ctx context.Context, p *polled) error {
	if err := r.c.Run(ctx, `UPDATE subscriptions AS s SET address = '' WHERE s.feed_id = ? AND s.address <> ''
		AND NOT EXISTS (SELECT 1 FROM former_addresses a
		WHERE a.feed_id = s.feed_id AND a.since > ? AND replace(s.address, `+aLine+` || a.url || `+
		aLine+`, '') <> s.address)`, p.Feed.ID, r.now.Plus(-keepOld)); err != nil {
		return err
	}
	return r.c.Run(ctx, `UPDATE subscriptions SET address = CASE address WHEN '' THEN CAST(? AS TEXT)
		ELSE replace(address, '`+ownAddress+`', ?) END WHERE feed_id = ?`,
		listed(p.stored.URL), listed(p.stored.URL), p.Feed.ID)
}

// settle returns the feed that gets an address of its own: the feed there, the feed that was there until it moved, or
// a new one.
func (r *recording) settle(ctx context.Context, f digest.Feed) (holder, error) {
	h, found, err := r.holderOf(ctx, f.URL)
	if err != nil || found {
		return h, err
	}
	var ids []digest.FeedID
	err = r.c.All(ctx, &ids,
		`UPDATE feeds SET url = moved_from, state = 'active', merged_into = 0, last_error = '',
			moved_to = '', moved_since = 0,
			moved_from = '', moved_at = 0, errors = 0, first_error_at = 0, failing_since = 0, gone_at = 0,
			body_hash = '', etag = '', last_modified = ''
		WHERE id = (SELECT MAX(m.id) FROM feeds m WHERE m.moved_from = ? AND m.merged_into > 0) RETURNING id`, f.URL)
	if err == nil && len(ids) > 0 { // the feed gets its number back, and the feed that continued under it gets its own
		err = r.c.Run(ctx, `UPDATE feeds SET number = 0 WHERE number IN (`+list(ids)+`) OR id IN (`+list(ids)+`)`)
	}
	if err == nil && len(ids) == 0 {
		err = r.c.All(ctx, &ids,
			`INSERT INTO feeds (url, host, domain, kind, title, site_url, language, public_only)
				VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
			f.URL, f.Host, f.Domain, f.Kind, f.Title, f.SiteURL, f.Language, f.PublicOnly)
		if err == nil {
			err = addTimes(ctx, r.c, ids, 0)
		}
	}
	if err != nil {
		return holder{}, err
	}
	if err := followRules(ctx, r.c, ids); err != nil {
		return holder{}, err
	}
	// Without subscriptions, no query finds the editions with these posts: see frozen.
	if err := r.c.Run(ctx, `UPDATE posts SET frozen = 1 WHERE feed_id IN (`+
		list(ids)+`) AND frozen = 0 AND shown_at > 0`); err != nil {
		return holder{}, err
	}
	h, _, err = r.holderOf(ctx, f.URL)
	return h, err
}

func (r *recording) holderOf(ctx context.Context, address string) (h holder, found bool, err error) {
	found, err = r.c.Find(ctx, &h, `SELECT f.id, f.url, f.parsed_at, t.last_ok_at FROM `+timedFeeds+` WHERE f.url = ?`+
		r.c.d.LockRows("f, t"), address)
	return h, found, err
}
