package mailer

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"digest"
)

// Queue is where editions wait. Every method is one transaction and commits
// before it returns; none is called while another transaction is open. That an
// edition was once in doubt is never forgotten: every later claim says so.
type Queue interface {
	// Reap ends what died: leases past their end become ready again; dots older
	// than 15 minutes without a mark become in doubt, or sent_unconfirmed when
	// they were in doubt before. It reports how many became either.
	Reap(ctx context.Context, now time.Time) (inDoubt int, err error)

	// ReapIdempotent is Reap for a Transport that is Idempotent: nothing becomes
	// in doubt, everything becomes ready again.
	ReapIdempotent(ctx context.Context, now time.Time) error

	// ClaimEditions leases at most n editions that may be sent and are due by
	// NextAt, of readers who have not left, counts the attempt, and gives them in
	// the order of NextAt. Two callers never get the same edition.
	ClaimEditions(ctx context.Context, now time.Time, n int, lease time.Duration, token string) ([]digest.Delivery, error)

	// BeginDot turns leased editions into dotting ones, and reports those that
	// were still leased under token. The others must not be sent.
	BeginDot(ctx context.Context, now time.Time, token string, dots []digest.Dot) (won []digest.EditionID, err error)

	// Finish records what became of editions held under token, and nothing of others.
	Finish(ctx context.Context, now time.Time, token string, marks []digest.Mark) error

	// Turn is Finish and then BeginDot in one transaction: what became of the
	// last messages, and the promises for the next.
	Turn(ctx context.Context, now time.Time, token string, marks []digest.Mark, dots []digest.Dot) (won []digest.EditionID, err error)

	// ReleaseEditions gives back what is leased under token, uncounted.
	ReleaseEditions(ctx context.Context, token string) error
}

// Printer turns claimed editions into mail, in the same order. What it leaves
// empty of From, ReplyTo, To, MessageID, Date, ListID and ListName the Loop fills in.
type Printer interface {
	Print(ctx context.Context, deliveries []digest.Delivery) ([]Mail, error)
}

// A Loop delivers what is ready. Queue, Printer, Transport, Signer and From are required.
// One Loop runs one Once at a time; several Loops, here or elsewhere, share a Queue.
type Loop struct {
	Queue     Queue
	Printer   Printer
	Transport Transport
	Signer    *digest.Signer // of Message-IDs
	From      string         // DIGEST_FROM
	ReplyTo   string         // empty: none

	Connections int           // messages in flight at once; default 4
	Batch       int           // editions claimed at once for each connection; default 20
	Lease       time.Duration // default 5 minutes
	Grace       time.Duration // after a stop, what has not come to its dot by then is given back; default 10 s

	// Now is the clock of a run that may last; nil: the instant given to Once, throughout.
	Now func() time.Time
	// Jitter gives what to add to a retry's delay, at most a tenth of it, either sign; nil: nothing.
	Jitter func(delay time.Duration) time.Duration
	// Hard, when it ends, cuts everything off at once by closing the Transport; nil: never.
	Hard context.Context
	Log  *slog.Logger

	routeUntil    time.Time // the route is left alone until then
	routeFailures int       // in a row
	routeTrouble  string    // the latest
	zones         zoneCache
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

// Once delivers until nothing is due. A mail server that is down is no error: the
// editions stay ready and Stats.RouteRetryAt tells when to come back. When ctx ends it claims
// no more, finishes what is in flight, gives the rest back, and returns nil.
func (l *Loop) Once(ctx context.Context, now time.Time) (Stats, error) {
	if now.Before(l.routeUntil) {
		return Stats{RouteRetryAt: l.routeUntil, RouteTrouble: l.routeTrouble}, nil
	}
	if _, err := parseAddress(l.From); err != nil { // no reader's edition is to blame for it
		return Stats{}, fmt.Errorf("mail cannot be sent from DIGEST_FROM=%q: %w", l.From, err)
	}
	if l.Hard != nil {
		defer context.AfterFunc(l.Hard, func() { l.Transport.Close() })()
	}
	r := l.newRun(ctx, now)
	r.deliver(ctx)
	l.judgeRoute(r)
	return r.stats, r.err
}

// judgeRoute decides how long to leave the route alone. It was bad when
// something is left over that could not be sent for its sake.
func (l *Loop) judgeRoute(r *run) {
	if r.routeTrouble == nil || len(r.left) == 0 && r.progress > 0 {
		if r.progress > 0 {
			l.routeFailures, l.routeUntil = 0, time.Time{}
		}
		return
	}
	l.routeFailures++
	l.routeUntil = r.clock().Add(routeDelay(l.routeFailures))
	l.routeTrouble = r.routeTrouble.reason()
	r.stats.RouteRetryAt, r.stats.RouteTrouble = l.routeUntil, l.routeTrouble
	r.log.Warn("no mail can be sent; the editions wait", "reason", l.routeTrouble, "again_at", l.routeUntil)
}

func (l *Loop) connections() int     { return cmp.Or(max(l.Connections, 0), 4) }
func (l *Loop) batch() int           { return cmp.Or(max(l.Batch, 0), 20) * l.connections() }
func (l *Loop) lease() time.Duration { return cmp.Or(max(l.Lease, 0), 5*time.Minute) }
func (l *Loop) grace() time.Duration { return cmp.Or(max(l.Grace, 0), 10*time.Second) }

// zoneCache keeps the readers' zones: reading one takes longer than composing a message.
type zoneCache struct{ byName sync.Map }

func (z *zoneCache) load(name string) *time.Location {
	if loc, ok := z.byName.Load(name); ok {
		return loc.(*time.Location)
	}
	loc, err := time.LoadLocation(name)
	if err != nil {
		loc = time.UTC // the offset is for show
	}
	z.byName.Store(name, loc)
	return loc
}
