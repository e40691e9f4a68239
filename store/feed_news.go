package store

import (
	"context"
	"slices"
	"time"

	"digest"
	"digest/store/db"
)

// News of feeds arrives from hubs, by pings or by polls. Code that changes these records must call trust, which
// decides whether a feed relies on its hubs.

// newsColumns are the columns of a digest.News in feed_news n, without the subscriptions to hubs.
const newsColumns = `n.pushes, n.all_pushes, n.last_push_at, n.pings, n.last_ping_at, n.missed_at,
	n.trusted_at, n.saved_polls, n.pushed_since, n.pinged_since`

// promisedUntil is when the last subscription to a hub of the feed of n expires.
const promisedUntil = `COALESCE((SELECT MAX(p.expires_at) FROM push_subscriptions p WHERE p.feed_id = n.feed_id
	AND p.state = 'active'), 0) AS expires_at`

// News returns how the news of feeds has arrived. It omits feeds without records.
func (s Feeds) News(ctx context.Context, ids []digest.FeedID) (map[digest.FeedID]digest.News, error) {
	known, err := newsOf(ctx, s.read(), ids)
	return known, failed("reading how news comes", err)
}

func newsOf(ctx context.Context, c conn, ids []digest.FeedID) (map[digest.FeedID]digest.News, error) {
	known := make(map[digest.FeedID]digest.News)
	for part := range slices.Chunk(ids, db.StatementRows) {
		var rows []struct {
			FeedID digest.FeedID
			digest.News
		}
		err := c.All(ctx, &rows, `SELECT n.feed_id, `+newsColumns+`, `+
			promisedUntil+` FROM feed_news n WHERE n.feed_id`+c.d.OneOf, part)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			known[r.FeedID] = r.News
		}
		if err := addHubSilence(ctx, c, part, known); err != nil {
			return nil, err
		}
	}
	return known, nil
}

// AnyTold reports whether any feed was ever pinged or pushed, or subscribed to a hub.
func (s Feeds) AnyTold(ctx context.Context) (bool, error) {
	n, err := s.read().Number(ctx, `SELECT count(*) FROM (SELECT 1 FROM feed_news LIMIT 1) x`)
	return n > 0, failed("looking whether news comes by itself", err)
}

// WaysOfNews counts active feeds by how their news arrives.
func (s Feeds) WaysOfNews(ctx context.Context, now time.Time) (map[digest.Way]int, error) {
	// What digest.News.Way reads, coarse enough for few groups.
	var groups []struct {
		digest.News
		N int
	}
	err := s.read().All(ctx, &groups,
		`SELECT CASE WHEN x.pushes > 0 THEN 1 ELSE 0 END AS pushes, CASE WHEN x.last_ping_at > ? THEN CAST(? AS BIGINT)
			ELSE 0 END AS last_ping_at,
		CASE WHEN x.expires_at > ? THEN CAST(? AS BIGINT) ELSE 0 END AS expires_at,
		count(*) AS n
		FROM (SELECT n.pushes, n.last_ping_at, `+promisedUntil+` FROM feed_news n JOIN feeds f ON f.id = n.feed_id
		WHERE f.state = 'active' AND f.merged_into = 0) x
		GROUP BY 1, 2, 3`, now.Add(-digest.LongestPing), now, now, now.Add(time.Second))
	if err != nil {
		return nil, failed("counting how news comes", err)
	}
	active, err := s.read().Number(ctx, `SELECT count(*) FROM feeds f WHERE f.state = 'active' AND f.merged_into = 0`)
	if err != nil {
		return nil, failed("counting how news comes", err)
	}
	counts, known := make(map[digest.Way]int), 0
	for _, g := range groups {
		way, _ := g.Way(now)
		counts[way] += g.N
		known += g.N
	}
	counts[digest.ByPoll] += max(0, int(active)-known)
	return counts, nil
}

// trust decides for each feed whether its hubs are trusted, after a change in feed_news or its subscriptions. It
// updates rows in the order of their keys.
func trust(ctx context.Context, c conn, ids []digest.FeedID, now time.Time) error {
	slices.Sort(ids)
	if ids = slices.Compact(ids); len(ids) == 0 {
		return nil
	}
	var v values
	for _, id := range ids {
		v.Row(id)
	}
	err := c.RunRows(ctx, &v, `INSERT INTO feed_news (feed_id) VALUES {rows} ON CONFLICT (feed_id) DO NOTHING`)
	if err != nil {
		return err
	}
	// A gap in the subscriptions restarts pushed_since.
	err = c.Run(ctx, `UPDATE feed_news AS n SET pushed_since = CASE
		WHEN NOT EXISTS (SELECT 1 FROM push_subscriptions p WHERE p.feed_id = n.feed_id AND p.state = 'active'
		AND p.expires_at > ?) THEN 0
		WHEN n.pushed_since = 0 THEN ? ELSE n.pushed_since END WHERE n.feed_id`+c.d.OneOf, now, now,
		ids)
	if err != nil {
		return err
	}
	known, err := newsOf(ctx, c, ids)
	if err != nil {
		return err
	}
	for _, id := range ids {
		until := known[id].TrustedUntil(now)
		if err := c.Run(ctx, `UPDATE feeds SET pushed_until = ? WHERE id = ? AND pushed_until <> ?`, until, id,
			until); err != nil {
			return err
		}
		if until.IsZero() == known[id].TrustedAt.IsZero() {
			continue
		}
		since := at(now)
		if until.IsZero() {
			since = 0
		}
		if err := c.Run(ctx, `UPDATE feed_news SET trusted_at = ? WHERE feed_id = ?`, since, id); err != nil {
			return err
		}
	}
	return nil
}

