package hourly

import (
	"context"
	"fmt"
	"sync"
	"time"
)

const (
	// longestNap bounds every wait: a command beside this process may have
	// added something due earlier.
	longestNap = time.Minute
	// shortestNap keeps a loop from spinning on what is due but not to be had
	// yet: a host that rests between two requests, a lease held elsewhere.
	shortestNap = 500 * time.Millisecond
	// pruneEvery is how often old rows are looked for.
	pruneEvery = time.Hour
)

// Tick does the hourly work once: it polls what is due, releases what is due,
// delivers it, and returns when no due digest is left. With a clock that runs,
// that takes as long as the polls are spread over, the release deadline at
// most; with a frozen one nothing is waited for, and a digest that must wait
// for a feed stays due for a later Tick.
//
// When ctx ends, what is in flight is finished and Tick returns without error.
func (j *Job) Tick(ctx context.Context) (Summary, error) {
	var total Summary
	for {
		sum, err := j.step(ctx)
		total.Add(sum)
		if err != nil || ctx.Err() != nil || j.Frozen {
			return total, err
		}
		if _, due, err := j.Store.OldestDue(j.Hard); err != nil || !due {
			return total, err
		}
		nap(ctx, j.untilNextEvent())
	}
}

// step is the hour's six steps in their order, once.
func (j *Job) step(ctx context.Context) (Summary, error) {
	var sum Summary
	if err := j.plan(); err != nil {
		return sum, err
	}
	sum, err := j.Poll(ctx)
	if err != nil || ctx.Err() != nil {
		return sum, err
	}
	if sum.Editions, err = j.release(); err != nil {
		return sum, err
	}
	stats, err := j.deliver(ctx)
	sum.Sent, sum.FailedMail = stats.Sent, stats.Failed
	if err != nil || ctx.Err() != nil {
		return sum, err
	}
	return sum, j.prune(ctx)
}

// Run works until ctx ends; then what is in flight is finished. It runs the
// same steps as Tick in three loops, so that a slow feed does not hold up the
// release of other readers' editions, nor a slow mail server the polls. An
// error ends Run only if the first attempt meets it: later the database may
// just be away for a while, so it is logged and tried again.
func (j *Job) Run(ctx context.Context) error {
	if err := j.plan(); err != nil {
		return err
	}
	queued, sealed := make(chan struct{}, 1), make(chan struct{}, 1)
	var loops sync.WaitGroup
	loops.Go(func() { j.loop(ctx, nil, j.planAndRelease(queued, sealed)) })
	loops.Go(func() { j.loop(ctx, queued, j.pollOnce) })
	loops.Go(func() { j.loop(ctx, sealed, j.deliverOnce) })
	loops.Wait()
	return nil
}

// loop repeats one part of the work: at once when woken, otherwise after the
// nap it asks for.
func (j *Job) loop(ctx context.Context, woken <-chan struct{}, work func(context.Context) (time.Duration, error)) {
	for ctx.Err() == nil {
		pause, err := work(ctx)
		if err != nil {
			j.Log.Error("the hourly job met an error and will try again", "err", err)
			pause = longestNap
		}
		select {
		case <-woken:
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

func (j *Job) planAndRelease(queued, sealed chan<- struct{}) func(context.Context) (time.Duration, error) {
	var pruned time.Time
	return func(ctx context.Context) (time.Duration, error) {
		if err := j.plan(); err != nil {
			return 0, err
		}
		wake(queued)
		if _, err := j.release(); err != nil {
			return 0, err
		}
		wake(sealed)
		if now := j.Now(); now.Sub(pruned) >= pruneEvery {
			pruned = now
			if err := j.prune(ctx); err != nil {
				return 0, err
			}
		}
		return j.untilNextRelease()
	}
}

// whileDue is how often a due digest is looked at until its feeds are in.
const whileDue = 2 * time.Second

func (j *Job) untilNextRelease() (time.Duration, error) {
	_, due, err := j.Store.OldestDue(j.Hard)
	if err != nil {
		return 0, fmt.Errorf("looking for due digests: %w", err)
	}
	if due {
		return whileDue, nil
	}
	return j.untilNextEvent(), nil
}

func (j *Job) pollOnce(ctx context.Context) (time.Duration, error) {
	if _, err := j.Poll(ctx); err != nil {
		return 0, err
	}
	return j.untilNextEvent(), nil
}

func (j *Job) deliverOnce(ctx context.Context) (time.Duration, error) {
	stats, err := j.deliver(ctx)
	if err != nil {
		return 0, err
	}
	if !stats.RouteRetryAt.IsZero() {
		return clampNap(stats.RouteRetryAt.Sub(j.Now())), nil
	}
	return j.untilNextEvent(), nil
}

// untilNextEvent is how long nothing will come due, within the bounds of a nap.
func (j *Job) untilNextEvent() time.Duration {
	next, any, err := j.Store.NextEvent(j.Hard)
	if err != nil || !any {
		return longestNap
	}
	return clampNap(next.Sub(j.Now()))
}

func clampNap(d time.Duration) time.Duration {
	return min(max(d, shortestNap), longestNap)
}

func nap(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

func wake(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
