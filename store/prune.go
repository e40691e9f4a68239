package store

import (
	"context"
	"fmt"
	"sync"
	"time"

	"digest"
	"digest/calendar"
)

const (
	// listedGrace is how far a post's listed_at lies before its feed's when the
	// document no longer holds it. Only a document that was read moves the
	// feed's; between two such notes the post's may be listedEvery behind.
	listedGrace = listedEvery + 24*time.Hour

	// shownGrace is how long after a post was put before a reader it may still
	// become part of an edition: a week to the next midnight of a weekly
	// digest, and again after a journey or an outage, with room.
	shownGrace = 30 * 24 * time.Hour

	// longestWait is the same of a digest that appears once a month: five weeks, and again.
	longestWait = 75 * 24 * time.Hour
)

// feedPosts is how many posts a feed is taken to have where the feeds deleted in one
// transaction are bounded.
const feedPosts = 50

// A cursor remembers how far Prune came through the posts. Losing it costs a
// second look at some of them.
type cursor struct {
	mu   sync.Mutex
	post digest.PostID
}

// pruneKey is the key of settings under which the time of the last pruning is kept.
const pruneKey = "prune time"

// PruneTime gives the time by which Prune is to be called at now (calendar.PruneTime), and
// notes it.
func (s *Store) PruneTime(ctx context.Context, now time.Time) (time.Time, error) {
	return changed(ctx, s, "noting the time of pruning", func(c conn) (time.Time, error) {
		last, err := readPruneTime(ctx, c)
		if err != nil {
			return last, err
		}
		by := calendar.PruneTime(now, last)
		text, err := by.UTC().MarshalText()
		if err != nil {
			return by, err
		}
		return by, c.setSetting(ctx, pruneKey, text)
	})
}

func readPruneTime(ctx context.Context, c conn) (last time.Time, err error) {
	value, err := c.setting(ctx, pruneKey)
	if err == nil && value != nil {
		err = last.UnmarshalText(value)
	}
	return last, err
}

// Prune deletes at most batch editions, posts and feeds each that are older
// than keep, and says how many; 0 means that nothing is left to do for now. It
// never touches an edition that may still be sent, its posts, or a post that
// the feed's document still lists: that one would come back as new. A feed
// goes, with all its posts, when nobody is subscribed to it, it was not asked for so long,
// and nobody saved a post of it: what is saved is kept for good.
func (s *Store) Prune(ctx context.Context, now time.Time, keep time.Duration, batch int) (n int, err error) {
	s.pruned.mu.Lock()
	defer s.pruned.mu.Unlock()
	old := at(now).plus(-keep)
	for _, step := range []struct {
		of    string
		prune func() (int, error)
	}{
		{"editions", func() (int, error) { return s.pruneEditions(ctx, old, batch) }},
		{"what was held back", func() (int, error) { return s.pruneHeld(ctx, old, batch) }},
		{"what waits for who left", func() (int, error) { return 0, s.pruneLeft(ctx, now) }},
		{"what is not needed", func() (int, error) {
			needed, err := s.oldestNeeded(ctx)
			if needed != 0 {
				old = min(old, needed)
			}
			return 0, err
		}},
		{"partitions", func() (int, error) {
			if n > 0 { // there may be editions left that show their posts
				return 0, nil
			}
			return 0, s.dropPartitions(ctx, old)
		}},
		{"posts", func() (int, error) { return s.prunePosts(ctx, old, unshown(now, old), batch) }},
		{"feeds", func() (int, error) {
			if n > 0 { // once an hour is enough: it looks at all feeds
				return 0, nil
			}
			return s.pruneFeeds(ctx, old, unshown(now, old), max(1, batch/feedPosts))
		}},
		{"lanes", func() (int, error) {
			return 0, s.write(ctx, func(c conn) error { return forgetLanes(ctx, c, now, `TRUE`) })
		}},
		{"domains", func() (int, error) { return 0, s.pruneDomains(ctx, now) }},
		{"DMARC reports", func() (int, error) { return 0, s.pruneDMARC(ctx, now, keep) }},
		{"hosts of hubs", func() (int, error) { return 0, s.pruneHubHosts(ctx, now) }},
		{"sizes of pictures", func() (int, error) {
			return 0, s.write(ctx, func(c conn) error {
				return c.run(ctx, `DELETE FROM picture_sizes WHERE learned_at < ?`, old)
			})
		}},
		{"changes made by links",
			func() (int, error) { return 0, s.pruneLinkChanges(ctx, min(old, at(now).plus(-digest.LinkUndoTime))) }},
		{"imports", func() (int, error) {
			return 0, s.write(ctx, func(c conn) error {
				return c.run(ctx, `DELETE FROM imports WHERE imported_at <= ?`, at(now.Add(-importLife)))
			})
		}},
		{"sessions", func() (int, error) {
			return 0, s.write(ctx, func(c conn) error {
				return c.execEach(ctx, []string{`DELETE FROM sessions WHERE expires_at <= ?`,
					`DELETE FROM sign_in_tokens WHERE expires_at <= ?`}, at(now))
			})
		}},
	} {
		k, err := step.prune()
		if err != nil {
			return n, fmt.Errorf("pruning %s: %w", step.of, err)
		}
		n += k
	}
	return n, nil
}

