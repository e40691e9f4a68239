package store

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"digest"
	"digest/internal/textsearch"
)

// A SearchQuery says which of a reader's delivered and saved posts a search finds.
type SearchQuery struct {
	Query textsearch.Query // without terms, any words
	Feeds []digest.FeedID  // only posts of these feeds; nil for all
	Links int64            // only posts with links to this Site; 0 for all
	From  digest.Date      // date of the first editions; zero for all
	Until digest.Date      // date of the first editions that are too late; zero for none
	Now   time.Time        // posts that reach the reader later are not found
	Saved bool             // only saved posts
	After SearchKey
	Limit int
}

// A SearchResult holds the posts that a search has found, with their content, the latest delivered first.
type SearchResult struct {
	Posts  []VisiblePost
	More   bool // there are older posts
	Behind bool // some older posts are not in the index yet, because an upgrade is running
}

// A SearchKey is a position in the results of a search. The zero value is the start.
type SearchKey struct {
	DueAt time.Time
	Post  digest.PostID
}

// Key returns the position of the post in the results of a search.
func (v VisiblePost) Key() SearchKey { return SearchKey{DueAt: v.DueAt, Post: v.ID} }

// Search finds posts that a reader has got in an edition or has saved. It searches the latest editions first, a few
// and then ever more, until a page is full. So a common word needs few editions, and a rare one needs few queries.
func (s Posts) Search(ctx context.Context, user digest.UserID, q SearchQuery) (SearchResult, error) {
	look := searching{store: s.database, user: user, SearchQuery: q, match: matchAny}
	if len(q.Query.Terms) > 0 {
		look.match = s.d.match(q.Query)
	}
	found, err := look.run(ctx)
	if err == nil && len(q.Query.Terms) > 0 {
		found.Behind, err = s.behind(ctx, q.Now)
	}
	return found, failed("searching", err)
}

type searching struct {
	SearchQuery
	store *database
	user  digest.UserID
	match matcher
	found []hit
	feeds []digest.FeedID // all feeds that the reader's posts may have, once they are read
}

// A hit is a post that an edition has delivered.
type hit struct {
	PostID digest.PostID
	DueAt  instant
	Date   digest.Date
}

// The number of editions in the first batch, and the factor by which the next one is larger.
const (
	firstEditions = 16
	moreEditions  = 32
)

func (l *searching) run(ctx context.Context) (SearchResult, error) {
	saved, err := l.savedHits(ctx)
	if err != nil {
		return SearchResult{}, err
	}
	from := editionKey{DueAt: forever, ID: math.MaxInt64}
	if !l.After.DueAt.IsZero() {
		from = editionKey{DueAt: at(l.After.DueAt) + 1}
	}
	for n, more := firstEditions, true; more && !l.full(); n *= moreEditions {
		var some []hit
		if some, from, more, err = l.batch(ctx, from, n); err != nil {
			return SearchResult{}, err
		}
		rest := saved[:0:0]
		for _, k := range saved {
			if more && k.DueAt < from.DueAt {
				rest = append(rest, k)
			} else {
				some = append(some, k)
			}
		}
		saved = rest
		if err := l.findAmong(ctx, some); err != nil {
			return SearchResult{}, err
		}
	}
	return l.result(ctx)
}

// editionsSearched selects the posts of a reader's editions from one date until another, before a position.
const editionsSearched = `SELECT e.id, e.due_at, e.local_date AS date,
	COALESCE((SELECT string_agg(CAST(dp.post_id AS TEXT), ',') FROM digest_posts dp
		WHERE dp.digest_id = e.digest_id AND dp.visible_at = e.due_at), '') AS posts
	FROM (SELECT x.id, x.digest_id, x.due_at, x.local_date FROM digests d CROSS JOIN editions x
		WHERE d.user_id = ? AND x.digest_id = d.id AND x.local_date >= ? AND x.local_date < ?
		AND x.due_at <= d.last_due_at
		AND CASE WHEN d.newsletter_id IS NULL THEN x.due_at ELSE x.send_at END <= ? AND (x.due_at, x.id) < (?, ?)
		ORDER BY x.due_at DESC, x.id DESC LIMIT ?) e ORDER BY e.due_at DESC, e.id DESC`

