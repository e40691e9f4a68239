package store

import (
	"context"
	"math"
	"slices"
	"time"
	"unicode/utf8"

	"digest"
	"digest/internal/textsearch"
	"digest/store/db"
)

// Limits for the filters of a digest.
const (
	mostFilters = 200
	mostWords   = 200 // characters of one filter
)

// AddFilter adds a filter to a digest. It applies from the next edition on, also to hidden posts. If the same filter
// exists, ignoring case and accents, AddFilter returns it. It returns digest.Invalid if the words are too long or
// contain nothing to search for, or if there are too many filters. It returns digest.NotFound if the digest has no
// subscription to the feed.
func (s Subscriptions) AddFilter(ctx context.Context, f digest.Filter, now time.Time) (digest.Filter, error) {
	f.Words, f.CreatedAt = textsearch.Clean(db.Clean(f.Words)), at(now).Time()
	if err := checkFilter(f); err != nil {
		return digest.Filter{}, err
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
			if filterKeyOf(has) == filterKeyOf(f) {
				f = has
				return nil
			}
		}
		if f.Kind != digest.HideShorts && countWords(all) >= mostFilters {
			return digest.Refuse(digest.Invalid, "you can have at most %d filters; remove one first", mostFilters)
		}
		if f.ID, err = insertFilter(ctx, c, f); err != nil {
			return err
		}
		return noteFiltered(ctx, c, d.ID)
	})
	if err != nil {
		return digest.Filter{}, err
	}
	return f, nil
}

// checkFilter returns digest.Invalid if a reader cannot have a filter.
func checkFilter(f digest.Filter) error {
	switch {
	case !slices.Contains([]digest.FilterKind{digest.HideWords, digest.OnlyWords, digest.HideShorts}, f.Kind):
		return digest.Refuse(digest.Invalid, "That isn’t one of the choices. Nothing was changed.")
	case textsearch.FilterKey(f.Words) == "":
		return digest.Refuse(digest.Invalid, "enter a word for the filter, such as football")
	case utf8.RuneCountInString(f.Words) > mostWords:
		return digest.Refuse(digest.Invalid,
			"a filter can have at most %d characters; use fewer words", mostWords)
	case f.Kind == digest.OnlyWords && f.FeedID == 0:
		return digest.Refuse(digest.Invalid, "choose a site; such a filter cannot be for all sites")
	}
	return nil
}

// countWords counts the filters that have words of the reader.
func countWords(all []digest.Filter) (n int) {
	for _, f := range all {
		n += db.Bit(f.Kind != digest.HideShorts)
	}
	return n
}

func insertFilter(ctx context.Context, c conn, f digest.Filter) (id int64, err error) {
	err = c.Get(ctx, &id,
		`INSERT INTO filters (digest_id, feed_id, kind, words, created_at) VALUES (?, ?, ?, ?, ?) RETURNING id`,
		f.DigestID, f.FeedID, f.Kind, f.Words, at(f.CreatedAt))
	return id, err
}

// A filterKey is the same for filters that do the same.
type filterKey struct {
	digest digest.DigestID
	feed   digest.FeedID
	kind   digest.FilterKind
	words  string
}

func filterKeyOf(f digest.Filter) filterKey {
	return filterKey{f.DigestID, f.FeedID, f.Kind, textsearch.FilterKey(f.Words)}
}

// requireSubscription returns an error if the digest has no subscription, paused or not, to a feed; 0: no feed.
func requireSubscription(ctx context.Context, c conn, id digest.DigestID, feed digest.FeedID) error {
	if feed == 0 {
		return nil
	}
	n, err := c.Number(ctx, `SELECT count(*) FROM subscriptions WHERE digest_id = ? AND feed_id = ?`, id, feed)
	if err == nil && n == 0 {
		return noSubscription()
	}
	return err
}

// noteFiltered stores whether digests have filters, so that a release need not look for them.
func noteFiltered(ctx context.Context, c conn, ids ...digest.DigestID) error {
	if len(ids) == 0 {
		return nil
	}
	return c.Run(ctx, `UPDATE digests AS d SET filtered = CASE WHEN EXISTS (SELECT 1 FROM filters f
		WHERE f.digest_id = d.id) THEN 1 ELSE 0 END
		WHERE d.id`+c.d.OneOf, ids)
}

