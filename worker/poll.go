package worker

import (
	"context"
	"crypto/rand"
	"fmt"
	mathrand "math/rand/v2"
	"sync"
	"time"

	"digest"
	"digest/internal/catalogue"
	"digest/poller"
	"digest/store"
)

const (
	commitPolls = 200
	// commitBytes is the size at which a commit starts. Storing takes twice the memory of the results.
	commitBytes = 8 << 20
	// commitPause is how long the polls of an endless round collect for a commit.
	commitPause = time.Second
	// patience limits the retries while the database is unavailable. It is the time in which poll results
	// can still be stored under their leases.
	patience = 10 * time.Minute
	tries    = 4
)

// Poll polls every due feed in parallel until no claimable feed is left. When ctx ends, it stops claiming
// and finishes the polls in flight within the Grace. Commands that have just queued feeds use it. Since a
// person waits, Poll also polls in the hot minutes.
func (j *Job) Poll(ctx context.Context) (Summary, error) { return j.poll(ctx, polling{}) }

// polling holds the options of a round.
type polling struct {
	avoidHotMinutes bool // claim nothing in the hot minutes
	endless         bool // run until ctx ends and log errors; false: stop when no feed is left
	queued          bell // rung when feeds are queued; may be nil
	told            bell // rings when a digest's last feed may be stored; may be nil
}

func (j *Job) poll(ctx context.Context, how polling) (Summary, error) {
	soft, stop := context.WithCancel(ctx)
	defer stop()
	until, cut := j.graceAfter(ctx)
	defer cut()
	r := &round{
		polling: how, job: j, begin: ctx, until: until, stop: stop,
		next: make(chan claimed), done: make(chan polled, commitPolls), changed: make(bell, 1),
	}
	r.places.free = r.changed.ring
	var recording sync.WaitGroup
	recording.Go(r.recordAll)
	r.claimAll(soft)
	close(r.next)
	r.polls.Wait()
	close(r.done)
	recording.Wait()
	if err := context.Cause(j.Hard); err != nil {
		return r.sum, err
	}
	return r.sum, r.err
}

// defaultGrace leaves time to store results. Service managers kill a program soon after they stop it.
const defaultGrace = 8 * time.Second

// graceAfter returns a context that ends one Grace after ctx, or with Hard.
func (j *Job) graceAfter(ctx context.Context) (context.Context, context.CancelFunc) {
	until, cut := context.WithCancel(j.Hard)
	stop := context.AfterFunc(ctx, func() {
		t := time.AfterFunc(j.Grace, cut)
		context.AfterFunc(until, func() { t.Stop() })
	})
	return until, func() { stop(); cut() }
}

// A polled is the result of a poll on its way to the store. free releases its memory.
type polled struct {
	store.Polled
	bytes int64
	free  func()
}

// A claimed is a feed with its place in the queue of polls.
type claimed struct {
	store.ClaimedFeed
	place *place
}

// A round polls the queue of feeds until it is empty, or endlessly.
type round struct {
	polling
	job   *Job
	begin context.Context // until it ends, polls may send their first request
	until context.Context // until it ends, polls may continue
	stop  context.CancelFunc
	polls sync.WaitGroup
	next  chan claimed // to a goroutine that has just finished a poll
	done  chan polled

	places   places // of polls in flight, and of limited polls until they are stored
	changed  bell   // rings when places, unstored or ended change; only claimAll waits for it
	mu       sync.Mutex
	unstored int // polls begun and not yet stored or lost; their hosts are leased
	ended    int // polls stored or lost
	sum      Summary
	err      error // the first error
}

