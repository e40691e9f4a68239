package mailer

import (
	"context"
	"fmt"
	"sync"
	"time"

	"digest"
)

// Queue stores the editions to send. Every method is one transaction that is committed before it returns. All commits
// wait for the disk, except in MarkEditionsUnsynced. No method is called during another transaction. The queue records
// permanently that an edition was in doubt, and every later claim reports it.
type Queue interface {
	// RecoverEditions recovers the editions of workers that died. Leases that have ended become ready. Dots without a
	// mark that are older than 15 minutes become in doubt, or sent_unconfirmed if the edition was in doubt before. It
	// returns the number of both. If the Transport is idempotent, all of them become ready.
	RecoverEditions(ctx context.Context, now time.Time, idempotent bool) (inDoubt, unconfirmed int, err error)

	// ClaimEditions leases editions whose NextAt has passed, and counts the attempt. It skips readers who have left and
	// suppressed addresses. It returns as many as the claim and the limits of the lanes allow, sorted by NextAt. Two
	// callers never get the same edition.
	ClaimEditions(ctx context.Context, now time.Time, c digest.Claim) ([]digest.Delivery, error)

	// RenewLeases extends the leases under token.
	RenewLeases(ctx context.Context, now time.Time, token string, lease time.Duration) error

	// MarkEditions stores the results of editions that are held under token, and ignores others. It changes the
	// editions of dots from leased under token to dotting, and returns them. The caller must not send the others.
	MarkEditions(ctx context.Context, now time.Time, token string, marks []digest.Mark,
		dots []digest.Dot) (won []digest.EditionID, err error)

	// MarkEditionsUnsynced is like MarkEditions, but its commit does not wait for the disk. Other connections see the
	// commit, and it survives the end of this process. A crash of the database or its machine can lose it, with all
	// such commits since the last one that waited.
	MarkEditionsUnsynced(ctx context.Context, now time.Time, token string, marks []digest.Mark,
		dots []digest.Dot) (won []digest.EditionID, err error)

	// GiveBackEditions ends the leases under token, and does not count the attempts.
	GiveBackEditions(ctx context.Context, token string) error

	// Lane returns a lane. The name of the route is "".
	Lane(ctx context.Context, name string) (digest.Lane, error)

	// ChangeLane stores the result of change, and locks the lane for the time. It may call change more than once.
	ChangeLane(ctx context.Context, now time.Time, name string, change func(digest.Lane) digest.Lane) (digest.Lane,
		error)
}

// Renderer renders claimed editions as letters, in the same order. It sets the subject, the body, ListName,
// UnsubscribeURL and HelpURL. The Deliverer sets the rest.
type Renderer interface {
	Render(ctx context.Context, deliveries []digest.Delivery) ([]Letter, error)
}

type claimed struct {
	digest.Delivery
	letter     Letter
	message    []byte // the signed bytes of letter, made while the connections send others
	leaseUntil time.Time
	claim      int  // number of its claim in the run
	small      bool // made smaller, because a server rejected its size
}

