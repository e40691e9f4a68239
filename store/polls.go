package store

import (
	"context"
	"fmt"
	"time"

	"digest"
)

const (
	// keepPolls is how long the history of a feed is kept.
	keepPolls = 90 * 24 * time.Hour
	// keepRobots is how long an origin's robots.txt is remembered that is asked
	// no more; where feeds are polled it is asked again much sooner.
	keepRobots = 90 * 24 * time.Hour
	// prunedFeeds is of how many feeds the history is shortened in one transaction.
	prunedFeeds = 500
)

// Polls gives the polls of a feed since an instant, oldest first.
func (s *Store) Polls(ctx context.Context, id digest.FeedID, since time.Time) ([]PollRecord, error) {
	var rows []struct {
		At       instant `db:"at"`
		Outcome  string  `db:"outcome"`
		Status   int     `db:"status"`
		Requests int     `db:"requests"`
		Bytes    int64   `db:"bytes"`
		Millis   int64   `db:"millis"`
		Note     string  `db:"note"`
	}
	err := s.read().all(ctx, &rows, `SELECT at, outcome, status, requests, bytes, millis, note FROM polls
		WHERE feed_id = ? AND at >= ? ORDER BY at`, id, from(since))
	if err != nil {
		return nil, fmt.Errorf("reading the history of a feed: %w", err)
	}
	polls := make([]PollRecord, len(rows))
	for i, r := range rows {
		polls[i] = PollRecord{
			At: r.At.time(), Outcome: r.Outcome, Status: r.Status, Requests: r.Requests,
			Bytes: r.Bytes, Took: time.Duration(r.Millis) * time.Millisecond, Note: r.Note,
		}
	}
	return polls, nil
}

// PrunePolls deletes what is older than 90 days from the histories of all
// feeds, a few feeds to a transaction, and says how many polls that were. They
// stay counted.
func (s *Store) PrunePolls(ctx context.Context, now time.Time) (int, error) {
	old, n, last := at(now).plus(-keepPolls), 0, digest.FeedID(0)
	for {
		// The key begins with the feed: this way each is looked at once, and
		// nothing is locked where nothing is old.
		var ids []digest.FeedID
		err := s.read().all(ctx, &ids, `SELECT f.id FROM feeds f WHERE f.id > ?
			AND EXISTS (SELECT 1 FROM polls p WHERE p.feed_id = f.id AND p.at < ?) ORDER BY f.id LIMIT ?`, last, old, prunedFeeds)
		if err != nil {
			return n, fmt.Errorf("looking for old polls: %w", err)
		}
		if len(ids) == 0 {
			if err := s.foldTallies(ctx, now); err != nil {
				return n, err
			}
			return n, s.pruneRobots(ctx, now)
		}
		last = ids[len(ids)-1]
		err = s.write(ctx, func(c conn) error {
			deleted, err := c.exec(ctx, `DELETE FROM polls WHERE feed_id IN (`+list(ids)+`) AND at < ?`, old)
			n += deleted
			return err
		})
		if err != nil {
			return n, fmt.Errorf("deleting old polls: %w", err)
		}
	}
}

func (s *Store) pruneRobots(ctx context.Context, now time.Time) error {
	err := s.write(ctx, func(c conn) error {
		_, err := c.exec(ctx, `DELETE FROM robots WHERE fetched_at < ?`, at(now).plus(-keepRobots))
		return err
	})
	if err != nil {
		return fmt.Errorf("forgetting robots.txt of sites that are asked no more: %w", err)
	}
	return nil
}