// first and last return the dates between which editions are searched, as they are stored. last is excluded.
func (l *searching) first() string {
	if l.From.IsZero() {
		return ""
	}
	return l.From.String()
}

func (l *searching) last() string {
	if l.Until.IsZero() {
		return "a" // after all dates
	}
	return l.Until.String()
}

// batch returns the posts of the reader's next n editions before a position, latest first. more says that there may
// be others before last.
func (l *searching) batch(ctx context.Context, before editionKey, n int) (some []hit, last editionKey, more bool,
	err error) {
	if l.Saved {
		return nil, before, false, nil
	}
	var rows []struct {
		editionKey
		Date  digest.Date
		Posts string
	}
	err = l.store.read().All(ctx, &rows, editionsSearched, l.user, l.first(), l.last(), l.Now, before.DueAt,
		before.ID, n)
	for _, r := range rows {
		before = r.editionKey
		ids, err := parseKeys[digest.PostID](r.Posts)
		if err != nil {
			return nil, before, false, err
		}
		for _, id := range ids {
			some = append(some, hit{id, r.DueAt, r.Date})
		}
	}
	return some, before, len(rows) == n, err
}

// full reports whether the search has found more posts than a page has.
func (l *searching) full() bool { return len(l.found) > l.Limit }

type editionKey struct {
	DueAt instant
	ID    digest.EditionID
}

// savedHits returns the reader's saved posts: all of them if only these are searched, otherwise those whose editions
// are deleted.
func (l *searching) savedHits(ctx context.Context) ([]hit, error) {
	only := ` AND NOT EXISTS (SELECT 1 FROM editions e WHERE e.digest_id = v.digest_id AND e.due_at = v.due_at)`
	if l.Saved {
		only = ``
	}
	return readRows[hit](ctx, l.store.read(), "", `SELECT v.post_id, v.due_at, v.local_date AS date FROM saved_posts v
		WHERE v.user_id = ? AND v.local_date >= ? AND v.local_date < ?`+only, l.user, l.first(), l.last())
}

// findAmong adds the posts that match to the results. All of them are older than the results so far.
func (l *searching) findAmong(ctx context.Context, some []hit) error {
	if !l.After.DueAt.IsZero() {
		after := at(l.After.DueAt)
		some = slices.DeleteFunc(some, func(c hit) bool {
			return c.DueAt > after || c.DueAt == after && c.PostID >= l.After.Post
		})
	}
	slices.SortFunc(some, func(a, b hit) int {
		return cmp.Or(cmp.Compare(b.DueAt, a.DueAt), cmp.Compare(b.PostID, a.PostID))
	})
	ids, err := l.narrowed(ctx, each(some, func(c hit) digest.PostID { return c.PostID }))
	if err != nil {
		return err
	}
	matching, err := l.match(ctx, l, ids, l.Limit+1-len(l.found))
	if err != nil {
		return err
	}
	for _, c := range some {
		if matching[c.PostID] {
			l.found = append(l.found, c)
		}
	}
	return nil
}

// Queries that select, among some posts, the posts of some feeds and the posts with links to a site.
const (
	postsOfFeeds   = `SELECT p.id FROM posts p WHERE p.id{one of} AND p.feed_id{one of}`
	postsWithLinks = `SELECT DISTINCT l.post_id FROM post_links l WHERE l.post_id{one of} AND l.site_key = ?
		AND l.own = 0`
)

const feedsOfReader = `SELECT s.feed_id FROM digests d CROSS JOIN subscriptions s WHERE d.user_id = ?
	AND s.digest_id = d.id
	UNION SELECT b.feed_id FROM digests d CROSS JOIN former_subscriptions b WHERE d.user_id = ? AND b.digest_id = d.id`

