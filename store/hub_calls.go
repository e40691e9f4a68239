package store

import (
	"context"
	"time"

	"digest"
)

// hubLease is the lease of a call. It is longer than a request takes, including the wait for the host.
const hubLease = 5 * time.Minute

// claimedAtOnce is how many queued calls one claim reads.
const claimedAtOnce = 200

// hubDue holds for calls c that may be claimed: one at a time for each domain. Its arguments are now, three times.
const hubDue = `c.next_at <= ? AND c.lease_until <= ? AND NOT EXISTS (SELECT 1 FROM hub_calls o
	WHERE o.domain = c.domain AND o.lease_until > ?)`

// ClaimHubCalls leases at most most due calls, one for each domain without a call in flight. Deliveries come last,
// because a person may wait for a verification.
func (s *Store) ClaimHubCalls(ctx context.Context, now time.Time, most int) ([]digest.HubCall, error) {
	any, err := s.read().number(ctx, `SELECT count(*) FROM (SELECT 1 FROM hub_calls c WHERE `+hubDue+` LIMIT 1) x`,
		at(now), at(now), at(now))
	if err != nil || any == 0 {
		return nil, failed("claiming calls of the hub", err)
	}
	return changed(ctx, s, "claiming calls of the hub", func(c conn) (calls []digest.HubCall, err error) {
		ids, err := dueHubCalls(ctx, c, at(now), most)
		if err != nil || len(ids) == 0 {
			return nil, err
		}
		if err := c.run(ctx, `UPDATE hub_calls SET lease_until = ? WHERE id`+c.d.oneOf, at(now).plus(hubLease),
			keys(c.d, ids)); err != nil {
			return nil, err
		}
		return calls, c.all(ctx, &calls,
			`SELECT c.id, c.newsletter_id, c.topic, c.callback, c.domain, c.home, c.kind,
				COALESCE(h.secret, c.secret) AS secret,
			c.lease, c.letter_at, c.attempt, c.lease_until FROM hub_calls c
			LEFT JOIN hub_subscriptions h ON c.kind = 'deliver' AND h.newsletter_id = c.newsletter_id
			AND h.callback = c.callback
			WHERE c.id`+c.d.oneOf+` ORDER BY c.id`, keys(c.d, ids))
	})
}

func dueHubCalls(ctx context.Context, c conn, now instant, most int) (ids []int64, err error) {
	busy := make(map[string]bool)
	for _, kinds := range []string{`c.kind IN ('subscribe', 'unsubscribe', 'denied')`, `c.kind = 'deliver'`} {
		var waiting []struct {
			ID     int64
			Domain string
		}
		if err := c.all(ctx, &waiting, `SELECT c.id, c.domain FROM hub_calls c WHERE `+kinds+` AND `+hubDue+`
			ORDER BY c.next_at, c.id LIMIT ?`+c.d.skipRows("c"), now, now, now, claimedAtOnce); err != nil {
			return nil, err
		}
		for _, w := range waiting {
			if len(ids) < most && !busy[w.Domain] {
				busy[w.Domain], ids = true, append(ids, w.ID)
			}
		}
	}
	return ids, nil
}

// GiveBackHubCall ends the lease of a call that was not made. It is due again at next.
func (s *Store) GiveBackHubCall(ctx context.Context, call digest.HubCall, next time.Time) error {
	return s.run(ctx, "giving back a call of the hub",
		`UPDATE hub_calls SET lease_until = 0, next_at = ? WHERE id = ? AND lease_until = ?`,
		from(next), call.ID, at(call.LeaseUntil))
}

// A HubMark is the result of a HubCall.
type HubMark struct {
	Outcome  digest.HubOutcome
	LetterAt time.Time // for HubDelivered: publication of the newest delivered issue
	Next     time.Time // for HubRetried
	Error    string    // one line
}

