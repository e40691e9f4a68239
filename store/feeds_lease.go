package store

import (
	"context"
	"crypto/rand"
	"time"

	"digest"
)

// longestHostLease bounds how long a poll (15 minutes at most) and the pause after it keep a host, with room for clocks
// that differ. A later end is from a wrong clock or a command with --now, and does not keep the host.
const longestHostLease = 2 * time.Hour

// LeaseHost leases a host that a poll was redirected to. At most one request to a host is in flight, across all
// workers (S34). If the host is leased, or must not be requested yet, LeaseHost returns no token but the time to try
// again.
func (s Feeds) LeaseHost(ctx context.Context, now time.Time, host string, lease time.Duration) (token string,
	free time.Time, err error) {
	fresh, until := rand.Text(), at(now).Plus(lease)
	var held instant
	err = s.change(ctx, "leasing the host "+host, func(c conn) error {
		n, err := c.Exec(ctx, `INSERT INTO hosts (host, lease_until, token) VALUES (?, ?, ?)
			ON CONFLICT (host) DO UPDATE SET lease_until = excluded.lease_until, token = excluded.token
			WHERE hosts.lease_until NOT BETWEEN ? AND ?`, host, until, fresh, at(now)+1, at(now).Plus(longestHostLease))
		if err != nil || n > 0 {
			token, held = fresh, 0
			return err
		}
		token = ""
		return c.Get(ctx, &held, `SELECT lease_until FROM hosts WHERE host = ?`, host)
	})
	if err != nil {
		return "", time.Time{}, err
	}
	return token, held.Time(), nil
}

// GiveBackHost ends a lease of LeaseHost. The host may be requested again at free. It ignores expired tokens.
func (s Feeds) GiveBackHost(ctx context.Context, host, token string, free time.Time) error {
	return s.change(ctx, "freeing the host "+host, func(c conn) error { return freeHost(ctx, c, host, token, free) })
}

// GiveBackFeed ends the lease of a feed whose poll was abandoned, and the lease of its host, which may be requested
// again at free. attempt is the last request, from which the poll gap counts. The feed keeps its place in the queue.
// GiveBackFeed ignores expired tokens.
func (s Feeds) GiveBackFeed(ctx context.Context, id digest.FeedID, token string, attempt, free time.Time) error {
	return s.change(ctx, "giving a feed back", func(c conn) error {
		var hosts []string
		err := c.All(ctx, &hosts, `UPDATE feed_times SET lease_until = 0, lease_token = '', last_attempt_at = ?
			WHERE feed_id = ? AND lease_token = ? RETURNING (SELECT f.host FROM feeds f WHERE f.id = feed_id)`,
			from(attempt), id, token)
		if err != nil || len(hosts) == 0 {
			return err
		}
		if err := refreshAskable(ctx, c, `f.id = ?`, id); err != nil {
			return err
		}
		return freeHost(ctx, c, hosts[0], token, free)
	})
}

func freeHost(ctx context.Context, c conn, host, token string, free time.Time) error {
	var v values
	v.Row(host, from(free), token)
	return freeHosts(ctx, c, &v)
}
