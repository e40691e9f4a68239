package mailer

import (
	"context"
	"fmt"
	"sync"
	"time"

	"digest"
)

// Queue is where editions wait. Every method is one transaction and commits
// before it returns, to the disk but for MarkEditionsUnsynced; none is called while another transaction is open. That an
// edition was once in doubt is never forgotten: every later claim says so.
type Queue interface {
	// RecoverEditions ends what died: leases past their end become ready again; dots older
	// than 15 minutes without a mark become in doubt, or sent_unconfirmed when
	// they were in doubt before. It reports how many became either. Where the
	// Transport is idempotent nothing becomes in doubt, everything ready again.
	RecoverEditions(ctx context.Context, now time.Time, idempotent bool) (inDoubt, unconfirmed int, err error)

	// ClaimEditions leases editions that may be sent and are due by NextAt, of
	// readers who have not left and whose address is not suppressed, as many as
	// the claim and the limits of the lanes allow, counts the attempt, and gives
	// them in the order of NextAt. Two callers never get the same edition.
	ClaimEditions(ctx context.Context, now time.Time, c digest.Claim) ([]digest.Delivery, error)

	// RenewLeases prolongs what is leased under token.
	RenewLeases(ctx context.Context, now time.Time, token string, lease time.Duration) error

	// MarkEditions records what became of editions held under token, and nothing of others.
	// It turns those of dots that are still leased under token into dotting ones,
	// and reports them. The others must not be sent.
	MarkEditions(ctx context.Context, now time.Time, token string, marks []digest.Mark,
		dots []digest.Dot) (won []digest.EditionID, err error)

	// MarkEditionsUnsynced is MarkEditions with a commit that everybody sees and that
	// the end of this process does not undo, but that does not wait for the disk: the
	// end of the database or its machine may undo it, with all such commits since
	// the last one that waited.
	MarkEditionsUnsynced(ctx context.Context, now time.Time, token string, marks []digest.Mark,
		dots []digest.Dot) (won []digest.EditionID, err error)

	// GiveBackEditions gives back what is leased under token, uncounted.
	GiveBackEditions(ctx context.Context, token string) error

	// Lane gives a lane, the route's name being empty.
	Lane(ctx context.Context, name string) (digest.Lane, error)

	// ChangeLane stores what change makes of a lane, and keeps others away from
	// it meanwhile. It may call change more than once.
	ChangeLane(ctx context.Context, now time.Time, name string, change func(digest.Lane) digest.Lane) (digest.Lane,
		error)
}

// Renderer turns claimed editions into letters, in the same order. It gives the
// subject, the body, ListName, UnsubscribeURL and HelpURL; the Deliverer fills
// in the rest.
type Renderer interface {
	Render(ctx context.Context, deliveries []digest.Delivery) ([]Letter, error)
}

// A claimed edition is on its way: leased, rendered, and signed in time.
type claimed struct {
	digest.Delivery
	letter     Letter
	message    []byte // the signed bytes of letter; made while the connections are busy with others
	leaseUntil time.Time
	claim      int  // which of the run's
	small      bool // made smaller, because a server found it too large
}

// claimAll offers editions to queue: those left over first, then what it
// claims. What nobody wants any more is put back.
//
// A claim that gives nothing is not the end while messages are on their way:
// what becomes of them makes room in lanes that are full. After each such claim
// it waits for twice as many, because mostly there is nothing more to come.
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

// claim leases the next editions and renders them. It gives none only when none
// is due, or may be sent now.
func (r *run) claim(ctx context.Context) ([]claimed, error) {
	for {
		now := r.clock()
		if now.Unix() != r.looked { // what has become ready before it meanwhile must not wait longer
			r.after, r.looked = digest.QueuePlace{}, now.Unix()
		}
		after := r.after
		deliveries, err := r.Queue.ClaimEditions(ctx, now, digest.Claim{
			Most: r.batch(), Lease: leaseLength, Token: r.token, After: after,
			// So many connections are ours, not all workers'; the claim counts theirs.
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

// render renders a batch at once, each as fresh with its delivery and letter.
// When that fails it renders one by one, so that an edition that cannot be
// rendered stops no other.
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
		// Leased; it is given back at the end.
	case len(ds) == 1:
		r.mark(ds[0], retryMark(ds[0], Reply{}, fmt.Errorf("rendering: %w", err), r.clock(), r.Jitter))
	default:
		for i := range ds {
			batch = append(batch, r.render(ctx, ds[i:i+1], fresh)...)
		}
	}
	return batch
}

// keepLeases prolongs the leases of what waits to be sent, until stop is called.
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

// renewLeases prolongs the leases once. What fails is tried again before they end;
// if they do end, nothing is sent that another may have.
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

// holds reports whether an edition is still ours to send, as far as we know.
func (r *run) holds(c claimed) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.clock()
	return now.Before(c.leaseUntil) || now.Before(r.leased)
}

// A flow counts the editions between their claim and the record of what became
// of them.
type flow struct {
	mu      sync.Mutex
	changed sync.Cond
	under   int // on their way
	done    int // recorded
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

// room waits until so many were recorded since before, or all; false when none
// was and none will be.
func (f *flow) room(ctx context.Context, before, want int) bool {
	defer context.AfterFunc(ctx, func() { f.add(0, 0) })()
	f.mu.Lock()
	defer f.mu.Unlock()
	for f.done-before < want && f.under > 0 && ctx.Err() == nil {
		f.changed.Wait()
	}
	return f.done > before && ctx.Err() == nil
}
