package store

import (
	"context"
	"slices"
	"time"

	"digest"
	"digest/store/db"
)

// LeadsBefore returns the feeds that led the latest editions before each of the given ones, at most n for each. It
// omits editions that nobody has seen yet.
func (s Editions) LeadsBefore(ctx context.Context, editions []digest.Delivery,
	n int) (map[digest.EditionID][]digest.FeedID, error) {
	all := make(map[digest.EditionID][]digest.FeedID, len(editions))
	for some := range slices.Chunk(editions, db.StatementRows) {
		if err := s.leadsBefore(ctx, some, n, all); err != nil {
			return nil, failed("reading the leads of editions", err)
		}
	}
	return all, nil
}

func (s *database) leadsBefore(ctx context.Context, editions []digest.Delivery, n int,
	all map[digest.EditionID][]digest.FeedID) error {
	var v values
	for _, e := range editions {
		v.Row(e.ID, e.DigestID, e.LocalDate)
	}
	var rows []struct {
		EditionID digest.EditionID
		Leads     string
	}
	err := s.read().AllRows(ctx, &rows, &v, `WITH v (edition_id, digest_id, local_date) AS (VALUES {rows})
		SELECT v.edition_id, COALESCE((SELECT string_agg(CAST(led.post_id AS TEXT), ',') FROM
			(SELECT e.lead_post_id AS post_id FROM editions e WHERE e.digest_id = v.digest_id
				AND e.local_date < v.local_date ORDER BY e.local_date DESC LIMIT ?) led
			WHERE led.post_id > 0), '') AS leads FROM v`, n)
	var ids []digest.PostID
	led := make(map[digest.EditionID][]digest.PostID, len(rows))
	for _, r := range rows {
		if err == nil {
			led[r.EditionID], err = parseKeys[digest.PostID](r.Leads)
		}
		ids = append(ids, led[r.EditionID]...)
	}
	if err != nil || len(ids) == 0 {
		return err
	}
	feeds, err := s.feedsOf(ctx, ids)
	for id, posts := range led {
		for _, post := range posts {
			if feed := feeds[post]; feed != 0 {
				all[id] = append(all[id], feed)
			}
		}
	}
	return err
}

// KeepLead stores which post leads an edition, unless another post already does.
func (s Editions) KeepLead(ctx context.Context, id digest.EditionID, lead digest.PostID) error {
	return s.run(ctx, "storing the lead of an edition",
		`UPDATE editions SET lead_post_id = ? WHERE id = ? AND lead_post_id = 0`, lead, id)
}

// FeedHistories returns what feeds published before a time, in any order.
func (s Editions) FeedHistories(ctx context.Context, feeds []digest.FeedID, before time.Time) ([]digest.FeedHistory,
	error) {
	// The first poll of a feed finds posts of several years, so their date of publication decides. Later posts count for
	// the day on which digest found them. Only the titles need more than the index posts_seen.
	month := before.AddDate(0, 0, -30)
	const recent = `FROM posts p WHERE p.feed_id = f.id AND p.seen_at >= ? AND p.seen_at < ?
		AND (p.published_at = 0 OR p.published_at >= ?)`
	return readRows[digest.FeedHistory](ctx, s.read(), "reading the history of feeds",
		`SELECT f.id AS feed_id,
			(SELECT COUNT(*) FROM (SELECT 1 `+recent+` LIMIT 300) month) AS recent,
			COALESCE((SELECT MAX(day.posts) FROM (SELECT COUNT(*) AS posts `+recent+`
				GROUP BY CASE WHEN p.published_at > 0 AND p.seen_at = (SELECT MIN(first.seen_at) FROM posts first
				WHERE first.feed_id = f.id) THEN p.published_at ELSE p.seen_at END / 86400) day), 0) AS most,
			COALESCE((SELECT MIN(CASE WHEN p.published_at > 0 THEN p.published_at ELSE p.seen_at END) `+recent+`
				), 0) AS since,
			COALESCE((SELECT string_agg(named.title, ?) FROM (SELECT p.title, p.untitled FROM posts p
				WHERE p.feed_id = f.id AND p.seen_at < ? ORDER BY p.seen_at DESC, p.published_at DESC LIMIT 10) named
				WHERE named.untitled = 0), '') AS titles,
			COALESCE((SELECT MAX(CASE WHEN late.published_at > 0 THEN late.published_at ELSE late.seen_at END) FROM
				(SELECT p.published_at, p.seen_at FROM posts p WHERE p.feed_id = f.id AND p.seen_at < ?
				ORDER BY p.seen_at DESC, p.published_at DESC LIMIT 10) late), 0) AS last
		FROM feeds f WHERE f.id`+s.d.OneOf, month, before, month, month, before, month, month, before, month, "\n", before,
		before, feeds)
}

// PostsBefore returns the newest posts of a feed that digest found before a time, at most n. It omits extras.
func (s Editions) PostsBefore(ctx context.Context, feed digest.FeedID, before time.Time, n int) ([]digest.PostID,
	error) {
	return readRows[digest.PostID](ctx, s.read(), "reading earlier posts of a feed", `SELECT p.id FROM posts p
		WHERE p.feed_id = ? AND p.seen_at < ? AND p.extra = 0 ORDER BY p.seen_at DESC, p.published_at DESC, p.id LIMIT ?`,
		feed, before, n)
}
