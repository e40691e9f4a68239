package hourly

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"
)

const (
	// shortestNap keeps a loop from spinning on what is due but not to be had
	// yet: a host that must be left alone for a moment, a lease held elsewhere.
	shortestNap = 500 * time.Millisecond
	// releasePause is how long Release is let alone at least once it has been
	// called: what is told meanwhile is released together, so that what storing
	// waits for it does not grow with the time over which polls are spread.
	releasePause = 2 * time.Second
	// pruneEvery is how often old rows are looked for.
	pruneEvery = time.Hour
	// domainsEvery is how often it is seen whether records of newsletters' domains are to be looked for.
	domainsEvery = 10 * time.Minute
)

// Tick does the hourly work once: it polls what is due, releases what is due,
// delivers it, and returns when no due digest is left, nor mail that only waits
// for its rate. With a clock that runs, that takes as long as the polls are
// spread over, the release deadline at most, and as the rates want; with a
// frozen one nothing is waited for, and a digest that must wait for a feed, or
// mail beyond the rate, stays for a later Tick.
//
// When ctx ends, what is in flight is finished or given back, and Tick returns
// without error.
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
			j.index(ctx)
			j.lookAtDomains(ctx)
			_, asked := j.askOnce(ctx)
			_, called := j.hubOnce(ctx)
			_, hubs := j.askHubsOnce(ctx)
			_, clouds := j.askCloudsOnce(ctx)
			return total, cmp.Or(err, asked, called, hubs, clouds, j.prune(ctx))
		}
		nap(ctx, wait)
	}
}

// waitForMore is how long a Tick waits before its next step; 0: its work is done.
func (j *Job) waitForMore(last Summary) (time.Duration, error) {
	due, untilRelease, err := j.untilRelease()
	if err != nil {
		return 0, err
	}
	wait, mail, err := j.mailSoon(last)
	if err != nil || !due && !mail {
		return 0, err
	}
	if due {
		untilRelease = min(untilRelease, j.until(j.Store.NextPoll))
	}
	switch {
	case due && mail:
		return min(wait, untilRelease), nil
	case due:
		return untilRelease, nil
	}
	return wait, nil
}

// step is the hour's six steps in their order, once. With a clock that runs,
// digests whose feeds are in, or whose deadline comes, are released while other
// feeds are still being polled.
func (j *Job) step(ctx context.Context) (Summary, error) {
	if _, err := j.storePushesOnce(ctx); err != nil {
		return Summary{}, err
	}
	if _, err := j.plan(j.Now()); err != nil {
		return Summary{}, err
	}
	told := make(bell, 1)
	var polled Summary
	var failed error
	over := make(chan struct{})
	go func() {
		defer close(over)
		polled, failed = j.poll(ctx, polling{avoidHotMinutes: true, told: told})
	}()
	sum, err := j.releaseMeanwhile(ctx, told, over)
	<-over
	sum.Add(polled)
	if err = cmp.Or(failed, err); err != nil || ctx.Err() != nil {
		return sum, err
	}
	last, err := j.releaseAndDeliver(ctx)
	sum.Add(last)
	return sum, err
}

// releaseMeanwhile releases and delivers what can be while polls go on. A
// clock that stands still brings nothing meanwhile.
func (j *Job) releaseMeanwhile(ctx context.Context, told bell, over <-chan struct{}) (sum Summary, err error) {
	for err == nil && !j.Frozen {
		var wait time.Duration
		if _, wait, err = j.untilRelease(); err != nil {
			break
		}
		select {
		case <-over:
			return sum, nil
		case <-ctx.Done():
			return sum, nil
		case <-told:
			j.pauseRelease(ctx, over)
		case <-time.After(wait):
		}
		var more Summary
		more, err = j.releaseAndDeliver(ctx)
		sum.Add(more)
	}
	return sum, err
}

// pauseRelease lets what is told gather, unless nothing more will come.
func (j *Job) pauseRelease(ctx context.Context, over <-chan struct{}) {
	select {
	case <-over:
	case <-ctx.Done():
	case <-time.After(releasePause):
	}
}

func (j *Job) releaseAndDeliver(ctx context.Context) (sum Summary, err error) {
	j.retire()
	if err := j.holdTroubled(); err != nil {
		return sum, err
	}
	if err := j.tellPublishers(); err != nil {
		return sum, err
	}
	if sum.Editions, err = j.release(); err != nil {
		return sum, err
	}
	stats, err := j.deliver(ctx)
	sum.Sent, sum.FailedMail, sum.UnconfirmedMail, sum.MailWaits = stats.Sent, stats.Failed+stats.Unconfirmed,
		stats.Unconfirmed, stats.RouteTrouble
	return sum, err
}