// noteMisses finds feeds where a poll found posts that their hubs should have pushed, and removes their trust. It
// skips feeds with pushes that are not stored yet.
func (r *recording) noteMisses(ctx context.Context) error {
	found := make(map[digest.FeedID]*polled)
	for _, p := range r.fresh {
		if p.shownAt != 0 && p.poll.Token != "" && !p.poll.first {
			found[p.FeedID] = p.poll
		}
	}
	if len(found) == 0 {
		return nil
	}
	var ids, missed []digest.FeedID
	for id := range found {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	err := r.c.All(ctx, &ids, `SELECT n.feed_id FROM feed_news n WHERE n.feed_id`+r.c.d.OneOf+` AND n.pushed_since > 0
		AND NOT EXISTS (SELECT 1 FROM pushes p WHERE p.feed_id = n.feed_id) ORDER BY n.feed_id`, ids)
	if err != nil || len(ids) == 0 {
		return err
	}
	known, err := newsOf(ctx, r.c, ids)
	if err != nil {
		return err
	}
	for _, id := range slices.Compact(slices.Sorted(slices.Values(ids))) {
		p := found[id]
		announced := !p.Was.PingedAt.IsZero() || p.stored.PingedAt != 0
		if news, ok := known[id]; ok && news.MissedBy(p.readBefore.Time(), announced) {
			missed = append(missed, id)
		}
	}
	if len(missed) == 0 {
		return nil
	}
	err = r.c.Run(ctx, `UPDATE feed_news SET pushes = 0, missed_at = ?, demotes = 1 WHERE feed_id`+r.c.d.OneOf, r.now,
		missed)
	if err != nil {
		return err
	}
	return trust(ctx, r.c, missed, r.now.Time())
}

// Demote removes trust from all feeds of hubs that missed a post. The hubs must earn it again. It returns the number
// of feeds.
func (s Feeds) Demote(ctx context.Context, now time.Time) (feeds int, err error) {
	n, err := s.read().Number(ctx, `SELECT count(*) FROM feed_news WHERE demotes = 1`)
	if err != nil || n == 0 {
		return 0, failed("looking for hubs that missed a post", err)
	}
	err = s.change(ctx, "taking the trust from hubs", func(c conn) error {
		var ids []digest.FeedID
		err := c.All(ctx, &ids, `SELECT DISTINCT o.feed_id FROM feed_news n
			JOIN push_subscriptions p ON p.feed_id = n.feed_id AND p.state = 'active'
			JOIN push_subscriptions o ON o.hub = p.hub AND o.state = 'active' WHERE n.demotes = 1 ORDER BY o.feed_id`)
		if err != nil {
			return err
		}
		if err := c.Run(ctx, `UPDATE feed_news SET demotes = 0 WHERE demotes = 1`); err != nil {
			return err
		}
		feeds = len(ids)
		if feeds == 0 {
			return nil
		}
		if err := c.Run(ctx, `UPDATE feed_news SET pushes = 0 WHERE feed_id`+c.d.OneOf, ids); err != nil {
			return err
		}
		return trust(ctx, c, ids, now)
	})
	return feeds, err
}

// notePush records a push from a hub, with or without new posts.
func notePush(ctx context.Context, c conn, id digest.FeedID, received instant, news bool, now time.Time) error {
	err := c.Run(ctx, `INSERT INTO feed_news (feed_id, pushes, all_pushes, last_push_at) VALUES (?, ?, 1, ?)
		ON CONFLICT (feed_id) DO UPDATE SET pushes = feed_news.pushes + excluded.pushes,
		all_pushes = feed_news.all_pushes + 1,
			last_push_at = excluded.last_push_at`, id, news, received)
	if err != nil {
		return err
	}
	return trust(ctx, c, []digest.FeedID{id}, now)
}

// notePings records pings that cause polls of feeds.
func notePings(ctx context.Context, c conn, ids []digest.FeedID, now instant) error {
	var v values
	for _, id := range slices.Sorted(slices.Values(ids)) {
		v.Row(id, 1, now, now)
	}
	return c.RunRows(ctx, &v, `INSERT INTO feed_news (feed_id, pings, last_ping_at, pinged_since) VALUES {rows}
		ON CONFLICT (feed_id) DO UPDATE SET pings = feed_news.pings + 1, last_ping_at = excluded.last_ping_at,
			pinged_since = CASE WHEN feed_news.last_ping_at > ? THEN feed_news.pinged_since
			ELSE excluded.pinged_since END`, now.Plus(-digest.LongestPing))
}

// noteSaved counts midnights without a poll for feeds whose hubs are trusted.
func noteSaved(ctx context.Context, c conn, ids []digest.FeedID) error {
	if len(ids) == 0 {
		return nil
	}
	return c.Run(ctx, `UPDATE feed_news SET saved_polls = saved_polls + 1 WHERE feed_id`+c.d.OneOf, ids)
}
