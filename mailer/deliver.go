package mailer

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"time"

	"digest"
)

// A Deliverer delivers the editions that are ready. Queue, Renderer, Sender and
// Signer are required. One Deliverer runs one Deliver at a time; several of
// them, here or elsewhere, share a Queue.
type Deliverer struct {
	Queue    Queue
	Renderer Renderer

	// Sender says how editions are composed, signed and sent. With a ReturnPath
	// each edition's bounces, and mail that unsubscribes, come back to that
	// address with a tag of its own; without one bounces go to From, and no mail
	// unsubscribes.
	*Sender

	Signer *digest.Signer // of Message-IDs and of those tags

	// Route and Domain limit lanes that have no limits of their own. Of the
	// route's, Connections is how many messages this Deliverer has on the way at
	// once, 4 by default.
	Route, Domain digest.Limits

	Batch int // editions claimed at once for each connection; default 20

	// Now is the clock of a run that may last; nil: the instant given to Deliver, throughout.
	Now func() time.Time
	// Jitter gives what to add to a retry's delay, at most a tenth of it, either sign; nil: nothing.
	Jitter func(delay time.Duration) time.Duration
	// Hard, when it ends, cuts everything off at once by closing the Transport; nil: never.
	Hard context.Context
	Log  *slog.Logger

	counters counters
	zones    zoneCache
}

// Stats counts what one run did.
type Stats struct {
	Sent    int // known to be accepted
	Failed  int // refused for good, or expired
	Retried int // waiting for another attempt
	InDoubt int // the connection broke after the final dot, now or in a run that died

	Unconfirmed int // in doubt for the second time: not sent again

	// RouteRetryAt is when the mail server may be tried again after it could not
	// be used; zero: it could. Until then Deliver does nothing.
	RouteRetryAt time.Time
	RouteTrouble string // what was wrong with it, in one line
}

// Deliver delivers until nothing is due, or may be sent now. A mail server that
// is down is no error: the editions stay ready and Stats.RouteRetryAt tells when
// to come back, whoever comes then. When ctx ends it claims no more, finishes
// what is in flight, gives the rest back, and returns nil.
func (d *Deliverer) Deliver(ctx context.Context, now time.Time) (Stats, error) {
	if err := d.checkSender(); err != nil {
		return Stats{}, err
	}
	route, err := d.Queue.Lane(ctx, "")
	switch {
	case ctx.Err() != nil:
		return Stats{}, nil
	case err != nil:
		return Stats{}, fmt.Errorf("reading the state of the route: %w", err)
	case route.IsPaused(now):
		return Stats{RouteRetryAt: route.Until, RouteTrouble: route.Reason}, nil
	}
	signer, err := d.dkimSigner(ctx)
	if err != nil && ctx.Err() == nil { // a stop is noticed later, when nothing has been claimed
		return Stats{}, err
	}
	if d.Hard != nil {
		defer context.AfterFunc(d.Hard, func() { d.Transport.Close() })()
	}
	d.counters.forget(now)
	r := d.newRun(ctx, now, route)
	r.dkim = signer
	r.deliverAll(ctx)
	return r.stats, r.err
}

// checkSender looks at the settings that every message needs: no reader's
// edition is to blame for them.
func (d *Deliverer) checkSender() error {
	if _, err := parseOwn(d.From); err != nil {
		return fmt.Errorf("mail cannot be sent from DIGEST_FROM=%q: %w", d.From, err)
	}
	if d.ReturnPath == "" {
		return nil
	}
	if _, err := OwnMailbox(d.ReturnPath); err != nil {
		return fmt.Errorf("bounces cannot come back to DIGEST_RETURN_PATH=%q: %w", d.ReturnPath, err)
	}
	return nil
}

func (d *Deliverer) connections() int { return cmp.Or(max(d.Route.Connections, 0), 4) }
func (d *Deliverer) batch() int       { return cmp.Or(max(d.Batch, 0), 20) * d.connections() }

const (
	leaseLength = 5 * time.Minute  // prolonged during a Deliver that has a clock
	grace       = 10 * time.Second // after a stop, what has not come to its dot by then is given back
)

