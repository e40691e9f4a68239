package store

import (
	"context"
	"time"

	"digest"
)

// The built-in hub (W3C WebSub). A topic is the feed of a newsletter. No event reports that an issue is published; its
// send_at passes. So AnnounceLetters looks for issues published since the last announcement (announced_at) and queues
// a delivery for each subscription (hub_calls). All requests to callbacks use this queue, in every process; see
// hub_calls.go.

// AskHub queues the verification of a subscriber's request, in place of an earlier request with the same callback. It
// ignores requests to end a subscription that does not exist. It returns a digest.Unavailable error if the hub refuses
// the request.
func (s *Store) AskHub(ctx context.Context, ask digest.HubCall, now time.Time) error {
	return s.change(ctx, "asking the hub", func(c conn) error {
		load, asked, err := hubLoad(ctx, c, ask)
		if err != nil {
			return err
		}
		if ask.Kind == digest.HubUnsubscribe && !load.Subscribed && !asked {
			return nil
		}
		if err := load.Refuse(now); err != nil {
			return err
		}
		if err := c.run(ctx, `DELETE FROM hub_calls WHERE newsletter_id = ? AND callback = ?
			AND kind IN ('subscribe', 'unsubscribe')`, ask.NewsletterID, ask.Callback); err != nil {
			return err
		}
		return c.run(ctx, `INSERT INTO hub_calls (newsletter_id, topic, callback, domain, home, kind,
			secret, lease, next_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (newsletter_id, callback, kind) DO NOTHING`, // a concurrent identical request was first
			ask.NewsletterID, ask.Topic, ask.Callback, ask.Domain, bit(ask.Home), string(ask.Kind), secretOf(ask),
			seconds(ask.Lease), at(now))
	})
}

// hubLoad reads what decides whether to verify a request. asked reports that an earlier subscribe request of the
// callback is queued.
func hubLoad(ctx context.Context, c conn, ask digest.HubCall) (l digest.HubLoad, asked bool, err error) {
	const verifies = `kind IN ('subscribe', 'unsubscribe')`
	var row struct {
		digest.HubLoad
		Asked bool
	}
	err = c.get(ctx, &row, `SELECT (SELECT count(*) FROM hub_calls WHERE `+verifies+`) AS pending,
		(SELECT count(*) FROM hub_calls WHERE domain = ? AND `+verifies+`) AS pending_of_domain,
		(SELECT count(*) FROM hub_calls WHERE newsletter_id = ? AND callback = ? AND kind = 'subscribe') > 0 AS asked,
		(SELECT count(*) FROM hub_subscriptions WHERE newsletter_id = ?) AS of_newsletter,
		(SELECT count(*) FROM hub_subscriptions WHERE newsletter_id = ? AND domain = ?) AS of_domain_there,
		(SELECT count(*) FROM hub_subscriptions WHERE domain = ?) AS of_domain,
		(SELECT count(*) FROM hub_subscriptions WHERE newsletter_id = ? AND callback = ?) > 0 AS subscribed,
		COALESCE((SELECT doubted_until FROM hub_domains WHERE domain = ?), 0) AS doubted_until`,
		ask.Domain, ask.NewsletterID, ask.Callback, ask.NewsletterID, ask.NewsletterID, ask.Domain, ask.Domain,
		ask.NewsletterID, ask.Callback, ask.Domain)
	return row.HubLoad, row.Asked, err
}

// lastLetters are the newest editions x of the archive of newsletter n. Five suffice, because only the
// issues of yesterday, today and tomorrow can be unsent.
const lastLetters = `(SELECT e.send_at FROM editions e WHERE e.digest_id = n.archive_id
	ORDER BY e.local_date DESC LIMIT 5) x`

// leftAt is when the newest published issue of newsletter n was published; 0: none. Its argument is now.
const leftAt = `COALESCE((SELECT MAX(x.send_at) FROM ` + lastLetters + ` WHERE x.send_at <= ?), 0)`

// AnnounceLetters queues a delivery to the subscribers of each newsletter that has published an issue since its last
// announcement, and returns their number. It ends subscriptions that have expired. It also ends subscriptions to ended
// newsletters and notifies these subscribers. Several processes may call it.
func (s *Store) AnnounceLetters(ctx context.Context, now time.Time) (deliveries int, err error) {
	over, err := s.read().number(ctx,
		`SELECT (SELECT count(*) FROM hub_subscriptions WHERE expires_at <= ?) + (SELECT count(*)
			FROM hub_subscriptions h
		JOIN newsletters n ON n.id = h.newsletter_id WHERE n.state = 'ended')`, at(now))
	if err == nil && over > 0 {
		err = s.endHubSubscriptions(ctx, now)
	}
	if err != nil {
		return 0, failed("ending subscriptions of the hub", err)
	}
	var news []struct {
		ID     digest.NewsletterID
		LeftAt instant
	}
	if err := s.read().all(ctx, &news,
		`SELECT x.id, x.left_at FROM (SELECT n.id, `+leftAt+` AS left_at FROM newsletters n
		WHERE n.state IN ('active', 'held') AND n.id IN (SELECT h.newsletter_id FROM hub_subscriptions h)) x
		WHERE EXISTS (SELECT 1 FROM hub_subscriptions h WHERE h.newsletter_id = x.id AND h.announced_at < x.left_at)
		ORDER BY x.id`, at(now)); err != nil {
		return 0, failed("looking for letters to announce", err)
	}
	for _, n := range news {
		queued, err := changed(ctx, s, "announcing a letter",
			func(c conn) (int, error) { return announce(ctx, c, n.ID, n.LeftAt, at(now)) })
		if err != nil {
			return deliveries, err
		}
		deliveries += queued
	}
	return deliveries, nil
}

