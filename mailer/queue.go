package mailer

import (
	"context"
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

// Renderer turns claimed editions into letters, in the same order. It gives the
// subject, the body, ListName, UnsubscribeURL and HelpURL; the Deliverer fills
// in the rest.
type Renderer interface {
	Render(ctx context.Context, deliveries []digest.Delivery) ([]Letter, error)
}
