package mailer

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"time"

	"digest"
)

// A run is one Once.
type run struct {
	l     *Deliverer
	clock func() time.Time
	token string
	host  string // of our addresses
	from  string // our bare address
	marks *committer
	dkim  *DKIMSigner // nil: mail goes unsigned
	log   *slog.Logger
	flow  *flow

	mu           sync.Mutex
	stats        Stats
	err          error             // what ends the run: the queue cannot be used
	halted       bool              // what ends it too: only the operator can help the route
	left         []job             // claimed, and still leased
	progress     int               // messages of which the route brought an answer
	routeTrouble *NotAcceptedError // the latest
	routeIll     bool              // the lane says so, and nothing yet speaks against it
	renewed      time.Time         // leases last until then at least
	claims       int               // so far
	inUse        map[string]int    // messages on their way, by domain
	slowed       map[string]slowdown
}

// A job is one claimed edition, printed.
type job struct {
	digest.Delivery
	mail       Letter
	message    []byte // of mail; composed and signed while the connections are busy with others
	leaseUntil time.Time
	claim      int // which of the run's
}

func (l *Deliverer) newRun(ctx context.Context, now time.Time, route digest.Lane, signer *DKIMSigner) *run {
	from, _ := parseAddress(l.From) // checked by Once
	r := &run{
		l: l, clock: l.Now, token: rand.Text(), host: HostOf(l.From), from: from.Address, dkim: signer, log: l.Log,
		flow: newFlow(), routeIll: hasTrouble(route), inUse: map[string]int{}, slowed: map[string]slowdown{},
	}
	if r.clock == nil {
		r.clock = func() time.Time { return now }
	}
	if r.log == nil {
		r.log = slog.New(slog.DiscardHandler)
	}
	r.marks = newCommitter(context.WithoutCancel(ctx), l.Queue, r.token, r.clock, r.flow.settled)
	return r
}

// deliver runs rounds until nothing is due. A second round is for what one
// connection had to put back because the server wanted fewer of them.
func (r *run) deliver(ctx context.Context) {
	defer r.keepLeases(ctx)()
	r.reap(ctx)
	for before := -1; !r.over() && r.progress > before; {
		before = r.progress
		r.round(ctx)
		if len(r.left) == 0 || ctx.Err() != nil {
			break
		}
	}
	if err := r.marks.close(); err != nil {
		r.fail(fmt.Errorf("recording deliveries: %w", err))
	}
	if len(r.left) > 0 || r.over() || ctx.Err() != nil {
		if err := r.l.Queue.ReleaseEditions(context.WithoutCancel(ctx), r.token); err != nil {
			r.fail(fmt.Errorf("giving editions back: %w", err))
		}
	}
	r.judgeRoute(ctx)
}

// keepLeases prolongs the leases of what waits for its turn, for as long as the
// run lasts. An instant that does not pass needs none of that.
func (r *run) keepLeases(ctx context.Context) (stop func()) {
	if r.l.Now == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var wg sync.WaitGroup
	wg.Go(func() {
		beat := time.NewTicker(r.l.lease() / 3)
		defer beat.Stop()
		for {
			select {
			case <-beat.C:
				r.renew(ctx)
			case <-ctx.Done():
				return
			}
		}
	})
	return func() { cancel(); wg.Wait() }
}

// renew prolongs the leases once. What fails is tried again before they end;
// if they do end, nothing is sent that another may have.
func (r *run) renew(ctx context.Context) {
	now := r.clock()
	if err := r.l.Queue.RenewLeases(ctx, now, r.token, r.l.lease()); err != nil {
		if ctx.Err() == nil {
			r.log.Warn("the leases of editions could not be prolonged", "error", err)
		}
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.renewed = now.Add(r.l.lease())
}

// leased reports whether a job is still ours to send, as far as we know.
func (r *run) leased(j job) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.clock()
	return now.Before(j.leaseUntil) || now.Before(r.renewed)
}

