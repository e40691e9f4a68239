package worker

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"
)

const (
	// shortestNap prevents a loop from spinning on work that is due but not available, such as a host
	// within its poll gap or a lease of another worker.
	shortestNap = 500 * time.Millisecond
	// releasePause is the minimum pause after a release. Digests that become ready during the pause are
	// released together. So the time to store polls does not grow with the time over which polls are
	// spread.
	releasePause = 2 * time.Second
	pruneEvery   = time.Hour
	// domainsEvery is the interval of looks for due DNS checks of newsletters' domains.
	domainsEvery = 10 * time.Minute
)

// Tick does the hourly work once: it polls, releases and delivers what is due. It returns when no due
// digest and no mail that waits only for its rate is left. With a running clock, that takes as long as
// polls are spread, at most the release deadline, plus the time for the mail rates. With a frozen clock
// Tick does not wait: a digest that waits for a feed, and mail beyond the rate, stay for a later Tick.
//
// When ctx ends, Tick finishes or gives back work in flight and returns nil.
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
			_, hubs := j.askHubsOnce(ctx)
			looked := j.lookAtPicturesFor(ctx, picturesATick)
			return total, cmp.Or(err, asked, hubs, looked, j.prune(ctx))
		}
		nap(ctx, wait)
	}
}

// waitForMore returns the wait of a Tick before its next step; 0 means that its work is done.
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
		untilRelease = min(untilRelease, j.until(j.Store.Feeds.NextPoll))
	}
	switch {
	case due && mail:
		return min(wait, untilRelease), nil
	case due:
		return untilRelease, nil
	}
	return wait, nil
}

// step does the six steps of the hour once. With a running clock it releases digests while other feeds are
// still being polled: when their feeds are polled, or at their deadline.
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
	if polled.Posts > 0 {
		if err := j.lookAtPicturesFor(ctx, picturesBeforeRelease); err != nil {
			return sum, err
		}
	}
	last, err := j.releaseAndDeliver(ctx)
	sum.Add(last)
	return sum, err
}

// releaseMeanwhile releases and delivers editions while polls are in flight. With a frozen clock it does
// nothing.
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

// pauseRelease waits so that ready digests collect, unless all polls are done.
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

// Run does the hourly work until ctx ends, then finishes or gives back work in flight. It runs the steps of
// Tick in separate loops. So a slow feed delays no editions of other readers and no other polls, and a slow
// mail server delays no polls. Run returns an error only from the first attempt. Later it logs errors and
// retries, since the database may be unavailable for a while.
//
// While a fence is up, Run waits and logs it.
func (j *Job) Run(ctx context.Context) error {
	if err := j.awaitRelease(ctx); err != nil || ctx.Err() != nil {
		return err
	}
	if _, err := j.plan(j.Now()); err != nil {
		return err
	}
	queued, ready, unindexed, sealed := bell(j.Pinged), make(bell, 1), make(bell, 1), make(bell, 1)
	j.unseen = make(bell, 1)
	if queued == nil {
		queued = make(bell, 1)
	}
	var loops sync.WaitGroup
	for _, l := range []struct {
		woken bell
		work  func(context.Context) (time.Duration, error)
	}{
		{nil, func(context.Context) (time.Duration, error) { return j.planOnce(queued, ready) }},
		{ready, func(context.Context) (time.Duration, error) {
			defer j.pauseRelease(ctx, nil)
			return j.releaseOnce(unindexed, sealed)
		}},
		{nil, func(ctx context.Context) (time.Duration, error) {
			_, err := j.poll(ctx, polling{avoidHotMinutes: true, endless: true, queued: queued, told: ready})
			return j.Nap, err
		}},
		{sealed, j.deliverOnce},
		{nil, func(ctx context.Context) (time.Duration, error) { return pruneEvery, j.prune(ctx) }},
		{nil, func(ctx context.Context) (time.Duration, error) { j.lookAtDomains(ctx); return domainsEvery, nil }},
		{unindexed, j.indexOnce},
		{nil, j.askOnce},
		{nil, j.askHubsOnce},
		{j.Pushed, j.storePushesOnce},
		{j.unseen, j.lookAtPicturesOnce},
	} {
		loops.Go(func() { j.loop(ctx, l.woken, l.work) })
	}
	loops.Go(func() { j.keepBeating(ctx) })
	loops.Wait()
	j.tellHour(j.Now().Add(time.Hour)) // log the current hour too
	return nil
}

// A bell wakes the loop that waits for it. Several rings before the loop wakes count as one. Ringing a nil
// bell does nothing.
type bell chan struct{}

func (b bell) ring() {
	select {
	case b <- struct{}{}:
	default:
	}
}

// loop repeats work. It waits for the returned pause, or until woken rings.
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

// planOnce plans and wakes the polling and the release loop.
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
	midnight := func(ctx context.Context) (time.Time, bool, error) { return j.Store.Feeds.NextMidnight(ctx, now) }
	return min(j.until(midnight), j.until(j.Store.Editions.NextStay)), nil
}

// releaseOnce releases and wakes the delivery loop. Before that it wakes the indexing loop, so that new
// posts can be searched as soon as their edition appears.
func (j *Job) releaseOnce(unindexed, sealed bell) (time.Duration, error) {
	unindexed.ring()
	j.retire()
	editions, err := j.release()
	if editions > 0 {
		sealed.ring()
	}
	if err != nil {
		return 0, err
	}
	_, wait, err := j.untilRelease()
	return wait, err
}

// untilRelease reports whether a digest is due, and the wait until the release loop must look again: until
// its deadline, at most a nap. The process that stores the last feed of a digest wakes its own release
// loop. If it is killed before the release, the other processes find the digest when they look.
func (j *Job) untilRelease() (due bool, wait time.Duration, err error) {
	planned, due, err := j.Store.Feeds.OldestPlan(j.Hard, j.Now())
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

// until returns the wait until an event, at least shortestNap and at most a nap.
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
