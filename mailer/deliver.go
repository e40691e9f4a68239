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

// A Deliverer delivers editions that are ready. Queue, Renderer, Sender and Signer are required. A Deliverer runs one
// Deliver at a time. Several Deliverers, on any machines, can share a Queue.
type Deliverer struct {
	Queue    Queue
	Renderer Renderer

	// Sender composes, signs and sends editions. If ReturnPath is set, bounces and unsubscribe emails go to that
	// address with a tag for each edition. Otherwise bounces go to From, and readers cannot unsubscribe by email.
	*Sender

	Signer *digest.Signer // signs Message-IDs and those tags

	// Route and Domain are the limits of lanes that have none of their own. Route.Connections is the number of messages
	// in flight in this Deliverer, by default 4.
	Route, Domain digest.Limits

	Batch int // editions per claim and connection; default 20

	// Now is the clock of a long run. If nil, the time passed to Deliver stays the current time.
	Now func() time.Time
	// Jitter returns a positive or negative change of a retry's delay, at most a tenth of it. It may be nil.
	Jitter func(delay time.Duration) time.Duration
	// Hard, when it ends, closes the Transport and so aborts all transactions. It may be nil.
	Hard context.Context
	Log  *slog.Logger

	counters counters
	zones    zoneCache
}

// Stats counts the results of a run.
type Stats struct {
	Sent    int
	Failed  int // rejected permanently, or expired
	Retried int // scheduled for another attempt
	InDoubt int // the connection broke after the final dot, now or in a run that died

	Unconfirmed int // in doubt for the second time; not sent again

	// RouteRetryAt is when a failed mail server may be tried again. Until then Deliver does nothing. Zero means that
	// the server works.
	RouteRetryAt time.Time
	RouteTrouble string // reason for the failure, one line
}

// Deliver delivers until no edition is due or may be sent now. A failed mail server is not an error: editions stay
// ready, and Stats.RouteRetryAt is the time of the next attempt. When ctx ends, Deliver stops claiming, finishes
// messages in flight, returns the other editions to the queue, and returns nil.
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
	if err != nil && ctx.Err() == nil { // the run handles a stop before it claims anything
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

// checkSender checks the settings that every message needs, so that no edition fails because of them.
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
	leaseLength = 5 * time.Minute  // extended while a Deliver with a clock runs
	grace       = 10 * time.Second // for messages before their dot after a stop
)

type run struct {
	*Deliverer
	clock   func() time.Time
	log     *slog.Logger
	dkim    *DKIMSigner // nil if mail is not signed
	signers newsletterSigners
	token   string // of the leases
	lanes   *lanes
	marks   *committer
	flow    *flow

	mu    sync.Mutex
	stats Stats
	err   error     // ends the run: the queue failed
	left  []claimed // claimed and still leased, for another round

	leased time.Time // the leases last at least until then

	after  digest.QueuePlace // end of the last claim; only claim uses it
	looked int64             // the second in which a claim last began at the start of the queue
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
	if d.Transport.Idempotent() { // such a Transport syncs to disk itself
		window = 0
	}
	r.marks = newCommitter(lasting, d.Queue, r.token, r.clock, r.flow.recorded, window)
	r.lanes = &lanes{
		queue: d.Queue, ctx: lasting, clock: r.clock, connections: d.connections(), log: r.log,
		route: routeState{ill: hasTrouble(route)}, inUse: map[string]int{}, slowed: map[string]slowdown{},
	}
	return r
}

// deliverAll runs rounds until no edition is due. Another round sends the editions that a connection has put back
// because the server wanted fewer connections.
func (r *run) deliverAll(ctx context.Context) {
	if r.Now != nil { // with a fixed time no lease ends
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

// recoverDead recovers the editions of dead runs. An idempotent Transport has nothing in doubt.
func (r *run) recoverDead(ctx context.Context) {
	inDoubt, unconfirmed, err := r.Queue.RecoverEditions(ctx, r.clock(), r.Transport.Idempotent())
	if err != nil && ctx.Err() == nil { // a stop is not a failure
		r.fail(fmt.Errorf("clearing up dead deliveries: %w", err))
	}
	r.stats.InDoubt += inDoubt
	r.stats.Unconfirmed += unconfirmed
	if n := inDoubt + unconfirmed; n > 0 {
		r.log.Warn("a delivery ended before its result was stored; the edition is in doubt", "editions", n)
	}
}

// round moves editions through the steps until none is due or no connection works. One goroutine claims, one per
// processor composes and signs, and one per connection sends and marks.
func (r *run) round(ctx context.Context) {
	claiming, stop := context.WithCancel(ctx)
	sending, cut := r.withGrace(ctx)
	defer cut()
	rendered := make(chan claimed)
	ready := make(chan claimed, r.connections()) // one message waits for each connection
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

// withGrace returns a context that ends after ctx, delayed by grace.
func (r *run) withGrace(ctx context.Context) (context.Context, context.CancelFunc) {
	sending, cut := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		t := time.AfterFunc(grace, cut)
		context.AfterFunc(sending, func() { t.Stop() })
	})
	return sending, func() { stop(); cut() }
}

// prepareAll composes and signs claimed editions ahead of the connections, because signing is the slowest step.
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

// prepare composes and signs one message. If that fails, it marks the edition and returns false.
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

// connection delivers editions until none is left or the route fails twice in a row. A connection that has delivered
// before retries once.
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

// deliver sends one edition and marks it with the result. It returns false if the route failed.
func (r *run) deliver(ctx context.Context, c claimed) (ok bool) {
	if !r.holds(c) {
		r.flow.recorded(1)
		return true // the lease ended, so another worker may have it
	}
	if m, slowed := r.lanes.handBack(c); slowed {
		r.mark(c.Delivery, m)
		return true
	}
	return r.conclude(c, r.send(ctx, c))
}

func (r *run) conclude(c claimed, a Attempt) (ok bool) {
	if told := a.answers(); told.All > 0 {
		a.Domain = r.counters.add(c.Domain, r.clock(), told)
	}
	o := Outcome(a, r.clock(), r.Jitter)
	if o.Answered {
		r.fail(r.lanes.answered())
	}
	r.fail(o.Err)
	if o.Mark.State == digest.EditionSent { // store the success before anything can fail
		r.mark(c.Delivery, o.Mark)
		_, err := r.lanes.apply(o.Lane)
		r.fail(err)
		return true
	}
	lane, err := r.lanes.apply(o.Lane)
	if err != nil && o.RouteFailed() { // the pause of the route was not stored
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

func (r *run) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil {
		r.err = err
	}
}

func (r *run) over() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err != nil || r.lanes.routeState().halted
}
