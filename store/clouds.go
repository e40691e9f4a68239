package store

import (
	"context"
	"time"

	"digest"
)

// The store keeps one rssCloud subscription for each feed that has a cloud and no hub. Clouds only send pings: they do
// not change how far hubs are trusted, and each midnight polls the feed as before. Deleting a subscription also ends
// its callback.

const (
	cloudColumns = `c.id, c.feed_id, c.cloud, c.topic, c.requested_at, c.verified_at, c.expires_at,
		c.next_at, c.errors, c.last_error, c.domain`

	// clouded holds for feeds f that somebody reads and that name a cloud but no hub. A hub is more useful.
	clouded = `f.cloud <> '' AND f.hubs = '' AND f.merged_into = 0 AND f.state = 'active' AND f.parsed_at > 0 AND ` +
		wanted

	unwantedClouds = `FROM cloud_subscriptions WHERE NOT EXISTS (SELECT 1 FROM feeds f
		WHERE f.id = cloud_subscriptions.feed_id
		AND f.cloud = cloud_subscriptions.cloud AND f.url = cloud_subscriptions.topic AND ` + clouded + `)`
	missingClouds = `FROM feeds f WHERE ` +
		clouded + ` AND NOT EXISTS (SELECT 1 FROM cloud_subscriptions c WHERE c.feed_id = f.id)`
)

// ReconcileClouds adds missing subscriptions to clouds and deletes those that no feed or reader needs.
func (s *Store) ReconcileClouds(ctx context.Context, now time.Time) error {
	n, err := s.read().number(ctx, `SELECT (SELECT count(*) `+unwantedClouds+`) + (SELECT count(*) `+missingClouds+`)`)
	if err != nil || n == 0 {
		return failed("looking for feeds with clouds", err)
	}
	return s.change(ctx, "noting which clouds are to be asked", func(c conn) error {
		if err := c.run(ctx, `DELETE `+unwantedClouds); err != nil {
			return err
		}
		return c.run(ctx, `INSERT INTO cloud_subscriptions (feed_id, cloud, topic, next_at)
			SELECT f.id, f.cloud, f.url, CAST(? AS BIGINT) `+missingClouds+` ON CONFLICT (feed_id) DO NOTHING`, at(now))
	})
}

// A CloudRequest is a registration with a cloud that is due.
type CloudRequest struct {
	digest.CloudSubscription
	PublicOnly  bool // do not connect to private networks, because the feed is public
	Subscribers int
}

// ClaimClouds claims due requests, at most n, for this worker. retry returns when to repeat a request after that many
// failures in a row. A request that its cloud verifies is not repeated; the verification may arrive before the
// response. Requests to a host that confirms nothing wait (digest.HubHost). more reports whether others may be due.
func (s *Store) ClaimClouds(ctx context.Context, now time.Time, n int, retry func(failures int) time.Time,
	domain HubDomain) (requests []CloudRequest, more bool, err error) {
	due := ` FROM cloud_subscriptions p WHERE p.next_at <= ? AND ` + asksHost("p")
	if any, err := s.read().number(ctx, `SELECT count(*) FROM (SELECT 1`+due+` LIMIT 1) x`, at(now),
		at(now)); err != nil || any == 0 {
		return nil, false, failed("looking for clouds to ask", err)
	}
	err = s.change(ctx, "claiming requests to clouds", func(c conn) error {
		requests = nil
		var all []CloudRequest
		err := c.all(ctx, &all, `SELECT p.id, p.cloud, p.errors, `+outside+due+` ORDER BY p.next_at, p.id LIMIT ?`+
			c.d.skipRows("p"), at(now), at(now), n)
		if err != nil {
			return err
		}
		more = len(all) > 0
		clouds := make(map[string]string)
		for i, r := range all {
			all[i].Domain = domain(r.Cloud, r.PublicOnly)
			clouds[all[i].Domain] = r.Cloud
		}
		hosts, err := holdHubHosts(ctx, c, clouds)
		if err != nil {
			return err
		}
		for _, r := range all {
			asks, err := dueCloud(ctx, c, &r, hosts, now, retry)
			if err != nil {
				return err
			}
			if asks {
				requests = append(requests, r)
			}
		}
		return nil
	})
	return requests, more, err
}