// claimAll sends editions to queue: first the batch from an earlier round, then new claims. It puts the rest back when
// the run ends.
//
// An empty claim does not end the loop while messages are in flight, because their results free capacity in full lanes.
// After each empty claim it waits for twice as many results as before, because most of these claims find nothing.
func (r *run) claimAll(ctx context.Context, queue chan<- claimed, batch []claimed) {
	r.flow.begun(len(batch))
	for wait := 1; ; {
		for i, c := range batch {
			select {
			case queue <- c:
				continue
			case <-ctx.Done():
			}
			r.putBack(batch[i:]...)
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

// claim leases and renders the next editions. It returns none only if none is due or may be sent now.
func (r *run) claim(ctx context.Context) ([]claimed, error) {
	for {
		now := r.clock()
		if now.Unix() != r.looked { // editions before this place may have become ready
			r.after, r.looked = digest.QueuePlace{}, now.Unix()
		}
		after := r.after
		deliveries, err := r.Queue.ClaimEditions(ctx, now, digest.Claim{
			Most: r.batch(), Lease: leaseLength, Token: r.token, After: after,
			// This worker uses only its own connections. The claim counts the messages of all workers.
			Route: digest.Limits{Rate: r.Route.Rate}, Domain: r.Domain,
		})
		if err != nil {
			return nil, fmt.Errorf("claiming editions: %w", err)
		}
		switch n := len(deliveries); {
		case n == 0 && after != (digest.QueuePlace{}):
			r.after = digest.QueuePlace{}
			continue
		case n == 0:
			return nil, nil
		default:
			r.after = digest.QueuePlace{NextAt: deliveries[n-1].NextAt, ID: deliveries[n-1].ID}
		}
		r.flow.begun(len(deliveries))
		fresh := claimed{leaseUntil: now.Add(leaseLength), claim: r.lanes.nextClaim()}
		inTime := deliveries[:0:0]
		for _, d := range deliveries {
			if !d.ExpiresAt.IsZero() && !now.Before(d.ExpiresAt) {
				r.mark(d, expiredMark(d, Reply{}, "its time had passed before it could be sent"))
				continue
			}
			inTime = append(inTime, d)
		}
		if batch := r.render(ctx, inTime, fresh); len(batch) > 0 || ctx.Err() != nil {
			return batch, nil
		}
	}
}

// render renders a batch of editions, each as a copy of fresh. If the batch fails, it renders them one by one, so that
// one bad edition does not stop the others.
func (r *run) render(ctx context.Context, ds []digest.Delivery, fresh claimed) []claimed {
	if len(ds) == 0 {
		return nil
	}
	letters, err := r.Renderer.Render(ctx, ds)
	if err == nil && len(letters) != len(ds) {
		err = fmt.Errorf("%d editions were rendered as %d", len(ds), len(letters))
	}
	var batch []claimed
	switch {
	case err == nil:
		for i, d := range ds {
			fresh.Delivery, fresh.letter = d, r.complete(letters[i], d, r.clock())
			batch = append(batch, fresh)
		}
	case ctx.Err() != nil:
		// They stay leased; the run returns them at its end.
	case len(ds) == 1:
		r.mark(ds[0], retryMark(ds[0], Reply{}, fmt.Errorf("rendering: %w", err), r.clock(), r.Jitter))
	default:
		for i := range ds {
			batch = append(batch, r.render(ctx, ds[i:i+1], fresh)...)
		}
	}
	return batch
}

// keepLeases renews the leases of waiting editions until the caller calls stop.
func (r *run) keepLeases(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var wg sync.WaitGroup
	wg.Go(func() {
		beat := time.NewTicker(leaseLength / 3)
		defer beat.Stop()
		for {
			select {
			case <-beat.C:
				r.renewLeases(ctx)
			case <-ctx.Done():
				return
			}
		}
	})
	return func() { cancel(); wg.Wait() }
}

// renewLeases renews the leases once. After an error the next tick retries. If the leases end, holds prevents their
// use.
func (r *run) renewLeases(ctx context.Context) {
	now := r.clock()
	if err := r.Queue.RenewLeases(ctx, now, r.token, leaseLength); err != nil {
		if ctx.Err() == nil {
			r.log.Warn("cannot extend the leases of editions", "err", err)
		}
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.leased = now.Add(leaseLength)
}

// holds reports whether this worker still has the lease of an edition.
func (r *run) holds(c claimed) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.clock()
	return now.Before(c.leaseUntil) || now.Before(r.leased)
}

// A flow counts the editions between their claim and their stored result.
type flow struct {
	mu      sync.Mutex
	changed sync.Cond
	under   int // in flight
	done    int // stored
}

func newFlow() *flow {
	f := &flow{}
	f.changed.L = &f.mu
	return f
}

func (f *flow) add(under, done int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.under += under
	f.done += done
	f.changed.Broadcast()
}

func (f *flow) begun(n int)    { f.add(n, 0) }
func (f *flow) recorded(n int) { f.add(-n, n) }

func (f *flow) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.done
}

// room waits until want editions have been recorded since before, or none is in flight. It returns false if none was
// recorded.
func (f *flow) room(ctx context.Context, before, want int) bool {
	defer context.AfterFunc(ctx, func() { f.add(0, 0) })()
	f.mu.Lock()
	defer f.mu.Unlock()
	for f.done-before < want && f.under > 0 && ctx.Err() == nil {
		f.changed.Wait()
	}
	return f.done > before && ctx.Err() == nil
}
