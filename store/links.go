package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"digest"
)

// saveLinks stores where posts lead that go to readers.
func saveLinks(ctx context.Context, c conn, posts []*incoming) error {
	var v values
	for _, p := range posts {
		if p.shownAt == 0 && !p.wasShown {
			continue
		}
		for _, l := range p.Links {
			v.row(p.id, l.Key, l.Site, bit(l.Own))
		}
	}
	return c.runRows(ctx, &v, `INSERT INTO post_links (post_id, link_key, site_key, own) VALUES {rows} ON CONFLICT DO NOTHING`)
}

// replaceLinks stores where posts lead that were edited before any reader had them.
func replaceLinks(ctx context.Context, c conn, posts []*incoming) error {
	if err := dropLinks(ctx, c, each(posts, func(p *incoming) digest.PostID { return p.id })); err != nil {
		return err
	}
	return saveLinks(ctx, c, posts)
}

// dropLinks forgets the links of posts that are deleted or edited.
func dropLinks(ctx context.Context, c conn, ids []digest.PostID) error {
	if len(ids) == 0 {
		return nil
	}
	return c.run(ctx, `DELETE FROM post_links WHERE post_id`+c.d.oneOf, keys(c.d, ids))
}

// theirFeeds are the feeds whose posts may have come to a user, the argument twice.
const theirFeeds = `(SELECT s.feed_id FROM digests d JOIN subscriptions s ON s.digest_id = d.id WHERE d.user_id = ?
	UNION SELECT s.feed_id FROM digests d JOIN former_subscriptions s ON s.digest_id = d.id WHERE d.user_id = ?)`

// mostLinking bounds how many posts are looked at for one address.
const mostLinking = 100

// LinkingTo gives the posts that have come to a reader by now and lead to the address of
// a key, those stored last first, limit at most.
func (s *Store) LinkingTo(ctx context.Context, user digest.UserID, key int64, now time.Time, limit int) ([]VisiblePost, error) {
	ids, err := readRows[digest.PostID](ctx, s.read(), "looking for links", `SELECT p.id FROM post_links l CROSS JOIN posts p
		WHERE l.link_key = ? AND l.own = 0 AND p.id = l.post_id AND p.feed_id IN `+theirFeeds+` ORDER BY l.post_id DESC LIMIT ?`,
		key, user, user, mostLinking)
	if err != nil {
		return nil, err
	}
	return s.visibleOf(ctx, user, ids, now, limit)
}

// visibleOf gives those of some posts that have come to a reader by now.
func (s *Store) visibleOf(ctx context.Context, user digest.UserID, ids []digest.PostID, now time.Time, limit int) ([]VisiblePost, error) {
	var all []VisiblePost
	for _, id := range ids {
		if len(all) == limit {
			break
		}
		v, err := s.VisiblePost(ctx, user, id)
		if digest.KindOf(err) == digest.NotFound || err == nil && v.DueAt.After(now) {
			continue
		}
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, nil
}

// mostToSite bounds how many of a reader's posts are looked through for links to a site.
const mostToSite = 20_000

// LinkingToSite gives the posts that have come to a reader by now and lead to a site,
// the latest first, limit at most. It looks through the latest 20,000 posts.
func (s *Store) LinkingToSite(ctx context.Context, user digest.UserID, site int64, now time.Time, limit int) ([]VisiblePost, error) {
	ids, err := readRows[digest.PostID](ctx, s.read(), "looking for links to a site", `SELECT x.post_id FROM (
			SELECT dp.post_id, dp.visible_at FROM digests d CROSS JOIN digest_posts dp
			WHERE d.user_id = ? AND dp.digest_id = d.id AND dp.visible_at <= d.last_due_at AND dp.visible_at <= ?
			ORDER BY dp.visible_at DESC, dp.post_id DESC LIMIT ?) x
		WHERE EXISTS (SELECT 1 FROM post_links l WHERE l.post_id = x.post_id AND l.site_key = ? AND l.own = 0)
		ORDER BY x.visible_at DESC, x.post_id DESC LIMIT ?`, user, at(now), mostToSite, site, limit)
	if err != nil {
		return nil, err
	}
	return s.visibleOf(ctx, user, ids, now, limit)
}

// A Pointer is an address to which posts of several feeds lead.
type Pointer struct {
	Key   int64
	Posts []digest.PostID // the latest first
}

// PointedAt gives the addresses to which posts of at least two feeds lead that have come to a
// reader since then, the one of the most feeds first, limit at most.
func (s *Store) PointedAt(ctx context.Context, user digest.UserID, since, now time.Time, limit int) ([]Pointer, error) {
	rows, err := readRows[struct {
		LinkKey int64
		Posts   string
	}](ctx, s.read(), "looking where posts lead", `SELECT l.link_key, string_agg(CAST(p.id AS TEXT), ',') AS posts
		FROM digests d CROSS JOIN digest_posts dp CROSS JOIN posts p CROSS JOIN post_links l
		WHERE d.user_id = ? AND dp.digest_id = d.id AND dp.visible_at > ? AND dp.visible_at <= d.last_due_at AND dp.visible_at <= ?
		AND p.id = dp.post_id AND l.post_id = p.id AND l.own = 0
		GROUP BY l.link_key HAVING count(DISTINCT p.feed_id) > 1
		ORDER BY count(DISTINCT p.feed_id) DESC, max(dp.visible_at) DESC, l.link_key LIMIT ?`, user, at(since), at(now), limit)
	if err != nil {
		return nil, err
	}
	pointers := make([]Pointer, len(rows))
	for i, r := range rows {
		ids, err := parseKeys[digest.PostID](r.Posts)
		if err != nil {
			return nil, fmt.Errorf("looking where posts lead: %w", err)
		}
		slices.SortFunc(ids, func(a, b digest.PostID) int { return int(b - a) })
		pointers[i] = Pointer{r.LinkKey, slices.Compact(ids)}
	}
	return pointers, nil
}

// SetReaderToken gives a user another token for programs of theirs, by its hash; the one before is
// void. No hash takes it away.
func (s *Store) SetReaderToken(ctx context.Context, user digest.UserID, hash []byte, now time.Time) error {
	if hash == nil {
		return s.run(ctx, "taking a token away", `DELETE FROM reader_tokens WHERE user_id = ?`, user)
	}
	return s.run(ctx, "storing a token", `INSERT INTO reader_tokens (user_id, token_hash, created_at) VALUES (?, ?, ?)
		ON CONFLICT (user_id) DO UPDATE SET token_hash = excluded.token_hash, created_at = excluded.created_at`, user, hash, at(now))
}

// ReaderTokenAt is when a user's token was made; zero: they have none.
func (s *Store) ReaderTokenAt(ctx context.Context, user digest.UserID) (t time.Time, err error) {
	var made instant
	_, err = s.read().find(ctx, &made, `SELECT created_at FROM reader_tokens WHERE user_id = ?`, user)
	return made.time(), failed("reading a token", err)
}

// TokenReader gives whose token it is, by its hash; digest.NotFound if it is nobody's.
func (s *Store) TokenReader(ctx context.Context, hash []byte) (digest.User, error) {
	return readOne[digest.User](ctx, s.read(), "reading whose token it is", notFound("this token is void"), `SELECT `+userColumns+`
		FROM reader_tokens t JOIN users u ON u.id = t.user_id WHERE t.token_hash = ?`, hash)
}
