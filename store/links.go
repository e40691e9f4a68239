package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"digest"
)

// saveLinks stores the links of posts that readers get.
func saveLinks(ctx context.Context, c conn, posts []*incoming) error {
	var v values
	for _, p := range posts {
		if p.shownAt == 0 && !p.wasShown {
			continue
		}
		for _, l := range p.Links {
			v.Row(p.id, l.Key, l.Site, l.Own)
		}
	}
	return c.RunRows(ctx, &v,
		`INSERT INTO post_links (post_id, link_key, site_key, own) VALUES {rows} ON CONFLICT DO NOTHING`)
}

// replaceLinks replaces the links of posts that were edited before readers got them.
func replaceLinks(ctx context.Context, c conn, posts []*incoming) error {
	if err := dropLinks(ctx, c, each(posts, func(p *incoming) digest.PostID { return p.id })); err != nil {
		return err
	}
	return saveLinks(ctx, c, posts)
}

// dropLinks deletes the links of posts that are deleted or edited.
func dropLinks(ctx context.Context, c conn, ids []digest.PostID) error {
	if len(ids) == 0 {
		return nil
	}
	return c.Run(ctx, `DELETE FROM post_links WHERE post_id`+c.d.OneOf, ids)
}

// theirFeeds are the feeds whose posts a user may have received. It has the user as argument twice.
const theirFeeds = `(SELECT s.feed_id FROM digests d JOIN subscriptions s ON s.digest_id = d.id WHERE d.user_id = ?
	UNION SELECT s.feed_id FROM digests d JOIN former_subscriptions s ON s.digest_id = d.id WHERE d.user_id = ?)`

// mostLinking is how many posts are checked for one address.
const mostLinking = 100

// LinkingTo returns posts that a reader has received by now and that link to the address of a key. The posts stored
// last come first, at most limit. It omits posts of the feed except; 0: none omitted.
func (s Posts) LinkingTo(ctx context.Context, user digest.UserID, key int64, except digest.FeedID, now time.Time,
	limit int) ([]VisiblePost, error) {
	ids, err := readRows[digest.PostID](ctx, s.read(), "looking for links",
		`SELECT p.id FROM post_links l CROSS JOIN posts p
		WHERE l.link_key = ? AND l.own = 0 AND p.id = l.post_id AND p.feed_id <> ? AND p.feed_id IN `+
			theirFeeds+` ORDER BY l.post_id DESC LIMIT ?`,
		key, except, user, user, mostLinking)
	if err != nil {
		return nil, err
	}
	return s.visibleOf(ctx, user, ids, now, limit)
}

