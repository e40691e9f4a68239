package store

import (
	"cmp"
	"context"
	"crypto/rand"
	"strings"
	"time"

	"digest"
)

// What hubs are asked for, and what they promise (WebSub). What is to be done about a
// subscription, and when, is in its row: any worker claims what is due, and a request is
// made when it is known here that it is, for a hub may verify it before it answers.

const (
	pushColumns = `p.id, p.feed_id, p.hub, p.topic, p.secret, p.state, p.requested_at, p.verified_at, p.expires_at, p.next_at, p.errors, p.last_error, p.domain`

	// reconcileStep is how many feeds Reconcile looks at in one transaction.
	reconcileStep = 200
	// keepLeft is how long a subscription that is over is known: its callback says so.
	keepLeft = 30 * 24 * time.Hour
	// mostGoodbyes is how often a hub is told that it is over which does not verify that.
	mostGoodbyes = 3
)

// offered holds for subscriptions p that the feed f still wants: it names that hub and that topic.
const offered = `p.topic = f.topic AND REPLACE(' ' || f.hubs || ' ', ' ' || p.hub || ' ', '') <> ' ' || f.hubs || ' '`

// pushable holds for feeds f that somebody reads, and that can be pushed.
const pushable = `f.hubs <> '' AND f.merged_into = 0 AND f.state = 'active' AND f.parsed_at > 0 AND ` + wanted

// ReconcilePushes brings what is asked of hubs up to what feeds name and readers want: hubs
// that a feed names now are to be asked, and told that it is over where it names them no more
// and another one has taken its place, or nobody reads the feed. It says whether there was anything.
func (s *Store) ReconcilePushes(ctx context.Context, now time.Time) (changed bool, err error) {
	for {
		n, err := s.wantPushes(ctx, now)
		changed = changed || n > 0
		if err != nil || n < reconcileStep {
			break
		}
	}
	if err == nil {
		var n int
		n, err = s.leavePushes(ctx, now)
		changed = changed || n > 0
	}
	return changed, err
}