// pruneEditions deletes old editions, with the rows of their posts (which go by partitions
// where there are some), their notices and what came back of them. Editions are made in the order of time,
// so the oldest have the lowest keys, and the search ends at one that is young.
func (s *Store) pruneEditions(ctx context.Context, old instant, batch int) (int, error) {
	last := digest.EditionID(0)
	for {
		var rows []prunableEdition
		err := s.read().all(ctx, &rows,
			`SELECT e.id, e.digest_id, e.due_at, e.state, CASE WHEN `+awaited+` THEN 1 ELSE 0 END AS awaited
			FROM editions e WHERE e.id > ? ORDER BY e.id LIMIT ?`, last, batch)
		if err != nil {
			return 0, err
		}
		over := len(rows) < batch
		var ids []digest.EditionID
		var v values
		for _, e := range rows {
			last = e.ID
			switch {
			case e.DueAt >= old:
				over = true
			case isOver(e.State) && !e.Awaited:
				ids = append(ids, e.ID)
				v.row(e.DigestID, e.DueAt)
			}
		}
		if len(ids) > 0 {
			return len(ids), s.deleteEditions(ctx, ids, &v)
		}
		if over {
			return 0, nil
		}
	}
}

// awaited holds for editions e whose posts another edition may still carry to their reader, one that waits to be sent or
// is not made yet.
const awaited = `(EXISTS (SELECT 1 FROM carried_posts z JOIN editions n ON n.id = z.edition_id WHERE z.from_id = e.id AND ` + underWay + `)
	OR ` + toCarry + ` AND EXISTS (SELECT 1 FROM digests d WHERE d.id = e.digest_id AND ` + gathers + `))`

// underWay holds for editions n that may still reach their reader, themselves
// or with another that carries them.
const underWay = `(n.state IN ('ready', 'leased')
	OR n.undelivered = 1)`

type prunableEdition struct {
	ID       digest.EditionID
	DigestID digest.DigestID
	DueAt    instant
	State    digest.EditionState
	Awaited  bool
}

// deleteEditions deletes editions that are over, which they stay; days are
// their digests and midnights.
func (s *Store) deleteEditions(ctx context.Context, ids []digest.EditionID, days *values) error {
	return s.write(ctx, func(c conn) error {
		tables := []string{"notices"}
		if c.d.partitions == "" {
			tables = append(tables, "digest_posts")
		}
		for _, table := range tables {
			err := c.runRows(ctx, days, `DELETE FROM `+table+` WHERE (digest_id, visible_at) IN (VALUES {rows})`)
			if err != nil {
				return err
			}
		}
		gone := list(ids)
		return c.execEach(ctx, []string{
			`DELETE FROM carried_posts WHERE edition_id IN (` + gone + `)`,
			`DELETE FROM carried_posts WHERE from_id IN (` + gone + `)`,
			`DELETE FROM bounces WHERE edition_id IN (` + gone + `)`,
			`DELETE FROM editions WHERE id IN (` + gone + `)`,
		})
	})
}

// isOver reports whether an edition in this state is never sent again.
func isOver(state digest.EditionState) bool {
	switch state {
	case digest.EditionSent, digest.EditionUnconfirmed, digest.EditionFailed, digest.EditionExpired,
		digest.EditionUnmailed:
		return true
	}
	return false
}

// unshown is the instant before which a post was put before its readers that waits for none
// of them, whenever it was seen.
func unshown(now time.Time, old instant) instant {
	return min(old.plus(-shownGrace), at(now).plus(-longestWait))
}

// isFree holds for posts p of feeds f that no document lists any more, no edition shows and nobody saved.
const isFree = `p.listed_at < f.listed_at - ? AND p.shown_at < ?
	AND NOT EXISTS (SELECT 1 FROM saved_posts v WHERE v.post_id = p.id)`

const listedSeconds = int64(listedGrace / time.Second)

// prunePosts deletes old posts that no edition holds any more and nobody saved. Posts that were
// stored later have higher keys, so the search ends at the first that is young.
func (s *Store) prunePosts(ctx context.Context, old, unshown instant, batch int) (int, error) {
	for {
		var rows []prunable
		err := s.read().all(ctx, &rows, `SELECT p.id, p.seen_at,
			CASE WHEN `+isFree+` THEN 1 ELSE 0 END AS free
			FROM posts p JOIN feeds f ON f.id = p.feed_id WHERE p.id > ? ORDER BY p.id LIMIT ?`,
			listedSeconds, unshown, s.pruned.post, batch)
		if err != nil {
			return 0, err
		}
		var ids []digest.PostID
		over := len(rows) < batch
		for _, p := range rows {
			if p.SeenAt >= old {
				over = true
				break
			}
			s.pruned.post = p.ID
			if p.Free {
				ids = append(ids, p.ID)
			}
		}
		if over {
			s.pruned.post = 0
		}
		if len(ids) > 0 {
			return s.deletePosts(ctx, ids)
		}
		if over {
			return 0, nil
		}
	}
}

