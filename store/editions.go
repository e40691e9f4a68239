package store

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"digest"
)

// Editions lists a digest's editions, newest first, limit at most.
func (s *Store) Editions(ctx context.Context, id digest.DigestID, limit int) ([]digest.Edition, error) {
	return s.EditionsBefore(ctx, id, math.MaxInt64, limit)
}

// EditionsBefore goes on where Editions ended: with those older than the given one.
func (s *Store) EditionsBefore(ctx context.Context, id digest.DigestID, before digest.EditionID, limit int) ([]digest.Edition, error) {
	var rows []editionRow
	// A date has one edition at most and the index is in its order; editions are made in it too.
	err := s.read().all(ctx, &rows, `SELECT `+editionColumns+` FROM editions e
		WHERE e.digest_id = ? AND e.id < ? ORDER BY e.local_date DESC LIMIT ?`, id, before, limit)
	if err != nil {
		return nil, fmt.Errorf("listing the editions: %w", err)
	}
	editions := make([]digest.Edition, len(rows))
	for i, r := range rows {
		editions[i] = r.edition()
	}
	return editions, nil
}

// Edition gives an edition by its key; digest.NotFound if there is none.
func (s *Store) Edition(ctx context.Context, id digest.EditionID) (digest.Edition, error) {
	var row editionRow
	err := s.read().get(ctx, &row, `SELECT `+editionColumns+` FROM editions e WHERE e.id = ?`, id)
	if isNone(err) {
		return digest.Edition{}, notFound("there is no such edition")
	}
	if err != nil {
		return digest.Edition{}, fmt.Errorf("reading the edition: %w", err)
	}
	return row.edition(), nil
}

