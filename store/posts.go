package store

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"digest"
	"digest/store/db"
)

// postColumns are the columns of a post without its content, which is long.
const postColumns = `p.id, p.feed_id, p.identity, p.url, p.title, p.author, p.language,
	p.published_at, p.seen_at, p.read_before, p.summary, p.image_url, p.content_hash, p.enclosures, p.syndication,
	p.extra, p.untitled, p.leads_to, p.comments`

// NewestTitle returns the title of a feed's newest post, or "". It ignores extras, posts read at another address, and
// posts that the feed no longer lists.
func (s Feeds) NewestTitle(ctx context.Context, feed digest.FeedID) (string, error) {
	titles, err := readRows[string](ctx, s.read(), "reading a feed's newest post", `SELECT p.title FROM posts p
		WHERE p.feed_id = ? AND p.extra = 0 AND p.read_address = '' AND p.withdrawn_at = 0
		ORDER BY CASE WHEN p.published_at > 0 THEN p.published_at ELSE p.seen_at END DESC, p.seen_at DESC, p.id
		LIMIT 1`, feed)
	if err != nil || len(titles) == 0 {
		return "", err
	}
	return titles[0], nil
}

// enclosuresText returns the enclosures of a post as they are stored: as a JSON list, or "".
func enclosuresText(all []digest.Enclosure) string {
	if len(all) == 0 {
		return ""
	}
	text, _ := json.Marshal(all) // strings and numbers always encode
	return string(text)
}

// Posts returns posts with their content, ordered by key. It omits posts that no longer exist.
func (s Editions) Posts(ctx context.Context, ids []digest.PostID) ([]digest.Post, error) {
	posts := make([]digest.Post, 0, len(ids))
	for part := range slices.Chunk(slices.Sorted(slices.Values(ids)), db.StatementRows) {
		err := s.read().All(ctx, &posts, `SELECT `+postColumns+`, p.content FROM posts p WHERE p.id`+
			s.d.OneOf+` ORDER BY p.id`, part)
		if err != nil {
			return nil, fmt.Errorf("reading posts: %w", err)
		}
	}
	return posts, nil
}

// parseKeys parses keys separated by commas.
func parseKeys[K ~int64](list string) ([]K, error) {
	if list == "" {
		return nil, nil
	}
	ids := make([]K, 0, strings.Count(list, ",")+1)
	for key := range strings.SplitSeq(list, ",") {
		id, err := strconv.ParseInt(key, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("reading a key: %w", err)
		}
		ids = append(ids, K(id))
	}
	return ids, nil
}

// A feedCache caches the feeds of posts. The feed of a post never changes, and one post is in the editions of many
// readers.
type feedCache struct {
	mu    sync.Mutex
	feeds map[digest.PostID]digest.FeedID
}

// maxFeedCache bounds the cache to about 10 MB.
const maxFeedCache = 200_000

// feedsOf returns the feeds of posts. It omits posts that no longer exist.
func (s *database) feedsOf(ctx context.Context, ids []digest.PostID) (map[digest.PostID]digest.FeedID, error) {
	found := make(map[digest.PostID]digest.FeedID, len(ids))
	missing := s.feedCache.look(ids, found)
	for part := range slices.Chunk(missing, db.StatementRows) {
		var rows []struct {
			PostID digest.PostID `db:"id"`
			FeedID digest.FeedID
		}
		if err := s.read().All(ctx, &rows, `SELECT id, feed_id FROM posts WHERE id`+
			s.d.OneOf, part); err != nil {
			return nil, err
		}
		for _, r := range rows {
			found[r.PostID] = r.FeedID
		}
	}
	s.feedCache.keep(missing, found)
	return found, nil
}

// look adds the cached feeds to found, and returns the other posts without duplicates.
func (o *feedCache) look(ids []digest.PostID, found map[digest.PostID]digest.FeedID) (missing []digest.PostID) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, id := range ids {
		if _, ok := found[id]; ok {
			continue
		}
		if feed, ok := o.feeds[id]; ok {
			found[id] = feed
		} else {
			missing = append(missing, id)
		}
	}
	slices.Sort(missing)
	return slices.Compact(missing)
}

// keep caches the feeds of the missing posts that were found.
func (o *feedCache) keep(missing []digest.PostID, found map[digest.PostID]digest.FeedID) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.feeds == nil || len(o.feeds)+len(missing) > maxFeedCache {
		o.feeds = make(map[digest.PostID]digest.FeedID)
	}
	for _, id := range missing {
		if feed, ok := found[id]; ok {
			o.feeds[id] = feed
		}
	}
}