// Filters returns a digest's filters, oldest first.
func (s Subscriptions) Filters(ctx context.Context, id digest.DigestID) ([]digest.Filter, error) {
	filters, err := filtersOf(ctx, s.read(), id)
	return filters, failed("listing the filters", err)
}

func filtersOf(ctx context.Context, c conn, ids ...digest.DigestID) ([]digest.Filter, error) {
	return readRows[digest.Filter](ctx, c, "", `SELECT f.id, f.digest_id, f.feed_id, f.kind, f.words, f.created_at
		FROM filters f WHERE f.digest_id`+c.d.OneOf+` ORDER BY f.digest_id, f.id`, ids)
}

// RemoveFilter removes a filter from a digest, or returns digest.NotFound. Posts that it has filtered remain filtered.
func (s Subscriptions) RemoveFilter(ctx context.Context, id digest.DigestID, key int64) error {
	return s.changeDigest(ctx, "removing a filter", id, func(c conn, d digestRow) error {
		if err := c.RunOne(ctx, notFound("there is no such filter"),
			`DELETE FROM filters WHERE digest_id = ? AND id = ?`, d.ID, key); err != nil {
			return err
		}
		return noteFiltered(ctx, c, d.ID)
	})
}

// A HeldPost is a filtered post.
type HeldPost struct {
	digest.Post // without Content

	Label digest.FeedLabel
	DueAt time.Time // the midnight at which it would have been released
	Words string    // of the filter
	Kind  digest.FilterKind
}

// HeldPosts returns the filtered posts of a digest at midnights before the given one, newest first; zero: all. It
// returns complete midnights, even if these are more than limit posts.
func (s Subscriptions) HeldPosts(ctx context.Context, d digest.DigestID, before time.Time, limit int) ([]HeldPost,
	error) {
	bound := at(before)
	if bound == 0 {
		bound = math.MaxInt64
	}
	held, err := readRows[HeldPost](ctx, s.read(), "listing what was held back",
		`SELECT h.due_at, h.words, h.kind, `+postColumns+` FROM filtered_posts h JOIN posts p ON p.id = h.post_id
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

// moveFilters moves the filters of a merged feed to the feed that it was merged into. It removes duplicates.
func moveFilters(ctx context.Context, c conn, from, to digest.FeedID) error {
	var of []digest.DigestID
	err := c.All(ctx, &of, `UPDATE filters SET feed_id = ? WHERE feed_id = ? RETURNING digest_id`, to, from)
	if err != nil || len(of) == 0 {
		return err
	}
	all, err := filtersOf(ctx, c, of...)
	if err != nil {
		return err
	}
	seen := make(map[filterKey]bool)
	twins := slices.DeleteFunc(all, func(f digest.Filter) bool {
		k := filterKeyOf(f)
		first := !seen[k]
		seen[k] = true
		return first
	})
	return c.Run(ctx, `DELETE FROM filters WHERE id IN (`+
		list(each(twins, func(f digest.Filter) int64 { return f.ID }))+`)`)
}

// dropFilters deletes the filters of feeds that no longer exist.
func dropFilters(ctx context.Context, c conn, feeds []digest.FeedID) error {
	var of []digest.DigestID
	if err := c.All(ctx, &of, `DELETE FROM filters WHERE feed_id IN (`+
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

// pruneHeld deletes the filtered posts of pruned editions. The posts themselves are pruned later, because they were
// shown up to shownGrace before that midnight.
func (s *database) pruneHeld(ctx context.Context, old instant, batch int) (n int, err error) {
	err = s.write(ctx, func(c conn) error {
		n, err = c.Exec(ctx, `DELETE FROM filtered_posts WHERE (digest_id, due_at, post_id) IN (
			SELECT h.digest_id, h.due_at, h.post_id FROM filtered_posts h WHERE h.due_at < ?
			ORDER BY h.due_at LIMIT ?)`, old, batch)
		return err
	})
	return n, err
}
