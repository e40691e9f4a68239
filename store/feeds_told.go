package store

import (
	"context"

	"digest"
)

// toldSubscribers is subscribers, for the User-Agent of a poll: see countSubscribers. Of a feed
// with more than a thousand, those whose digests rest are counted too: to look at the digests of
// each takes longer than to poll it.
const toldSubscribers = `COALESCE(NULLIF((SELECT count(*) FROM (SELECT 1 FROM subscriptions s WHERE s.feed_id = f.id AND s.paused = 0
		AND (SELECT ` + gathers + ` FROM digests d WHERE d.id = s.digest_id) LIMIT 1001) x), 1001),
	(SELECT count(*) FROM subscriptions s WHERE s.feed_id = f.id AND s.paused = 0))`

const (
	// fewReaders are counted with each claim.
	fewReaders = 16
	// recountAfter is how old the count of more readers may be, in seconds.
	recountAfter = 24 * 60 * 60
)

// countSubscribers counts the readers of feeds. What was counted last is told for a day where
// they are more than a few, unless it is of a time that has not come. Nobody who comes
// or leaves writes it, so that no way of coming or leaving can forget to.
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
	if err := q.c.all(ctx, &rows, `SELECT f.id, `+toldSubscribers+` AS subscribers FROM feeds f WHERE f.id`+q.c.d.oneOf,
		keys(q.c.d, old)); err != nil {
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
