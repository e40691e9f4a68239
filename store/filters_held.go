package store

import (
	"context"
	"fmt"
	"slices"

	"digest"
	"digest/internal/textsearch"
	"digest/store/db"
)

// Digests with filters are released in their own batches. This limits memory and costs other digests nothing. Most of
// the work runs before the lock. Under the lock, only posts and filters that have changed since are matched again
// (I8).
const (
	batchDigests = 500
	batchPosts   = 50_000 // hidden posts

	// matchStep is how many posts one query reads, and matchContent how many characters of each content.
	matchStep    = 50
	matchContent = 64 << 10
)

// A filtering finds the posts that filters match in digests at one midnight. update may run several times. It does not
// match unchanged posts again.
type filtering struct {
	due     instant // zero: the next midnight of each digest
	digests map[digest.DigestID]*filteredDigest
	seen    map[digest.PostID]judgedPost
}

func newFiltering(due instant) *filtering {
	return &filtering{due: due, digests: make(map[digest.DigestID]*filteredDigest),
		seen: make(map[digest.PostID]judgedPost)}
}

// A filteredDigest holds the filters, hidden posts and results of one digest.
type filteredDigest struct {
	state   filterState
	matcher *textsearch.Matcher
	waiting []digest.PostID                 // hidden posts at the last update, sorted
	matches map[digest.PostID]digest.Filter // without words: no match
}

// A filterState changes with the filters of a digest.
type filterState struct {
	Count int
	Last  int64
	Feeds int64
}

// A judgedPost identifies the state of a post that was matched. A change of feed or content requires a new match.
type judgedPost struct {
	ContentHash string
	FeedID      digest.FeedID
}

// update reads filters and hidden posts again, and matches what has changed.
func (v *filtering) update(ctx context.Context, c conn, ids []digest.DigestID) error {
	if err := v.readFilters(ctx, c, ids); err != nil {
		return err
	}
	if err := v.readWaiting(ctx, c, ids); err != nil {
		return err
	}
	if err := v.forgetChanged(ctx, c, ids); err != nil {
		return err
	}
	open := make(map[digest.PostID][]*filteredDigest)
	for _, id := range ids {
		d := v.digests[id]
		for _, post := range d.waiting {
			if _, known := d.matches[post]; !known {
				open[post] = append(open[post], d)
			}
		}
	}
	posts := make([]digest.PostID, 0, len(open))
	for id := range open {
		posts = append(posts, id)
	}
	slices.Sort(posts)
	for part := range slices.Chunk(posts, matchStep) {
		if err := v.match(ctx, c, part, open); err != nil {
			return err
		}
	}
	return nil
}

func (v *filtering) readFilters(ctx context.Context, c conn, ids []digest.DigestID) error {
	var rows []struct {
		DigestID digest.DigestID
		filterState
	}
	err := c.All(ctx, &rows,
		`SELECT f.digest_id, count(*) AS count, MAX(f.id) AS last, CAST(SUM(f.feed_id) AS BIGINT) AS feeds
		FROM filters f WHERE f.digest_id`+c.d.OneOf+` GROUP BY f.digest_id`, ids)
	if err != nil {
		return err
	}
	states := make(map[digest.DigestID]filterState, len(rows))
	for _, r := range rows {
		states[r.DigestID] = r.filterState
	}
	var changed []digest.DigestID
	for _, id := range ids {
		if d := v.digests[id]; d == nil || d.state != states[id] {
			v.digests[id] = &filteredDigest{state: states[id], matches: make(map[digest.PostID]digest.Filter)}
			changed = append(changed, id)
		}
	}
	filters, err := filtersOf(ctx, c, changed...)
	if err != nil {
		return err
	}
	of := make(map[digest.DigestID][]digest.Filter, len(changed))
	for _, f := range filters {
		of[f.DigestID] = append(of[f.DigestID], f)
	}
	for _, id := range changed {
		v.digests[id].matcher = textsearch.NewMatcher(of[id])
	}
	return nil
}

func (v *filtering) readWaiting(ctx context.Context, c conn, ids []digest.DigestID) error {
	var rows []struct {
		ID    digest.DigestID
		Posts string
	}
	err := c.All(ctx, &rows,
		`SELECT d.id, COALESCE((SELECT string_agg(CAST(dp.post_id AS TEXT), ',') FROM digest_posts dp
		WHERE dp.digest_id = d.id AND dp.visible_at = d.next_due_at), '') AS posts
		FROM digests d WHERE d.id`+c.d.OneOf, ids)
	for _, r := range rows {
		d := v.digests[r.ID]
		if d.waiting, err = parseKeys[digest.PostID](r.Posts); err != nil {
			return err
		}
		slices.Sort(d.waiting)
	}
	return err
}