// A run is one Deliver.
type run struct {
	*Deliverer
	clock   func() time.Time
	log     *slog.Logger
	dkim    *DKIMSigner // nil: mail goes unsigned
	signers newsletterSigners
	token   string // of the leases
	lanes   *lanes
	marks   *committer
	flow    *flow

	mu    sync.Mutex
	stats Stats
	err   error     // what ends the run: the queue cannot be used
	left  []claimed // put back: claimed, and still leased

	leased time.Time // the leases last until then at least

	after  digest.QueuePlace // where the last claim came to; only claim uses it
	looked int64             // the second in which a claim last began at the queue's beginning
}

func (d *Deliverer) newRun(ctx context.Context, now time.Time, route digest.Lane) *run {
	r := &run{Deliverer: d, clock: d.Now, log: d.Log, flow: newFlow(), token: rand.Text()}
	if r.clock == nil {
		r.clock = func() time.Time { return now }
	}
	if r.log == nil {
		r.log = slog.New(slog.DiscardHandler)
	}
	lasting := context.WithoutCancel(ctx)
	window := unsyncedWindow * d.connections()
	if d.Transport.Idempotent() { // it waits for the disk itself
		window = 0
	}
	r.marks = newCommitter(lasting, d.Queue, r.token, r.clock, r.flow.recorded, window)
	r.lanes = &lanes{
		queue: d.Queue, ctx: lasting, clock: r.clock, connections: d.connections(), log: r.log,
		route: routeState{ill: hasTrouble(route)}, inUse: map[string]int{}, slowed: map[string]slowdown{},
	}
	return r
}

// deliverAll runs rounds until nothing is due. A second round is for what one
// connection had to put back because the server wanted fewer of them.
func (r *run) deliverAll(ctx context.Context) {
	if r.Now != nil { // an instant that does not pass ends no lease
		defer r.keepLeases(ctx)()
	}
	r.recoverDead(ctx)
	for before := -1; !r.over() && r.lanes.routeState().answers > before; {
		before = r.lanes.routeState().answers
		r.round(ctx)
		if len(r.left) == 0 || ctx.Err() != nil {
			break
		}
	}
	if err := r.marks.close(); err != nil {
		r.fail(fmt.Errorf("recording deliveries: %w", err))
	}
	if len(r.left) > 0 || r.over() || ctx.Err() != nil {
		if err := r.Queue.GiveBackEditions(context.WithoutCancel(ctx), r.token); err != nil {
			r.fail(fmt.Errorf("giving editions back: %w", err))
		}
	}
	if r.err == nil && ctx.Err() == nil {
		r.err = r.lanes.endRun(len(r.left) > 0)
	}
	route := r.lanes.routeState().lane
	r.stats.RouteRetryAt, r.stats.RouteTrouble = route.Until, route.Reason
}

// recoverDead clears up after runs that died. Where sending again replaces the
// message there is nothing to doubt.
func (r *run) recoverDead(ctx context.Context) {
	inDoubt, unconfirmed, err := r.Queue.RecoverEditions(ctx, r.clock(), r.Transport.Idempotent())
	if err != nil && ctx.Err() == nil { // a stop is no failure
		r.fail(fmt.Errorf("clearing up dead deliveries: %w", err))
	}
	r.stats.InDoubt += inDoubt
	r.stats.Unconfirmed += unconfirmed
	if n := inDoubt + unconfirmed; n > 0 {
		r.log.Warn("a delivery ended before its result was stored; the edition is in doubt", "editions", n)
	}
}

// round leads editions through the steps until nothing is due or no connection
// is left: one goroutine claims, one for each processor composes and signs, one
// for each connection sends and marks.
func (r *run) round(ctx context.Context) {
	claiming, stop := context.WithCancel(ctx)
	sending, cut := r.withGrace(ctx)
	defer cut()
	rendered := make(chan claimed)
	ready := make(chan claimed, r.connections()) // ahead of the connections by one each
	first := r.left
	r.left = nil
	var signers, all, connections sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		signers.Go(func() { r.prepareAll(claiming, rendered, ready) })
	}
	all.Go(func() {
		defer close(rendered)
		r.claimAll(claiming, rendered, first)
	})
	all.Go(func() {
		defer close(ready)
		signers.Wait()
	})
	for range r.connections() {
		connections.Go(func() { r.connection(ctx, sending, ready) })
	}
	connections.Wait()
	stop()
	for c := range ready {
		r.putBack(c)
	}
	all.Wait()
}

