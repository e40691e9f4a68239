package store

import (
	"context"
	"fmt"
	"sync"
	"time"

	"digest"
	"digest/calendar"
	"digest/store/db"
)

const (
	// listedGrace is how far a post's listed_at must be before its feed's to show that the document no longer lists
	// the post. Only reading a document updates the feed's listed_at, and the post's may be listedEvery behind.
	listedGrace = listedEvery + 24*time.Hour

	// shownGrace is how long after a post was added for a reader it may still become part of an edition. A weekly
	// digest waits up to a week for its midnight, and another after a trip or an outage. The rest is a margin.
	shownGrace = 30 * 24 * time.Hour

	// longestWait is shownGrace for a monthly digest: five weeks, twice.
	longestWait = 75 * 24 * time.Hour
)

// feedPosts is the assumed number of posts of a feed, which bounds the feeds deleted in one transaction.
const feedPosts = 50

// A cursor stores how far Prune has got through the posts. Without it Prune only examines some posts again.
type cursor struct {
	mu   sync.Mutex
	post digest.PostID
}

// pruneKey is the key of settings for the time of the last prune.
const pruneKey = "prune time"

// PruneTime returns the time to pass to Prune as now (calendar.PruneTime), and stores it.
func (s Operator) PruneTime(ctx context.Context, now time.Time) (time.Time, error) {
	return changed(ctx, s.database, "noting the time of pruning", func(c conn) (time.Time, error) {
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

// Prune deletes up to batch editions, posts and feeds each that are older than keep, and returns how many. 0 means
// that it has finished for now. It keeps editions that may still be sent, their posts, and posts that the feed's
// document still lists, because they would return as new. It deletes a feed with all its posts if the feed has no
// subscribers, was not polled within keep, and has no saved posts.
func (s Operator) Prune(ctx context.Context, now time.Time, keep time.Duration, batch int) (n int, err error) {
	s.pruned.mu.Lock()
	defer s.pruned.mu.Unlock()
	old := at(now).Plus(-keep)
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
			if n > 0 { // remaining editions may show their posts
				return 0, nil
			}
			return 0, db.DropPartitions(ctx, s.db, old)
		}},
		{"posts", func() (int, error) { return s.prunePosts(ctx, old, unshown(now, old), batch) }},
		{"feeds", func() (int, error) {
			if n > 0 { // it examines all feeds, so once an hour is enough
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
		{"pictures", func() (int, error) {
			return 0, s.run(ctx, "", `DELETE FROM pictures WHERE learned_at < ?`, old)
		}},
		{"changes made by links",
			func() (int, error) {
				return 0, s.pruneLinkChanges(ctx, min(old, at(now).Plus(-digest.LinkUndoTime)))
			}},
		{"imports", func() (int, error) {
			return 0, s.run(ctx, "", `DELETE FROM imports WHERE imported_at <= ?`, now.Add(-importLife))
		}},
		{"sessions", func() (int, error) {
			return 0, s.write(ctx, func(c conn) error {
				return c.ExecEach(ctx, []string{`DELETE FROM sessions WHERE expires_at <= ?`,
					`DELETE FROM sign_in_tokens WHERE expires_at <= ?`}, now)
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

// pruneEditions deletes old editions with their posts' rows (unless partitions are dropped instead), their notices
// and their bounces. Editions are created in the order of time, so the oldest have the lowest keys, and the search
// ends at a recent one.
func (s *database) pruneEditions(ctx context.Context, old instant, batch int) (int, error) {
	last := digest.EditionID(0)
	for {
		var rows []prunableEdition
		err := s.read().All(ctx, &rows,
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
				v.Row(e.DigestID, e.DueAt)
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

// awaited selects editions e whose posts another edition may still carry to their reader: one that is waiting to be
// sent, or one that does not exist yet.
const awaited = `(EXISTS (SELECT 1 FROM carried_posts z JOIN editions n ON n.id = z.edition_id WHERE z.from_id = e.id
	AND ` + underWay + `)
	OR ` + toCarry + ` AND EXISTS (SELECT 1 FROM digests d WHERE d.id = e.digest_id AND ` + gathers + `))`

// underWay selects editions n that may still reach their reader, alone or carried by another.
const underWay = `(n.state IN ('ready', 'leased')
	OR n.undelivered = 1)`

type prunableEdition struct {
	ID       digest.EditionID
	DigestID digest.DigestID
	DueAt    instant
	State    digest.EditionState
	Awaited  bool
}

// deleteEditions deletes editions that are never sent again. days holds their digests and midnights.
func (s *database) deleteEditions(ctx context.Context, ids []digest.EditionID, days *values) error {
	return s.write(ctx, func(c conn) error {
		tables := []string{"notices"}
		if c.d.Partitions == "" {
			tables = append(tables, "digest_posts")
		}
		for _, table := range tables {
			err := c.RunRows(ctx, days, `DELETE FROM `+table+` WHERE (digest_id, visible_at) IN (VALUES {rows})`)
			if err != nil {
				return err
			}
		}
		gone := list(ids)
		return c.ExecEach(ctx, []string{
			`DELETE FROM carried_posts WHERE edition_id IN (` + gone + `)`,
			`DELETE FROM carried_posts WHERE from_id IN (` + gone + `)`,
			`DELETE FROM bounces WHERE edition_id IN (` + gone + `)`,
			`DELETE FROM editions WHERE id IN (` + gone + `)`,
		})
	})
}

func isOver(state digest.EditionState) bool {
	switch state {
	case digest.EditionSent, digest.EditionUnconfirmed, digest.EditionFailed, digest.EditionExpired,
		digest.EditionUnmailed:
		return true
	}
	return false
}

// unshown returns an instant: a post that was added for readers before it waits for none of them.
func unshown(now time.Time, old instant) instant {
	return min(old.Plus(-shownGrace), at(now).Plus(-longestWait))
}

// isFree selects posts p of feeds f that no document lists, no edition shows and no reader has saved.
const isFree = `p.listed_at < f.listed_at - ? AND p.shown_at < ?
	AND NOT EXISTS (SELECT 1 FROM saved_posts v WHERE v.post_id = p.id)`

const listedSeconds = int64(listedGrace / time.Second)

// prunePosts deletes old posts that no edition shows and no reader has saved. Newer posts have higher keys, so the
// search ends at the first recent one.
func (s *database) prunePosts(ctx context.Context, old, unshown instant, batch int) (int, error) {
	for {
		var rows []prunable
		err := s.read().All(ctx, &rows, `SELECT p.id, p.seen_at,
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

// deletePosts deletes posts except those that a reader has saved since. It locks them first, so that it sees every
// save.
func (s *database) deletePosts(ctx context.Context, ids []digest.PostID) (n int, err error) {
	err = s.write(ctx, func(c conn) error {
		var locked []digest.PostID
		if err := c.All(ctx, &locked, `SELECT id FROM posts WHERE id IN (`+list(ids)+`) ORDER BY id`+
			c.d.ForUpdate); err != nil {
			return err
		}
		var gone []digest.PostID
		if err := c.All(ctx, &gone, `DELETE FROM posts WHERE id IN (`+list(locked)+`)
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

// isDeserted selects feeds f with their times t that have no subscriber, no recent poll, and no recent or saved post.
const isDeserted = `t.last_attempt_at > 0 AND t.last_attempt_at < ?
	AND t.lease_until < ? AND NOT EXISTS (SELECT 1 FROM subscriptions s WHERE s.feed_id = f.id)
	AND NOT EXISTS (SELECT 1 FROM posts p WHERE p.feed_id = f.id AND (p.seen_at >= ? OR p.shown_at >= ?
		OR EXISTS (SELECT 1 FROM saved_posts v WHERE v.post_id = p.id)))`

// pruneFeeds deletes feeds without subscribers, with all their data. A later subscriber finds the feed as new.
// Notices stay, because they belong to editions or wait for a paused reader. It locks the feeds as Subscribe does.
func (s *database) pruneFeeds(ctx context.Context, old, unshown instant, batch int) (n int, err error) {
	err = s.write(ctx, func(c conn) error {
		var ids []digest.FeedID
		err := c.All(ctx, &ids, `SELECT f.id FROM `+timedFeeds+` WHERE `+isDeserted+`
			ORDER BY f.id LIMIT ?`+c.d.SkipRows("f, t"), old, old, old, unshown, batch)
		if err != nil || len(ids) == 0 {
			return err
		}
		if err := dropFilters(ctx, c, ids); err != nil {
			return err
		}
		var posts []digest.PostID
		if err := c.All(ctx, &posts, `DELETE FROM posts WHERE feed_id IN (`+list(ids)+`) RETURNING id`); err != nil {
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
		if err := c.ExecEach(ctx, []string{`DELETE FROM bodies WHERE feed_id IN (` + gone + `)`,
			`DELETE FROM polls WHERE feed_id IN (` + gone + `)`,
			`DELETE FROM former_subscriptions WHERE feed_id IN (` + gone + `)`,
			`DELETE FROM feed_times WHERE feed_id IN (` + gone + `)`}); err != nil {
			return err
		}
		n, err = c.Exec(ctx, `DELETE FROM feeds WHERE id IN (`+gone+`)`)
		return err
	})
	return n, err
}

// oldestNeeded returns the instant since which the hourly job must keep everything, however old; 0: none. It is the
// midnight of the oldest edition that has still to be made, sent or carried, or the start of the oldest pause that
// gathers posts. Undelivered editions count too: pruneEditions has deleted all that no edition will carry.
func (s *database) oldestNeeded(ctx context.Context) (instant, error) {
	var oldest instant
	err := s.read().Get(ctx, &oldest, `SELECT MIN(t) FROM (
		SELECT MIN(due_at) AS t FROM editions WHERE state = 'ready'
		UNION ALL SELECT MIN(e.due_at) FROM mail_claims mc JOIN editions e ON e.id = mc.edition_id
		UNION ALL SELECT MIN(e.due_at) FROM carried_posts z JOIN editions n ON n.id = z.edition_id
		JOIN editions e ON e.id = z.from_id
			WHERE `+underWay+`
		UNION ALL SELECT MIN(e.due_at) FROM editions e WHERE `+undelivered+`
		UNION ALL SELECT MIN(next_due_at) FROM digests WHERE state = 'active'
		UNION ALL SELECT MIN(d.paused_at) FROM digests d WHERE d.paused_at > 0 AND `+gathers+`) x`)
	return oldest, err
}

// MakePartitions creates the partitions of the months ahead, as db.MakePartitions does.
func (s Operator) MakePartitions(ctx context.Context, now time.Time) error {
	return db.MakePartitions(ctx, s.db, now)
}
