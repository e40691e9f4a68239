package store

import (
	"context"
	"fmt"
	"time"

	"digest"
)

// NextMail gives the earliest instant at which ClaimEditions, with the same
// limits, would find an edition, or a claim that is over is to be reaped;
// false: no edition is on its way. It may lie in the past. What waits behind a
// lane that is full counts when a lease ends: whoever marks editions claims
// again anyway.
func (s *Store) NextMail(ctx context.Context, now time.Time, route, domain digest.Limits) (time.Time, bool, error) {
	next, err := nextMail(ctx, s.read(), now, digest.Claim{Route: route, Domain: domain})
	if err != nil {
		return time.Time{}, false, fmt.Errorf("finding the next mail: %w", err)
	}
	return next, !next.IsZero(), nil
}

func nextMail(ctx context.Context, c conn, now time.Time, q digest.Claim) (time.Time, error) {
	var over instant
	err := c.get(ctx, &over, `SELECT MIN(CASE WHEN e.state = 'dotting' AND e.dot_at + ? > e.lease_until THEN e.dot_at + ? ELSE e.lease_until END)
		FROM editions e WHERE e.state IN ('leased', 'dotting')`, int64(doubtAfter/time.Second), int64(doubtAfter/time.Second))
	if err != nil {
		return time.Time{}, err
	}
	t, err := readTraffic(ctx, c, now, q)
	if err != nil {
		return time.Time{}, err
	}
	if t.way("").full {
		return over.time(), nil
	}
	ready, err := t.nextReady(ctx, c)
	if err != nil || ready.IsZero() {
		return over.time(), err
	}
	if opens := t.way("").opens(); opens.After(ready) {
		ready = opens
	}
	return first(over.time(), ready), nil
}

// nextReady is the earliest instant at which a domain may carry what waits for it.
func (t *traffic) nextReady(ctx context.Context, c conn) (time.Time, error) {
	var closed, shut values // shut: those that time opens
	for _, name := range t.closed() {
		closed.row(name)
		if !t.way(name).full {
			shut.row(name)
		}
	}
	where := `e.state = 'ready'`
	if len(closed.rows) > 0 {
		where += ` AND e.domain NOT IN (VALUES ` + closed.String() + `)`
	}
	var open instant
	err := c.get(ctx, &open, `SELECT e.next_at FROM editions e WHERE `+where+` ORDER BY e.next_at, e.id LIMIT 1`, closed.args...)
	if err != nil && !isNone(err) {
		return time.Time{}, err
	}
	next := open.time()
	if len(shut.rows) == 0 {
		return next, nil
	}
	var waiting []struct {
		Domain string  `db:"domain"`
		NextAt instant `db:"next_at"`
	}
	if err := c.all(ctx, &waiting, `SELECT e.domain, MIN(e.next_at) AS next_at FROM editions e
		WHERE e.state = 'ready' AND e.domain IN (VALUES `+shut.String()+`) GROUP BY e.domain`, shut.args...); err != nil {
		return time.Time{}, err
	}
	for _, w := range waiting {
		ready := w.NextAt.time()
		if opens := t.way(w.Domain).opens(); opens.After(ready) {
			ready = opens
		}
		next = first(next, ready)
	}
	return next, nil
}

// first is the earlier of two times, either of which may be none.
func first(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
