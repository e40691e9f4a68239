package store

import (
	"context"
	"strings"
	"time"

	"digest/store/db"
)

// recordEach stores polls one by one, and ends those that the database rejects, so that they delay neither the others
// nor the queue. A rejected poll of a feed that was not claimed is an error, because a caller waits for it.
func (s *database) recordEach(ctx context.Context, now time.Time, polls []Polled) (RecordResult, error) {
	var sum RecordResult
	for _, p := range polls {
		one, err := s.record(ctx, now, []Polled{p})
		if db.IsRefused(err) && p.Token != "" {
			one, err = s.refuse(ctx, now, p, err)
		}
		if err != nil {
			return sum, err
		}
		sum.Posts += one.Posts
		sum.Hidden += one.Hidden
		sum.Stale += one.Stale
		sum.Waiting += one.Waiting
		sum.Refused += one.Refused
		sum.Told += one.Told
	}
	return sum, nil
}

// refuse ends a poll whose response cannot be stored. The record keeps its old validators, because nothing of the
// response is stored (I3).
func (s *database) refuse(ctx context.Context, now time.Time, p Polled, cause error) (RecordResult, error) {
	var result RecordResult
	reason, _, _ := strings.Cut("could not be stored: "+db.Clean(cause.Error()), "\n")
	reason = db.Clean(reason[:min(len(reason), reasonLength)])
	err := s.write(ctx, func(c conn) error {
		var hosts []string
		err := c.All(ctx, &hosts, `UPDATE feeds SET last_error = ?, errors = errors + 1,
			first_error_at = CASE WHEN first_error_at = 0 THEN ? ELSE first_error_at END,
			failing_since = CASE WHEN failing_since = 0 THEN ? ELSE failing_since END
			WHERE id = ? AND EXISTS (SELECT 1 FROM feed_times t WHERE t.feed_id = feeds.id AND t.lease_token = ?)
			RETURNING host`,
			reason, now, now, p.Feed.ID, p.Token)
		if err != nil {
			return err
		}
		if err := c.Run(ctx, `UPDATE feed_times SET not_before = ?, poll_at = NULL, lease_until = 0, lease_token = ''
			WHERE feed_id = ? AND lease_token = ?`,
			at(now).Plus(refusedFor), p.Feed.ID, p.Token); err != nil {
			return err
		}
		if err := refreshAskable(ctx, c, `f.id = ?`, p.Feed.ID); err != nil {
			return err
		}
		result = RecordResult{Refused: len(hosts), Stale: 1 - len(hosts)}
		p.Poll.Outcome, p.Poll.Note = "failed", reason
		r := recording{c: c, now: at(now)}
		for _, host := range hosts {
			r.polls = append(r.polls,
				&polled{Polled: p, stored: lockedFeed{ID: p.Feed.ID, URL: p.Feed.URL, Host: host}})
		}
		err = steps(ctx, r.notePolls, r.freeHosts, r.tell, r.count)
		result.Told = r.told
		return err
	})
	return result, failed("ending a poll that cannot be stored", err)
}
