package mailer

import (
	"context"
	"fmt"
	"sync"
	"time"

	"digest"
)

// feed offers printed jobs: those left over first, then what it claims. What
// nobody takes any more is left.
//
// A claim that gives nothing is not the end while messages are on their way:
// what becomes of them makes room in lanes that are full. After each such claim
// it waits for twice as many, because mostly there is nothing more to come.
func (r *run) feed(ctx context.Context, printed chan<- job, batch []job) {
	r.flow.begun(len(batch))
	for wait := 1; ; {
		for i, j := range batch {
			select {
			case printed <- j:
				continue
			case <-ctx.Done():
			}
			r.leave(batch[i:]...)
			return
		}
		if ctx.Err() != nil || r.over() {
			return
		}
		before := r.flow.count()
		var err error
		if batch, err = r.claim(ctx); err != nil && ctx.Err() == nil {
			r.fail(err)
			return
		}
		if len(batch) > 0 {
			wait = 1
			continue
		}
		r.marks.hurry(true)
		room := r.flow.room(ctx, before, wait)
		r.marks.hurry(false)
		if !room || r.over() {
			return
		}
		wait *= 2
	}
}

// makeMessages composes and signs what is printed: a signature takes longer
// than all the rest, so the connections find their messages ready.
func (r *run) makeMessages(ctx context.Context, printed <-chan job, jobs chan<- job) {
	for j := range printed {
		if ctx.Err() != nil || !r.makeMessage(&j) {
			if ctx.Err() != nil {
				r.leave(j)
			}
			continue
		}
		select {
		case jobs <- j:
		case <-ctx.Done():
			r.leave(j)
		}
	}
}

// makeMessage makes the bytes of one message; false when that failed, which is settled.
func (r *run) makeMessage(j *job) bool {
	if j.message != nil {
		return true
	}
	message, err := Compose(j.mail)
	if err != nil {
		r.settle(*j, false, Reply{}, err)
		return false
	}
	if j.message, err = r.dkim.Sign(message); err != nil {
		r.retry(j.Delivery, Reply{}, err)
		return false
	}
	return true
}

func (r *run) leave(jobs ...job) {
	r.mu.Lock()
	r.left = append(r.left, jobs...)
	r.mu.Unlock()
	r.flow.set(-len(jobs), 0)
}

// claim takes the next editions and prints them. It gives none only when none
// is due, or may be sent now.
func (r *run) claim(ctx context.Context) ([]job, error) {
	for {
		now := r.clock()
		claimed, err := r.l.Queue.ClaimEditions(ctx, now, digest.Claim{
			Most: r.l.batch(), Lease: r.l.lease(), Token: r.token,
			// So many connections are ours, not all workers'; the claim counts theirs.
			Route: digest.Limits{Rate: r.l.Route.Rate}, Domain: r.l.Domain,
		})
		if err != nil {
			return nil, fmt.Errorf("claiming editions: %w", err)
		}
		if len(claimed) == 0 {
			return nil, nil
		}
		r.flow.begun(len(claimed))
		r.mu.Lock()
		r.claims++
		r.mu.Unlock()
		fresh := claimed[:0:0]
		for _, d := range claimed {
			if !d.ExpiresAt.IsZero() && !now.Before(d.ExpiresAt) {
				r.expire(d, Reply{}, "its time had passed before it could be sent")
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
	mails, err := r.l.Renderer.Render(ctx, ds)
	if err == nil && len(mails) != len(ds) {
		err = fmt.Errorf("%d editions were printed as %d", len(ds), len(mails))
	}
	if err == nil {
		jobs := make([]job, len(ds))
		for i := range ds {
			jobs[i] = job{Delivery: ds[i], mail: r.complete(mails[i], ds[i]), leaseUntil: leaseUntil, claim: r.claims}
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

// A flow counts the editions between their claim and the record of what became
// of them.
type flow struct {
	mu      sync.Mutex
	under   int           // on their way
	done    int           // recorded
	changed chan struct{} // full: look again
}

func newFlow() *flow { return &flow{changed: make(chan struct{}, 1)} }

func (f *flow) set(under, done int) {
	f.mu.Lock()
	f.under += under
	f.done += done
	f.mu.Unlock()
	select {
	case f.changed <- struct{}{}:
	default:
	}
}

func (f *flow) begun(n int)   { f.set(n, 0) }
func (f *flow) settled(n int) { f.set(-n, n) }

func (f *flow) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.done
}

// room waits until so many were recorded since before, or all; false when none
// was and none will be.
func (f *flow) room(ctx context.Context, before, want int) bool {
	for {
		f.mu.Lock()
		under, done := f.under, f.done-before
		f.mu.Unlock()
		if done >= want || under == 0 {
			return done > 0
		}
		select {
		case <-f.changed:
		case <-ctx.Done():
			return false
		}
	}
}
