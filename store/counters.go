package store

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"time"

	"digest"
)

// A Counter is how much of something was done. Counters only grow: what
// is deleted was still done.
type Counter struct {
	N        int64 `db:"n"`
	Requests int64 `db:"requests"` // of polls
	Bytes    int64 `db:"bytes"`    // of polls
}

// An HourCounter is what was done of one kind in one hour.
type HourCounter struct {
	At   time.Time // when the hour begins
	Kind string
	Counter
}

// The kinds of what is tallied. Behind CounterPoll stands what came of it, as
// PollRecord.Kind names it, and behind CounterMail what became of it: sent,
// retried, failed, expired or sent_unconfirmed.
const (
	CounterPoll    = "poll "
	CounterMail    = "mail "
	CounterEdition = "edition" // made at a midnight
	CounterPost    = "post"    // a new one, stored
)

// mailRetried is what became of a mail that is tried again.
const mailRetried = "retried"

// keepTallies is how long tallies are told apart by the hour.
const keepTallies = 7 * 24 * time.Hour

// Kind names what came of a poll: unchanged, changed, limited, refused, broken or silent.
func (r PollRecord) Kind() string {
	switch {
	case r.Outcome == "changed", r.Outcome == "unchanged":
		return r.Outcome
	case r.Status == http.StatusTooManyRequests:
		return "limited"
	case r.Status >= http.StatusInternalServerError:
		return "broken"
	case r.Status >= http.StatusBadRequest:
		return "refused"
	}
	return "silent"
}

// tallies is what one transaction has done, by kind.
type tallies map[string]Counter

func (t tallies) add(kind string, more Counter) {
	sum := t[kind]
	t[kind] = Counter{sum.N + more.N, sum.Requests + more.Requests, sum.Bytes + more.Bytes}
}

func (t tallies) poll(p PollRecord) {
	t.add(CounterPoll+p.Kind(), Counter{1, int64(p.Requests), p.Bytes})
}

// tally counts what was done, in the order of the kinds. It belongs at the end
// of a transaction: its rows stay locked until then. Workers mostly count in
// different slots, so that they do not wait for each other.
func tally(ctx context.Context, c conn, now instant, done tallies) error {
	var v values
	slot := rand.IntN(c.d.slots)
	for _, kind := range slices.Sorted(maps.Keys(done)) {
		if t := done[kind]; t.N > 0 {
			v.row(now-now%3600, kind, slot, t.N, t.Requests, t.Bytes)
		}
	}
	return v.chunks(func(part *values) error {
		_, err := c.exec(ctx, `INSERT INTO tallies (hour, kind, slot, n, requests, bytes) VALUES `+part.String()+tallyMore, part.args...)
		return err
	})
}

const tallyMore = ` ON CONFLICT (hour, kind, slot) DO UPDATE SET n = tallies.n + excluded.n,
	requests = tallies.requests + excluded.requests, bytes = tallies.bytes + excluded.bytes`

// tallyMail counts what became of editions that were to be mailed.
func tallyMail(ctx context.Context, c conn, now instant, state digest.EditionState, n int) error {
	return tally(ctx, c, now, tallies{CounterMail + string(state): {N: int64(n)}})
}

// HourCounters gives what was done in the hours since an instant, the oldest first.
func (s *Store) HourCounters(ctx context.Context, since time.Time) ([]HourCounter, error) {
	var rows []struct {
		Hour instant `db:"hour"`
		Kind string  `db:"kind"`
		Counter
	}
	err := s.read().all(ctx, &rows, `SELECT hour, kind, `+tallySums+` FROM tallies WHERE hour >= ?
		GROUP BY hour, kind ORDER BY hour, kind`, max(1, at(since.UTC().Truncate(time.Hour))))
	if err != nil {
		return nil, fmt.Errorf("reading what was done: %w", err)
	}
	hours := make([]HourCounter, len(rows))
	for i, r := range rows {
		hours[i] = HourCounter{r.Hour.time(), r.Kind, r.Counter}
	}
	return hours, nil
}

const tallySums = `CAST(SUM(n) AS BIGINT) AS n, CAST(SUM(requests) AS BIGINT) AS requests, CAST(SUM(bytes) AS BIGINT) AS bytes`

// CounterTotals gives what was ever done, by kind.
func (s *Store) CounterTotals(ctx context.Context) (map[string]Counter, error) {
	var rows []struct {
		Kind string `db:"kind"`
		Counter
	}
	if err := s.read().all(ctx, &rows, `SELECT kind, `+tallySums+` FROM tallies GROUP BY kind`); err != nil {
		return nil, fmt.Errorf("reading what was ever done: %w", err)
	}
	totals := make(map[string]Counter, len(rows))
	for _, r := range rows {
		totals[r.Kind] = r.Counter
	}
	return totals, nil
}

// foldTallies sums up what is too old to be told apart by the hour.
func (s *Store) foldTallies(ctx context.Context, now time.Time) error {
	old := at(now).plus(-keepTallies)
	old -= old % 3600
	err := s.write(ctx, func(c conn) error {
		if err := c.hold(ctx, c.d.lockPlan); err != nil { // two would sum up the same
			return err
		}
		if _, err := c.exec(ctx, `INSERT INTO tallies (hour, kind, slot, n, requests, bytes)
			SELECT 0, x.kind, 0, x.n, x.requests, x.bytes FROM (SELECT kind, `+tallySums+` FROM tallies
				WHERE hour > 0 AND hour < ? GROUP BY kind) x WHERE TRUE`+tallyMore, old); err != nil {
			return err
		}
		_, err := c.exec(ctx, `DELETE FROM tallies WHERE hour > 0 AND hour < ?`, old)
		return err
	})
	if err != nil {
		return fmt.Errorf("summing up what was done: %w", err)
	}
	return nil
}
