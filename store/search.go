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
	"digest/internal/words"
)

// A SearchQuery is what a reader looks for, and where: in all that has come to them
// and in what they have saved.
type SearchQuery struct {
	Query words.Query     // without terms: whatever the words are
	Feeds []digest.FeedID // of which the posts are; nil: of any
	Links int64           // the Site of links that the posts have; 0: any or none
	From  digest.Date     // of the first editions; zero: any
	Until digest.Date     // before that of the first that is too late; zero: none is
	Now   time.Time       // what comes to a reader later is not found
	Saved bool            // only in what they have saved
	After SearchKey
	Limit int
}

// A SearchResult is the posts that a search has found, those that came last first. Their content is read.
type SearchResult struct {
	Posts  []VisiblePost
	More   bool // there are older ones
	Behind bool // older posts are not all in the index yet: an upgrade is at work
}

// A SearchKey is a place in what is found: the zero one is its beginning.
type SearchKey struct {
	DueAt time.Time
	Post  digest.PostID
}

// Key is where among what is found the post stands.
func (v VisiblePost) Key() SearchKey { return SearchKey{DueAt: v.DueAt, Post: v.ID} }

// Search finds posts that have come to a reader with an edition, or that they
// keep. Editions are looked through from the latest on, a few at first and then
// many together, until enough is found: of a word that is everywhere little has
// to be read, and of one that is nowhere all of it at once.
func (s *Store) Search(ctx context.Context, user digest.UserID, q SearchQuery) (SearchResult, error) {
	look := searching{store: s, user: user, SearchQuery: q, match: matchAny}
	if len(q.Query.Terms) > 0 {
		look.match = s.d.match(q.Query)
	}
	found, err := look.run(ctx)
	if err == nil && len(q.Query.Terms) > 0 {
		found.Behind, err = s.behind(ctx, q.Now)
	}
	return found, failed("searching", err)
}

// A searching is one search on its way.
type searching struct {
	SearchQuery
	store *Store
	user  digest.UserID
	match matcher
	found []hit
	feeds []digest.FeedID // all that the reader's posts may be of, once they were asked for
}

// A hit is a post that came with an edition.
type hit struct {
	PostID digest.PostID
	DueAt  instant
	Date   digest.Date
}

// The first batch of editions, and by how much the next is larger.
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

// editionsSearched reads the posts of a reader's editions between two dates, the second one excluded, before one of them.
const editionsSearched = `SELECT e.id, e.due_at, e.local_date AS date,
	COALESCE((SELECT string_agg(CAST(dp.post_id AS TEXT), ',') FROM digest_posts dp
		WHERE dp.digest_id = e.digest_id AND dp.visible_at = e.due_at), '') AS posts
	FROM (SELECT x.id, x.digest_id, x.due_at, x.local_date FROM digests d CROSS JOIN editions x
		WHERE d.user_id = ? AND x.digest_id = d.id AND x.local_date >= ? AND x.local_date < ? AND x.due_at <= d.last_due_at
		AND CASE WHEN d.newsletter_id IS NULL THEN x.due_at ELSE x.send_at END <= ? AND (x.due_at, x.id) < (?, ?)
		ORDER BY x.due_at DESC, x.id DESC LIMIT ?) e ORDER BY e.due_at DESC, e.id DESC`

// first and last are the dates between which editions are looked through, as they are stored: the last one is none of them.
func (l *searching) first() string {
	if l.From.IsZero() {
		return ""
	}
	return l.From.String()
}

func (l *searching) last() string {
	if l.Until.IsZero() {
		return "a" // after all that begin with a digit
	}
	return l.Until.String()
}

// batch gives the posts of some of the reader's editions before one, latest first;
// more says that there may be older ones, before the one it gives.
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
	err = l.store.read().all(ctx, &rows, editionsSearched, l.user, l.first(), l.last(), at(l.Now), before.DueAt,
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

// full reports whether a page is full and it is known that there is another.
func (l *searching) full() bool { return len(l.found) > l.Limit }

type editionKey struct {
	DueAt instant
	ID    digest.EditionID
}

// savedHits gives what the reader has saved: all of it if only that is looked through,
// and else what no edition holds any more.
func (l *searching) savedHits(ctx context.Context) ([]hit, error) {
	only := ` AND NOT EXISTS (SELECT 1 FROM editions e WHERE e.digest_id = v.digest_id AND e.due_at = v.due_at)`
	if l.Saved {
		only = ``
	}
	return readRows[hit](ctx, l.store.read(), "", `SELECT v.post_id, v.due_at, v.local_date AS date FROM saved_posts v
		WHERE v.user_id = ? AND v.local_date >= ? AND v.local_date < ?`+only, l.user, l.first(), l.last())
}

// findAmong adds those of some posts in which there is what is looked for; they are
// all older than what was found before.
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

// Of some posts, those that are of some feeds, and those that point at a site.
const (
	postsOfFeeds   = `SELECT p.id FROM posts p WHERE p.id{one of} AND p.feed_id{one of}`
	postsWithLinks = `SELECT DISTINCT l.post_id FROM post_links l WHERE l.post_id{one of} AND l.site_key = ? AND l.own = 0`
)

// feedsOfReader are those of which a reader's posts may be.
const feedsOfReader = `SELECT s.feed_id FROM digests d CROSS JOIN subscriptions s WHERE d.user_id = ? AND s.digest_id = d.id
	UNION SELECT b.feed_id FROM digests d CROSS JOIN former_subscriptions b WHERE d.user_id = ? AND b.digest_id = d.id`

// ReaderSites gives the feeds of which a reader has posts or may have, left ones too, as the reader sees them, by their titles.
func (s *Store) ReaderSites(ctx context.Context, user digest.UserID) ([]digest.FeedLabel, error) {
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

// narrowed leaves of some posts those that are of the feeds that are wanted and have the links that are, in their order.
func (l *searching) narrowed(ctx context.Context, ids []digest.PostID) ([]digest.PostID, error) {
	narrow := func(query string, arg any) error {
		if len(ids) == 0 {
			return nil
		}
		c := l.store.read()
		kept, err := readRows[digest.PostID](ctx, c, "", strings.ReplaceAll(query, "{one of}", c.d.oneOf),
			keys(c.d, ids), arg)
		slices.Sort(kept)
		ids = slices.DeleteFunc(slices.Clone(ids),
			func(id digest.PostID) bool { _, ok := slices.BinarySearch(kept, id); return !ok })
		return err
	}
	if l.Feeds != nil {
		if err := narrow(postsOfFeeds, keys(l.store.d, l.Feeds)); err != nil {
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

// feedsOf gives feeds of which some posts are, and maybe others: of many posts all to
// which the reader is or was subscribed, for these are soon read.
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
		c.d.oneOf, keys(c.d, ids))
}

// result reads the posts of a page.
func (l *searching) result(ctx context.Context) (SearchResult, error) {
	f := SearchResult{More: l.full()}
	if f.More {
		l.found = l.found[:l.Limit]
	}
	ids := each(l.found, func(c hit) digest.PostID { return c.PostID })
	posts, err := l.store.Posts(ctx, ids)
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
	saved, err := l.store.SavedAmong(ctx, l.user, ids)
	if err != nil {
		return f, err
	}
	for _, c := range l.found {
		if p, ok := byID[c.PostID]; ok {
			f.Posts = append(f.Posts, VisiblePost{Post: p, Label: labels[p.FeedID], Edition: c.Date,
				DueAt: c.DueAt.time(), Saved: saved[p.ID]})
		}
	}
	return f, nil
}
