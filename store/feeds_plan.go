package store

import (
	"cmp"
	"context"
	"slices"
	"time"

	"digest"
)

// planStep is how many feeds Plan holds in memory, and updates, at once.
const planStep = 1000

// Plan queues the feeds of the digests that have become due: active ones with
// next_due_at <= now that were not planned for that midnight before, and those that pause
// until a time, or appear once a month, at their midnights meanwhile. For each
// of their feeds, unless it is dead or gone, schedule says when to ask it for
// a digest due at the given instant, the latest of those that take it; false
// means not for this midnight. A feed already queued keeps the earlier time. Of the
// record schedule is given what planColumns names alone.
//
// All of it is one transaction, and one process plans at a time. Where nothing is to be
// planned it waits for nobody.
func (s *Store) Plan(ctx context.Context, now time.Time,
	schedule func(f digest.Feed, due time.Time) (time.Time, bool)) (PlanResult, error) {
	if due, err := anyDue(ctx, s.read(), at(now)); err != nil || !due {
		return PlanResult{}, failed("planning", err)
	}
	return changed(ctx, s, "planning", func(c conn) (result PlanResult, err error) {
		if err := c.untilCommit(ctx, s.d.lockPlan, s.d.lockShared); err != nil {
			return result, err
		}
		due, err := dueFeeds(ctx, c, at(now))
		if err != nil {
			return result, err
		}
		between, due, err := planBetween(ctx, c, now, due)
		if err != nil {
			return result, err
		}
		for part := range slices.Chunk(due, planStep) {
			n, err := enqueue(ctx, c, part, schedule)
			if err != nil {
				return result, err
			}
			result.Feeds += n
		}
		result.Digests, err = c.exec(ctx, `UPDATE digests AS d SET planned_due_at = next_due_at, planned_at = ?
			WHERE `+unplanned+` AND d.next_due_at <= ?`, at(now), at(now))
		result.Digests += between
		if err == nil {
			err = beginWaiting(ctx, c, at(now))
		}
		return result, err
	})
}

// unplanned are the digests whose feeds have not been queued for their midnight.
const unplanned = `d.state = 'active' AND d.planned_due_at <> d.next_due_at`

// anyDue reports whether there are midnights to plan: what is planned and waits may be many digests.
func anyDue(ctx context.Context, c conn, now instant) (bool, error) {
	unplanned, err := anyUnplanned(ctx, c, now)
	if err != nil || unplanned {
		return unplanned, err
	}
	n, err := c.number(ctx, `SELECT count(*) FROM (SELECT 1 FROM digests d WHERE d.next_poll_at > 0 AND d.next_poll_at <= ? LIMIT 1) x`, now)
	return n > 0, err
}

// anyUnplanned reports whether a digest is due and unplanned.
func anyUnplanned(ctx context.Context, c conn, now instant) (bool, error) {
	var first instant
	return c.find(ctx, &first, `SELECT d.next_due_at FROM digests d WHERE `+
		unplanned+` AND d.next_due_at <= ? ORDER BY d.next_due_at LIMIT 1`, now)
}

// dueFeeds gives the feeds of digests that are due and unplanned. It looks first whether
// there are any such digests: PostgreSQL takes all that are due for unplanned, and would read all
// subscriptions.
func dueFeeds(ctx context.Context, c conn, now instant) (due []dueFeed, err error) {
	if any, err := anyUnplanned(ctx, c, now); err != nil || !any {
		return nil, err
	}
	err = c.all(ctx, &due, `SELECT s.feed_id, MAX(d.next_due_at) AS due_at FROM digests d CROSS JOIN subscriptions s
		WHERE s.digest_id = d.id AND s.paused = 0 AND `+
		unplanned+` AND d.next_due_at <= ? GROUP BY s.feed_id ORDER BY s.feed_id`, now)
	return due, err
}

type dueFeed struct {
	FeedID digest.FeedID
	DueAt  instant
}

// planBetween adds the feeds of digests that are to be asked now although these pause, or
// appear seldom, to those that are due, and says how many digests those are without those that
// are due too; they have their next midnight then.
func planBetween(ctx context.Context, c conn, now time.Time, due []dueFeed) (digests int, all []dueFeed, err error) {
	groups, err := askedGroups(ctx, c, at(now))
	if err != nil || len(groups) == 0 {
		return 0, due, err
	}
	var more []dueFeed
	err = c.all(ctx, &more, `SELECT s.feed_id, MAX(d.next_poll_at) AS due_at FROM digests d CROSS JOIN subscriptions s
		WHERE s.digest_id = d.id AND s.paused = 0 AND d.next_poll_at > 0 AND d.next_poll_at <= ? GROUP BY s.feed_id`,
		at(now))
	if err != nil {
		return 0, nil, err
	}
	both, err := c.number(ctx, `SELECT count(*) FROM digests d WHERE d.next_poll_at > 0 AND d.next_poll_at <= ? AND `+
		unplanned+` AND d.next_due_at <= ?`, at(now), at(now))
	if err != nil {
		return 0, nil, err
	}
	digests = -both
	for _, g := range groups {
		n, err := g.advance(ctx, c, now)
		if err != nil {
			return 0, nil, err
		}
		digests += n
	}
	return digests, latestOfEach(append(due, more...)), nil
}

// latestOfEach leaves each feed once, with the latest midnight of those it is due for.
func latestOfEach(due []dueFeed) []dueFeed {
	slices.SortFunc(due, func(a, b dueFeed) int {
		return cmp.Or(cmp.Compare(a.FeedID, b.FeedID), cmp.Compare(b.DueAt, a.DueAt))
	})
	return slices.CompactFunc(due, func(a, b dueFeed) bool { return a.FeedID == b.FeedID })
}

// planColumns are what decides when a feed is asked for a midnight. The rest of its record
// is not read until it is claimed.
const planColumns = askColumns + `, t.poll_at, f.state, f.pushed_until, f.posts_waiting`

// enqueue sets poll_at of the feeds that schedule wants asked.
func enqueue(ctx context.Context, c conn, due []dueFeed, schedule func(digest.Feed, time.Time) (time.Time, bool)) (int,
	error) {
	ids := make([]digest.FeedID, len(due))
	dueAt := make(map[digest.FeedID]instant, len(due))
	for i, d := range due {
		ids[i], dueAt[d.FeedID] = d.FeedID, d.DueAt
	}
	var feeds []askRow
	if err := c.all(ctx, &feeds, `SELECT `+planColumns+` FROM `+timedFeeds+` WHERE f.id`+c.d.oneOf+` AND `+
		alive, keys(c.d, ids)); err != nil {
		return 0, err
	}
	var v values
	var saved []digest.FeedID
	for _, f := range feeds {
		due := dueAt[f.ID].time()
		if poll, ok := schedule(f.Feed, due); ok {
			v.row(f.ID, at(poll))
		} else if f.PushedUntil.After(due) {
			f.PushedUntil = time.Time{}
			if _, would := schedule(f.Feed, due); would {
				saved = append(saved, f.ID)
			}
		}
	}
	if err := noteSaved(ctx, c, saved); err != nil {
		return 0, err
	}
	return c.execRows(ctx, &v, `WITH v (id, poll_at) AS (VALUES {rows})
		UPDATE feed_times SET poll_at = v.poll_at FROM v
		WHERE feed_times.feed_id = v.id AND (feed_times.poll_at IS NULL OR feed_times.poll_at > v.poll_at)`)
}

// A PlanResult counts what Plan did.
type PlanResult struct {
	Digests int // due ones that were planned now
	Feeds   int // put into the queue, or moved forward in it
}
