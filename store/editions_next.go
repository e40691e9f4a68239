package store

import (
	"context"
	"slices"
	"time"

	"digest"
)

// NextMail returns the earliest instant at which ClaimEditions, with the same limits, could return an edition, or
// at which RecoverEditions could recover a claim. The instant may lie in the past. NextMail reports false if no
// edition is on its way. It ignores editions behind a full lane until a lease ends, because a worker that marks
// editions claims again anyway.
func (s Editions) NextMail(ctx context.Context, now time.Time, route, domain digest.Limits) (time.Time, bool, error) {
	next, err := nextMail(ctx, s.read(), now, digest.Claim{Route: route, Domain: domain})
	return next, !next.IsZero(), failed("finding the next mail", err)
}

func nextMail(ctx context.Context, c conn, now time.Time, q digest.Claim) (time.Time, error) {
	var over instant
	err := c.Get(ctx, &over,
		`SELECT MIN(CASE WHEN mc.state = 'dotting' AND mc.at + ? > mc.lease_until THEN mc.at + ?
			ELSE mc.lease_until END)
		FROM mail_claims mc`, doubtAfter, doubtAfter)
	if err != nil {
		return time.Time{}, err
	}
	t, err := readCapacities(ctx, c, now, q)
	if err != nil {
		return time.Time{}, err
	}
	if t.of("").full {
		return over.Time(), nil
	}
	ready, err := t.nextReady(ctx, c)
	if err != nil {
		return time.Time{}, err
	}
	return first(over.Time(), notBefore(ready, t.of("").opens())), nil
}

// lookups is the number of closed domains for which nextReady sends a query each. The first of them usually has the
// answer. Where many domains are closed and nothing waits for them, one query of the whole queue is cheaper.
const lookups = 5

// nextReady returns the earliest instant at which a domain may carry an edition that waits for it.
func (t *capacities) nextReady(ctx context.Context, c conn) (time.Time, error) {
	var shut []string // closed domains that open at an instant
	closed := t.closed()
	for _, name := range closed {
		if !t.of(name).full {
			shut = append(shut, name)
		}
	}
	slices.SortFunc(shut, func(a, b string) int { return t.of(a).opens().Compare(t.of(b).opens()) })
	var where string
	var args []any
	if len(closed) > 0 {
		where, args = ` AND e.domain NOT IN (`+c.d.Names+`)`, []any{closed}
	}
	next, err := firstReady(ctx, c, where, args)
	for i, name := range shut {
		opens := t.of(name).opens()
		if err != nil || !next.IsZero() && !opens.Before(next) {
			break
		}
		if i == lookups {
			return t.searchQueue(ctx, c, next, shut[i:])
		}
		var ready time.Time
		ready, err = firstReady(ctx, c, ` AND e.domain = ?`, []any{name})
		next = first(next, notBefore(ready, opens))
	}
	return next, err
}

// firstReady returns when the first ready edition for which where holds may be tried.
func firstReady(ctx context.Context, c conn, where string, args []any) (time.Time, error) {
	var next instant
	_, err := c.Find(ctx, &next, `SELECT e.next_at FROM editions e WHERE e.state = 'ready'`+
		where+` ORDER BY e.next_at, e.id LIMIT 1`, args...)
	return next.Time(), err
}

// searchQueue is nextReady for domains that are closed until an instant, if that is before next.
func (t *capacities) searchQueue(ctx context.Context, c conn, next time.Time, shut []string) (time.Time, error) {
	var waiting []struct {
		Domain string
		NextAt instant
	}
	err := c.All(ctx, &waiting, `SELECT e.domain, MIN(e.next_at) AS next_at FROM editions e
		WHERE e.state = 'ready' AND e.domain IN (`+c.d.Names+`) GROUP BY e.domain`, shut)
	for _, w := range waiting {
		next = first(next, notBefore(w.NextAt.Time(), t.of(w.Domain).opens()))
	}
	return next, err
}

// notBefore returns the later of two instants: when an edition is ready, and when its lane opens. It returns the
// zero time if ready is zero.
func notBefore(ready, opens time.Time) time.Time {
	if !ready.IsZero() && opens.After(ready) {
		return opens
	}
	return ready
}

// first returns the earlier of two times. It ignores a zero time.
func first(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