// EditionPosts gives the posts of editions by the edition's key, in the order
// in which they were stored: one range of keys for each edition, and one for
// each that it carries. A post that is in several of them comes once.
func (s *Store) EditionPosts(ctx context.Context, editions []digest.Delivery) (map[digest.EditionID][]digest.PostRef, error) {
	posts := make(map[digest.EditionID][]digest.PostRef, len(editions))
	for some := range slices.Chunk(editions, statementRows) {
		for _, e := range some {
			posts[e.ID] = []digest.PostRef{}
		}
		parts, err := s.partsOf(ctx, some)
		for some := range slices.Chunk(parts, statementRows) {
			if err == nil {
				err = s.readParts(ctx, some, posts)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("reading the editions' posts: %w", err)
		}
	}
	for id, refs := range posts {
		posts[id] = eachOnce(refs)
	}
	return posts, nil
}

// readParts reads one row a part, its posts' keys written together: rows are
// what reading costs. The inner SELECT is one range of the primary key.
func (s *Store) readParts(ctx context.Context, parts []part, posts map[digest.EditionID][]digest.PostRef) error {
	v := partRows(parts)
	var rows []struct {
		EditionID digest.EditionID `db:"edition_id"`
		Carried   bool             `db:"carried"`
		Posts     string           `db:"posts"`
	}
	err := s.read().all(ctx, &rows, `WITH v (edition_id, digest_id, due_at, carried) AS (VALUES `+v.String()+`)
		SELECT v.edition_id, v.carried, COALESCE((SELECT string_agg(CAST(dp.post_id AS TEXT), ',') FROM digest_posts dp
			WHERE dp.digest_id = v.digest_id AND dp.visible_at = v.due_at), '') AS posts FROM v`)
	if err != nil {
		return err
	}
	lists, ids := make([][]digest.PostID, len(rows)), []digest.PostID(nil)
	for i, r := range rows {
		if lists[i], err = parseKeys(r.Posts); err != nil {
			return err
		}
		ids = append(ids, lists[i]...)
	}
	feeds, err := s.feedsOf(ctx, ids)
	if err != nil {
		return err
	}
	for i, r := range rows {
		refs := slices.Grow(posts[r.EditionID], len(lists[i]))
		for _, id := range lists[i] {
			if feed := feeds[id]; feed != 0 {
				refs = append(refs, digest.PostRef{PostID: id, FeedID: feed, Carried: r.Carried})
			}
		}
		posts[r.EditionID] = refs
	}
	return nil
}

// eachOnce sorts posts by key and leaves each once, as the edition's own if it is.
func eachOnce(refs []digest.PostRef) []digest.PostRef {
	slices.SortFunc(refs, func(a, b digest.PostRef) int {
		return cmp.Or(cmp.Compare(a.PostID, b.PostID), bit(a.Carried)-bit(b.Carried))
	})
	return slices.CompactFunc(refs, func(a, b digest.PostRef) bool { return a.PostID == b.PostID })
}

// parseKeys reads keys separated by commas.
func parseKeys(list string) ([]digest.PostID, error) {
	if list == "" {
		return nil, nil
	}
	ids := make([]digest.PostID, 0, strings.Count(list, ",")+1)
	for key := range strings.SplitSeq(list, ",") {
		id, err := strconv.ParseInt(key, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("reading a key: %w", err)
		}
		ids = append(ids, digest.PostID(id))
	}
	return ids, nil
}

// An origins remembers which feed a post is of. That never changes, and one
// post is in the editions of many readers.
type origins struct {
	mu    sync.Mutex
	feeds map[digest.PostID]digest.FeedID
}

// maxOrigins bounds what is remembered, to some 10 MB.
const maxOrigins = 200_000

// feedsOf gives the feeds of posts; those that no longer exist are left out.
func (s *Store) feedsOf(ctx context.Context, ids []digest.PostID) (map[digest.PostID]digest.FeedID, error) {
	found := make(map[digest.PostID]digest.FeedID, len(ids))
	missing := s.origins.look(ids, found)
	for part := range slices.Chunk(missing, statementRows) {
		var rows []struct {
			PostID digest.PostID `db:"id"`
			FeedID digest.FeedID `db:"feed_id"`
		}
		if err := s.read().all(ctx, &rows, `SELECT id, feed_id FROM posts WHERE id IN (`+list(part)+`)`); err != nil {
			return nil, err
		}
		for _, r := range rows {
			found[r.PostID] = r.FeedID
		}
	}
	s.origins.keep(missing, found)
	return found, nil
}

// look fills in what is remembered, and gives the others, each once.
func (o *origins) look(ids []digest.PostID, found map[digest.PostID]digest.FeedID) (missing []digest.PostID) {
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

// keep remembers what was found of the missing.
func (o *origins) keep(missing []digest.PostID, found map[digest.PostID]digest.FeedID) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.feeds == nil || len(o.feeds)+len(missing) > maxOrigins {
		o.feeds = make(map[digest.PostID]digest.FeedID)
	}
	for _, id := range missing {
		if feed, ok := found[id]; ok {
			o.feeds[id] = feed
		}
	}
}

// WaitingPosts gives what the digest's next midnight would bring as things
// stand, without what its filters would hold back.
func (s *Store) WaitingPosts(ctx context.Context, id digest.DigestID) ([]digest.PostRef, error) {
	parts, err := s.waitingParts(ctx, id)
	posts := make(map[digest.EditionID][]digest.PostRef, 1)
	if err == nil && len(parts) > 0 {
		err = s.readParts(ctx, parts, posts)
	}
	refs := eachOnce(posts[0])
	if err == nil {
		refs, err = siftWaiting(ctx, s.read(), id, refs)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the waiting posts: %w", err)
	}
	return refs, nil
}

type postRow struct {
	ID          digest.PostID `db:"id"`
	FeedID      digest.FeedID `db:"feed_id"`
	Identity    string        `db:"identity"`
	URL         string        `db:"url"`
	Title       string        `db:"title"`
	Author      string        `db:"author"`
	Language    string        `db:"language"`
	PublishedAt instant       `db:"published_at"`
	SeenAt      instant       `db:"seen_at"`
	ReadBefore  instant       `db:"read_before"`
	Summary     string        `db:"summary"`
	Content     string        `db:"content"`
	ImageURL    string        `db:"image_url"`
	ContentHash string        `db:"content_hash"`
	Enclosures  string        `db:"enclosures"`
}

func (r postRow) post() digest.Post {
	return digest.Post{
		ID:          r.ID,
		FeedID:      r.FeedID,
		Identity:    r.Identity,
		URL:         r.URL,
		Title:       r.Title,
		Author:      r.Author,
		Language:    r.Language,
		PublishedAt: r.PublishedAt.time(),
		SeenAt:      r.SeenAt.time(),
		ReadBefore:  r.ReadBefore.time(),
		Summary:     r.Summary,
		Content:     r.Content,
		ImageURL:    r.ImageURL,
		ContentHash: r.ContentHash,
		Enclosures:  enclosuresOf(r.Enclosures),
	}
}

// enclosuresText is how the enclosures of a post are stored: as a JSON list, ”
// where there are none.
func enclosuresText(all []digest.Enclosure) string {
	if len(all) == 0 {
		return ""
	}
	text, _ := json.Marshal(all) // which strings and numbers cannot fail
	return string(text)
}

// enclosuresOf reads what enclosuresText wrote.
func enclosuresOf(text string) (all []digest.Enclosure) {
	if text == "" || json.Unmarshal([]byte(text), &all) != nil {
		return nil
	}
	return all
}

// Posts gives posts by key, in the order of keys; those that no longer exist are left out.
func (s *Store) Posts(ctx context.Context, ids []digest.PostID) ([]digest.Post, error) {
	posts := make([]digest.Post, 0, len(ids))
	for part := range slices.Chunk(slices.Sorted(slices.Values(ids)), statementRows) {
		var rows []postRow
		err := s.read().all(ctx, &rows, `SELECT p.id, p.feed_id, p.identity, p.url, p.title, p.author, p.language,
			p.published_at, p.seen_at, p.read_before, p.summary, p.content, p.image_url, p.content_hash, p.enclosures
			FROM posts p WHERE p.id IN (`+list(part)+`) ORDER BY p.id`)
		if err != nil {
			return nil, fmt.Errorf("reading posts: %w", err)
		}
		for _, r := range rows {
			posts = append(posts, r.post())
		}
	}
	return posts, nil
}

// FeedLabels gives feeds as readers see them, in the order of keys; those that no
// longer exist are left out.
func (s *Store) FeedLabels(ctx context.Context, ids []digest.FeedID) ([]digest.FeedLabel, error) {
	sources := make([]digest.FeedLabel, 0, len(ids))
	for part := range slices.Chunk(slices.Sorted(slices.Values(ids)), statementRows) {
		var rows []struct {
			ID       digest.FeedID `db:"id"`
			Title    string        `db:"title"`
			SiteURL  string        `db:"site_url"`
			Language string        `db:"language"`
		}
		err := s.read().all(ctx, &rows, `SELECT f.id, f.title, CASE WHEN f.site_url = '' THEN f.url ELSE f.site_url END AS site_url, f.language
			FROM feeds f WHERE f.id IN (`+list(part)+`) ORDER BY f.id`)
		if err != nil {
			return nil, fmt.Errorf("reading feeds: %w", err)
		}
		for _, r := range rows {
			sources = append(sources, digest.FeedLabel{FeedID: r.ID, Title: r.Title, SiteURL: digest.WithoutCredentials(r.SiteURL), Language: r.Language})
		}
	}
	return sources, nil
}