// KnownPosts returns the content hashes of the given identities that are stored for a feed. An absent identity is a
// new post; a different hash means that the post was edited.
func (s Feeds) KnownPosts(ctx context.Context, feed digest.FeedID, identities []string) (map[string]string, error) {
	known := make(map[string]string, len(identities))
	given := make(map[string]string, len(identities)) // keyed by the stored form
	for _, identity := range identities {
		given[db.Clean(identity)] = identity
	}
	var v values
	for _, identity := range identities {
		v.Row(identity)
	}
	var rows []struct{ Identity, ContentHash string }
	err := s.read().AllRows(ctx, &rows, &v, `WITH v (identity) AS (VALUES {rows})
		SELECT p.identity, p.content_hash FROM v CROSS JOIN posts p WHERE p.feed_id = ? AND p.identity = v.identity`,
		feed)
	if err != nil {
		return nil, fmt.Errorf("looking for known posts: %w", err)
	}
	for _, row := range rows {
		known[given[row.Identity]] = row.ContentHash
	}
	return known, nil
}

// HasPosts reports whether any post of a feed is stored.
func (s Feeds) HasPosts(ctx context.Context, feed digest.FeedID) (bool, error) {
	n, err := s.read().Number(ctx, `SELECT count(*) FROM (SELECT 1 FROM posts p WHERE p.feed_id = ? LIMIT 1) x`, feed)
	return n > 0, failed("looking for posts", err)
}

// A DeliveredPost is a post that a reader has got, without its content.
type DeliveredPost struct {
	PostID digest.PostID
	Title  string
	URL    string
	Date   digest.Date // of the edition that contained it
	DueAt  time.Time   // the edition's midnight
}

// A DeliveredKey is the position of a post in the list of a feed's delivered posts.
type DeliveredKey struct {
	DueAt time.Time
	Post  digest.PostID
}

// DeliveredPosts returns the last posts of a feed, or of feeds that were merged into it, that editions of a digest
// contained, latest first. It omits posts that are still hidden.
//
// It searches a few editions first, then more, and all others last, because sorting all posts that a reader ever got
// is slow.
func (s Posts) DeliveredPosts(ctx context.Context, id digest.DigestID, feed digest.FeedID, now time.Time,
	limit int) ([]DeliveredPost, error) {
	return s.DeliveredBefore(ctx, id, feed, DeliveredKey{now, math.MaxInt64}, limit)
}

// DeliveredBefore is DeliveredPosts for the posts after place in the list.
func (s Posts) DeliveredBefore(ctx context.Context, id digest.DigestID, feed digest.FeedID, place DeliveredKey,
	limit int) ([]DeliveredPost, error) {
	all, before := []DeliveredPost{}, at(place.DueAt)+1
	for _, editions := range []int{16, 128, math.MaxInt32} {
		if len(all) == limit || before == 0 {
			break
		}
		first, err := readOne[instant](ctx, s.read(), "reading what was delivered", nil,
			// 0 if there are fewer editions
			`SELECT due_at FROM editions WHERE digest_id = ? AND due_at < ? ORDER BY due_at DESC LIMIT 1 OFFSET ?`, id,
			before, editions-1)
		if err != nil {
			return nil, err
		}
		some, err := readRows[DeliveredPost](ctx, s.read(), "reading what was delivered",
			`SELECT p.id AS post_id, p.title, p.url, e.local_date AS date, e.due_at
			FROM editions e JOIN digest_posts dp ON dp.digest_id = e.digest_id AND dp.visible_at = e.due_at
			JOIN posts p ON p.id = dp.post_id
			WHERE e.digest_id = ? AND e.due_at >= ? AND e.due_at < ? AND (e.due_at < ? OR p.id < ?)
			AND dp.digest_id = ? AND dp.visible_at >= ? AND dp.visible_at < ? -- so that other partitions are left out
			AND p.feed_id IN (SELECT f.id FROM feeds f WHERE f.id = ? OR f.merged_into = ?)
			ORDER BY e.due_at DESC, p.id DESC LIMIT ?`,
			id, first, before, place.DueAt, place.Post, id, first, before, feed, feed, limit-len(all))
		if err != nil {
			return nil, err
		}
		all, before = append(all, some...), first
	}
	return all, nil
}

const newestBack = 60 * 24 * time.Hour

// NewestDelivered returns, for each feed, the date of the newest post that a digest delivered in the 60 days up to a
// midnight. A post without a date has the date of its first sighting. Feeds without posts in these days are absent.
func (s Posts) NewestDelivered(ctx context.Context, id digest.DigestID, feeds []digest.FeedID,
	upTo time.Time) (map[digest.FeedID]time.Time, error) {
	newest := make(map[digest.FeedID]time.Time, len(feeds))
	for some := range slices.Chunk(feeds, db.StatementRows) {
		rows, err := readRows[struct {
			FeedID digest.FeedID
			At     time.Time
		}](ctx, s.read(), "reading the newest posts",
			`SELECT p.feed_id, MAX(CASE WHEN p.published_at > 0 THEN p.published_at ELSE p.seen_at END) AS at
			FROM digest_posts dp JOIN posts p ON p.id = dp.post_id WHERE dp.digest_id = ? AND dp.visible_at > ?
			AND dp.visible_at <= ?
			AND p.feed_id`+s.d.OneOf+` GROUP BY p.feed_id`, id, upTo.Add(-newestBack), upTo, some)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			newest[r.FeedID] = r.At
		}
	}
	return newest, nil
}
