package store

import (
	"context"
	"net/url"
	"strings"
	"time"

	"digest"
)

// A feed that has moved for good becomes part of the feed at its new address (see
// merge). Its readers keep the address at which they subscribed, and the way back
// to it.

// Moves gives the notices of moves that a digest's reader was told, or will be, the
// oldest first. Each names the feed at the new address.
func (s *Store) Moves(ctx context.Context, id digest.DigestID) ([]digest.Notice, error) {
	return readRows[digest.Notice](ctx, s.read(), "reading the moves of feeds", `SELECT `+noticeColumns+` FROM notices n
		WHERE n.digest_id = ? AND n.kind = ? ORDER BY n.visible_at, n.feed_id`, id, string(digest.NoticeMoved))
}

// UndoMove takes a digest back to the address at which it subscribed to a feed that
// has moved since. What waits of the new address is withdrawn. From now on the feed
// there moves to no other site. It changes nothing where the digest is back already.
// digest.NotFound if no notice of such a move is stored any more.
func (s *Store) UndoMove(ctx context.Context, id digest.DigestID, feed digest.FeedID, now time.Time) error {
	return s.change(ctx, "going back to where a feed was", func(c conn) error {
		if err := c.untilCommit(ctx, s.d.lockShared); err != nil {
			return err
		}
		from, err := lockMoved(ctx, c, id, feed)
		if err != nil {
			return err
		}
		var address string
		err = c.get(ctx, &address, `SELECT address FROM subscriptions WHERE digest_id = ? AND feed_id = ?`, id, from)
		if isNone(err) || err == nil && address == "" {
			return nil
		}
		if err != nil {
			return err
		}
		r := recording{c: c, now: at(now)}
		return r.undo(ctx, id, from, address)
	})
}

// lockMoved locks the feed at the new address of a move that a digest was told: the
// one that was named, or of which that has become part since.
func lockMoved(ctx context.Context, c conn, id digest.DigestID, feed digest.FeedID) (digest.FeedID, error) {
	return readOne[digest.FeedID](ctx, c, "", notFound("this move can no longer be undone"), `SELECT g.id FROM feeds f
		JOIN feeds g ON g.id = CASE WHEN f.merged_into = 0 THEN f.id ELSE f.merged_into END
		WHERE f.id = ? AND EXISTS (SELECT 1 FROM notices n WHERE n.digest_id = ? AND n.feed_id = f.id AND n.kind = ?)`+c.d.lockRows("g"),
		feed, id, string(digest.NoticeMoved))
}

// undo takes a digest from a feed back to an address.
func (r *recording) undo(ctx context.Context, id digest.DigestID, from digest.FeedID, address string) error {
	to, err := r.settle(ctx, digest.Feed{URL: address, Host: hostOf(address)})
	if err != nil {
		return err
	}
	if err := r.goBack(ctx, from, to.ID, address, id); err != nil {
		return err
	}
	if _, err := r.c.exec(ctx, `UPDATE filters SET feed_id = ? WHERE digest_id = ? AND feed_id = ?`, to.ID, id, from); err != nil {
		return err
	}
	if err := withdraw(ctx, r.c, id, from); err != nil {
		return err
	}
	return r.c.execEach(ctx, []string{
		`UPDATE feeds SET stays = 1 WHERE id = ?`,
		// What its publisher let be read elsewhere.
		`DELETE FROM digest_posts WHERE post_id IN (SELECT p.id FROM posts p WHERE p.feed_id = ? AND p.read_address <> '')
			AND digest_id = ` + list([]digest.DigestID{id}) + ` AND visible_at = (SELECT next_due_at FROM digests WHERE id = digest_posts.digest_id)`,
	}, to.ID)
}

// goBack makes the digests that subscribed to a feed at its former address subscribe
// to the feed that is there: of one of them, or of all if none is named.
func (r *recording) goBack(ctx context.Context, from, to digest.FeedID, address string, only ...digest.DigestID) error {
	which := ` s.feed_id = ? AND s.address = ?`
	if len(only) > 0 {
		which += ` AND s.digest_id IN (` + list(only) + `)`
	}
	_, err := r.c.exec(ctx, `INSERT INTO subscriptions (digest_id, feed_id, title, folder, display, created_at, rests)
		SELECT s.digest_id, CAST(? AS BIGINT), s.title, s.folder, s.display, s.created_at, s.rests FROM subscriptions s
		WHERE`+which+` ORDER BY s.digest_id ON CONFLICT (digest_id, feed_id) DO NOTHING`, to, from, address)
	if err != nil {
		return err
	}
	_, err = r.c.exec(ctx, `DELETE FROM subscriptions AS s WHERE`+which, from, address)
	return err
}

// keepOld is how long after a move readers come back if the feed is missing.
const keepOld = 30 * 24 * time.Hour

