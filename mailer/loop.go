package mailer

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
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

// Printer turns claimed editions into mail, in the same order. What it leaves
// empty of a Mail but for its subject and its body the Loop fills in.
type Printer interface {
	Print(ctx context.Context, deliveries []digest.Delivery) ([]Mail, error)
}

// A Loop delivers what is ready. Queue, Printer, Transport, Signer and From are required.
// One Loop runs one Once at a time; several Loops, here or elsewhere, share a Queue.
type Loop struct {
	Queue     Queue
	Printer   Printer
	Transport Transport
	Signer    *digest.Signer // of Message-IDs and return paths
	From      string         // DIGEST_FROM
	ReplyTo   string         // empty: none

	// ReturnPath is the address that bounces come back to, and mail that
	// unsubscribes, each with a tag of its own. Empty: bounces go to From, and
	// no mail unsubscribes.
	ReturnPath string

	// Keys gives the DKIM keys, at the start of each Once; nil: mail goes unsigned.
	Keys func(ctx context.Context) ([]digest.DKIMKey, error)

	// Route and Domain limit lanes that have no limits of their own. Of the
	// route's, Connections is how many messages this Loop has on the way at
	// once, 4 by default.
	Route, Domain digest.Limits

	Batch int           // editions claimed at once for each connection; default 20
	Lease time.Duration // default 5 minutes; prolonged while the Loop is alive, if it has a clock
	Grace time.Duration // after a stop, what has not come to its dot by then is given back; default 10 s

	// Now is the clock of a run that may last; nil: the instant given to Once, throughout.
	Now func() time.Time
	// Jitter gives what to add to a retry's delay, at most a tenth of it, either sign; nil: nothing.
	Jitter func(delay time.Duration) time.Duration
	// Hard, when it ends, cuts everything off at once by closing the Transport; nil: never.
	Hard context.Context
	Log  *slog.Logger

	keys    []digest.DKIMKey // those that sealer was made of
	sealer  *Sealer
	tallies tallies
	zones   zoneCache
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

// Once delivers until nothing is due, or may be sent now. A mail server that
// is down is no error: the editions stay ready and Stats.RouteRetryAt tells when
// to come back, whoever comes then. When ctx ends it claims no more, finishes
// what is in flight, gives the rest back, and returns nil.
func (l *Loop) Once(ctx context.Context, now time.Time) (Stats, error) {
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
	if err := l.readKeys(ctx); err != nil {
		return Stats{}, err
	}
	if l.Hard != nil {
		defer context.AfterFunc(l.Hard, func() { l.Transport.Close() })()
	}
	l.tallies.forget(now)
	r := l.newRun(ctx, now, route)
	r.deliver(ctx)
	return r.stats, r.err
}

// checkSender looks at the settings that every message needs: no reader's
// edition is to blame for them.
func (l *Loop) checkSender() error {
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

// readKeys makes a new sealer when the keys are not those of the last time.
func (l *Loop) readKeys(ctx context.Context) error {
	if l.Keys == nil {
		return nil
	}
	keys, err := l.Keys(ctx)
	if ctx.Err() != nil {
		return nil // it is noticed later, and nothing has been claimed
	}
	if err != nil {
		return fmt.Errorf("reading the DKIM keys: %w", err)
	}
	if l.keys != nil && slices.EqualFunc(keys, l.keys, sameKey) {
		return nil
	}
	sealer, err := NewSealer(keys, l.From)
	if err != nil {
		return fmt.Errorf("mail cannot be signed: %w", err)
	}
	l.keys, l.sealer = keys, sealer
	return nil
}

func sameKey(a, b digest.DKIMKey) bool {
	return a.Domain == b.Domain && a.Selector == b.Selector && a.Active == b.Active && bytes.Equal(a.PrivateKey, b.PrivateKey)
}

func (l *Loop) connections() int     { return cmp.Or(max(l.Route.Connections, 0), 4) }
func (l *Loop) batch() int           { return cmp.Or(max(l.Batch, 0), 20) * l.connections() }
func (l *Loop) lease() time.Duration { return cmp.Or(max(l.Lease, 0), 5*time.Minute) }
func (l *Loop) grace() time.Duration { return cmp.Or(max(l.Grace, 0), 10*time.Second) }