// ReaderSites returns the present and former feeds of a reader with the reader's labels, ordered by title.
func (s Posts) ReaderSites(ctx context.Context, user digest.UserID) ([]digest.FeedLabel, error) {
	feeds, err := readRows[digest.FeedID](ctx, s.read(), "listing a reader's sites", feedsOfReader, user, user)
	if err != nil {
		return nil, err
	}
	byFeed, err := s.labelsFor(ctx, user, feeds)
	labels := slices.SortedFunc(maps.Values(byFeed), func(a, b digest.FeedLabel) int {
		return cmp.Or(strings.Compare(strings.ToLower(a.Title), strings.ToLower(b.Title)),
			cmp.Compare(a.FeedID, b.FeedID))
	})
	return labels, failed("listing a reader's sites", err)
}

// narrowed returns the posts of the wanted feeds with the wanted links, in their order.
func (l *searching) narrowed(ctx context.Context, ids []digest.PostID) ([]digest.PostID, error) {
	narrow := func(query string, arg any) error {
		if len(ids) == 0 {
			return nil
		}
		c := l.store.read()
		kept, err := readRows[digest.PostID](ctx, c, "", strings.ReplaceAll(query, "{one of}", c.d.OneOf),
			ids, arg)
		slices.Sort(kept)
		ids = slices.DeleteFunc(slices.Clone(ids),
			func(id digest.PostID) bool { _, ok := slices.BinarySearch(kept, id); return !ok })
		return err
	}
	if l.Feeds != nil {
		if err := narrow(postsOfFeeds, l.Feeds); err != nil {
			return nil, err
		}
	}
	if l.Links != 0 {
		if err := narrow(postsWithLinks, l.Links); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

// matchAny is the matcher of a search without words.
func matchAny(_ context.Context, _ *searching, ids []digest.PostID, _ int) (map[digest.PostID]bool, error) {
	all := make(map[digest.PostID]bool, len(ids))
	for _, id := range ids {
		all[id] = true
	}
	return all, nil
}

// feedsOf returns at least the feeds of some posts. For many posts it returns all present and former feeds of the
// reader, because that is a quick query.
func (l *searching) feedsOf(ctx context.Context, ids []digest.PostID) (feeds []digest.FeedID, err error) {
	if l.Feeds != nil {
		return l.Feeds, nil
	}
	c := l.store.read()
	if l.feeds == nil {
		l.feeds, err = readRows[digest.FeedID](ctx, c, "", feedsOfReader, l.user, l.user)
	}
	if err != nil || len(ids) > len(l.feeds) {
		return l.feeds, err
	}
	return readRows[digest.FeedID](ctx, c, "", `SELECT DISTINCT p.feed_id FROM posts p WHERE p.id`+
		c.d.OneOf, ids)
}

func (l *searching) result(ctx context.Context) (SearchResult, error) {
	f := SearchResult{More: l.full()}
	if f.More {
		l.found = l.found[:l.Limit]
	}
	ids := each(l.found, func(c hit) digest.PostID { return c.PostID })
	posts, err := Editions{l.store}.Posts(ctx, ids)
	if err != nil {
		return f, err
	}
	byID := make(map[digest.PostID]digest.Post, len(posts))
	for _, p := range posts {
		byID[p.ID] = p
	}
	labels, err := l.store.labelsFor(ctx, l.user, each(posts, func(p digest.Post) digest.FeedID { return p.FeedID }))
	if err != nil {
		return f, err
	}
	saved, err := Posts{l.store}.SavedAmong(ctx, l.user, ids)
	if err != nil {
		return f, err
	}
	for _, c := range l.found {
		if p, ok := byID[c.PostID]; ok {
			f.Posts = append(f.Posts, VisiblePost{Post: p, Label: labels[p.FeedID], Edition: c.Date,
				DueAt: c.DueAt.Time(), Saved: saved[p.ID]})
		}
	}
	return f, nil
}