type prunable struct {
	ID     digest.PostID
	SeenAt instant
	Free   bool
}

// deletePosts deletes posts, but for those that somebody saves meanwhile: what
// has locked them sees whoever did.
func (s *Store) deletePosts(ctx context.Context, ids []digest.PostID) (n int, err error) {
	err = s.write(ctx, func(c conn) error {
		var locked []digest.PostID
		if err := c.all(ctx, &locked, `SELECT id FROM posts WHERE id IN (`+list(ids)+`) ORDER BY id`+
			c.d.forUpdate); err != nil {
			return err
		}
		var gone []digest.PostID
		if err := c.all(ctx, &gone, `DELETE FROM posts WHERE id IN (`+list(locked)+`)
			AND NOT EXISTS (SELECT 1 FROM saved_posts v WHERE v.post_id = posts.id) RETURNING id`); err != nil {
			return err
		}
		n = len(gone)
		if err := dropVersions(ctx, c, gone); err != nil {
			return err
		}
		if err := dropLinks(ctx, c, gone); err != nil {
			return err
		}
		return unindex(ctx, c, gone)
	})
	return n, err
}

// isDeserted holds for feeds f with their times t that have no subscriber, no recent poll, and no recent or saved
// post.
const isDeserted = `t.last_attempt_at > 0 AND t.last_attempt_at < ?
	AND t.lease_until < ? AND NOT EXISTS (SELECT 1 FROM subscriptions s WHERE s.feed_id = f.id)
	AND NOT EXISTS (SELECT 1 FROM posts p WHERE p.feed_id = f.id AND (p.seen_at >= ? OR p.shown_at >= ?
		OR EXISTS (SELECT 1 FROM saved_posts v WHERE v.post_id = p.id)))`

// pruneFeeds deletes feeds to which nobody is subscribed any more, each with all that is its
// own: whoever comes to it later meets it as new. Notices go with the editions
// that tell them, or wait for a reader who pauses. It locks the feeds as Subscribe does.
func (s *Store) pruneFeeds(ctx context.Context, old, unshown instant, batch int) (n int, err error) {
	err = s.write(ctx, func(c conn) error {
		var ids []digest.FeedID
		err := c.all(ctx, &ids, `SELECT f.id FROM `+timedFeeds+` WHERE `+isDeserted+`
			ORDER BY f.id LIMIT ?`+c.d.skipRows("f, t"), old, old, old, unshown, batch)
		if err != nil || len(ids) == 0 {
			return err
		}
		if err := dropFilters(ctx, c, ids); err != nil {
			return err
		}
		var posts []digest.PostID
		if err := c.all(ctx, &posts, `DELETE FROM posts WHERE feed_id IN (`+list(ids)+`) RETURNING id`); err != nil {
			return err
		}
		if err := dropVersions(ctx, c, posts); err != nil {
			return err
		}
		if err := dropLinks(ctx, c, posts); err != nil {
			return err
		}
		if err := unindex(ctx, c, posts); err != nil {
			return err
		}
		gone := list(ids)
		if err := c.execEach(ctx, []string{`DELETE FROM bodies WHERE feed_id IN (` + gone + `)`,
			`DELETE FROM polls WHERE feed_id IN (` + gone + `)`,
			`DELETE FROM former_subscriptions WHERE feed_id IN (` + gone + `)`,
			`DELETE FROM feed_times WHERE feed_id IN (` + gone + `)`}); err != nil {
			return err
		}
		n, err = c.exec(ctx, `DELETE FROM feeds WHERE id IN (`+gone+`)`)
		return err
	})
	return n, err
}

// oldestNeeded returns the instant since which the hourly job must keep everything, however old; 0: none. It is the
// midnight of the oldest edition that has still to be made, sent or carried, or the start of the oldest pause that
// gathers posts. Undelivered editions count too: pruneEditions has deleted all that no edition will carry.
func (s *Store) oldestNeeded(ctx context.Context) (instant, error) {
	var oldest instant
	err := s.read().get(ctx, &oldest, `SELECT MIN(t) FROM (
		SELECT MIN(due_at) AS t FROM editions WHERE state = 'ready'
		UNION ALL SELECT MIN(e.due_at) FROM mail_claims mc JOIN editions e ON e.id = mc.edition_id
		UNION ALL SELECT MIN(e.due_at) FROM carried_posts z JOIN editions n ON n.id = z.edition_id JOIN editions e ON e.id = z.from_id
			WHERE `+underWay+`
		UNION ALL SELECT MIN(e.due_at) FROM editions e WHERE `+undelivered+`
		UNION ALL SELECT MIN(next_due_at) FROM digests WHERE state = 'active'
		UNION ALL SELECT MIN(d.paused_at) FROM digests d WHERE d.paused_at > 0 AND `+gathers+`) x`)
	return oldest, err
}
