package mailer

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"digest"
)

// A run is one Once.
type run struct {
	l     *Loop
	clock func() time.Time
	token string
	host  string // of our addresses
	marks *committer
	log   *slog.Logger

	mu           sync.Mutex
	stats        Stats
	err          error             // what ends the run: the queue cannot be used
	left         []job             // claimed, and still leased
	progress     int               // messages of which the route told something
	routeTrouble *NotAcceptedError // the latest
}

// A job is one claimed edition, printed.
type job struct {
	digest.Delivery
	mail       Mail
	message    []byte // of mail; composed while the connections are busy with others
	leaseUntil time.Time
}

func (l *Loop) newRun(ctx context.Context, now time.Time) *run {
	r := &run{l: l, clock: l.Now, token: rand.Text(), host: HostOf(l.From), log: l.Log}
	if r.clock == nil {
		r.clock = func() time.Time { return now }
	}
	if r.log == nil {
		r.log = slog.New(slog.DiscardHandler)
	}
	r.marks = newCommitter(context.WithoutCancel(ctx), l.Queue, r.token, r.clock)
	return r
}

// deliver runs rounds until nothing is due. A second round is for what one
// connection had to put back because the server wanted fewer of them.
func (r *run) deliver(ctx context.Context) {
	r.reap(ctx)
	for before := -1; r.err == nil && r.progress > before; {
		before = r.progress
		r.round(ctx)
		if len(r.left) == 0 || ctx.Err() != nil {
			break
		}
	}
	if err := r.marks.close(); err != nil {
		r.fail(fmt.Errorf("recording deliveries: %w", err))
	}
	if len(r.left) > 0 || r.err != nil || ctx.Err() != nil {
		if err := r.l.Queue.ReleaseEditions(context.WithoutCancel(ctx), r.token); err != nil {
			r.fail(fmt.Errorf("giving editions back: %w", err))
		}
	}
}