// fail stops the claims of a round; polls in flight finish and are stored if possible. An endless round
// continues and logs the error.
func (r *round) fail(err error) {
	if r.endless {
		r.job.logError(err)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil {
		r.err = err
	}
	r.stop()
}

// retry calls do, which uses the database, and repeats it after errors until ctx ends. It gives up after a
// few tries, or after patience if the database is unavailable. Leases make it safe to repeat do after it
// succeeded.
func (r *round) retry(ctx context.Context, do func() error) error {
	const longest = 5 * time.Second
	end := time.NewTimer(patience)
	defer end.Stop()
	for try, wait := 1, 100*time.Millisecond; ; try, wait = try+1, min(2*wait, longest) {
		err := do()
		if err == nil || ctx.Err() != nil || try >= tries && !store.IsAway(err) {
			return err
		}
		r.job.Log.Warn("the database failed; trying again", "err", err)
		select {
		case <-time.After(wait):
		case <-end.C:
			return err
		case <-ctx.Done():
			return err
		}
	}
}

// claimAll claims feeds while there are free places and starts their polls. If it finds no claimable feed
// while polls are in flight, it waits: a finished poll frees its host, and other feeds become due.
//
// An endless round also claims the feeds of the next few seconds and starts them on time. It then reads a
// quiet queue once in that interval, not after every poll.
func (r *round) claimAll(soft context.Context) {
	for soft.Err() == nil && r.job.Hard.Err() == nil && !r.job.fenced.Load() {
		free, ended := r.freePlaces(soft)
		free = min(free, mostClaimed)
		r.awaitCalmMinute(soft)
		feeds, left, err := r.claim(soft, free)
		if err != nil {
			if soft.Err() != nil { // a shutdown needs no claim
				return
			}
			r.fail(fmt.Errorf("claiming feeds to poll: %w", err))
			nap(soft, r.job.Nap)
			continue
		}
		mathrand.Shuffle(len(feeds), func(i, k int) { feeds[i], feeds[k] = feeds[k], feeds[i] })
		for _, f := range feeds {
			r.start(f)
		}
		if (len(feeds) < free || !left) && !r.awaitMore(soft, ended, left) {
			return
		}
	}
}

func (r *round) claim(soft context.Context, n int) (feeds []store.ClaimedFeed, left bool, err error) {
	err = r.retry(soft, func() (err error) {
		now := r.job.Now()
		feeds, left, err = r.job.Store.Feeds.ClaimFeeds(r.job.Hard, now, store.ClaimOptions{
			N: n, Lease: poller.FeedLease, Token: rand.Text(), Until: r.claimUntil(now, n),
			Full: r.places.full(), Next: r.places.next,
		})
		return err
	})
	return feeds, left, err
}

// mostClaimed is the maximum number of feeds in one claim. A claim reads about twice that number and blocks
// them for other workers.
const mostClaimed = poller.QuickPolls / 2

const claimAhead = 5 * time.Second

// claimUntil returns the due time up to which feeds are claimed. It returns now if the caller waits for the
// round, if few places are free, or if the hot minutes are near.
func (r *round) claimUntil(now time.Time, places int) time.Time {
	until := now.Add(claimAhead)
	if !r.endless || places < mostClaimed || r.avoidHotMinutes && r.job.Spread.AfterHotMinutes(until).After(until) {
		return now
	}
	return until
}

// awaitCalmMinute waits for the end of the hot minutes (S35).
func (r *round) awaitCalmMinute(soft context.Context) {
	now := r.job.Now()
	if wait := r.job.Spread.AfterHotMinutes(now).Sub(now); r.avoidHotMinutes && wait > 0 {
		nap(soft, wait)
	}
}

// freePlaces waits until a quarter of the places is free, or one place after longestLook, so that each
// claim gets several feeds. It also waits until there is memory for the documents. It returns the free
// places and the number of polls that had ended.
func (r *round) freePlaces(soft context.Context) (free, ended int) {
	least := poller.QuickPolls / 4
	look := time.NewTicker(longestLook)
	defer look.Stop()
	for {
		_, ended := r.counts()
		free := r.places.count()
		if free >= least && !r.job.Poller.Full() || soft.Err() != nil {
			return free, ended
		}
		select {
		case <-r.changed:
		case <-look.C:
			least = 1
		case <-soft.Done():
		}
	}
}

func (r *round) counts() (unstored, ended int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.unstored, r.ended
}

// longestLook is the interval between looks at the queue while polls are in flight.
const longestLook = time.Second

// awaitMore waits until there may be more to claim: feeds were queued, feeds became due, or a quarter of
// the polls ended while feeds were left. It returns false if the round is not endless and has no poll in
// flight.
func (r *round) awaitMore(soft context.Context, ended int, left bool) bool {
	var due <-chan time.Time
	if !r.job.Frozen {
		timer := time.NewTimer(r.untilDue(left))
		defer timer.Stop()
		due = timer.C
	}
	unstored, _ := r.counts()
	enough := ended + max(1, unstored/4)
	for {
		unstored, now := r.counts()
		switch {
		case now >= enough && (left || !r.endless):
			return true
		case unstored == 0 && !r.endless:
			return false
		}
		select {
		case <-r.changed:
		case <-r.queued:
			return true
		case <-due:
			return true
		case <-soft.Done():
			return true
		}
	}
}

// untilDue returns the wait until feeds can be claimed again. While polls are in flight, it is at least the
// interval of looks at the queue.
func (r *round) untilDue(left bool) time.Duration {
	unstored, _ := r.counts()
	switch {
	case unstored == 0 && r.endless:
		return min(r.job.untilTold(), r.job.until(r.job.Store.Feeds.NextPoll))
	case unstored == 0:
		return r.job.until(r.job.Store.Feeds.NextPoll)
	case left || !r.endless:
		return min(longestLook, r.job.Nap)
	}
	return min(claimAhead, r.job.untilTold())
}

// untilTold returns the wait until the next look for pings that another process received.
func (j *Job) untilTold() time.Duration {
	if told, err := j.Store.Feeds.AnyTold(j.Hard); err == nil && told {
		return min(pushesEvery, j.Nap)
	}
	return min(untoldEvery, j.Nap)
}

// idlePoll is how long a goroutine waits for another poll after it finished one.
const idlePoll = 10 * time.Second

func (r *round) start(f store.ClaimedFeed) {
	r.mu.Lock()
	r.unstored++
	r.mu.Unlock()
	c := claimed{f, r.places.begin(f.Queued())}
	if wait := f.StartAt.Sub(r.job.Now()); wait > 0 && !r.job.Frozen {
		r.polls.Go(func() {
			nap(r.begin, wait)
			r.pollOneByOne(c)
		})
		return
	}
	select {
	case r.next <- c: // its stack has the size that a poll needs
	default:
		r.polls.Go(func() { r.pollOneByOne(c) })
	}
}

// pollOneByOne polls a feed, and then further claimed feeds one at a time.
func (r *round) pollOneByOne(c claimed) {
	for more := true; more; {
		c.place.start()
		r.poll(c)
		select {
		case c, more = <-r.next:
		case <-time.After(idlePoll):
			return
		}
	}
}

// poll polls one feed. A stopped poll is repeated with the old validators; if it sent a request, after the
// poll gap. The place is free when the poll ends, before the result is stored. But a rate-limited poll
// keeps its place until the result is stored, so that the next claim knows of it.
func (r *round) poll(c claimed) {
	end := c.place.end
	well := false
	defer func() { end(well) }()
	res := r.job.Poller.PollUntil(r.begin, r.until, c.Feed, c.Subscribers)
	if res.Outcome == poller.Stopped {
		res.Release()
		r.giveBack(c.ClaimedFeed, res)
		r.end(1, Summary{})
		return
	}
	var found store.Polled
	err := r.retry(r.until, func() (err error) {
		found, err = r.job.prepare(r.until, c.ClaimedFeed, res)
		return err
	})
	if err != nil {
		res.Release()
		if r.until.Err() == nil {
			r.fail(err)
		}
		r.giveBack(c.ClaimedFeed, res)
		r.end(1, Summary{})
		return
	}
	r.count(res)
	r.tellCondition(c.Feed, res.Feed)
	bytes := found.Bytes()
	free := res.Keep(bytes)
	if well = res.Outcome != poller.Failed; poller.Limited(res.Feed) {
		forget := free
		end, free = func(bool) {}, func() { forget(); c.place.end(false) }
	}
	res = poller.Result{} // free the document before the commit
	r.done <- polled{found, bytes, free}
}

// giveBack ends the lease of a poll without a result. It stopped at shutdown, or because other workers use
// the host to which it was redirected. If the poll sent no request, the feed's last attempt stays as it
// was.
func (r *round) giveBack(c store.ClaimedFeed, res poller.Result) {
	if r.job.Hard.Err() != nil { // the leases expire
		return
	}
	attempt := res.Feed.LastAttemptAt
	if res.StartedAt.IsZero() {
		attempt = c.AttemptBefore
	}
	r.job.Log.Info("a poll was stopped", "feed", c.URL, "why", res.Message)
	err := r.job.Store.Feeds.GiveBackFeed(r.job.Hard, c.ID, c.Token, attempt, res.HostFreeAt)
	if err != nil {
		r.job.Log.Warn("cannot release a feed; its lease will expire", "feed", c.URL, "err", err)
	}
}

// tellCondition logs that a feed began to fail, recovered, died or is gone.
func (r *round) tellCondition(was, is digest.Feed) {
	if after := conditionOf(is); after != conditionOf(was) {
		_, why := poller.Status(is, r.job.Now())
		r.job.Log.Info("a feed changed state", "feed", is.URL, "was", conditionOf(was), "is", after, "why",
			why.In(catalogue.English()))
	}
}

// conditionOf returns the condition of a feed in one word.
func conditionOf(f digest.Feed) string {
	switch {
	case f.State == digest.FeedGone, f.State == digest.FeedDead:
		return string(f.State)
	case f.Errors > 0:
		return "failing"
	}
	return "well"
}

func (r *round) count(res poller.Result) {
	r.job.Log.Debug("polled", "feed", res.Feed.URL, "outcome", res.Outcome, "status", res.Feed.LastStatus, "why",
		res.Message)
	r.job.report(Event{Kind: EventPolled, Result: res})
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sum.Polled++
	switch res.Outcome {
	case poller.Changed:
		r.sum.Changed++
	case poller.Unchanged:
		r.sum.Unchanged++
	default:
		r.sum.Failed++
	}
}

// end counts n polls that are stored or lost.
func (r *round) end(n int, s Summary) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sum.Add(s)
	r.unstored -= n
	r.ended += n
	r.changed.ring()
}
