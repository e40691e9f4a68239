package hourly

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
	// commitPolls is how many polls share a transaction at most.
	commitPolls = 200
	// commitBytes closes a commit: what it brings has twice its memory while it is stored.
	commitBytes = 8 << 20
	// commitPause is how long the polls of an endless round gather for a commit.
	commitPause = time.Second
	// patience is how long a database that is away is waited for: what polls
	// have brought can be stored until their leases end, and then no more.
	patience = 10 * time.Minute
	// tries is how often anything else that fails in the database is done again.
	tries = 4
)

// Poll asks every feed whose time has come, side by side, until none is left
// that may be asked now. When ctx ends it claims no more and finishes the rest, as
// far as that can be done in the Grace.
// It is step 3 and 4 alone, for commands that have just queued feeds: a person
// waits for them, so that they ask in the hot minutes too.
func (j *Job) Poll(ctx context.Context) (Summary, error) { return j.poll(ctx, polling{}) }

// polling says how feeds are polled.
type polling struct {
	avoidHotMinutes bool // nothing is claimed in them
	endless         bool // until ctx ends, whatever fails; else until nothing is left
	queued          bell // wakes the claiming; may be nil
	told            bell // is rung when digests may need not wait any longer; may be nil
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

// defaultGrace leaves time to store what polls have brought: a program that is
// told to stop is killed soon.
const defaultGrace = 8 * time.Second

// graceAfter gives a context that outlives ctx by the grace, but not Hard.
func (j *Job) graceAfter(ctx context.Context) (context.Context, context.CancelFunc) {
	until, cut := context.WithCancel(j.Hard)
	stop := context.AfterFunc(ctx, func() {
		t := time.AfterFunc(j.Grace, cut)
		context.AfterFunc(until, func() { t.Stop() })
	})
	return until, func() { stop(); cut() }
}

// A polled is a poll that is to be stored, and whose memory is free after that.
type polled struct {
	store.Polled
	bytes int64
	free  func()
}

// A claimed feed has a place until it is polled.
type claimed struct {
	store.ClaimedFeed
	place *place
}

// A round is one drain of the queue of feeds, or an endless one.
type round struct {
	polling
	job   *Job
	begin context.Context // until it ends, polls may send their first request
	until context.Context // until it ends, polls may go on
	stop  context.CancelFunc
	polls sync.WaitGroup
	next  chan claimed // to a goroutine that has just ended a poll
	done  chan polled

	places   places // of polls under way, or finished and waiting to be recorded
	changed  bell   // the places, or one of the next two; only the claiming waits for it
	mu       sync.Mutex
	unstored int // polls begun and not yet stored or lost: their hosts are leased
	ended    int // polls stored, or lost
	sum      Summary
	err      error // the first
}

// fail ends the claiming; polls in flight go on, and are stored if they can be.
// An endless round goes on too, and says what was wrong.
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

// retry does something with the database, and does it again while the
// database is away, until ctx ends. Everything done so is fenced by the leases,
// so that it may be repeated although it was done.
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

// claimAll claims feeds as fast as there are places for them and starts their polls.
// Nothing claimable while polls are in flight is not the end: a poll that ends
// frees its host for the next feed, and the time of others may come. An endless
// round claims what falls due in the next seconds too, and waits for its time: a quiet
// queue is then looked at once in that while, not whenever a poll ends.
func (r *round) claimAll(soft context.Context) {
	for soft.Err() == nil && r.job.Hard.Err() == nil && !r.job.fenced.Load() {
		free, ended := r.freePlaces(soft)
		free = min(free, mostClaimed)
		r.awaitCalmMinute(soft)
		feeds, left, err := r.claim(soft, free)
		if err != nil {
			if soft.Err() != nil { // a stop, which needs no claim
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
		feeds, left, err = r.job.Store.ClaimFeeds(r.job.Hard, now, store.ClaimOptions{
			N: n, Lease: poller.FeedLease, Token: rand.Text(), Until: r.claimUntil(now, n),
			Full: r.places.full(), Next: r.places.next,
		})
		return err
	})
	return feeds, left, err
}

// mostClaimed is how many feeds are claimed at once: about twice as many are looked at,
// and others cannot have them meanwhile.
const mostClaimed = poller.QuickPolls / 2

// claimAhead is for how long an endless round claims ahead.
const claimAhead = 5 * time.Second

// claimUntil is by when the time of what is claimed comes: now, where somebody waits for the
// round, or there are so few places that none may wait, or the hot minutes are near.
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

// freePlaces waits until at least a quarter of the places is free, or a few for a
// while, so that claims are not made one by one; and until there is memory for what they
// bring. It says how many are, and how many polls had ended by then.
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

// longestLook is how long the queue is taken for what it was when it was last
// looked at, while polls are in flight.
const longestLook = time.Second

// awaitMore waits until there may be more to claim: a quarter of the polls under way have
// ended since, and feeds were left that may have waited for one of them; feeds were queued;
// or the time of others has come. False: no poll is under way, and the round is not endless.
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

// untilDue is how long it is until feeds can be claimed again. While polls are
// in flight the queue is looked through once in a while only.
func (r *round) untilDue(left bool) time.Duration {
	unstored, _ := r.counts()
	switch {
	case unstored == 0 && r.endless:
		return min(r.job.untilTold(), r.job.until(r.job.Store.NextPoll))
	case unstored == 0:
		return r.job.until(r.job.Store.NextPoll)
	case left || !r.endless:
		return min(longestLook, r.job.Nap)
	}
	return min(claimAhead, r.job.untilTold())
}

// untilTold is how long it is until another process may have taken a ping.
func (j *Job) untilTold() time.Duration {
	if told, err := j.Store.AnyTold(j.Hard); err == nil && told {
		return min(pushesEvery, j.Nap)
	}
	return min(untoldEvery, j.Nap)
}

// idlePoll is how long a goroutine that has ended a poll waits for the next.
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
	case r.next <- c: // its stack has grown to what a poll needs
	default:
		r.polls.Go(func() { r.pollOneByOne(c) })
	}
}