// reap clears up after runs that died. Where sending again replaces the
// message there is nothing to doubt.
func (r *run) reap(ctx context.Context) {
	var inDoubt int
	var err error
	if r.l.Transport.Idempotent() {
		err = r.l.Queue.ReapIdempotent(ctx, r.clock())
	} else {
		inDoubt, err = r.l.Queue.Reap(ctx, r.clock())
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

func (r *run) failed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err != nil
}

// round feeds the connections until nothing is due or none of them is left.
func (r *run) round(ctx context.Context) {
	feeding, stop := context.WithCancel(ctx)
	sending, cut := r.withGrace(ctx)
	defer cut()
	jobs := make(chan job, r.l.connections()) // ahead of the senders by one each
	fed := make(chan struct{})
	first := r.left
	r.left = nil
	go func() {
		defer close(fed)
		defer close(jobs)
		r.feed(feeding, jobs, first)
	}()
	var workers sync.WaitGroup
	for range r.l.connections() {
		workers.Go(func() { r.work(ctx, sending, jobs) })
	}
	workers.Wait()
	stop()
	<-fed
	for j := range jobs {
		r.leave(j)
	}
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

// feed offers jobs: those left over first, then what it claims. What nobody
// takes any more is left.
func (r *run) feed(ctx context.Context, jobs chan<- job, batch []job) {
	for {
		for i, j := range batch {
			if j.message == nil {
				var err error
				if j.message, err = Compose(j.mail); err != nil {
					r.settle(j, false, Reply{}, err)
					continue
				}
			}
			select {
			case jobs <- j:
				continue
			case <-ctx.Done():
			}
			r.leave(batch[i:]...)
			return
		}
		if ctx.Err() != nil || r.failed() {
			return
		}
		var err error
		if batch, err = r.claim(ctx); err != nil && ctx.Err() == nil {
			r.fail(err)
		}
		if len(batch) == 0 {
			return
		}
	}
}

func (r *run) leave(jobs ...job) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.left = append(r.left, jobs...)
}

// claim takes the next editions and prints them. It gives none only when none is due.
func (r *run) claim(ctx context.Context) ([]job, error) {
	for {
		now := r.clock()
		claimed, err := r.l.Queue.ClaimEditions(ctx, now, r.l.batch(), r.l.lease(), r.token)
		if err != nil {
			return nil, fmt.Errorf("claiming editions: %w", err)
		}
		if len(claimed) == 0 {
			return nil, nil
		}
		fresh := claimed[:0:0]
		for _, d := range claimed {
			if !d.ExpiresAt.IsZero() && !now.Before(d.ExpiresAt) {
				r.expire(d, "its time had passed before it could be sent")
				continue
			}
			fresh = append(fresh, d)
		}
		if jobs := r.print(ctx, fresh, now.Add(r.l.lease())); len(jobs) > 0 || ctx.Err() != nil {
			return jobs, nil
		}
	}
}

// print prints a batch at once. When that fails it prints one by one, so that
// an edition that cannot be printed stops no other.
func (r *run) print(ctx context.Context, ds []digest.Delivery, leaseUntil time.Time) []job {
	if len(ds) == 0 {
		return nil
	}
	mails, err := r.l.Printer.Print(ctx, ds)
	if err == nil && len(mails) != len(ds) {
		err = fmt.Errorf("%d editions were printed as %d", len(ds), len(mails))
	}
	if err == nil {
		jobs := make([]job, len(ds))
		for i := range ds {
			jobs[i] = job{Delivery: ds[i], mail: r.complete(mails[i], ds[i]), leaseUntil: leaseUntil}
		}
		return jobs
	}
	if ctx.Err() != nil {
		return nil // leased; it is given back at the end
	}
	if len(ds) == 1 {
		r.retry(ds[0], Reply{}, fmt.Errorf("printing: %w", err))
		return nil
	}
	var jobs []job
	for i := range ds {
		jobs = append(jobs, r.print(ctx, ds[i:i+1], leaseUntil)...)
	}
	return jobs
}

// complete fills in what every message of the loop has alike.
func (r *run) complete(m Mail, d digest.Delivery) Mail {
	setText(&m.From, r.l.From)
	setText(&m.ReplyTo, r.l.ReplyTo)
	setText(&m.To, d.Email)
	host := r.host
	setText(&m.MessageID, d.MessageID)
	if m.MessageID == "" {
		m.MessageID = MessageID(r.l.Signer, d.ID, host)
	}
	setText(&m.ListName, d.DigestName)
	setText(&m.ListID, fmt.Sprintf("d%d.digest.%s", d.DigestID, host))
	if m.Date.IsZero() {
		m.Date = dateOf(d, r.clock())
	}
	m.Date = m.Date.In(r.l.zones.load(d.TimeZone))
	return m
}

func setText(s *string, value string) {
	if *s == "" {
		*s = value
	}
}

// dateOf is when the message was first queued. A resend in doubt keeps it,
// because receivers know a duplicate by Message-ID and Date; a message that was
// certainly not accepted and is late gets a new one, because filters distrust
// an old Date.
func dateOf(d digest.Delivery, now time.Time) time.Time {
	const late = 2 * time.Hour
	if d.Date.IsZero() || !d.WasInDoubt && now.Sub(d.Date) > late {
		return now.Truncate(time.Second)
	}
	return d.Date
}

// work sends jobs until there are none, or until the route fails twice without
// a word in between; a connection that had served for a while is replaced once.
func (r *run) work(ctx, sending context.Context, jobs <-chan job) {
	served := false
	for j := range jobs {
		if ctx.Err() != nil || r.failed() {
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
	if !r.clock().Before(j.leaseUntil) {
		return true // somebody else's by now
	}
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
	dot := digest.Dot{ID: j.ID, MessageID: j.mail.MessageID, Date: j.mail.Date}
	e := Envelope{From: j.mail.From, To: j.mail.To, MessageID: j.mail.MessageID, Again: j.WasInDoubt || j.MessageID != ""}
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