// visibleOf returns the posts among ids that a reader has received by now.
func (s *database) visibleOf(ctx context.Context, user digest.UserID, ids []digest.PostID, now time.Time,
	limit int) ([]VisiblePost, error) {
	var all []VisiblePost
	for _, id := range ids {
		if len(all) == limit {
			break
		}
		v, err := Posts{s}.VisiblePost(ctx, user, id)
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

// mostCame is how many of a reader's posts are searched for links.
const mostCame = 20_000

// came returns the posts that a reader has received between since and now, latest first, at most mostCame. It reads
// each digest by key, because without statistics the planner cannot know that a join only concerns one reader.
func (s *database) came(ctx context.Context, user digest.UserID, since, now time.Time) ([]digest.PostID, error) {
	type arrival struct {
		VisibleAt instant
		PostID    digest.PostID
	}
	var digests []struct {
		ID        digest.DigestID
		LastDueAt instant
	}
	c := s.read()
	if err := c.All(ctx, &digests, `SELECT d.id, CASE WHEN d.newsletter_id IS NULL THEN d.last_due_at
		ELSE COALESCE((SELECT MAX(e.due_at) FROM editions e WHERE e.digest_id = d.id
		AND e.send_at <= ?), 0) END AS last_due_at
		FROM digests d WHERE d.user_id = ?`, now, user); err != nil {
		return nil, err
	}
	var all []arrival
	for _, d := range digests {
		if err := c.All(ctx, &all,
			`SELECT dp.visible_at, dp.post_id FROM digest_posts dp WHERE dp.digest_id = ? AND dp.visible_at > ?
				AND dp.visible_at <= ?
			ORDER BY dp.visible_at DESC, dp.post_id DESC LIMIT ?`, d.ID, since, min(d.LastDueAt, at(now)),
			mostCame); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(all, func(a, b arrival) int {
		return cmp.Or(cmp.Compare(b.VisibleAt, a.VisibleAt), cmp.Compare(b.PostID, a.PostID))
	})
	seen := make(map[digest.PostID]bool, len(all)) // several digests may contain a post
	all = slices.DeleteFunc(all, func(a arrival) bool {
		again := seen[a.PostID]
		seen[a.PostID] = true
		return again
	})
	return each(all[:min(len(all), mostCame)], func(a arrival) digest.PostID { return a.PostID }), nil
}

// LinkingToSite returns posts that a reader has received by now and that link to a site, latest first, at most limit.
// It searches the latest 20,000 posts.
func (s Posts) LinkingToSite(ctx context.Context, user digest.UserID, site int64, now time.Time,
	limit int) ([]VisiblePost, error) {
	ids, err := s.came(ctx, user, time.Time{}, now)
	if err != nil {
		return nil, failed("looking for links to a site", err)
	}
	lead, err := readRows[digest.PostID](ctx, s.read(), "looking for links to a site",
		`SELECT DISTINCT l.post_id FROM post_links l
		WHERE l.post_id`+s.d.OneOf+` AND l.site_key = ? AND l.own = 0`, ids, site)
	if err != nil {
		return nil, err
	}
	wanted := make(map[digest.PostID]bool, len(lead))
	for _, id := range lead {
		wanted[id] = true
	}
	ids = slices.DeleteFunc(ids, func(id digest.PostID) bool { return !wanted[id] })
	return s.visibleOf(ctx, user, ids[:min(len(ids), 2*limit)], now, limit)
}

// A Pointer is an address that posts of several feeds link to.
type Pointer struct {
	Key   int64
	Posts []digest.PostID // latest first
}

// PointedAt returns addresses that posts of at least two feeds link to, among the posts that a reader has received
// since an instant. The address with the most feeds comes first, at most limit. It searches the latest 20,000 posts.
func (s Posts) PointedAt(ctx context.Context, user digest.UserID, since, now time.Time, limit int) ([]Pointer, error) {
	ids, err := s.came(ctx, user, since, now)
	if err != nil {
		return nil, failed("looking where posts lead", err)
	}
	rows, err := readRows[struct {
		LinkKey int64
		Posts   string
	}](ctx, s.read(), "looking where posts lead",
		`SELECT l.link_key, string_agg(CAST(l.post_id AS TEXT), ',') AS posts FROM post_links l
		WHERE l.post_id`+s.d.OneOf+` AND l.own = 0 GROUP BY l.link_key HAVING count(*) > 1`, ids)
	if err != nil {
		return nil, err
	}
	feeds, err := s.feedsOf(ctx, ids)
	if err != nil {
		return nil, failed("looking where posts lead", err)
	}
	type ranked struct {
		Pointer
		feeds int
	}
	var all []ranked
	for _, r := range rows {
		posts, err := parseKeys[digest.PostID](r.Posts)
		if err != nil {
			return nil, fmt.Errorf("looking where posts lead: %w", err)
		}
		of := make(map[digest.FeedID]bool)
		for _, id := range posts {
			of[feeds[id]] = true
		}
		if len(of) > 1 {
			slices.SortFunc(posts, func(a, b digest.PostID) int { return cmp.Compare(b, a) })
			all = append(all, ranked{Pointer{r.LinkKey, posts}, len(of)})
		}
	}
	slices.SortFunc(all, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(b.feeds, a.feeds), cmp.Compare(b.Posts[0], a.Posts[0]), cmp.Compare(a.Key, b.Key))
	})
	return each(all[:min(len(all), limit)], func(r ranked) Pointer { return r.Pointer }), nil
}

// SetReaderToken replaces a user's access token, by its hash; nil deletes it.
func (s Readers) SetReaderToken(ctx context.Context, user digest.UserID, hash []byte, now time.Time) error {
	if hash == nil {
		return s.run(ctx, "taking a token away", `DELETE FROM reader_tokens WHERE user_id = ?`, user)
	}
	return s.run(ctx, "storing a token", `INSERT INTO reader_tokens (user_id, token_hash, created_at) VALUES (?, ?, ?)
		ON CONFLICT (user_id) DO UPDATE SET token_hash = excluded.token_hash, created_at = excluded.created_at`, user,
		hash, now)
}

// ReaderTokenAt returns when a user's token was created; zero: no token.
func (s Readers) ReaderTokenAt(ctx context.Context, user digest.UserID) (t time.Time, err error) {
	var made instant
	_, err = s.read().Find(ctx, &made, `SELECT created_at FROM reader_tokens WHERE user_id = ?`, user)
	return made.Time(), failed("reading a token", err)
}

// TokenReader returns the user of a token by its hash, or digest.NotFound.
func (s Readers) TokenReader(ctx context.Context, hash []byte) (digest.User, error) {
	return readOne[digest.User](ctx, s.read(), "reading whose token it is",
		notFound("this token is invalid or was revoked"),
		`SELECT `+userColumns+`
		FROM reader_tokens t JOIN users u ON u.id = t.user_id WHERE t.token_hash = ?`, hash)
}
