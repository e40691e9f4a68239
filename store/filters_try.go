package store

import (
	"context"
	"slices"
	"time"

	"digest"
	"digest/internal/textsearch"
	"digest/store/db"
)

// Limits of a rehearsal. rehearsedPosts limits its time: it reads fewer editions of a digest with more posts.
const (
	// RehearsedEditions is how many editions a rehearsal reads.
	RehearsedEditions = 7
	rehearsedPosts    = 4000
	listedPosts       = 50 // of each list
)

// A Rehearsal shows what a new filter would have done to a digest's latest editions. Nothing of it is stored.
type Rehearsal struct {
	Editions []RehearsedEdition // newest first
	Hidden   []HeldPost         // posts of these editions that the filter hides: the first listedPosts
	Shown    []HeldPost         // filtered posts that the filter adds: the first listedPosts
	More     int                // further posts of both
}

// A RehearsedEdition counts the posts of an edition, or of one feed in it.
type RehearsedEdition struct {
	Date          digest.Date
	DueAt         time.Time
	Posts         int
	Hidden, Shown int // of a filter
}

// Posts returns the posts of all editions, and how many of them the filter hides and adds.
func (r Rehearsal) Posts() (posts, hidden, shown int) {
	for _, e := range r.Editions {
		posts, hidden, shown = posts+e.Posts, hidden+e.Hidden, shown+e.Shown
	}
	return posts, hidden, shown
}

// A rehearsedPost is a post of an edition, or a post that filters held back from it.
type rehearsedPost struct {
	PostID digest.PostID
	FeedID digest.FeedID
	DueAt  instant
	SeenAt instant
	Held   bool
}

// TryFilter returns what a filter would have done to the digest's latest editions up to now, and stores nothing. It
// returns the errors of AddFilter.
func (s Subscriptions) TryFilter(ctx context.Context, f digest.Filter, now time.Time) (r Rehearsal, err error) {
	f.Words = textsearch.Clean(db.Clean(f.Words))
	if err := checkFilter(f); err != nil {
		return Rehearsal{}, err
	}
	err = s.atOneInstant(ctx, "trying a filter", func(s *Store) error {
		editions, posts, err := s.lastPosts(ctx, f.DigestID, f.FeedID, now)
		if err != nil {
			return err
		}
		r, err = s.rehearse(ctx, f, editions, posts)
		return err
	})
	return r, err
}

// LastEditions counts the posts of one feed in the digest's latest editions up to now, newest first. It counts the posts
// of a roll-up in the editions for which they came. It returns digest.NotFound if there is no such subscription.
func (s Subscriptions) LastEditions(ctx context.Context, id digest.DigestID, feed digest.FeedID,
	now time.Time) (r Rehearsal, err error) {
	err = s.atOneInstant(ctx, "counting posts", func(s *Store) error {
		editions, posts, err := s.lastPosts(ctx, id, feed, now)
		if err != nil {
			return err
		}
		own, err := s.Subscriptions.Subscription(ctx, id, feed)
		if err == nil && own.RollUp != 0 {
			posts = asTheyCame(editions, posts)
		}
		r.Editions = countIn(editions, posts)
		return err
	})
	return r, err
}

// lastPosts returns the latest editions of a digest, newest first, with their posts and filtered posts: of one feed or,
// if feed is 0, of all. It leaves out the oldest editions if there are too many posts.
func (s *database) lastPosts(ctx context.Context, id digest.DigestID, feed digest.FeedID, now time.Time) (
	[]digest.Edition, []rehearsedPost, error) {
	c := s.read()
	if err := requireSubscription(ctx, c, id, feed); err != nil {
		return nil, nil, err
	}
	editions, err := Editions{s}.LatestEditions(ctx, id, now, RehearsedEditions)
	if err != nil || len(editions) == 0 {
		return nil, nil, err
	}
	dues := each(editions, func(e digest.Edition) instant { return at(e.DueAt) })
	from, to := slices.Min(dues), slices.Max(dues)
	var posts []rehearsedPost
	err = c.All(ctx, &posts, `SELECT h.post_id, h.due_at, `+ofFeed+` AS feed_id, p.seen_at, h.held FROM (
			SELECT dp.post_id, dp.visible_at AS due_at, 0 AS held FROM digest_posts dp
			WHERE dp.digest_id = ? AND dp.visible_at >= ? AND dp.visible_at <= ?
			UNION ALL SELECT x.post_id, x.due_at, 1 FROM filtered_posts x
			WHERE x.digest_id = ? AND x.due_at >= ? AND x.due_at <= ?) h
		JOIN posts p ON p.id = h.post_id JOIN feeds f ON f.id = p.feed_id
		WHERE CAST(? AS BIGINT) = 0 OR f.id = ? OR f.merged_into = ? ORDER BY h.due_at DESC, h.post_id`,
		id, from, to, id, from, to, feed, feed, feed)
	for len(editions) > 1 && len(posts) > rehearsedPosts {
		last := at(editions[len(editions)-1].DueAt)
		editions = editions[:len(editions)-1]
		posts = slices.DeleteFunc(posts, func(p rehearsedPost) bool { return p.DueAt <= last })
	}
	return editions, posts, err
}

