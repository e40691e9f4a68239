package hourly

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"sync"
	"time"
)

const (
	// shortestNap keeps a loop from spinning on what is due but not to be had
	// yet: a host that must be left alone for a moment, a lease held elsewhere.
	shortestNap = 500 * time.Millisecond
	// pruneEvery is how often old rows are looked for.
	pruneEvery = time.Hour
)

// Tick does the hourly work once: it polls what is due, releases what is due,
// delivers it, and returns when no due digest is left, nor mail that only waits
// for its rate. With a clock that runs, that takes as long as the polls are
// spread over, the release deadline at most, and as the rates want; with a
// frozen one nothing is waited for, and a digest that must wait for a feed, or
// mail beyond the rate, stays for a later Tick.
//
// When ctx ends, what is in flight is finished and Tick returns without error.
func (j *Job) Tick(ctx context.Context) (Summary, error) {
	var total Summary
	for {
		if err := j.check(ctx); err != nil {
			return total, err
		}
		sum, err := j.step(ctx)
		total.Add(sum)
		if err != nil || ctx.Err() != nil {
			return total, err
		}
		wait, err := j.waitForMore(sum)
		if err != nil || wait == 0 || j.Frozen {
			j.index(ctx, math.MaxInt)
			return total, cmp.Or(err, j.prune(ctx))
		}
		nap(ctx, wait)
	}
}

// waitForMore is how long a Tick waits before its next step; 0: its work is done.
func (j *Job) waitForMore(last Summary) (time.Duration, error) {
	_, due, err := j.Store.OldestDue(j.Hard, j.Now())
	if err != nil {
		return 0, fmt.Errorf("looking for due digests: %w", err)
	}
	wait, mail, err := j.mailSoon(last)
	switch {
	case err != nil:
		return 0, err
	case due && mail:
		return min(wait, j.until(j.Store.NextPoll), whileDue), nil
	case due:
		return min(j.until(j.Store.NextPoll), whileDue), nil
	case mail:
		return wait, nil
	}
	return 0, nil
}

// step is the hour's six steps in their order, once.
func (j *Job) step(ctx context.Context) (Summary, error) {
	var sum Summary
	if _, err := j.plan(); err != nil {
		return sum, err
	}
	sum, err := j.poll(ctx, true)
	if err != nil || ctx.Err() != nil {
		return sum, err
	}
	if err := j.retire(); err != nil {
		return sum, err
	}
	j.index(ctx, freshBatches)
	if sum.Editions, err = j.release(); err != nil {
		return sum, err
	}
	stats, err := j.deliver(ctx)
	sum.Sent, sum.FailedMail, sum.MailWaits = stats.Sent, stats.Failed, stats.RouteTrouble
	return sum, err
}

// Run works until ctx ends; then what is in flight is finished. It runs the
// same steps as Tick in loops of their own, so that a slow feed does not hold up
// the release of other readers' editions, nor a slow mail server the polls. An
// error ends Run only if the first attempt meets it: later the database may
// just be away for a while, so it is logged and tried again.
//
// While there is a fence, Run waits, and says so.
func (j *Job) Run(ctx context.Context) error {
	if err := j.awaitRelease(ctx); err != nil || ctx.Err() != nil {
		return err
	}
	if _, err := j.plan(); err != nil {
		return err
	}
	queued, polled, sealed := make(bell, 1), make(bell, 1), make(bell, 1)
	var loops sync.WaitGroup
	loops.Go(func() {
		j.loop(ctx, polled, func(context.Context) (time.Duration, error) { return j.planAndRelease(queued, sealed) })
	})
	loops.Go(func() { j.loop(ctx, queued, j.pollAndTell(polled)) })
	loops.Go(func() { j.loop(ctx, sealed, j.deliverOnce) })
	loops.Go(func() {
		j.loop(ctx, nil, func(ctx context.Context) (time.Duration, error) { return pruneEvery, j.prune(ctx) })
	})
	loops.Go(func() { j.loop(ctx, nil, j.indexOnce) })
	loops.Go(func() { j.keepBeating(ctx) })
	loops.Wait()
	return nil
}

// A bell wakes the loop that waits for it; ringing twice is ringing once.
type bell chan struct{}

func (b bell) ring() {
	select {
	case b <- struct{}{}:
	default:
	}
}

// loop repeats one part of the work: at once when woken, otherwise after the
// nap it asks for.
func (j *Job) loop(ctx context.Context, woken bell, work func(context.Context) (time.Duration, error)) {
	for ctx.Err() == nil {
		if j.fenced.Load() {
			nap(ctx, j.Nap)
			continue
		}
		pause, err := work(ctx)
		if err != nil {
			j.Log.Error("the hourly job met an error and will try again", "err", err)
			pause = j.Nap
		}
		select {
		case <-woken:
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

func (j *Job) planAndRelease(queued, sealed bell) (time.Duration, error) {
	planned, err := j.plan()
	if err != nil {
		return 0, err
	}
	if planned > 0 {
		queued.ring()
	}
	if err := j.retire(); err != nil {
		return 0, err
	}
	j.index(j.Hard, freshBatches)
	editions, err := j.release()
	if err != nil {
		return 0, err
	}
	if editions > 0 {
		sealed.ring()
	}
	_, due, err := j.Store.OldestDue(j.Hard, j.Now())
	if err != nil {
		return 0, fmt.Errorf("looking for due digests: %w", err)
	}
	if due {
		return whileDue, nil
	}
	return min(j.until(j.Store.NextMidnight), j.until(j.Store.NextStay)), nil
}

// whileDue is how often a due digest is looked at whose feeds other processes
// may be polling; this one's polls ring the bell.
const whileDue = 10 * time.Second

func (j *Job) pollAndTell(polled bell) func(context.Context) (time.Duration, error) {
	return func(ctx context.Context) (time.Duration, error) {
		sum, err := j.poll(ctx, true)
		if err != nil {
			return 0, err
		}
		if sum.Polled > 0 {
			polled.ring()
		}
		return j.until(j.Store.NextPoll), nil
	}
}

func (j *Job) deliverOnce(ctx context.Context) (time.Duration, error) {
	stats, err := j.deliver(ctx)
	if err != nil {
		return 0, err
	}
	if !stats.RouteRetryAt.IsZero() {
		return j.clampNap(stats.RouteRetryAt.Sub(j.Now())), nil
	}
	return j.untilMail(), nil
}

// until is how long it is until the next of one loop's events, within the
// bounds of a nap.
func (j *Job) until(find func(context.Context) (time.Time, bool, error)) time.Duration {
	next, any, err := find(j.Hard)
	if err != nil || !any {
		return j.Nap
	}
	return j.clampNap(next.Sub(j.Now()))
}

func (j *Job) clampNap(d time.Duration) time.Duration {
	return min(max(d, shortestNap), j.Nap)
}

func nap(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
