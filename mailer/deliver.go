package mailer

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"time"

	"digest"
)

// Queue is where editions wait. Every method is one transaction and commits
// before it returns; none is called while another transaction is open. That an
// edition was once in doubt is never forgotten: every later claim says so.
type Queue interface {
	// RecoverEditions ends what died: leases past their end become ready again; dots older
	// than 15 minutes without a mark become in doubt, or sent_unconfirmed when
	// they were in doubt before. It reports how many became either.
	RecoverEditions(ctx context.Context, now time.Time) (inDoubt int, err error)

	// RecoverIdempotentEditions is RecoverEditions for a Transport that is Idempotent: nothing becomes
	// in doubt, everything becomes ready again.
	RecoverIdempotentEditions(ctx context.Context, now time.Time) error

	// ClaimEditions leases editions that may be sent and are due by NextAt, of
	// readers who have not left and whose address is not suppressed, as many as
	// the claim and the limits of the lanes allow, counts the attempt, and gives
	// them in the order of NextAt. Two callers never get the same edition.
	ClaimEditions(ctx context.Context, now time.Time, c digest.Claim) ([]digest.Delivery, error)

	// RenewLeases prolongs what is leased under token.
	RenewLeases(ctx context.Context, now time.Time, token string, lease time.Duration) error

	// BeginDots turns leased editions into dotting ones, and reports those that
	// were still leased under token. The others must not be sent.
	BeginDots(ctx context.Context, now time.Time, token string, dots []digest.Dot) (won []digest.EditionID, err error)

	// MarkEditions records what became of editions held under token, and nothing of others.
	MarkEditions(ctx context.Context, now time.Time, token string, marks []digest.Mark) error

	// MarkAndBeginDots is MarkEditions and then BeginDots in one transaction: what became of the
	// last messages, and the promises for the next.
	MarkAndBeginDots(ctx context.Context, now time.Time, token string, marks []digest.Mark, dots []digest.Dot) (won []digest.EditionID, err error)

	// ReleaseEditions gives back what is leased under token, uncounted.
	ReleaseEditions(ctx context.Context, token string) error

	// Lane gives a lane, the route's name being empty.
	Lane(ctx context.Context, name string) (digest.Lane, error)

	// ChangeLane stores what change makes of a lane, and keeps others away from
	// it meanwhile. It may call change more than once.
	ChangeLane(ctx context.Context, now time.Time, name string, change func(digest.Lane) digest.Lane) (digest.Lane, error)
}

// Renderer turns claimed editions into mail, in the same order. What it leaves
// empty of a Letter but for its subject and its body the Deliverer fills in.
type Renderer interface {
	Render(ctx context.Context, deliveries []digest.Delivery) ([]Letter, error)
}

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

	Signer  *digest.Signer // of Message-IDs and of those tags
	HelpURL string         // a page about the mail, for people (List-Help); empty: none

	// Route and Domain limit lanes that have no limits of their own. Of the
	// route's, Connections is how many messages this Deliverer has on the way at
	// once, 4 by default.
	Route, Domain digest.Limits

	Batch int           // editions claimed at once for each connection; default 20
	Lease time.Duration // default 5 minutes; prolonged during a Deliver that has a clock
	Grace time.Duration // after a stop, what has not come to its dot by then is given back; default 10 s

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

	// RouteRetryAt is when the mail server may be tried again after it could not
	// be used; zero: it could. Until then Once does nothing.
	RouteRetryAt time.Time
	RouteTrouble string // what was wrong with it, in one line
}

// Deliver delivers until nothing is due, or may be sent now. A mail server that
// is down is no error: the editions stay ready and Stats.RouteRetryAt tells when
// to come back, whoever comes then. When ctx ends it claims no more, finishes
// what is in flight, gives the rest back, and returns nil.
func (l *Deliverer) Deliver(ctx context.Context, now time.Time) (Stats, error) {
	if err := l.checkSender(); err != nil {
		return Stats{}, err
	}
	route, err := l.Queue.Lane(ctx, "")
	switch {
	case ctx.Err() != nil:
		return Stats{}, nil
	case err != nil:
		return Stats{}, fmt.Errorf("looking at the way mail takes: %w", err)
	case route.Rests(now):
		return Stats{RouteRetryAt: route.Until, RouteTrouble: route.Reason}, nil
	}
	signer, err := l.dkimSigner(ctx)
	if err != nil && ctx.Err() == nil { // a stop is noticed later, when nothing has been claimed
		return Stats{}, err
	}
	if l.Hard != nil {
		defer context.AfterFunc(l.Hard, func() { l.Transport.Close() })()
	}
	l.counters.forget(now)
	r := l.newRun(ctx, now, route, signer)
	r.deliver(ctx)
	return r.stats, r.err
}

// checkSender looks at the settings that every message needs: no reader's
// edition is to blame for them.
func (l *Deliverer) checkSender() error {
	if _, err := parseAddress(l.From); err != nil {
		return fmt.Errorf("mail cannot be sent from DIGEST_FROM=%q: %w", l.From, err)
	}
	if l.ReturnPath == "" {
		return nil
	}
	if _, err := Recipient(l.ReturnPath); err != nil {
		return fmt.Errorf("bounces cannot come back to DIGEST_RETURN_PATH=%q: %w", l.ReturnPath, err)
	}
	return nil
}

func (l *Deliverer) connections() int     { return cmp.Or(max(l.Route.Connections, 0), 4) }
func (l *Deliverer) batch() int           { return cmp.Or(max(l.Batch, 0), 20) * l.connections() }
func (l *Deliverer) lease() time.Duration { return cmp.Or(max(l.Lease, 0), 5*time.Minute) }
func (l *Deliverer) grace() time.Duration { return cmp.Or(max(l.Grace, 0), 10*time.Second) }
