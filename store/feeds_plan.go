package store

import (
	"cmp"
	"context"
	"slices"
	"time"

	"digest"
)

// planStep is how many feeds Plan reads and updates in one step.
const planStep = 1000

// Plan queues the feeds of due digests. These are active digests with next_due_at <= now that are not planned for that
// midnight. Digests that are paused until a time, or appear monthly, also have midnights at which Plan only queues
// their feeds.
//
// For each feed that is not dead or gone, schedule returns when to poll it for the latest midnight that needs it, or
// false to skip this midnight. A queued feed keeps an earlier time. Only the fields of planColumns are set in the feed
// that schedule gets.
//
// Plan is one transaction, and one process plans at a time. If there is nothing to plan, it does not wait for locks.
func (s Feeds) Plan(ctx context.Context, now time.Time,
	schedule func(f digest.Feed, due time.Time) (time.Time, bool)) (PlanResult, error) {
	if due, err := anyDue(ctx, s.read(), at(now)); err != nil || !due {
		return PlanResult{}, failed("planning", err)
	}
	return changed(ctx, s.database, "planning", func(c conn) (result PlanResult, err error) {
		if err := c.UntilCommit(ctx, s.d.LockPlan, s.d.LockShared); err != nil {
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
		result.Digests, err = c.Exec(ctx, `UPDATE digests AS d SET planned_due_at = next_due_at, planned_at = ?
			WHERE `+unplanned+` AND d.next_due_at <= ?`, now, now)
		result.Digests += between
		if err == nil {
			err = beginWaiting(ctx, c, at(now))
		}
		return result, err
	})
}

// unplanned holds for digests d whose feeds are not queued for their midnight.
const unplanned = `d.state = 'active' AND d.planned_due_at <> d.next_due_at`

// anyDue reports whether there are midnights to plan. It ignores planned digests, which may be many.
func anyDue(ctx context.Context, c conn, now instant) (bool, error) {
	unplanned, err := anyUnplanned(ctx, c, now)
	if err != nil || unplanned {
		return unplanned, err
	}
	n, err := c.Number(ctx, `SELECT count(*) FROM (SELECT 1 FROM digests d WHERE d.next_poll_at > 0
		AND d.next_poll_at <= ? LIMIT 1) x`, now)
	return n > 0, err
}

func anyUnplanned(ctx context.Context, c conn, now instant) (bool, error) {
	var first instant
	return c.Find(ctx, &first, `SELECT d.next_due_at FROM digests d WHERE `+
		unplanned+` AND d.next_due_at <= ? ORDER BY d.next_due_at LIMIT 1`, now)
}

// dueFeeds returns the feeds of digests that are due and unplanned. It first checks whether there are such digests.
// PostgreSQL expects all due digests to be unplanned and would read all subscriptions.
func dueFeeds(ctx context.Context, c conn, now instant) (due []dueFeed, err error) {
	if any, err := anyUnplanned(ctx, c, now); err != nil || !any {
		return nil, err
	}
	err = c.All(ctx, &due, `SELECT s.feed_id, MAX(d.next_due_at) AS due_at FROM digests d CROSS JOIN subscriptions s
		WHERE s.digest_id = d.id AND s.paused = 0 AND `+
		unplanned+` AND d.next_due_at <= ? GROUP BY s.feed_id ORDER BY s.feed_id`, now)
	return due, err
}

type dueFeed struct {
	FeedID digest.FeedID
	DueAt  instant
}

// planBetween adds the feeds of digests that have a poll but no edition at this midnight, and advances these digests.
// It returns their number without digests that are also due.
func planBetween(ctx context.Context, c conn, now time.Time, due []dueFeed) (digests int, all []dueFeed, err error) {
	groups, err := askedGroups(ctx, c, at(now))
	if err != nil || len(groups) == 0 {
		return 0, due, err
	}
	var more []dueFeed
	err = c.All(ctx, &more, `SELECT s.feed_id, MAX(d.next_poll_at) AS due_at FROM digests d CROSS JOIN subscriptions s
		WHERE s.digest_id = d.id AND s.paused = 0 AND d.next_poll_at > 0 AND d.next_poll_at <= ? GROUP BY s.feed_id`,
		now)
	if err != nil {
		return 0, nil, err
	}
	both, err := c.Number(ctx, `SELECT count(*) FROM digests d WHERE d.next_poll_at > 0 AND d.next_poll_at <= ? AND `+
		unplanned+` AND d.next_due_at <= ?`, now, now)
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

// latestOfEach keeps the latest midnight of each feed.
func latestOfEach(due []dueFeed) []dueFeed {
	slices.SortFunc(due, func(a, b dueFeed) int {
		return cmp.Or(cmp.Compare(a.FeedID, b.FeedID), cmp.Compare(b.DueAt, a.DueAt))
	})
	return slices.CompactFunc(due, func(a, b dueFeed) bool { return a.FeedID == b.FeedID })
}

// planColumns are the columns that decide when a feed is polled for a midnight.
const planColumns = askColumns + `, t.poll_at, f.state, f.pushed_until, f.posts_waiting`

// enqueue sets poll_at of the feeds that schedule accepts, and returns the number of changed feeds.
func enqueue(ctx context.Context, c conn, due []dueFeed, schedule func(digest.Feed, time.Time) (time.Time, bool)) (int,
	error) {
	ids := make([]digest.FeedID, len(due))
	dueAt := make(map[digest.FeedID]instant, len(due))
	for i, d := range due {
		ids[i], dueAt[d.FeedID] = d.FeedID, d.DueAt
	}
	var feeds []askRow
	if err := c.All(ctx, &feeds, `SELECT `+planColumns+` FROM `+timedFeeds+` WHERE f.id`+c.d.OneOf+` AND `+
		alive, ids); err != nil {
		return 0, err
	}
	var v values
	var saved []digest.FeedID
	for _, f := range feeds {
		due := dueAt[f.ID].Time()
		if poll, ok := schedule(f.Feed, due); ok {
			v.Row(f.ID, poll)
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
	return c.ExecRows(ctx, &v, `WITH v (id, poll_at) AS (VALUES {rows})
		UPDATE feed_times SET poll_at = v.poll_at FROM v
		WHERE feed_times.feed_id = v.id AND (feed_times.poll_at IS NULL OR feed_times.poll_at > v.poll_at)`)
}

// A PlanResult counts the changes of Plan.
type PlanResult struct {
	Digests int // newly planned digests
	Feeds   int // queued, or moved forward in the queue
}