// forgetChanged deletes the results of posts that have changed.
func (v *filtering) forgetChanged(ctx context.Context, c conn, ids []digest.DigestID) error {
	var posts []digest.PostID
	for _, id := range ids {
		posts = append(posts, v.digests[id].waiting...)
	}
	slices.Sort(posts)
	for part := range slices.Chunk(slices.Compact(posts), db.StatementRows) {
		var rows []struct {
			ID digest.PostID
			judgedPost
		}
		err := c.All(ctx, &rows, `SELECT p.id, p.content_hash, `+ofFeed+` AS feed_id
			FROM posts p JOIN feeds f ON f.id = p.feed_id WHERE p.id`+c.d.OneOf, part)
		if err != nil {
			return err
		}
		for _, r := range rows {
			if was, known := v.seen[r.ID]; known && was != r.judgedPost {
				for _, d := range v.digests {
					delete(d.matches, r.ID)
				}
			}
			v.seen[r.ID] = r.judgedPost
		}
	}
	return nil
}

// ofFeed is the feed that readers of f's posts subscribe to: the feed that f was merged into, or f itself.
const ofFeed = `CASE WHEN f.merged_into > 0 THEN f.merged_into ELSE f.id END`

// match matches posts with the filters of the digests in which they are hidden.
func (v *filtering) match(ctx context.Context, c conn, ids []digest.PostID,
	open map[digest.PostID][]*filteredDigest) error {
	posts, err := toMatch(ctx, c, ids)
	for _, p := range posts {
		text, feed := textsearch.Read(p), v.seen[p.ID].FeedID
		for _, d := range open[p.ID] {
			d.matches[p.ID], _ = d.matcher.Match(text, feed)
		}
	}
	return err
}

// toMatch reads what filters match of posts.
func toMatch(ctx context.Context, c conn, ids []digest.PostID) (posts []digest.Post, err error) {
	err = c.All(ctx, &posts,
		fmt.Sprintf(`SELECT p.id, p.url, p.title, p.author, p.summary, substr(p.content, 1, %d) AS content
		FROM posts p WHERE p.id`, matchContent)+c.d.OneOf, ids)
	return posts, err
}

// held returns the filtered posts of a digest as of the last update.
func (v *filtering) held(id digest.DigestID) (posts []digest.PostID) {
	d := v.digests[id]
	for _, post := range d.waiting {
		if d.matches[post].Words != "" {
			posts = append(posts, post)
		}
	}
	return posts
}

// hold stores the posts that filters match as filtered, and removes them from the digests permanently (I4).
func (v *filtering) hold(ctx context.Context, c conn, ids []digest.DigestID) error {
	if err := v.update(ctx, c, ids); err != nil {
		return err
	}
	var rows values
	for _, id := range ids {
		for _, post := range v.held(id) {
			f := v.digests[id].matches[post]
			rows.Row(id, v.due, post, f.Words, f.Kind)
		}
	}
	if err := c.RunRows(ctx, &rows, `INSERT INTO filtered_posts (digest_id, due_at, post_id, words, kind) VALUES {rows}
		ON CONFLICT (digest_id, due_at, post_id) DO NOTHING`); err != nil {
		return err
	}
	return c.RunRows(ctx, &rows, `DELETE FROM digest_posts WHERE (digest_id, visible_at, post_id) IN (
		WITH v (digest_id, due_at, post_id, words, kind) AS (VALUES {rows}) SELECT v.digest_id, v.due_at, v.post_id FROM v)`)
}

// withoutHeld removes posts that the filters of a digest match now. Carried posts remain, because filters do not apply
// to them.
func withoutHeld(ctx context.Context, c conn, id digest.DigestID, refs []digest.PostRef) ([]digest.PostRef, error) {
	var filtered bool
	if _, err := c.Find(ctx, &filtered, `SELECT filtered FROM digests WHERE id = ?`, id); err != nil || !filtered {
		return refs, err
	}
	v := newFiltering(0)
	if err := v.update(ctx, c, []digest.DigestID{id}); err != nil {
		return nil, err
	}
	held := v.held(id)
	return slices.DeleteFunc(refs, func(r digest.PostRef) bool { return slices.Contains(held, r.PostID) }), nil
}
