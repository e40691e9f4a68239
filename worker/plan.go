package worker

import (
	"fmt"
	"time"

	"digest"
	"digest/poller"
)

// plan queues the feeds of digests that have become due and returns their number. Each digest is planned
// once. Before that, plan begins and ends trips, and ends pauses of digests and subscriptions.
func (j *Job) plan(now time.Time) (digests int, err error) {
	if err := j.Store.Feeds.NotePollGap(j.Hard, now, j.Spread.Gap); err != nil {
		return 0, err
	}
	moved, err := j.Store.Editions.BeginStays(j.Hard, now)
	if err != nil {
		return 0, fmt.Errorf("beginning and ending stays: %w", err)
	}
	if moved > 0 {
		j.Log.Info("trips began or ended", "readers", moved)
	}
	resumed, err := j.Store.Editions.EndPauses(j.Hard, now)
	if err != nil {
		return 0, fmt.Errorf("ending pauses: %w", err)
	}
	if resumed > 0 {
		j.Log.Info("pauses ended", "digests", resumed)
	}
	if resumed, err = j.Store.Editions.EndSubscriptionPauses(j.Hard, now); err != nil {
		return 0, fmt.Errorf("ending pauses of subscriptions: %w", err)
	}
	if resumed > 0 {
		j.Log.Info("pauses ended", "subscriptions", resumed)
	}
	planned, err := j.Store.Feeds.Plan(j.Hard, now, func(f digest.Feed, due time.Time) (time.Time, bool) {
		return poller.MidnightPoll(f, due, now, j.Spread)
	})
	if err != nil {
		return 0, fmt.Errorf("choosing the feeds of due digests: %w", err)
	}
	if planned.Digests > 0 {
		j.Log.Info("scheduled polls", "digests", planned.Digests, "feeds", planned.Feeds)
		j.report(Event{Kind: EventPlanned, Digests: planned.Digests, Feeds: planned.Feeds})
	}
	return planned.Digests, nil
}
