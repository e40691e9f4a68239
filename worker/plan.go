package worker

import (
	"context"
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
	for _, step := range []struct {
		do                func(context.Context, time.Time) (int, error)
		doing, done, what string
	}{
		{j.Store.Editions.BeginStays, "beginning and ending stays", "trips began or ended", "readers"},
		{j.Store.Editions.EndPauses, "ending pauses", "pauses ended", "digests"},
		{j.Store.Editions.EndSubscriptionPauses, "ending pauses of subscriptions", "pauses ended", "subscriptions"},
	} {
		n, err := step.do(j.Hard, now)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", step.doing, err)
		}
		if n > 0 {
			j.Log.Info(step.done, step.what, n)
		}
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