// pollOneByOne polls a feed, and then others as they are claimed.
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

// poll polls one feed. A poll that is cut short is repeated, with the old
// validators: after the gap, if it has sent a request. Its place is free when it is over, though it may still
// wait to be stored. One that was refused as one too many keeps its place until then: so the next
// claim knows of it.
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
	res = poller.Result{} // the document is not to wait for the commit
	r.done <- polled{found, bytes, free}
}

// giveBack ends the lease of a poll that came to nothing, because of a stop or
// because others have the host to which it was led: they may wait for the one it
// began at. Where nothing was asked, no attempt was made.
func (r *round) giveBack(c store.ClaimedFeed, res poller.Result) {
	if r.job.Hard.Err() != nil { // the leases end by themselves
		return
	}
	attempt := res.Feed.LastAttemptAt
	if res.StartedAt.IsZero() {
		attempt = c.AttemptBefore
	}
	r.job.Log.Info("a poll was stopped", "feed", c.URL, "why", res.Message)
	err := r.job.Store.GiveBackFeed(r.job.Hard, c.ID, c.Token, attempt, res.HostFreeAt)
	if err != nil {
		r.job.Log.Warn("cannot release a feed; its lease will expire", "feed", c.URL, "err", err)
	}
}

// tellCondition says in the log when a poll has made a feed fail, well again, given up or gone.
func (r *round) tellCondition(was, is digest.Feed) {
	if after := conditionOf(is); after != conditionOf(was) {
		_, why := poller.Status(is, r.job.Now())
		r.job.Log.Info("a feed changed state", "feed", is.URL, "was", conditionOf(was), "is", after, "why",
			why.In(catalogue.English()))
	}
}

// conditionOf is how a feed answers, in a word.
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

// end counts n polls that are stored, or lost.
func (r *round) end(n int, s Summary) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sum.Add(s)
	r.unstored -= n
	r.ended += n
	r.changed.ring()
}