// dueCloud records a request to a cloud and reports whether its host may get one.
func dueCloud(ctx context.Context, c conn, r *CloudRequest, hosts hubHosts, now time.Time,
	retry func(int) time.Time) (asks bool, err error) {
	if err := c.run(ctx, `UPDATE cloud_subscriptions SET domain = ? WHERE id = ? AND domain <> ?`, r.Domain, r.ID,
		r.Domain); err != nil {
		return false, err
	}
	if asks, err = hosts.ask(ctx, c, r.Domain, now); err != nil || !asks {
		return false, err
	}
	r.Errors++
	if err := c.run(ctx, `UPDATE cloud_subscriptions SET requested_at = ?, errors = ?, next_at = ? WHERE id = ?`,
		at(now), r.Errors, from(retry(r.Errors)), r.ID); err != nil {
		return false, err
	}
	_, err = c.find(ctx, r, `SELECT `+cloudColumns+`, f.public_only, `+subscribers+` AS subscribers
		FROM cloud_subscriptions c JOIN feeds f ON f.id = c.feed_id WHERE c.id = ?`, r.ID)
	return true, err
}

// CloudFailed stores why a request to a cloud failed. made reports whether the request was sent, so that it counts for
// the host.
func (s *Store) CloudFailed(ctx context.Context, now time.Time, id digest.CloudID, why string, made bool) error {
	why = clean(why)
	why = clean(why[:min(len(why), reasonLength)])
	return s.change(ctx, "noting that a cloud failed", func(c conn) error {
		var domain string
		found, err := c.find(ctx, &domain,
			`UPDATE cloud_subscriptions SET last_error = ? WHERE id = ? AND verified_at < requested_at
				RETURNING domain`, why, id)
		if err != nil || !found || !made {
			return err
		}
		return failHubHost(ctx, c, domain, now)
	})
}

// CloudSubscription returns a subscription, or digest.NotFound.
func (s *Store) CloudSubscription(ctx context.Context, id digest.CloudID) (digest.CloudSubscription, error) {
	return readOne[digest.CloudSubscription](ctx, s.read(), "reading what a cloud was asked for",
		notFound("there is no such subscription"),
		`SELECT `+cloudColumns+` FROM cloud_subscriptions c WHERE c.id = ?`, id)
}

// VerifyCloud reports whether this instance subscribed to topic at the cloud, and starts the subscription. A repeated
// verification changes nothing.
func (s *Store) VerifyCloud(ctx context.Context, now time.Time, id digest.CloudID, topic string, expires,
	renew time.Time) (meant bool, err error) {
	err = s.change(ctx, "verifying what a cloud was asked for", func(c conn) error {
		meant = false
		var sub digest.CloudSubscription
		found, err := c.find(ctx, &sub, `SELECT `+
			cloudColumns+` FROM cloud_subscriptions c WHERE c.id = ? AND c.topic = ?`+c.d.lockRows("c"), id, topic)
		if err != nil || !found {
			return err
		}
		if !sub.RequestedAt.After(sub.VerifiedAt) { // already verified
			meant = sub.Promises(now)
			return nil
		}
		meant = true
		err = c.run(ctx, `UPDATE cloud_subscriptions SET verified_at = ?, expires_at = ?, next_at = ?,
			errors = 0, last_error = '' WHERE id = ?`, at(now), at(expires), at(renew), id)
		if err == nil {
			err = confirmHubHost(ctx, c, sub.Domain)
		}
		if err != nil {
			return err
		}
		return c.run(ctx, `INSERT INTO feed_news (feed_id) VALUES (?) ON CONFLICT (feed_id) DO NOTHING`, sub.FeedID)
	})
	return meant, err
}
