package store

import (
	"context"
	"time"

	"digest"
)

// NextMidnight returns the earliest unplanned midnight after an instant, or false if no digest is active or paused
// until a time. Midnights that only poll feeds between editions count too. After the zero time, the midnight may be in
// the past. It skips digests that wait for their feeds (see OldestPlan), one by one if their midnight is after the
// instant.
func (s Feeds) NextMidnight(ctx context.Context, after time.Time) (time.Time, bool, error) {
	return s.earliest(ctx, "the next midnight",
		`SELECT MIN(x.due_at) FROM (SELECT MIN(d.next_due_at) AS due_at FROM digests d
			WHERE `+unplanned+` AND d.next_due_at > ?
		UNION ALL SELECT MIN(d.next_poll_at) FROM digests d WHERE d.next_poll_at > 0) x`, after)
}

// OldestPlan returns the earliest instant at which a midnight was planned that is not released yet at now. Such
// digests wait for feeds, at most for the release deadline from that instant. Then Release must be called again.
func (s Feeds) OldestPlan(ctx context.Context, now time.Time) (time.Time, bool, error) {
	return s.earliest(ctx, "the oldest midnight",
		`SELECT COALESCE((SELECT w.planned_at FROM waiting_digests w CROSS JOIN digests d
		WHERE d.id = w.digest_id AND d.state = 'active' AND d.planned_due_at = d.next_due_at AND d.next_due_at <= ?
		ORDER BY w.planned_at LIMIT 1), 0)`, now)
}

// earliest reads an instant. It reports false for the zero time.
func (s *database) earliest(ctx context.Context, what, query string, args ...any) (time.Time, bool, error) {
	var t time.Time
	err := s.read().Get(ctx, &t, query, args...)
	return t, !t.IsZero(), failed("finding "+what, err)
}

// nextPollStep is how many queued feeds NextPoll reads in one statement.
const nextPollStep = 200

// NextPoll returns the earliest instant at which ClaimFeeds would return a feed, or false if the queue is empty. It
// may lie in the past. A feed of a leased host counts from the end of the lease, a feed of a paced domain or address
// from its next slot.
func (s Feeds) NextPoll(ctx context.Context) (time.Time, bool, error) {
	paced, err := pacedDomains(ctx, s.read())
	if err != nil {
		return time.Time{}, false, failed("finding the next poll", err)
	}
	var best, last instant
	var id digest.FeedID
	for {
		var rows []queuedFeed
		err := s.read().All(ctx, &rows, `SELECT f.id, t.poll_at, t.askable_at, f.domain, f.address,
			COALESCE((SELECT h.lease_until FROM hosts h WHERE h.host = f.host), 0) AS host_until
			FROM feed_times t CROSS JOIN feeds f WHERE f.id = t.feed_id AND t.poll_at IS NOT NULL AND `+alive+`
			AND t.poll_at >= ? AND (t.poll_at > ? OR t.feed_id > ?) ORDER BY t.poll_at, t.feed_id LIMIT ?`, last, last,
			id, nextPollStep)
		if err != nil {
			return time.Time{}, false, failed("finding the next poll", err)
		}
		for _, f := range rows {
			if best != 0 && f.PollAt >= best { // later feeds in the queue cannot be earlier
				return best.Time(), true, nil
			}
			if t := max(f.PollAt, f.AskableAt, f.HostUntil, paced.freeAt(f.Domain, f.Address)); best == 0 || t < best {
				best = t
			}
			last, id = f.PollAt, f.ID
		}
		if len(rows) < nextPollStep {
			return best.Time(), best != 0, nil
		}
	}
}

// A queuedFeed holds what decides when a feed of the queue can be claimed.
type queuedFeed struct {
	ID        digest.FeedID
	PollAt    instant
	AskableAt instant
	HostUntil instant
	Domain    string
	Address   string
}