// withGrace gives a context that outlives ctx by the grace.
func (r *run) withGrace(ctx context.Context) (context.Context, context.CancelFunc) {
	sending, cut := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		t := time.AfterFunc(grace, cut)
		context.AfterFunc(sending, func() { t.Stop() })
	})
	return sending, func() { stop(); cut() }
}

// prepareAll composes and signs what was claimed: a signature takes longer than
// all the rest, so the connections find their messages ready.
func (r *run) prepareAll(ctx context.Context, rendered <-chan claimed, ready chan<- claimed) {
	for c := range rendered {
		if ctx.Err() != nil {
			r.putBack(c)
			continue
		}
		if c.message == nil && !r.prepare(ctx, &c) {
			continue
		}
		select {
		case ready <- c:
		case <-ctx.Done():
			r.putBack(c)
		}
	}
}

// prepare makes the bytes of one message; false when that failed, which is marked.
func (r *run) prepare(ctx context.Context, c *claimed) bool {
	signer := r.signerOf(context.WithoutCancel(ctx), &c.letter)
	var err error
	c.message, err = signedMessage(c.letter, signer)
	if err == nil {
		if wasTooLarge(c.Reply) {
			r.makeSmaller(ctx, c, len(c.message)/4)
		}
		return true
	}
	if a := (Attempt{Delivery: c.Delivery, Err: err}); a.refusal() != nil {
		r.conclude(*c, a)
	} else {
		r.mark(c.Delivery, retryMark(c.Delivery, Reply{}, err, r.clock(), r.Jitter))
	}
	return false
}

// connection delivers what is ready until there is nothing, or until the route
// fails twice without a word in between; a connection that had served for a
// while is replaced once.
func (r *run) connection(ctx, sending context.Context, ready <-chan claimed) {
	served := false
	for c := range ready {
		if ctx.Err() != nil || r.over() {
			r.putBack(c)
			return
		}
		ok := r.deliver(sending, c)
		if !ok && !served {
			return
		}
		served = ok
	}
}

// deliver sends one edition and marks it with the outcome; false when the route failed.
func (r *run) deliver(ctx context.Context, c claimed) (ok bool) {
	if !r.holds(c) {
		r.flow.recorded(1)
		return true // somebody else's by now
	}
	if m, slowed := r.lanes.handBack(c); slowed {
		r.mark(c.Delivery, m)
		return true
	}
	return r.conclude(c, r.send(ctx, c))
}

// conclude does what the outcome of an attempt is; false when the route failed.
func (r *run) conclude(c claimed, a Attempt) (ok bool) {
	if told := a.answers(); told.All > 0 {
		a.Domain = r.counters.add(c.Domain, r.clock(), told)
	}
	o := Outcome(a, r.clock(), r.Jitter)
	if o.Answered {
		r.fail(r.lanes.answered())
	}
	r.fail(o.Err)
	if o.Mark.State == digest.EditionSent { // what is known is recorded before all else
		r.mark(c.Delivery, o.Mark)
		_, err := r.lanes.apply(o.Lane)
		r.fail(err)
		return true
	}
	lane, err := r.lanes.apply(o.Lane)
	if err != nil && o.RouteFailed() { // the route is not paused
		o.Mark.NextAt = r.clock().Add(leastPause)
	}
	r.fail(err)
	switch {
	case err == nil && lane.Alarm && o.WithLane.State != "":
		r.count(func(s *Stats) { s.Retried++ })
		r.mark(c.Delivery, o.WithLane)
	case o.Mark.State != "":
		r.mark(c.Delivery, o.Mark)
	case o.PutBack:
		r.putBack(c)
	default:
		r.flow.recorded(1)
	}
	return !o.RouteFailed()
}

// putBack keeps editions for another round, or to be given back at the end.
func (r *run) putBack(editions ...claimed) {
	r.mu.Lock()
	r.left = append(r.left, editions...)
	r.mu.Unlock()
	r.flow.add(-len(editions), 0)
}

func (r *run) count(add func(*Stats)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	add(&r.stats)
}

// fail ends the run for an error; nil is none.
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
	return r.err != nil || r.lanes.routeState().halted
}