// sendBack takes the readers of a feed that is missing, who came there by a move not
// long ago, back to where they subscribed. Whoever subscribed at its own address
// stays, and what waits of it goes out (I3).
func (r *recording) sendBack(ctx context.Context, p *polled) error {
	if !p.Missing {
		return nil
	}
	var addresses []string
	err := r.c.all(ctx, &addresses, `SELECT DISTINCT s.address FROM subscriptions s WHERE s.feed_id = ? AND s.address <> ''
		AND EXISTS (SELECT 1 FROM feeds m WHERE (m.merged_into = s.feed_id OR m.id = s.feed_id) AND m.moved_from = s.address AND m.moved_at > ?)
		ORDER BY s.address`, p.Feed.ID, r.now.plus(-keepOld))
	if err != nil || len(addresses) == 0 {
		return err
	}
	if back, err := r.bringBack(ctx, p, addresses); back || err != nil {
		return err
	}
	for _, address := range addresses {
		to, err := r.settle(ctx, digest.Feed{URL: address, Host: hostOf(address)})
		if err != nil {
			return err
		}
		if err := r.goBack(ctx, p.Feed.ID, to.ID, address); err != nil {
			return err
		}
	}
	return r.dropUnwanted(ctx)
}

// bringBack takes a feed itself back to its old address, if that is where all its
// readers subscribed and no other feed is there.
func (r *recording) bringBack(ctx context.Context, p *polled, addresses []string) (bool, error) {
	old := p.Feed.MovedFrom
	if len(addresses) != 1 || addresses[0] != old {
		return false, nil
	}
	others, err := r.c.number(ctx, `SELECT count(*) FROM subscriptions WHERE feed_id = ? AND address <> ?`, p.Feed.ID, old)
	if err != nil || others > 0 {
		return false, err
	}
	if _, occupied, err := r.holderOf(ctx, old); occupied || err != nil {
		return false, err
	}
	p.Feed.URL, p.Feed.Host, p.Feed.MovedFrom, p.Feed.MovedAt = old, hostOf(old), "", time.Time{}
	return true, r.noteAddresses(ctx, p)
}

// noteAddresses notes of a feed that takes another address where its posts were read
// and its readers subscribed.
func (r *recording) noteAddresses(ctx context.Context, p *polled) error {
	return r.c.execEach(ctx, []string{
		`UPDATE posts SET read_address = CASE read_address WHEN '' THEN CAST(? AS TEXT) WHEN CAST(? AS TEXT) THEN '' ELSE read_address END WHERE feed_id = ?`,
		`UPDATE subscriptions SET address = CASE address WHEN '' THEN CAST(? AS TEXT) WHEN CAST(? AS TEXT) THEN '' ELSE address END WHERE feed_id = ?`,
	}, p.stored.URL, p.Feed.URL, p.Feed.ID)
}

// settle gives the feed at an address that is to be one of its own: the one that
// is there, or that was there until it moved, or else a new one.
func (r *recording) settle(ctx context.Context, f digest.Feed) (holder, error) {
	h, found, err := r.holderOf(ctx, f.URL)
	if err != nil || found {
		return h, err
	}
	var ids []digest.FeedID
	err = r.c.all(ctx, &ids, `UPDATE feeds SET url = moved_from, state = 'active', merged_into = 0, last_error = '', moved_to = '', moved_since = 0,
			moved_from = '', moved_at = 0, errors = 0, first_error_at = 0, failing_since = 0, gone_at = 0, body_hash = '', etag = '', last_modified = ''
		WHERE id = (SELECT MAX(m.id) FROM feeds m WHERE m.moved_from = ? AND m.merged_into > 0) RETURNING id`, f.URL)
	if err == nil && len(ids) > 0 { // it has its number again, and the one that went on under it gets its own
		err = r.c.run(ctx, `UPDATE feeds SET number = 0 WHERE number IN (`+list(ids)+`) OR id IN (`+list(ids)+`)`)
	}
	if err == nil && len(ids) == 0 {
		err = r.c.all(ctx, &ids, `INSERT INTO feeds (url, host, domain, kind, title, site_url, language, outside) VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
			f.URL, f.Host, f.Domain, f.Kind, f.Title, f.SiteURL, f.Language, bit(f.Outside))
	}
	if err != nil {
		return holder{}, err
	}
	if err := followRules(ctx, r.c, ids); err != nil {
		return holder{}, err
	}
	// Without its subscriptions nothing leads from it to the editions that hold its posts: see frozen.
	if _, err := r.c.exec(ctx, `UPDATE posts SET frozen = 1 WHERE feed_id IN (`+list(ids)+`) AND frozen = 0 AND shown_at > 0`); err != nil {
		return holder{}, err
	}
	if _, err := r.c.exec(ctx, `DELETE FROM former_addresses WHERE url = ?`, f.URL); err != nil {
		return holder{}, err
	}
	h, _, err = r.holderOf(ctx, f.URL)
	return h, err
}

func (r *recording) holderOf(ctx context.Context, address string) (h holder, found bool, err error) {
	found, err = r.c.find(ctx, &h, `SELECT f.id, f.url, f.parsed_at, f.last_ok_at FROM feeds f WHERE f.url = ?`+r.c.d.lockRows("f"), address)
	return h, found, err
}

// hostOf is the host of an address in normal form; its domain is noted by the next poll.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Hostname())
}
