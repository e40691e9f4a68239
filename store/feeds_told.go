package store

import (
	"context"

	"digest"
)

// toldSubscribers is subscribers for the User-Agent of a poll: see countSubscribers. For a feed with more than a
// thousand subscribers it also counts paused digests, because reading each digest takes longer than the poll.
const toldSubscribers = `COALESCE(NULLIF((SELECT count(*) FROM (SELECT 1 FROM subscriptions s
	WHERE s.feed_id = f.id AND s.paused = 0
		AND (SELECT ` + gathers + ` FROM digests d WHERE d.id = s.digest_id) LIMIT 1001) x), 1001),
	(SELECT count(*) FROM subscriptions s WHERE s.feed_id = f.id AND s.paused = 0))`

const (
	// fewReaders is the largest count that is repeated at each claim.
	fewReaders = 16
	// recountAfter is the maximum age of a larger count, in seconds.
	recountAfter = 24 * 60 * 60
)

// countSubscribers counts the readers of feeds. Counts above fewReaders are used again for a day, unless they are from
// the future. Subscribing and unsubscribing do not update the count, so no code path can forget to.
func (q *claiming) countSubscribers(ctx context.Context, won []askRow) error {
	var old []digest.FeedID
	for _, f := range won {
		if f.Subscribers <= fewReaders || f.CountedAt > q.now || f.CountedAt <= q.now-recountAfter {
			old = append(old, f.ID)
		}
	}
	if len(old) == 0 {
		return nil
	}
	var rows []struct {
		ID          digest.FeedID
		Subscribers int
	}
	if err := q.c.All(ctx, &rows, `SELECT f.id, `+toldSubscribers+` AS subscribers FROM feeds f WHERE f.id`+q.c.d.OneOf,
		old); err != nil {
		return err
	}
	counted := make(map[digest.FeedID]int, len(rows))
	for _, r := range rows {
		counted[r.ID] = r.Subscribers
	}
	for i, f := range won {
		if n, ok := counted[f.ID]; ok {
			won[i].Subscribers, won[i].CountedAt = n, q.now
		}
	}
	return nil
}
