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

// A Counter is how much of something was done. Counters only grow: what
// is deleted was still done.
type Counter struct {
	N        int64
	Requests int64 // of polls
	Bytes    int64 // of polls
}

// An HourCounter is what was done of one kind in one hour.
type HourCounter struct {
	At   time.Time // when the hour begins
	Kind string
	Counter
}

// The kinds of counters. Behind CounterPoll stands what came of it, as
// PollRecord.Kind names it, and behind CounterMail what became of it: sent,
// retried, failed, expired or sent_unconfirmed.
const (
	CounterPoll    = "poll "
	CounterMail    = "mail "
	CounterEdition = "edition" // made at a midnight
	CounterPost    = "post"    // a new one, stored
	CounterHub     = "hub "    // a request of our hub, with its digest.HubOutcome
	CounterPush    = "push"    // of a hub, whose posts were stored
)

// mailRetried is what became of a mail that is tried again.
const mailRetried = "retried"

// keepHours is how long counters are told apart by the hour.
const keepHours = 7 * 24 * time.Hour

// counters is what one transaction has done, by kind.
type counters map[string]Counter

func (t counters) add(kind string, more Counter) {
	sum := t[kind]
	t[kind] = Counter{sum.N + more.N, sum.Requests + more.Requests, sum.Bytes + more.Bytes}
}

func (t counters) poll(p PollRecord) {
	t.add(CounterPoll+p.Kind(), Counter{1, int64(p.Requests), p.Bytes})
}

// count adds what was done to the counters, in the order of the kinds. It belongs at the end
// of a transaction: its rows stay locked until then. Workers mostly count in
// different slots, so that they do not wait for each other.
func count(ctx context.Context, c conn, now instant, done counters) error {
	var v values
	slot := rand.IntN(c.d.slots)
	for _, kind := range slices.Sorted(maps.Keys(done)) {
		if t := done[kind]; t.N > 0 {
			v.row(now-now%3600, kind, slot, t.N, t.Requests, t.Bytes)
		}
	}
	return c.runRows(ctx, &v, `INSERT INTO counters (hour, kind, slot, n, requests, bytes) VALUES {rows}`+addToCounter)
}

const addToCounter = ` ON CONFLICT (hour, kind, slot) DO UPDATE SET n = counters.n + excluded.n,
	requests = counters.requests + excluded.requests, bytes = counters.bytes + excluded.bytes`

// countMail counts what became of editions that were to be mailed.
func countMail(ctx context.Context, c conn, now instant, state digest.EditionState, n int) error {
	return count(ctx, c, now, counters{CounterMail + string(state): {N: int64(n)}})
}

// HourCounters gives what was done in the hours since an instant, the oldest first.
func (s *Store) HourCounters(ctx context.Context, since time.Time) ([]HourCounter, error) {
	return readRows[HourCounter](ctx, s.read(), "reading what was done",
		`SELECT hour AS at, kind, `+counterSums+` FROM counters WHERE hour >= ?
		GROUP BY hour, kind ORDER BY hour, kind`, max(1, at(since.UTC().Truncate(time.Hour))))
}

const counterSums = `CAST(SUM(n) AS BIGINT) AS n, CAST(SUM(requests) AS BIGINT) AS requests, CAST(SUM(bytes) AS BIGINT) AS bytes`

// CounterTotals gives what was ever done, by kind.
func (s *Store) CounterTotals(ctx context.Context) (map[string]Counter, error) {
	var rows []struct {
		Kind string
		Counter
	}
	if err := s.read().all(ctx, &rows, `SELECT kind, `+counterSums+` FROM counters GROUP BY kind`); err != nil {
		return nil, fmt.Errorf("reading what was ever done: %w", err)
	}
	totals := make(map[string]Counter, len(rows))
	for _, r := range rows {
		totals[r.Kind] = r.Counter
	}
	return totals, nil
}

// sumOldCounters sums up what is too old to be told apart by the hour.
func (s *Store) sumOldCounters(ctx context.Context, now time.Time) error {
	old := at(now).plus(-keepHours)
	old -= old % 3600
	// two would sum up the same
	return s.changeUnder(ctx, s.d.lockPlan, "summing up what was done", func(c conn) error {
		if _, err := c.exec(ctx, `INSERT INTO counters (hour, kind, slot, n, requests, bytes)
			SELECT 0, x.kind, 0, x.n, x.requests, x.bytes FROM (SELECT kind, `+counterSums+` FROM counters
				WHERE hour > 0 AND hour < ? GROUP BY kind) x WHERE TRUE`+addToCounter, old); err != nil {
			return err
		}
		return c.run(ctx, `DELETE FROM counters WHERE hour > 0 AND hour < ?`, old)
	})
}
