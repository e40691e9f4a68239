package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"digest"
)

// ClaimOptions says what ClaimFeeds may claim, and how.
type ClaimOptions struct {
	N     int           // feeds at most
	Gap   time.Duration // least time between two polls of one feed
	Lease time.Duration
	Token string // of the lease

	// Pace keeps to the pace of domains that have limited us. Without it, for
	// a clock that stands still, they are asked like any other.
	Pace bool
}

// candidatesPer is how many queued feeds are looked at for each that is
// wanted, where those of one host stand together in the queue.
const candidatesPer = 4

// ClaimFeeds leases at most n feeds whose poll is due at now, in the order of
// the queue, for the given time. A feed asked within gap before now, or before
// the time that it named, is left where it is, and so is a feed whose host is
// leased: at most one poll of a host is in flight, across all workers. The attempt is part of the record
// before the first request is made (I5).
//
// Of any number of callers at once each gets feeds that no other gets. One
// that gets fewer than n, even none, may have met others at the same feeds.
func (s *Store) ClaimFeeds(ctx context.Context, now time.Time, o ClaimOptions) ([]ClaimedFeed, error) {
	n, gap, lease, token := o.N, o.Gap, o.Lease, o.Token
	var claimed []ClaimedFeed
	err := s.write(ctx, func(c conn) error {
		claimed = nil
		wanted, err := candidates(ctx, c, at(now), at(now).plus(-gap), n)
		if err != nil || len(wanted) == 0 {
			return err
		}
		won, err := leaseHosts(ctx, c, wanted, at(now), at(now).plus(lease), token)
		if err != nil || len(won) == 0 {
			return err
		}
		claimed, err = leaseFeeds(ctx, c, won, now, at(now).plus(-gap), at(now).plus(lease), token)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("claiming feeds: %w", err)
	}
	return claimed, nil
}

type candidate struct {
	ID   digest.FeedID `db:"id"`
	Host string        `db:"host"`
}

// candidates gives the first feeds in the queue that may be asked, one of each
// host. It looks further down the queue only where the first bring less than
// half of what is wanted: to lock a row costs as much as to lease it.
func candidates(ctx context.Context, c conn, now, askedBefore instant, n int) ([]candidate, error) {
	if err := c.hold(ctx, c.d.inOrder); err != nil {
		return nil, err
	}
	first, err := queued(ctx, c, now, askedBefore, n)
	if err != nil {
		return nil, err
	}
	found := oneOfEachHost(first)
	if len(first) < n || len(found) >= n/2 {
		return found, nil
	}
	more, err := queued(ctx, c, now, askedBefore, n*candidatesPer)
	if err != nil {
		return nil, err
	}
	found = oneOfEachHost(more)
	return found[:min(n, len(found))], nil
}

// askable is the one gate before a poll (I5): a feed f is in the queue, not in
// flight, was not asked within the gap, and may be asked by its own word. Its
// arguments are askableArgs.
const askable = `f.poll_at IS NOT NULL AND f.poll_at <= ? AND f.not_before <= ? AND f.fresh_until <= ?
	AND f.lease_until <= ? AND f.last_attempt_at <= ? AND f.state = 'active'`

func askableArgs(now, askedBefore instant) []any { return []any{now, now, now, now, askedBefore} }

// queued gives the first feeds in the queue that may be asked, limit at most.
func queued(ctx context.Context, c conn, now, askedBefore instant, limit int) ([]candidate, error) {
	var found []candidate
	err := c.all(ctx, &found, `SELECT f.id, f.host FROM feeds f
		WHERE `+askable+`
		AND NOT EXISTS (SELECT 1 FROM hosts h WHERE h.host = f.host AND h.lease_until > ?)
		ORDER BY f.poll_at, f.id LIMIT ?`+c.d.skipRows("f"),
		append(askableArgs(now, askedBefore), now, limit)...)
	return found, err
}

func oneOfEachHost(found []candidate) []candidate {
	seen := make(map[string]bool, len(found))
	return slices.DeleteFunc(found, func(f candidate) bool {
		again := seen[f.Host]
		seen[f.Host] = true
		return again
	})
}

// leaseHosts leases the candidates' hosts and gives the candidates whose host
// was free. Hosts are locked in their order, so that two claimers never wait
// for each other.
func leaseHosts(ctx context.Context, c conn, wanted []candidate, now, until instant, token string) ([]digest.FeedID, error) {
	slices.SortFunc(wanted, func(a, b candidate) int { return cmp.Compare(a.Host, b.Host) })
	var v values
	for _, f := range wanted {
		v.row(f.Host, until, token)
	}
	var hosts []string
	err := c.all(ctx, &hosts, `INSERT INTO hosts (host, lease_until, token) VALUES `+v.String()+`
		ON CONFLICT (host) DO UPDATE SET lease_until = excluded.lease_until, token = excluded.token
		WHERE hosts.lease_until <= ? RETURNING host`, append(v.args, now)...)
	if err != nil {
		return nil, err
	}
	free := make(map[string]bool, len(hosts))
	for _, h := range hosts {
		free[h] = true
	}
	var won []digest.FeedID
	for _, f := range wanted {
		if free[f.Host] {
			won = append(won, f.ID)
		}
	}
	return won, nil
}

// leaseFeeds leases feeds and commits the attempt to their records. It looks
// at all conditions again: a row may have changed since it was a candidate.
func leaseFeeds(ctx context.Context, c conn, won []digest.FeedID, now time.Time, askedBefore, until instant, token string) ([]ClaimedFeed, error) {
	var ids []digest.FeedID
	err := c.all(ctx, &ids, `UPDATE feeds AS f SET lease_until = ?, lease_token = ?, last_attempt_at = ?
		WHERE f.id IN (`+list(won)+`) AND `+askable+` RETURNING id`,
		append([]any{until, token, from(now)}, askableArgs(at(now), askedBefore)...)...)
	if err != nil {
		return nil, err
	}
	var rows []struct {
		feedRow
		Subscribers int `db:"subscribers"`
	}
	err = c.all(ctx, &rows, `SELECT `+feedColumns+`, `+subscribers+` AS subscribers
		FROM feeds f WHERE f.id IN (`+list(ids)+`)`)
	if err != nil {
		return nil, err
	}
	claimed := make([]ClaimedFeed, len(rows))
	for i, r := range rows {
		claimed[i] = ClaimedFeed{Feed: r.feed(), Subscribers: r.Subscribers, Token: token}
	}
	slices.SortFunc(claimed, func(a, b ClaimedFeed) int {
		return cmp.Or(a.PollAt.Compare(b.PollAt), cmp.Compare(a.ID, b.ID))
	})
	return claimed, nil
}