// asTheyCame moves posts to the first of some editions, newest first, after digest found them. It omits posts that came
// for an earlier edition.
func asTheyCame(editions []digest.Edition, posts []rehearsedPost) (came []rehearsedPost) {
	for _, p := range posts {
		for i, e := range slices.Backward(editions) {
			if i == len(editions)-1 && p.SeenAt <= at(e.PrevDueAt) {
				break
			}
			if p.SeenAt <= at(e.DueAt) {
				p.DueAt = at(e.DueAt)
				came = append(came, p)
				break
			}
		}
	}
	return came
}

func countIn(editions []digest.Edition, posts []rehearsedPost) (counts []RehearsedEdition) {
	for _, e := range editions {
		c := RehearsedEdition{Date: e.LocalDate, DueAt: e.DueAt}
		for _, p := range posts {
			c.Posts += db.Bit(!p.Held && p.DueAt == at(e.DueAt))
		}
		counts = append(counts, c)
	}
	return counts
}

// rehearse matches posts with the filters of f's digest, without f and with f. A difference is what f would have done.
func (s *database) rehearse(ctx context.Context, f digest.Filter, editions []digest.Edition, all []rehearsedPost) (
	r Rehearsal, err error) {
	c := s.read()
	filters, err := filtersOf(ctx, c, f.DigestID)
	if err != nil {
		return r, err
	}
	before, after := textsearch.NewMatcher(filters), textsearch.NewMatcher(append(filters, f))
	r.Editions = countIn(editions, all)
	for part := range slices.Chunk(all, matchStep) {
		texts, err := toMatch(ctx, c, each(part, func(p rehearsedPost) digest.PostID { return p.PostID }))
		if err != nil {
			return r, err
		}
		read := make(map[digest.PostID]*textsearch.Post, len(texts))
		for _, p := range texts {
			read[p.ID] = textsearch.Read(p)
		}
		for _, p := range part {
			if read[p.PostID] == nil {
				continue
			}
			was, held := before.Match(read[p.PostID], p.FeedID)
			by, holds := after.Match(read[p.PostID], p.FeedID)
			if held != holds && held == p.Held {
				r.add(editions, p, was, by)
			}
		}
	}
	return r, s.readRehearsed(ctx, &r)
}

// add adds a post that a filter changes: from the state before, with the filter was, to the state with the filter by.
func (r *Rehearsal) add(editions []digest.Edition, p rehearsedPost, was, by digest.Filter) {
	list, n := &r.Hidden, slices.IndexFunc(editions, func(e digest.Edition) bool { return at(e.DueAt) == p.DueAt })
	if n < 0 {
		return
	}
	if p.Held {
		list, by = &r.Shown, was
		r.Editions[n].Shown++
	} else {
		r.Editions[n].Hidden++
	}
	if len(*list) == listedPosts {
		r.More++
		return
	}
	*list = append(*list, HeldPost{Post: digest.Post{ID: p.PostID, FeedID: p.FeedID}, DueAt: p.DueAt.Time(),
		Words: by.Words, Kind: by.Kind})
}

// readRehearsed reads the listed posts, and the labels of their feeds.
func (s *database) readRehearsed(ctx context.Context, r *Rehearsal) error {
	for _, list := range [][]HeldPost{r.Hidden, r.Shown} {
		posts, err := readRows[digest.Post](ctx, s.read(), "reading posts", `SELECT `+postColumns+`
			FROM posts p WHERE p.id`+s.d.OneOf, each(list, func(h HeldPost) digest.PostID { return h.ID }))
		if err != nil {
			return err
		}
		labels, err := s.labelsByFeed(ctx, each(list, func(h HeldPost) digest.FeedID { return h.FeedID }))
		if err != nil {
			return err
		}
		for i, h := range list {
			for _, p := range posts {
				if p.ID == h.ID {
					list[i].Post, list[i].Label = p, labels[h.FeedID]
				}
			}
		}
	}
	return nil
}