// wantPushes adds the subscriptions that are missing.
func (s *Store) wantPushes(ctx context.Context, now time.Time) (int, error) {
	var feeds []struct {
		ID          digest.FeedID
		Topic, Hubs string
	}
	// The number of hubs is that of the spaces between them and one.
	err := s.read().all(ctx, &feeds, `SELECT f.id, f.topic, f.hubs FROM feeds f WHERE `+pushable+`
		AND (SELECT count(DISTINCT p.hub) FROM push_subscriptions p WHERE p.feed_id = f.id AND p.state NOT IN ('leaving', 'left') AND `+offered+`)
			< 1 + length(f.hubs) - length(REPLACE(f.hubs, ' ', '')) ORDER BY f.id LIMIT ?`, reconcileStep)
	if err != nil || len(feeds) == 0 {
		return 0, failed("looking for feeds with hubs", err)
	}
	return len(feeds), s.change(ctx, "noting which hubs are to be asked", func(c conn) error {
		for _, f := range feeds {
			if err := lockFeed(ctx, c, f.ID); err != nil { // nobody else adds them meanwhile
				return err
			}
			for hub := range strings.FieldsSeq(f.Hubs) {
				if err := wantPush(ctx, c, f.ID, hub, f.Topic, at(now)); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// wantPush adds a subscription, with a secret of its own, unless there is one that has just begun, or works.
func wantPush(ctx context.Context, c conn, feed digest.FeedID, hub, topic string, now instant) error {
	return c.run(ctx, `INSERT INTO push_subscriptions (feed_id, hub, topic, secret, state, next_at)
		SELECT CAST(? AS BIGINT), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), 'wanted', CAST(? AS BIGINT)
		WHERE NOT EXISTS (SELECT 1 FROM push_subscriptions p WHERE p.feed_id = ? AND p.hub = ? AND p.topic = ? AND p.state IN ('wanted', 'asked', 'active', 'denied'))`,
		feed, hub, topic, rand.Text()+rand.Text(), now, feed, hub, topic)
}

// leavePushes ends the subscriptions that are no longer wanted. One that works stays until
// that which takes its place works too.
func (s *Store) leavePushes(ctx context.Context, now time.Time) (n int, err error) {
	err = s.change(ctx, "noting which hubs are to be left", func(c conn) error {
		var feeds []digest.FeedID
		err := c.all(ctx, &feeds, `UPDATE push_subscriptions AS p SET errors = 0, next_at = ?,
			state = CASE WHEN p.state IN ('wanted', 'denied') THEN 'left' ELSE 'leaving' END FROM feeds f
			WHERE f.id = p.feed_id AND p.state IN ('wanted', 'asked', 'active', 'denied') AND (NOT (`+pushable+`) OR NOT (`+offered+`)
				AND (p.state <> 'active' OR EXISTS (SELECT 1 FROM push_subscriptions x WHERE x.feed_id = p.feed_id AND x.topic = f.topic AND x.state = 'active')))
			RETURNING feed_id`, at(now))
		if err != nil {
			return err
		}
		gone, err := c.exec(ctx, `UPDATE push_subscriptions SET state = 'left', next_at = ? WHERE state NOT IN ('left')
			AND NOT EXISTS (SELECT 1 FROM feeds f WHERE f.id = push_subscriptions.feed_id)`, at(now))
		n = len(feeds) + gone
		if err == nil {
			err = trust(ctx, c, feeds, now)
		}
		return err
	})
	return n, err
}

// A HubRequest is one that is to be made now.
type HubRequest struct {
	digest.PushSubscription
	FeedURL     string
	PublicOnly  bool // the feed is public: its hubs lead into no private network
	Subscribers int
}

// A HubDomain returns the domain under which requests to a hub or cloud count. outside says that the feed is
// public. Such a feed's hubs lead into no private network, so they do not count for a hub there.
type HubDomain func(address string, outside bool) string

// outside is whether the feed of a subscription p is public.
const outside = `COALESCE((SELECT f.public_only FROM feeds f WHERE f.id = p.feed_id), 1) AS public_only`

// ClaimHubRequests gives requests that are due, n at most, to this worker alone, and does
// what else is due of subscriptions. Those of which a request is made are PushAsked or
// PushLeaving, and come again at retry of the requests that came to nothing before, unless
// their hub verifies them. Requests to a host that confirms nothing wait (digest.HubHost); domain
// returns the domain that the hub of a feed counts for, public or not. more: others may be due.
func (s *Store) ClaimHubRequests(ctx context.Context, now time.Time, n int, retry func(failures int) time.Time,
	domain HubDomain) (requests []HubRequest, more bool, err error) {
	err = s.change(ctx, "claiming requests to hubs", func(c conn) error {
		requests = nil
		var due []HubRequest
		err := c.all(ctx, &due, `SELECT `+pushColumns+`, `+outside+` FROM push_subscriptions p WHERE p.next_at <= ? AND (p.state IN ('active', 'left') OR `+asksHost("p")+`)
			ORDER BY p.next_at, p.id LIMIT ?`+c.d.skipRows("p"), at(now), at(now), n)
		if err != nil {
			return err
		}
		more = len(due) > 0
		hosts, err := hostsOfPushes(ctx, c, due, domain)
		if err != nil {
			return err
		}
		for _, r := range due {
			asks, err := duePush(ctx, c, &r.PushSubscription, hosts, now, retry)
			if err != nil {
				return err
			}
			if asks {
				requests = append(requests, r)
			}
		}
		return addFeeds(ctx, c, requests)
	})
	if err != nil {
		return nil, false, err
	}
	return requests, more, nil
}

// hostsOfPushes locks the hosts of subscriptions and stores their domains.
func hostsOfPushes(ctx context.Context, c conn, due []HubRequest, domain HubDomain) (hubHosts, error) {
	hubs := make(map[string]string)
	for i := range due {
		p := &due[i]
		if known := domain(p.Hub, p.PublicOnly); p.Domain != known {
			p.Domain = known
			if err := c.run(ctx, `UPDATE push_subscriptions SET domain = ? WHERE id = ?`, known, p.ID); err != nil {
				return nil, err
			}
		}
		hubs[p.Domain] = p.Hub
	}
	return holdHubHosts(ctx, c, hubs)
}

// duePush does what is due for a subscription. It reports whether its hub gets a request.
func duePush(ctx context.Context, c conn, p *digest.PushSubscription, hosts hubHosts, now time.Time,
	retry func(int) time.Time) (asks bool, err error) {
	switch {
	case p.State == digest.PushLeft:
		return false, c.run(ctx, `DELETE FROM push_subscriptions WHERE id = ?`, p.ID)
	case p.State == digest.PushActive:
		return false, renewPush(ctx, c, *p, now)
	case p.State == digest.PushLeaving && p.Errors >= mostGoodbyes:
		return false, endPush(ctx, c, p.ID, now)
	}
	if may, err := hosts.ask(ctx, c, p.Domain, now); err != nil || !may {
		return false, err
	}
	if p.State == digest.PushLeaving {
		p.Errors++
		return true, c.run(ctx, `UPDATE push_subscriptions SET errors = ?, next_at = ? WHERE id = ?`, p.Errors,
			from(retry(p.Errors)), p.ID)
	}
	if p.State == digest.PushAsked { // nothing was verified
		p.Errors, p.LastError = p.Errors+1, cmp.Or(p.LastError, "the hub did not verify the request")
		if err := failPush(ctx, c, *p, now); err != nil {
			return false, err
		}
	}
	p.State, p.RequestedAt = digest.PushAsked, now
	return true, c.run(ctx, `UPDATE push_subscriptions SET state = 'asked', requested_at = ?, errors = ?, last_error = ?, next_at = ? WHERE id = ?`,
		at(now), p.Errors, p.LastError, from(retry(p.Errors+1)), p.ID)
}

// renewPush has a subscription that works renewed by another one, and ends it when its time is over.
func renewPush(ctx context.Context, c conn, p digest.PushSubscription, now time.Time) error {
	if !p.ExpiresAt.After(now) {
		return endPush(ctx, c, p.ID, now)
	}
	if err := c.run(ctx, `UPDATE push_subscriptions SET next_at = expires_at WHERE id = ?`, p.ID); err != nil {
		return err
	}
	return c.run(ctx, `INSERT INTO push_subscriptions (feed_id, hub, topic, secret, state, next_at)
		SELECT CAST(? AS BIGINT), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), 'wanted', CAST(? AS BIGINT)
		WHERE NOT EXISTS (SELECT 1 FROM push_subscriptions x WHERE x.feed_id = ? AND x.hub = ? AND x.topic = ? AND x.state IN ('wanted', 'asked'))`,
		p.FeedID, p.Hub, p.Topic, rand.Text()+rand.Text(), at(now), p.FeedID, p.Hub, p.Topic)
}

// endPush notes that a subscription is over.
func endPush(ctx context.Context, c conn, id digest.PushID, now time.Time) error {
	var feeds []digest.FeedID
	err := c.all(ctx, &feeds,
		`UPDATE push_subscriptions SET state = 'left', next_at = ? WHERE id = ? RETURNING feed_id`,
		at(now).plus(keepLeft), id)
	if err != nil {
		return err
	}
	return trust(ctx, c, feeds, now)
}

// failPush takes their trust from the hubs of a feed one of which does not do as it is asked,
// if no other one pushes it.
func failPush(ctx context.Context, c conn, p digest.PushSubscription, now time.Time) error {
	err := c.run(ctx, `UPDATE feed_news SET pushes = 0 WHERE feed_id = ? AND NOT EXISTS (SELECT 1 FROM push_subscriptions x
		WHERE x.feed_id = feed_news.feed_id AND x.state = 'active' AND x.hub <> ?)`, p.FeedID, p.Hub)
	if err != nil {
		return err
	}
	return trust(ctx, c, []digest.FeedID{p.FeedID}, now)
}

// addFeeds reads what requests need to know of their feeds.
func addFeeds(ctx context.Context, c conn, requests []HubRequest) error {
	for i := range requests {
		r := &requests[i]
		_, err := c.find(ctx, r,
			`SELECT `+pushColumns+`, f.url AS feed_url, f.public_only, `+subscribers+` AS subscribers
			FROM push_subscriptions p JOIN feeds f ON f.id = p.feed_id WHERE p.id = ?`, r.ID)
		if err != nil {
			return err
		}
	}
	return nil
}

// HubFailed notes that a request to subscribe came to nothing, unless the hub has verified it
// since, and when it is made again. made: it was sent, and counts for its host.
func (s *Store) HubFailed(ctx context.Context, now time.Time, id digest.PushID, why string, again time.Time,
	made bool) error {
	why = clean(why)
	why = clean(why[:min(len(why), reasonLength)])
	return s.change(ctx, "noting that a hub failed", func(c conn) error {
		n, err := c.exec(ctx, `UPDATE push_subscriptions SET state = 'wanted', errors = errors + 1, last_error = ?, next_at = ?
			WHERE id = ? AND state = 'asked'`, why, from(again), id)
		if err != nil || n == 0 {
			return err
		}
		var p digest.PushSubscription
		if err := c.get(ctx, &p, `SELECT `+pushColumns+` FROM push_subscriptions p WHERE p.id = ?`, id); err != nil {
			return err
		}
		if made {
			if err := failHubHost(ctx, c, p.Domain, now); err != nil {
				return err
			}
		}
		return failPush(ctx, c, p, now)
	})
}

// PushSubscription gives one; digest.NotFound if there is none.
func (s *Store) PushSubscription(ctx context.Context, id digest.PushID) (digest.PushSubscription, error) {
	return readOne[digest.PushSubscription](ctx, s.read(), "reading a subscription at a hub",
		notFound("there is no such subscription"),
		`SELECT `+pushColumns+` FROM push_subscriptions p WHERE p.id = ?`, id)
}

// PushSubscriptionsOf lists those of a feed, the newest first.
func (s *Store) PushSubscriptionsOf(ctx context.Context, id digest.FeedID) ([]digest.PushSubscription, error) {
	return readRows[digest.PushSubscription](ctx, s.read(), "reading what hubs were asked for",
		`SELECT `+pushColumns+` FROM push_subscriptions p WHERE p.feed_id = ? ORDER BY p.id DESC`, id)
}

// VerifyPush answers a hub that asks whether it was asked to push a topic: true, if that was
// so, and its promise begins. To ask again changes nothing. That which it renews, at
// the same hub or under another topic, is over then.
func (s *Store) VerifyPush(ctx context.Context, now time.Time, id digest.PushID, topic string, expires,
	renew time.Time) (meant bool, err error) {
	err = s.change(ctx, "verifying a subscription at a hub", func(c conn) error {
		meant = false
		var p digest.PushSubscription
		found, err := c.find(ctx, &p, `SELECT `+pushColumns+` FROM push_subscriptions p WHERE p.id = ? AND p.topic = ?`+
			c.d.lockRows("p"), id, topic)
		if err != nil || !found {
			return err
		}
		switch p.State {
		case digest.PushActive:
			meant = true
			return nil
		case digest.PushAsked:
		default:
			return nil
		}
		meant = true
		err = c.run(ctx, `UPDATE push_subscriptions SET state = 'active', verified_at = ?, expires_at = ?, next_at = ?, errors = 0, last_error = '' WHERE id = ?`,
			at(now), at(expires), at(renew), id)
		if err == nil {
			err = confirmHubHost(ctx, c, p.Domain)
		}
		if err != nil {
			return err
		}
		err = c.run(ctx, `UPDATE push_subscriptions SET state = 'leaving', errors = 0, next_at = ?
			WHERE feed_id = ? AND id <> ? AND state = 'active' AND hub = ?`, at(now), p.FeedID, id, p.Hub)
		if err != nil {
			return err
		}
		return trust(ctx, c, []digest.FeedID{p.FeedID}, now)
	})
	return meant, err
}

// VerifyLeave answers a hub that asks whether it was told to push a topic no longer: true,
// if that was so.
func (s *Store) VerifyLeave(ctx context.Context, now time.Time, id digest.PushID, topic string) (meant bool,
	err error) {
	err = s.change(ctx, "verifying that a hub was left", func(c conn) error {
		var was struct{ State, Domain string }
		meant, err = c.find(ctx, &was,
			`SELECT p.state, p.domain FROM push_subscriptions p WHERE p.id = ? AND p.topic = ? AND p.state IN ('leaving', 'left')`+c.d.lockRows("p"), id, topic)
		if err != nil || !meant {
			return err
		}
		if err := c.run(ctx, `UPDATE push_subscriptions SET state = 'left', next_at = ? WHERE id = ?`,
			at(now).plus(keepLeft), id); err != nil {
			return err
		}
		if was.State == string(digest.PushLeft) {
			return nil
		}
		return confirmHubHost(ctx, c, was.Domain)
	})
	return meant, err
}

// DenyPush notes that a hub does not push a topic, or no longer, and when it is asked again;
// false: it was not asked.
func (s *Store) DenyPush(ctx context.Context, now time.Time, id digest.PushID, topic, why string,
	again time.Time) (meant bool, err error) {
	err = s.change(ctx, "noting that a hub refuses", func(c conn) error {
		var p digest.PushSubscription
		meant, err = c.find(ctx, &p, `SELECT `+
			pushColumns+` FROM push_subscriptions p WHERE p.id = ? AND p.topic = ? AND p.state IN ('asked', 'active', 'denied')`+c.d.lockRows("p"), id, topic)
		if err != nil || !meant {
			return err
		}
		if err := c.run(ctx, `UPDATE push_subscriptions SET state = 'denied', errors = errors + 1, last_error = ?, next_at = ? WHERE id = ?`, "denied: "+why, from(again), id); err != nil {
			return err
		}
		if p.State == digest.PushAsked { // a denial confirms that a hub is there
			if err := confirmHubHost(ctx, c, p.Domain); err != nil {
				return err
			}
		}
		return trust(ctx, c, []digest.FeedID{p.FeedID}, now)
	})
	return meant, err
}

// AnyPushed reports whether a hub has been asked to send anything, and was not left yet.
func (s *Store) AnyPushed(ctx context.Context) (bool, error) {
	n, err := s.read().number(ctx,
		`SELECT count(*) FROM (SELECT 1 FROM push_subscriptions WHERE state IN ('asked', 'active', 'leaving') LIMIT 1) x`)
	return n > 0, failed("looking for promises of hubs", err)
}
