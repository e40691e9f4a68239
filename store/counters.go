package store

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"digest"
)

// A Counter counts things that were done. It only grows, even if the results are deleted.
type Counter struct {
	N        int64
	Requests int64 // only for polls
	Bytes    int64 // only for polls
}

// An HourCounter counts one kind of work in one hour.
type HourCounter struct {
	At   time.Time // start of the hour
	Kind string
	Counter
}

// The kinds of counters. CounterPoll is followed by PollRecord.Kind. CounterMail is followed by sent, retried, failed,
// expired or sent_unconfirmed.
const (
	CounterPoll    = "poll "
	CounterMail    = "mail "
	CounterEdition = "edition" // released
	CounterPost    = "post"    // new and stored
	CounterPush    = "push"    // push from a hub whose posts were stored
)

// mailRetried is the result of an email that is sent again later.
const mailRetried = "retried"

// keepHours is how long counters of single hours are stored.
const keepHours = 7 * 24 * time.Hour

type counters map[string]Counter

func (t counters) add(kind string, more Counter) {
	sum := t[kind]
	t[kind] = Counter{sum.N + more.N, sum.Requests + more.Requests, sum.Bytes + more.Bytes}
}

func (t counters) poll(p PollRecord) {
	t.add(CounterPoll+p.Kind(), Counter{1, int64(p.Requests), p.Bytes})
}

// count adds done to the counters, in the order of the kinds. Call it last in a transaction, because its rows stay
// locked until the commit. A random slot keeps workers from waiting for each other.
func count(ctx context.Context, c conn, now instant, done counters) error {
	var v values
	slot := rand.IntN(c.d.Slots)
	for _, kind := range slices.Sorted(maps.Keys(done)) {
		if t := done[kind]; t.N > 0 {
			v.Row(now-now%3600, kind, slot, t.N, t.Requests, t.Bytes)
		}
	}
	return c.RunRows(ctx, &v, `INSERT INTO counters (hour, kind, slot, n, requests, bytes) VALUES {rows}`+addToCounter)
}

const addToCounter = ` ON CONFLICT (hour, kind, slot) DO UPDATE SET n = counters.n + excluded.n,
	requests = counters.requests + excluded.requests, bytes = counters.bytes + excluded.bytes`

func countMail(ctx context.Context, c conn, now instant, state digest.EditionState, n int) error {
	return count(ctx, c, now, counters{CounterMail + string(state): {N: int64(n)}})
}

// HourCounters returns the counters of the hours since an instant, oldest first.
func (s Operator) HourCounters(ctx context.Context, since time.Time) ([]HourCounter, error) {
	return readRows[HourCounter](ctx, s.read(), "reading what was done",
		`SELECT hour AS at, kind, `+counterSums+` FROM counters WHERE hour >= ?
		GROUP BY hour, kind ORDER BY hour, kind`, max(1, at(since.UTC().Truncate(time.Hour))))
}

const counterSums = `CAST(SUM(n) AS BIGINT) AS n, CAST(SUM(requests) AS BIGINT) AS requests,
	CAST(SUM(bytes) AS BIGINT) AS bytes`

// CounterTotals returns the total counters, by kind.
func (s Operator) CounterTotals(ctx context.Context) (map[string]Counter, error) {
	var rows []struct {
		Kind string
		Counter
	}
	if err := s.read().All(ctx, &rows, `SELECT kind, `+counterSums+` FROM counters GROUP BY kind`); err != nil {
		return nil, fmt.Errorf("reading what was ever done: %w", err)
	}
	totals := make(map[string]Counter, len(rows))
	for _, r := range rows {
		totals[r.Kind] = r.Counter
	}
	return totals, nil
}

// sumOldCounters adds counters older than keepHours to the totals.
func (s *database) sumOldCounters(ctx context.Context, now time.Time) error {
	old := at(now).Plus(-keepHours)
	old -= old % 3600
	// Two workers would add the same rows.
	return s.changeUnder(ctx, s.d.LockPlan, "summing up what was done", func(c conn) error {
		if err := c.Run(ctx, `INSERT INTO counters (hour, kind, slot, n, requests, bytes)
			SELECT 0, x.kind, 0, x.n, x.requests, x.bytes FROM (SELECT kind, `+counterSums+` FROM counters
				WHERE hour > 0 AND hour < ? GROUP BY kind) x WHERE TRUE`+addToCounter, old); err != nil {
			return err
		}
		return c.Run(ctx, `DELETE FROM counters WHERE hour > 0 AND hour < ?`, old)
	})
}