// MarkHubCall stores the result of a call. It ignores calls that another worker has claimed since, or that were
// requested again.
func (s *Store) MarkHubCall(ctx context.Context, call digest.HubCall, m HubMark, now time.Time) error {
	return s.change(ctx, "noting what became of a call of the hub", func(c conn) error {
		if m.Outcome == digest.HubRetried {
			n, err := c.exec(ctx, `UPDATE hub_calls SET attempt = attempt + 1, next_at = ?, lease_until = 0,
				last_error = ? WHERE id = ? AND lease_until = ?`,
				from(m.Next), m.Error, call.ID, at(call.LeaseUntil))
			return countHub(ctx, c, m, n, now, err)
		}
		// An issue announced during the delivery of an older one remains queued.
		n, err := c.exec(ctx, `DELETE FROM hub_calls WHERE id = ? AND lease_until = ?
			AND (kind <> 'deliver' OR letter_at <= ?)`,
			call.ID, at(call.LeaseUntil), max(at(m.LetterAt), at(call.LetterAt)))
		if err == nil && n == 0 {
			n, err = c.exec(ctx, `UPDATE hub_calls SET lease_until = 0 WHERE id = ? AND lease_until = ?`, call.ID,
				at(call.LeaseUntil))
		}
		if err == nil && n > 0 {
			err = markHubSubscription(ctx, c, call, m, now)
		}
		return countHub(ctx, c, m, n, now, err)
	})
}

// markHubSubscription updates the subscription after a completed call.
func markHubSubscription(ctx context.Context, c conn, call digest.HubCall, m HubMark, now time.Time) error {
	of := []any{call.NewsletterID, call.Callback}
	switch {
	case m.Outcome == digest.HubConfirmed && call.Kind == digest.HubSubscribe:
		return confirmHub(ctx, c, call, now)
	case m.Outcome == digest.HubConfirmed, m.Outcome == digest.HubGone:
		return c.execEach(ctx, []string{`DELETE FROM hub_subscriptions WHERE newsletter_id = ? AND callback = ?`,
			`DELETE FROM hub_calls WHERE newsletter_id = ? AND callback = ? AND kind = 'deliver'`}, of...)
	case m.Outcome == digest.HubRefused:
		return doubt(ctx, c, call.Domain, now)
	case call.Kind != digest.HubDeliver:
		return nil
	case m.Outcome == digest.HubDelivered:
		return c.run(ctx, `UPDATE hub_subscriptions SET delivered_at = ?, given_up = 0 WHERE newsletter_id = ?
			AND callback = ?`, append([]any{at(m.LetterAt)}, of...)...)
	}
	if err := c.run(ctx, `UPDATE hub_subscriptions SET given_up = given_up + 1 WHERE newsletter_id = ?
		AND callback = ?`, of...); err != nil {
		return err
	}
	return c.run(ctx, `DELETE FROM hub_subscriptions WHERE newsletter_id = ? AND callback = ? AND given_up >= ?`,
		append(of, digest.MostHubGivenUp)...)
}

// confirmHub starts or renews a subscription. It announces only later issues, because the feed contains the earlier
// ones. It does nothing if the newsletter has ended.
func confirmHub(ctx context.Context, c conn, call digest.HubCall, now time.Time) error {
	var left instant
	open, err := c.find(ctx, &left, `SELECT `+
		leftAt+` FROM newsletters n WHERE n.id = ? AND n.state IN ('active', 'held')`, at(now), call.NewsletterID)
	if err != nil || !open {
		return err
	}
	return c.run(ctx, `INSERT INTO hub_subscriptions (newsletter_id, topic, callback, domain, home,
		secret, confirmed_at, expires_at, announced_at, delivered_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0)
		ON CONFLICT (newsletter_id, callback) DO UPDATE SET topic = excluded.topic, home = excluded.home,
		secret = excluded.secret,
			confirmed_at = excluded.confirmed_at, expires_at = excluded.expires_at, given_up = 0`,
		call.NewsletterID, call.Topic, call.Callback, call.Domain, bit(call.Home), secretOf(call), at(now),
		at(now).plus(call.Lease), left)
}

// doubt records that a callback of a domain did not confirm a request in its name. Each call extends the time of
// doubt.
func doubt(ctx context.Context, c conn, domain string, now time.Time) error {
	if err := c.run(ctx, `DELETE FROM hub_domains WHERE doubted_until <= ?`, at(now)); err != nil {
		return err
	}
	return c.run(ctx, `INSERT INTO hub_domains (domain, doubted_until) VALUES (?, ?)
		ON CONFLICT (domain) DO UPDATE SET doubted_until = hub_domains.doubted_until + ?`, domain,
		at(now).plus(digest.HubDoubt), seconds(digest.HubDoubt))
}

func countHub(ctx context.Context, c conn, m HubMark, n int, now time.Time, err error) error {
	if err != nil || n == 0 {
		return err
	}
	kind := CounterHub + string(m.Outcome)
	return count(ctx, c, at(now), counters{kind: {N: 1}})
}

// secretOf returns a secret as stored, where nil is empty.
func secretOf(call digest.HubCall) []byte {
	if call.Secret == nil {
		return []byte{}
	}
	return call.Secret
}