// reap clears up after runs that died. Where sending again replaces the
// message there is nothing to doubt.
func (r *run) reap(ctx context.Context) {
	var inDoubt int
	var err error
	if r.l.Transport.Idempotent() {
		err = r.l.Queue.RecoverIdempotentEditions(ctx, r.clock())
	} else {
		inDoubt, err = r.l.Queue.RecoverEditions(ctx, r.clock())
	}
	if err != nil {
		r.fail(fmt.Errorf("clearing up dead deliveries: %w", err))
	}
	if inDoubt > 0 {
		r.stats.InDoubt += inDoubt
		r.log.Warn("a delivery died before its answer was recorded", "editions", inDoubt)
	}
}

func (r *run) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil {
		r.err = err
	}
}

// over reports whether the run is to end.
func (r *run) over() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err != nil || r.halted
}

// round feeds the connections until nothing is due or none of them is left.
func (r *run) round(ctx context.Context) {
	feeding, stop := context.WithCancel(ctx)
	sending, cut := r.withGrace(ctx)
	defer cut()
	printed := make(chan job)
	jobs := make(chan job, r.l.connections()) // ahead of the senders by one each
	first := r.left
	r.left = nil
	var makers, all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		makers.Go(func() { r.makeMessages(feeding, printed, jobs) })
	}
	all.Go(func() {
		defer close(printed)
		r.feed(feeding, printed, first)
	})
	all.Go(func() {
		defer close(jobs)
		makers.Wait()
	})
	var workers sync.WaitGroup
	for range r.l.connections() {
		workers.Go(func() { r.work(ctx, sending, jobs) })
	}
	workers.Wait()
	stop()
	for j := range jobs {
		r.leave(j)
	}
	all.Wait()
}

// withGrace gives a context that outlives ctx by the grace of the loop.
func (r *run) withGrace(ctx context.Context) (context.Context, context.CancelFunc) {
	sending, cut := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		t := time.AfterFunc(r.l.grace(), cut)
		context.AfterFunc(sending, func() { t.Stop() })
	})
	return sending, func() { stop(); cut() }
}

// work sends jobs until there are none, or until the route fails twice without
// a word in between; a connection that had served for a while is replaced once.
func (r *run) work(ctx, sending context.Context, jobs <-chan job) {
	served := false
	for j := range jobs {
		if ctx.Err() != nil || r.over() {
			r.leave(j)
			return
		}
		ok := r.send(sending, j)
		if ok {
			served = true
			continue
		}
		if !served {
			return
		}
		served = false
	}
}

// send tries one job and records what came of it; false when the route failed.
func (r *run) send(ctx context.Context, j job) (ok bool) {
	if !r.leased(j) {
		r.flow.settled(1)
		return true // somebody else's by now
	}
	if r.handBack(j) {
		return true
	}
	r.use(j.Domain, 1)
	defer r.use(j.Domain, -1)
	var reply Reply
	var err error
	dotted := false
	for range 2 {
		reply, dotted, err = r.attempt(ctx, j)
		refused, is := errors.AsType[*NotAcceptedError](err)
		if !is || !refused.lost() || dotted || ctx.Err() != nil || errors.Is(err, errQueue) {
			break // only a lost connection is worth another one at once
		}
	}
	return r.settle(j, dotted, reply, err)
}

func (r *run) attempt(ctx context.Context, j job) (reply Reply, dotted bool, err error) {
	dot := digest.Dot{ID: j.ID, MessageID: j.mail.MessageID, Date: j.mail.Date, Recipient: j.Email}
	e := Envelope{
		From: r.returnPath(j.Delivery, r.from), To: j.mail.To,
		MessageID: j.mail.MessageID, Again: j.WasInDoubt || j.MessageID != "",
	}
	r.marks.coming()
	reply, err = r.l.Transport.Send(ctx, e, j.message, func(context.Context) error {
		err := r.marks.dot(dot)
		dotted = err == nil
		return err
	})
	if !dotted {
		r.marks.gone()
	}
	return reply, dotted, err
}