// Run works until ctx ends; then what is in flight is finished or given back. It
// runs the same steps as Tick in loops of their own, so that nothing slow holds
// up anything else: no feed the release of other readers' editions or the polls
// of other feeds, no mail server the polls. An error ends Run only if the first
// attempt meets it: later the database may just be away for a while, so it is
// logged and tried again.
//
// While there is a fence, Run waits, and says so.
func (j *Job) Run(ctx context.Context) error {
	if err := j.awaitRelease(ctx); err != nil || ctx.Err() != nil {
		return err
	}
	if _, err := j.plan(j.Now()); err != nil {
		return err
	}
	queued, ready, unindexed, sealed := bell(j.Pinged), make(bell, 1), make(bell, 1), make(bell, 1)
	if queued == nil {
		queued = make(bell, 1)
	}
	var loops sync.WaitGroup
	loops.Go(func() {
		j.loop(ctx, nil, func(context.Context) (time.Duration, error) { return j.planOnce(queued, ready) })
	})
	loops.Go(func() {
		j.loop(ctx, ready, func(context.Context) (time.Duration, error) {
			defer j.pauseRelease(ctx, nil)
			return j.releaseOnce(unindexed, sealed)
		})
	})
	loops.Go(func() {
		j.loop(ctx, nil, func(ctx context.Context) (time.Duration, error) {
			_, err := j.poll(ctx, polling{avoidHotMinutes: true, endless: true, queued: queued, told: ready})
			return j.Nap, err
		})
	})
	loops.Go(func() { j.loop(ctx, sealed, j.deliverOnce) })
	loops.Go(func() {
		j.loop(ctx, nil, func(ctx context.Context) (time.Duration, error) { return pruneEvery, j.prune(ctx) })
	})
	loops.Go(func() {
		j.loop(ctx, nil, func(ctx context.Context) (time.Duration, error) {
			j.lookAtDomains(ctx)
			return domainsEvery,
				nil
		})
	})
	loops.Go(func() { j.loop(ctx, unindexed, j.indexOnce) })
	loops.Go(func() { j.loop(ctx, nil, j.askOnce) })
	loops.Go(func() { j.loop(ctx, j.HubBell, j.hubOnce) })
	loops.Go(func() { j.loop(ctx, nil, j.askHubsOnce) })
	loops.Go(func() { j.loop(ctx, nil, j.askCloudsOnce) })
	loops.Go(func() { j.loop(ctx, j.Pushed, j.storePushesOnce) })
	loops.Go(func() { j.keepBeating(ctx) })
	loops.Wait()
	j.tellHour(j.Now().Add(time.Hour)) // what this one brought so far
	return nil
}

// A bell wakes the loop that waits for it; ringing twice is ringing once. Nobody
// waits for a nil bell; ringing it does nothing.
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
			j.logError(err)
			pause = j.Nap
		}
		select {
		case <-woken:
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

func (j *Job) logError(err error) {
	j.noteAway(err)
	j.Log.Error("the hourly job failed; trying again", "err", err)
}

// planOnce plans, and wakes who polls and who releases.
func (j *Job) planOnce(queued, ready bell) (time.Duration, error) {
	now := j.Now()
	planned, err := j.plan(now)
	if err != nil {
		return 0, err
	}
	if planned > 0 {
		queued.ring()
		ready.ring()
	}
	midnight := func(ctx context.Context) (time.Time, bool, error) { return j.Store.NextMidnight(ctx, now) }
	return min(j.until(midnight), j.until(j.Store.NextStay)), nil
}

// releaseOnce releases, and wakes who delivers. It wakes who indexes first: what has
// just been stored may be searched for as soon as its edition is there.
func (j *Job) releaseOnce(unindexed, sealed bell) (time.Duration, error) {
	unindexed.ring()
	j.retire()
	editions, err := j.release()
	if editions > 0 {
		sealed.ring()
		bell(j.HubBell).ring()
	}
	if err != nil {
		return 0, err
	}
	_, wait, err := j.untilRelease()
	return wait, err
}

// untilRelease reports whether a digest is due, and how long it is until it is
// to be looked at again if nobody is told that its feeds are in: its deadline
// ends that to the instant. Who stores its last feed is told, this process or
// another; one that was killed before it could release leaves it to the others.
func (j *Job) untilRelease() (due bool, wait time.Duration, err error) {
	planned, due, err := j.Store.OldestPlan(j.Hard, j.Now())
	switch {
	case err != nil:
		return false, 0, fmt.Errorf("looking for due digests: %w", err)
	case !due:
		return false, j.Nap, nil
	}
	return true, j.clampNap(planned.Add(j.Spread.Deadline).Sub(j.Now())), nil
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
