package hourly

import (
	"context"
	"fmt"
	"time"

	"digest"
	"digest/poller"
)

// plan queues the feeds of the digests that have come due, each digest once,
// and says how many digests that were. Before that
// readers whose stay begins or ends move, and those whose pause is over come back.
func (j *Job) plan() (digests int, err error) {
	now := j.Now()
	if err := j.Store.NotePollGap(j.Hard, now, j.Spread.Gap); err != nil {
		return 0, err
	}
	moved, err := j.Store.BeginStays(j.Hard, now)
	if err != nil {
		return 0, fmt.Errorf("beginning and ending stays: %w", err)
	}
	if moved > 0 {
		j.Log.Info("stays have begun or ended", "readers", moved)
	}
	resumed, err := j.Store.EndPauses(j.Hard, now)
	if err != nil {
		return 0, fmt.Errorf("ending pauses: %w", err)
	}
	if resumed > 0 {
		j.Log.Info("pauses are over", "digests", resumed)
	}
	planned, err := j.Store.Plan(j.Hard, now, func(f digest.Feed, due time.Time) (time.Time, bool) {
		return poller.MidnightPoll(f, due, now, j.Spread)
	})
	if err != nil {
		return 0, fmt.Errorf("choosing the feeds of due digests: %w", err)
	}
	if planned.Digests > 0 {
		j.Log.Info("planned", "digests", planned.Digests, "feeds", planned.Feeds)
		j.report(Event{Kind: EventPlanned, Digests: planned.Digests, Feeds: planned.Feeds})
	}
	return planned.Digests, nil
}

// release seals the editions of due digests that wait for no feed any more.
func (j *Job) release() (editions int, err error) {
	editions, err = j.Store.Release(j.Hard, j.Now(), j.Spread.Deadline)
	if err != nil {
		return 0, fmt.Errorf("releasing editions: %w", err)
	}
	if editions > 0 {
		j.Log.Info("released", "editions", editions)
		j.report(Event{Kind: EventReleased, Digests: editions})
	}
	return editions, nil
}

// pruneBatch is how many rows go in one transaction.
const pruneBatch = 1000

// prune deletes what is older than Keep, in small batches, and old polls from
// the histories of feeds.
func (j *Job) prune(ctx context.Context) error {
	if _, err := j.Store.PrunePolls(j.Hard, j.Now()); err != nil {
		return fmt.Errorf("shortening the histories of feeds: %w", err)
	}
	if j.Keep <= 0 {
		return nil
	}
	for ctx.Err() == nil {
		n, err := j.Store.Prune(j.Hard, j.Now(), j.Keep, pruneBatch)
		if err != nil {
			return fmt.Errorf("deleting what is older than %v: %w", j.Keep, err)
		}
		if n == 0 {
			break
		}
		j.Log.Debug("pruned", "rows", n)
	}
	return nil
}
