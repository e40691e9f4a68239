package store

import (
	"context"
	"maps"
	"slices"
	"time"

	"digest"
)

// The store counts requests to hubs by registered domain, for all feeds. digest.HubHost decides which of them may be
// sent.

// asksHost holds for subscriptions in a table whose host may get a request at an instant, or is unknown.
func asksHost(table string) string {
	return `NOT EXISTS (SELECT 1 FROM hub_hosts h WHERE h.domain = ` + table + `.domain AND h.quiet_until > ?)`
}

// hubHosts holds hosts that a transaction has locked.
type hubHosts map[string]digest.HubHost

// holdHubHosts reads and locks hosts. hubs maps each to the address of a hub there. A new host starts with the
// number of subscriptions that this hub has confirmed already.
func holdHubHosts(ctx context.Context, c conn, hubs map[string]string) (hubHosts, error) {
	hosts := make(hubHosts)
	for _, domain := range slices.Sorted(maps.Keys(hubs)) {
		err := c.Run(ctx, `INSERT INTO hub_hosts (domain, confirmed) SELECT CAST(? AS TEXT), count(*)
			FROM push_subscriptions p
			WHERE p.hub = ? AND p.state = 'active' ON CONFLICT (domain) DO NOTHING`, domain, hubs[domain])
		if err != nil {
			return nil, err
		}
		var h digest.HubHost
		err = c.Get(ctx, &h, `SELECT h.domain, h.confirmed, h.unconfirmed, h.failed, h.quiet_until
			FROM hub_hosts h WHERE h.domain = ?`+c.d.LockRows("h"), domain)
		if err != nil {
			return nil, err
		}
		hosts[domain] = h
	}
	return hosts, nil
}

// ask counts a request, and reports whether it may be made.
func (h hubHosts) ask(ctx context.Context, c conn, domain string, now time.Time) (may bool, err error) {
	host, may := h[domain].Ask(now)
	if may {
		h[domain], err = host, saveHubHost(ctx, c, host)
	}
	return may, err
}

// confirmHubHost notes that a host has confirmed a request.
func confirmHubHost(ctx context.Context, c conn, domain string) error {
	return changeHubHost(ctx, c, domain, digest.HubHost.Confirm)
}

// failHubHost notes that a request to a host got an error or no answer.
func failHubHost(ctx context.Context, c conn, domain string, now time.Time) error {
	return changeHubHost(ctx, c, domain, func(h digest.HubHost) digest.HubHost { return h.Fail(now) })
}

func changeHubHost(ctx context.Context, c conn, domain string, change func(digest.HubHost) digest.HubHost) error {
	if domain == "" {
		return nil // the request is older than the table hub_hosts
	}
	hosts, err := holdHubHosts(ctx, c, map[string]string{domain: ""})
	if err != nil {
		return err
	}
	return saveHubHost(ctx, c, change(hosts[domain]))
}

func saveHubHost(ctx context.Context, c conn, h digest.HubHost) error {
	return c.Run(ctx, `UPDATE hub_hosts SET confirmed = ?, unconfirmed = ?, failed = ?, quiet_until = ?
		WHERE domain = ?`,
		h.Confirmed, h.Unconfirmed, h.Failed, h.QuietUntil, h.Domain)
}

// addHubSilence sets News.HubQuietUntil of feeds whose subscriptions wait for a silent host.
func addHubSilence(ctx context.Context, c conn, ids []digest.FeedID, known map[digest.FeedID]digest.News) error {
	var rows []struct {
		FeedID     digest.FeedID
		QuietUntil time.Time
	}
	err := c.All(ctx, &rows, `SELECT p.feed_id, MAX(h.quiet_until) AS quiet_until
		FROM push_subscriptions p JOIN hub_hosts h ON h.domain = p.domain
		WHERE p.feed_id`+c.d.OneOf+` AND p.state IN ('wanted', 'asked') AND h.quiet_until > 0
		GROUP BY p.feed_id`, ids)
	for _, r := range rows {
		news := known[r.FeedID]
		news.HubQuietUntil = r.QuietUntil
		known[r.FeedID] = news
	}
	return err
}

// pruneHubHosts deletes the hosts that no feed names and whose silence is over.
func (s *database) pruneHubHosts(ctx context.Context, now time.Time) error {
	return s.run(ctx, "", `DELETE FROM hub_hosts WHERE quiet_until <= ? AND NOT EXISTS
			(SELECT 1 FROM push_subscriptions p WHERE p.domain = hub_hosts.domain)`, now)
}
