package store

import (
	"context"
	"math"
	"slices"
	"time"
	"unicode/utf8"

	"digest"
	"digest/internal/words"
)

// Bounds of what a reader filters.
const (
	mostFilters = 200
	mostWords   = 200 // characters of one filter
)

// AddFilter adds a filter to a digest; it holds from the next edition on, for
// what waits too. One that is there already, in whatever case and with whatever
// accents, is given as it is. digest.Invalid for words that are too long or of
// which nothing can be found, and where there are too many filters;
// digest.NotFound for a feed to which the digest has no subscription.
func (s *Store) AddFilter(ctx context.Context, f digest.Filter, now time.Time) (digest.Filter, error) {
	f.Words, f.CreatedAt = words.Clean(clean(f.Words)), at(now).time()
	switch {
	case words.FilterKey(f.Words) == "":
		return digest.Filter{}, digest.Refuse(digest.Invalid, "enter a word for the filter, such as football")
	case utf8.RuneCountInString(f.Words) > mostWords:
		return digest.Filter{}, digest.Refuse(digest.Invalid,
			"a filter can have at most %d characters; use fewer words", mostWords)
	}
	err := s.changeDigest(ctx, "adding a filter", f.DigestID, func(c conn, d digestRow) error {
		if err := requireSubscription(ctx, c, d.ID, f.FeedID); err != nil {
			return err
		}
		all, err := filtersOf(ctx, c, d.ID)
		if err != nil {
			return err
		}
		for _, has := range all {
			if has.FeedID == f.FeedID && words.FilterKey(has.Words) == words.FilterKey(f.Words) {
				f = has
				return nil
			}
		}
		if len(all) >= mostFilters {
			return digest.Refuse(digest.Invalid, "you can have at most %d filters; remove one first", mostFilters)
		}
		if err := c.get(ctx, &f.ID,
			`INSERT INTO filters (digest_id, feed_id, words, created_at) VALUES (?, ?, ?, ?) RETURNING id`,
			d.ID, f.FeedID, f.Words, at(now)); err != nil {
			return err
		}
		return noteFiltered(ctx, c, d.ID)
	})
	if err != nil {
		return digest.Filter{}, err
	}
	return f, nil
}

// requireSubscription refuses a feed to which the digest has no subscription, paused or
// not; 0 is no feed.
func requireSubscription(ctx context.Context, c conn, id digest.DigestID, feed digest.FeedID) error {
	if feed == 0 {
		return nil
	}
	n, err := c.number(ctx, `SELECT count(*) FROM subscriptions WHERE digest_id = ? AND feed_id = ?`, id, feed)
	if err == nil && n == 0 {
		return noSubscription()
	}
	return err
}

// noteFiltered notes whether a digest has filters: a release asks nothing more
// of those without.
func noteFiltered(ctx context.Context, c conn, id digest.DigestID) error {
	return c.run(ctx, `UPDATE digests AS d SET filtered = CASE WHEN EXISTS (SELECT 1 FROM filters f WHERE f.digest_id = d.id) THEN 1 ELSE 0 END
		WHERE d.id = ?`, id)
}

// Filters lists a digest's filters in the order in which they were made.
func (s *Store) Filters(ctx context.Context, id digest.DigestID) ([]digest.Filter, error) {
	filters, err := filtersOf(ctx, s.read(), id)
	return filters, failed("listing the filters", err)
}

func filtersOf(ctx context.Context, c conn, ids ...digest.DigestID) ([]digest.Filter, error) {
	return readRows[digest.Filter](ctx, c, "", `SELECT f.id, f.digest_id, f.feed_id, f.words, f.created_at
		FROM filters f WHERE f.digest_id`+c.d.oneOf+` ORDER BY f.digest_id, f.id`, keys(c.d, ids))
}