// announce queues the deliveries of an issue. Its first statement locks the subscriptions and skips those that another
// process has announced the issue to. A queued delivery of an older issue also delivers this one.
func announce(ctx context.Context, c conn, id digest.NewsletterID, left, now instant) (int, error) {
	var ids []int64
	err := c.all(ctx, &ids, `UPDATE hub_subscriptions SET announced_at = ? WHERE newsletter_id = ?
		AND announced_at < ? AND expires_at > ? RETURNING id`, left, id, left, now)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	return c.exec(ctx, `INSERT INTO hub_calls (newsletter_id, topic, callback, domain, home, kind,
		secret, letter_at, next_at)
		SELECT h.newsletter_id, h.topic, h.callback, h.domain, h.home, 'deliver', h.secret, h.announced_at,
		CAST(? AS BIGINT) FROM hub_subscriptions h
		WHERE h.id`+c.d.oneOf+` ORDER BY h.id
		ON CONFLICT (newsletter_id, callback, kind) DO UPDATE SET letter_at = excluded.letter_at,
		next_at = excluded.next_at, attempt = 0`, now, keys(c.d, ids))
}

// endHubSubscriptions ends subscriptions that have expired, and those to ended newsletters, whose subscribers it
// notifies.
func (s *Store) endHubSubscriptions(ctx context.Context, now time.Time) error {
	return s.change(ctx, "", func(c conn) error {
		const ended = `newsletter_id IN (SELECT n.id FROM newsletters n WHERE n.state = 'ended')`
		if err := c.run(ctx, `INSERT INTO hub_calls (newsletter_id, topic, callback, domain, home,
			kind, secret, next_at)
			SELECT h.newsletter_id, h.topic, h.callback, h.domain, h.home, 'denied', h.secret, CAST(? AS BIGINT)
			FROM hub_subscriptions h
			WHERE `+ended+` AND h.expires_at > ? ORDER BY h.id ON CONFLICT (newsletter_id, callback, kind) DO NOTHING`,
			at(now), at(now)); err != nil {
			return err
		}
		if err := c.run(ctx, `DELETE FROM hub_subscriptions WHERE expires_at <= ? OR `+ended, at(now)); err != nil {
			return err
		}
		return c.run(ctx, `DELETE FROM hub_calls WHERE kind <> 'denied' AND `+ended+` OR kind = 'deliver'
			AND NOT EXISTS (SELECT 1 FROM hub_subscriptions h WHERE h.newsletter_id = hub_calls.newsletter_id
			AND h.callback = hub_calls.callback)`)
	})
}

// A HubCount counts the work of the hub.
type HubCount struct {
	Subscriptions int
	Calls         map[digest.HubCallKind]int // queued calls, by kind
	// due time of the oldest call that is late; zero: none
	Oldest time.Time
}

// HubCount counts the subscriptions at the hub and its queued calls.
func (s *Store) HubCount(ctx context.Context, now time.Time) (n HubCount, err error) {
	n.Calls = make(map[digest.HubCallKind]int)
	if n.Subscriptions, err = s.read().number(ctx, `SELECT count(*) FROM hub_subscriptions WHERE expires_at > ?`,
		at(now)); err == nil {
		err = countBy(ctx, s.read(), n.Calls, `SELECT kind, count(*) AS n FROM hub_calls GROUP BY kind`)
	}
	var oldest instant
	if err == nil {
		err = s.read().get(ctx, &oldest, `SELECT COALESCE(MIN(next_at), 0) FROM hub_calls WHERE next_at <= ?`, at(now))
	}
	n.Oldest = oldest.time()
	return n, failed("counting what the hub has to do", err)
}

// HubSubscriptions counts the subscribers of a newsletter.
func (s *Store) HubSubscriptions(ctx context.Context, id digest.NewsletterID, now time.Time) (int, error) {
	n, err := s.read().number(ctx, `SELECT count(*) FROM hub_subscriptions WHERE newsletter_id = ? AND expires_at > ?`,
		id, at(now))
	return n, failed("counting the hub's subscriptions", err)
}

// NextHubCall returns when the next call is due or the next issue is published, or false.
func (s *Store) NextHubCall(ctx context.Context, now time.Time) (time.Time, bool, error) {
	var next instant
	err := s.read().get(ctx, &next, `SELECT COALESCE(MIN(x.at), 0) FROM (
		SELECT MIN(CASE WHEN c.lease_until > c.next_at THEN c.lease_until ELSE c.next_at END) AS at FROM hub_calls c
		UNION ALL SELECT (SELECT MIN(x.send_at) FROM `+lastLetters+` WHERE x.send_at > ?) FROM newsletters n
			WHERE n.id IN (SELECT h.newsletter_id FROM hub_subscriptions h)) x`, at(now))
	return next.time(), next != 0, failed("looking for the hub's next call", err)
}
