package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"digest"
	"digest/calendar"
)

// A prune that would delete more than half of the editions or posts waits until an operator confirms it. Counting
// takes long in a large database. So the store keeps the instant before which everything may be deleted, and does
// not count while that instant advances hour by hour.

const (
	// prunableKey is the key of settings for the instant before which everything may be deleted.
	prunableKey = "prune before"
	// pruneWaitsKey is the key of settings for the count of a prune that waits.
	pruneWaitsKey = "prune waits"
	// pruneStep is how far that instant may advance without a count: two days, because some instances tick once a
	// day.
	pruneStep = 2 * 24 * time.Hour
)

// AdmitPrune returns the instant before which Prune may delete everything. That is keep before now, unless it would
// delete too much. In that case AdmitPrune returns the last admitted instant, or 1970, and waits counts what would
// be deleted. PruneWaits returns that count until a prune is admitted.
func (s Operator) AdmitPrune(ctx context.Context, now time.Time, keep time.Duration) (
	before time.Time, waits *digest.Prune, err error,
) {
	wanted := at(now).Plus(-keep)
	counted, err := s.countUnlessAdmitted(ctx, s.read(), now, wanted)
	if err != nil {
		return before, nil, failed("counting what would be deleted", err)
	}
	err = s.change(ctx, "admitting a prune", func(c conn) error {
		admitted, err := readPrunable(ctx, c)
		if err != nil {
			return err
		}
		if counted != nil && counted.IsLarge() && wanted > admitted.Plus(pruneStep) {
			before, waits = time.Unix(int64(admitted), 0), counted
			value, err := json.Marshal(counted)
			if err != nil {
				return fmt.Errorf("writing what would be deleted: %w", err)
			}
			return c.setSetting(ctx, pruneWaitsKey, value)
		}
		before, waits = wanted.Time(), nil
		return admitPrune(ctx, c, max(wanted, admitted))
	})
	return before, waits, err
}

// countUnlessAdmitted counts what a prune would delete, or returns nil if the prune needs no count. It reuses a
// count of the last two days.
func (s *database) countUnlessAdmitted(ctx context.Context, c conn, now time.Time, wanted instant) (*digest.Prune,
	error) {
	admitted, err := readPrunable(ctx, c)
	if err != nil || wanted <= admitted.Plus(pruneStep) {
		return nil, err
	}
	last, err := readPruneWaits(ctx, c)
	if err != nil {
		return nil, err
	}
	if last != nil && at(last.Before) <= wanted && wanted <= at(last.Before).Plus(pruneStep) {
		return last, nil
	}
	counted, err := s.countPrune(ctx, c, now, wanted)
	return &counted, err
}

// ConfirmPrune allows prunes to delete everything older than an instant.
func (s Operator) ConfirmPrune(ctx context.Context, before time.Time) error {
	return s.change(ctx, "confirming a prune", func(c conn) error { return admitPrune(ctx, c, at(before)) })
}

// PruneWaits returns the count of the prune that waits for an operator, or nil.
func (s Operator) PruneWaits(ctx context.Context) (*digest.Prune, error) {
	waits, err := readPruneWaits(ctx, s.read())
	return waits, failed("looking for a prune that waits", err)
}

// WouldWait returns the count of a prune that AdmitPrune would not admit, or nil if it would. It changes nothing.
func (s Operator) WouldWait(ctx context.Context, now time.Time, keep time.Duration) (*digest.Prune, error) {
	last, err := readPruneTime(ctx, s.read())
	if err != nil {
		return nil, failed("reading the time of the last prune", err)
	}
	now = calendar.PruneTime(now, last)
	counted, err := s.countUnlessAdmitted(ctx, s.read(), now, at(now).Plus(-keep))
	if err != nil || counted == nil || !counted.IsLarge() {
		return nil, failed("counting what would be deleted", err)
	}
	return counted, nil
}

// CountPrune counts what a prune at now would delete. It changes nothing.
func (s Operator) CountPrune(ctx context.Context, now time.Time, keep time.Duration) (p digest.Prune, err error) {
	err = s.atOneInstant(ctx, "counting what would be deleted", func(s *Store) error {
		last, err := readPruneTime(ctx, s.read())
		if err != nil {
			return err
		}
		now := calendar.PruneTime(now, last)
		p, err = s.countPrune(ctx, s.read(), now, at(now).Plus(-keep))
		return err
	})
	return p, err
}

func (s *database) countPrune(ctx context.Context, c conn, now time.Time, before instant) (digest.Prune, error) {
	var editions, posts digest.Prune
	err := c.Get(ctx, &editions, `SELECT count(*) AS all_editions, COALESCE(SUM(CASE
			WHEN e.due_at < ? AND e.state IN ('sent', 'sent_unconfirmed', 'failed', 'expired', 'unmailed')
				AND NOT `+awaited+` THEN 1 ELSE 0 END), 0) AS editions FROM editions e`, before)
	if err != nil {
		return digest.Prune{}, err
	}
	old, err := s.oldestNeeded(ctx)
	if err != nil {
		return digest.Prune{}, err
	}
	if old == 0 || old > before {
		old = before
	}
	shown := unshown(now, old)
	err = c.Get(ctx, &posts, `SELECT count(*) AS all_posts, COALESCE(SUM(CASE WHEN p.seen_at < ? AND `+isFree+`
			OR p.feed_id IN (SELECT f.id FROM `+timedFeeds+` WHERE `+isDeserted+`) THEN 1 ELSE 0 END), 0) AS posts
		FROM posts p JOIN feeds f ON f.id = p.feed_id`, old, listedSeconds, shown, old, old, old, shown)
	editions.Before, editions.Posts, editions.AllPosts = before.Time(), posts.Posts, posts.AllPosts
	return editions, err
}

func readPrunable(ctx context.Context, c conn) (before instant, err error) {
	value, err := c.setting(ctx, prunableKey)
	if err == nil && value != nil {
		err = json.Unmarshal(value, &before)
	}
	return before, err
}

func readPruneWaits(ctx context.Context, c conn) (waits *digest.Prune, err error) {
	value, err := c.setting(ctx, pruneWaitsKey)
	if err == nil && value != nil {
		err = json.Unmarshal(value, &waits)
	}
	return waits, err
}

// admitPrune allows prunes to delete everything older than an instant, and removes the count of the prune that
// waited.
func admitPrune(ctx context.Context, c conn, before instant) error {
	value, err := json.Marshal(before)
	if err != nil {
		return fmt.Errorf("writing what may be deleted: %w", err)
	}
	if err := c.setSetting(ctx, prunableKey, value); err != nil {
		return err
	}
	return c.Run(ctx, `DELETE FROM settings WHERE key = ?`, pruneWaitsKey)
}
