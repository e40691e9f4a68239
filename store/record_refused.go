package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/lib/pq"
	"github.com/ncruces/go-sqlite3"
)

const (
	// refusedFor is how long a feed is not asked whose answer could not be stored.
	refusedFor = 24 * time.Hour
	// reasonLength bounds what a feed's record says of it, in bytes.
	reasonLength = 300
)

// isRefused reports whether the database will not have what it was given,
// however often it is tried: data, constraints and limits.
func isRefused(err error) bool {
	if e, ok := errors.AsType[*pq.Error](err); ok {
		class := e.Code.Class()
		return class == "22" || class == "23" || class == "54"
	}
	return errors.Is(err, sqlite3.CONSTRAINT) || errors.Is(err, sqlite3.TOOBIG) || errors.Is(err, sqlite3.MISMATCH)
}

// recordEach stores polls one by one, and ends those that the database refuses,
// so that one of them holds up neither the others nor the queue. Refused polls
// of feeds that were not claimed are errors: someone waits for them.
func (s *Store) recordEach(ctx context.Context, now time.Time, polls []Polled) (RecordResult, error) {
	var sum RecordResult
	for _, p := range polls {
		one, err := s.record(ctx, now, []Polled{p})
		if isRefused(err) && p.Token != "" {
			one, err = s.refuse(ctx, now, p, err)
		}
		if err != nil {
			return sum, err
		}
		sum.Posts += one.Posts
		sum.Hidden += one.Hidden
		sum.Stale += one.Stale
		sum.Refused += one.Refused
	}
	return sum, nil
}

// refuse ends a poll whose answer cannot be stored. The record keeps its old
// validators: nothing of the answer is known (I3).
func (s *Store) refuse(ctx context.Context, now time.Time, p Polled, cause error) (RecordResult, error) {
	var result RecordResult
	reason, _, _ := strings.Cut("could not be stored: "+clean(cause.Error()), "\n")
	reason = clean(reason[:min(len(reason), reasonLength)])
	err := s.write(ctx, func(c conn) error {
		var hosts []string
		err := c.all(ctx, &hosts, `UPDATE feeds SET last_error = ?, errors = errors + 1, not_before = ?, poll_at = NULL,
			first_error_at = CASE WHEN first_error_at = 0 THEN ? ELSE first_error_at END,
			failing_since = CASE WHEN failing_since = 0 THEN ? ELSE failing_since END,
			lease_until = 0, lease_token = '' WHERE id = ? AND lease_token = ? RETURNING host`,
			reason, at(now).plus(refusedFor), at(now), at(now), p.Feed.ID, p.Token)
		if err != nil {
			return err
		}
		if err := refreshAskable(ctx, c, `f.id = ?`, p.Feed.ID); err != nil {
			return err
		}
		result = RecordResult{Refused: len(hosts), Stale: 1 - len(hosts)}
		var v, polls values
		done := counters{}
		for _, host := range hosts {
			v.row(host, at(p.HostFreeAt), p.Token)
			if !p.Poll.At.IsZero() {
				poll := p.Poll
				poll.Outcome, poll.Note = "failed", reason
				polls.poll(p.Feed.ID, poll)
				done.poll(poll)
			}
		}
		if err := polls.chunks(savePolls(ctx, c)); err != nil {
			return err
		}
		if err := v.chunks(func(part *values) error { return freeHosts(ctx, c, part) }); err != nil {
			return err
		}
		return count(ctx, c, at(now), done)
	})
	if err != nil {
		return RecordResult{}, fmt.Errorf("ending a poll that cannot be stored: %w", err)
	}
	return result, nil
}