// RemoveFilter removes one of a digest's filters; what it has held back stays
// held back. digest.NotFound if there is none.
func (s *Store) RemoveFilter(ctx context.Context, id digest.DigestID, key int64) error {
	return s.changeDigest(ctx, "removing a filter", id, func(c conn, d digestRow) error {
		if err := c.runOne(ctx, notFound("there is no such filter"),
			`DELETE FROM filters WHERE digest_id = ? AND id = ?`, d.ID, key); err != nil {
			return err
		}
		return noteFiltered(ctx, c, d.ID)
	})
}

// A HeldPost is a post that a filter has held back.
type HeldPost struct {
	digest.Post // without Content

	Label digest.FeedLabel
	DueAt time.Time // the midnight at which it would have come
	Words string    // of the filter
}

// HeldPosts lists what was held back of a digest at midnights before the given
// one, of all if that is zero: the newest midnight first, and of each all of
// it, even if that is more than limit.
func (s *Store) HeldPosts(ctx context.Context, d digest.DigestID, before time.Time, limit int) ([]HeldPost, error) {
	bound := at(before)
	if bound == 0 {
		bound = math.MaxInt64
	}
	held, err := readRows[HeldPost](ctx, s.read(), "listing what was held back",
		`SELECT h.due_at, h.words, `+postColumns+` FROM filtered_posts h JOIN posts p ON p.id = h.post_id
		WHERE h.digest_id = ? AND h.due_at < ? AND h.due_at >= COALESCE((SELECT x.due_at FROM filtered_posts x
			WHERE x.digest_id = ? AND x.due_at < ? ORDER BY x.due_at DESC LIMIT 1 OFFSET ?), 0)
		ORDER BY h.due_at DESC, h.post_id`, d, bound, d, bound, max(limit, 1)-1)
	if err != nil {
		return nil, err
	}
	labels, err := s.labelsByFeed(ctx, each(held, func(h HeldPost) digest.FeedID { return h.FeedID }))
	for i, h := range held {
		held[i].Label = labels[h.FeedID]
	}
	return held, err
}

// moveFilters makes the filters of a feed that became part of another filters of
// that one. Of two with the same words one is enough.
func moveFilters(ctx context.Context, c conn, from, to digest.FeedID) error {
	var of []digest.DigestID
	err := c.all(ctx, &of, `UPDATE filters SET feed_id = ? WHERE feed_id = ? RETURNING digest_id`, to, from)
	if err != nil || len(of) == 0 {
		return err
	}
	all, err := filtersOf(ctx, c, of...)
	if err != nil {
		return err
	}
	type same struct {
		digest digest.DigestID
		feed   digest.FeedID
		key    string
	}
	seen := make(map[same]bool)
	twins := slices.DeleteFunc(all, func(f digest.Filter) bool {
		k := same{f.DigestID, f.FeedID, words.FilterKey(f.Words)}
		first := !seen[k]
		seen[k] = true
		return first
	})
	return c.run(ctx, `DELETE FROM filters WHERE id IN (`+
		list(each(twins, func(f digest.Filter) int64 { return f.ID }))+`)`)
}

// dropFilters removes the filters of feeds that are no more.
func dropFilters(ctx context.Context, c conn, feeds []digest.FeedID) error {
	var of []digest.DigestID
	if err := c.all(ctx, &of, `DELETE FROM filters WHERE feed_id IN (`+
		list(feeds)+`) AND feed_id > 0 RETURNING digest_id`); err != nil {
		return err
	}
	for _, id := range of {
		if err := noteFiltered(ctx, c, id); err != nil {
			return err
		}
	}
	return nil
}

// pruneHeld forgets what was held back of editions that are as old as those
// that go. The posts go later: they were put before readers less than
// shownGrace before that midnight.
func (s *Store) pruneHeld(ctx context.Context, old instant, batch int) (n int, err error) {
	err = s.write(ctx, func(c conn) error {
		n, err = c.exec(ctx, `DELETE FROM filtered_posts WHERE (digest_id, due_at, post_id) IN (
			SELECT h.digest_id, h.due_at, h.post_id FROM filtered_posts h WHERE h.due_at < ? ORDER BY h.due_at LIMIT ?)`, old, batch)
		return err
	})
	return n, err
}
