package store

import (
	"cmp"
	"context"
	"crypto/rand"
	"strings"
	"time"

	"digest"
	"digest/store/db"
)

// A row of push_subscriptions is a WebSub subscription at a hub, with the time of its next action, which any worker
// may claim. The row is stored before the request is sent, because a hub may verify the request before it answers.

const (
	pushColumns = `p.id, p.feed_id, p.hub, p.topic, p.secret, p.state, p.requested_at, p.verified_at, p.expires_at,
		p.next_at, p.errors, p.last_error, p.domain`

	// reconcileStep is how many feeds ReconcilePushes handles in one transaction.
	reconcileStep = 200
	// keepLeft is how long an ended subscription is stored, so that its callback can say that it has ended.
	keepLeft = 30 * 24 * time.Hour
	// mostGoodbyes is how many requests to unsubscribe go to a hub that does not verify them.
	mostGoodbyes = 3
)

// offered selects subscriptions p whose hub and topic the feed f still names.
const offered = `p.topic = f.topic AND REPLACE(' ' || f.hubs || ' ', ' ' || p.hub || ' ', '') <> ' ' || f.hubs || ' '`

// pushable selects feeds f that have readers and whose hubs can push them.
const pushable = `f.hubs <> '' AND f.merged_into = 0 AND f.state = 'active' AND f.parsed_at > 0 AND ` + wanted

// ReconcilePushes adds subscriptions at the hubs that feeds name now. It ends those whose feed has no reader, and
// those whose hub the feed no longer names once another is active. It reports whether it changed any.
func (s Feeds) ReconcilePushes(ctx context.Context, now time.Time) (changed bool, err error) {
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

// wantPushes adds the missing subscriptions of up to reconcileStep feeds, and returns the number of feeds.
func (s *database) wantPushes(ctx context.Context, now time.Time) (int, error) {
	var feeds []struct {
		ID          digest.FeedID
		Topic, Hubs string
	}
	// The number of hubs is the number of spaces plus one.
	err := s.read().All(ctx, &feeds, `SELECT f.id, f.topic, f.hubs FROM feeds f WHERE `+pushable+`
		AND (SELECT count(DISTINCT p.hub) FROM push_subscriptions p WHERE p.feed_id = f.id
		AND p.state NOT IN ('leaving', 'left') AND `+offered+`)
			< 1 + length(f.hubs) - length(REPLACE(f.hubs, ' ', '')) ORDER BY f.id LIMIT ?`, reconcileStep)
	if err != nil || len(feeds) == 0 {
		return 0, failed("looking for feeds with hubs", err)
	}
	return len(feeds), s.change(ctx, "noting which hubs are to be asked", func(c conn) error {
		for _, f := range feeds {
			if err := lockFeed(ctx, c, f.ID); err != nil { // keeps others from adding them
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

// wantPush adds a subscription with its own secret, unless one is new, active or denied.
func wantPush(ctx context.Context, c conn, feed digest.FeedID, hub, topic string, now instant) error {
	return c.Run(ctx, `INSERT INTO push_subscriptions (feed_id, hub, topic, secret, state, next_at)
		SELECT CAST(? AS BIGINT), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), 'wanted', CAST(? AS BIGINT)
		WHERE NOT EXISTS (SELECT 1 FROM push_subscriptions p WHERE p.feed_id = ? AND p.hub = ? AND p.topic = ?
		AND p.state IN ('wanted', 'asked', 'active', 'denied'))`,
		feed, hub, topic, rand.Text()+rand.Text(), now, feed, hub, topic)
}

// leavePushes ends the subscriptions that are not wanted any longer. An active one stays until its replacement is
// active.
func (s *database) leavePushes(ctx context.Context, now time.Time) (n int, err error) {
	err = s.change(ctx, "noting which hubs are to be left", func(c conn) error {
		var feeds []digest.FeedID
		err := c.All(ctx, &feeds, `UPDATE push_subscriptions AS p SET errors = 0, next_at = ?,
			state = CASE WHEN p.state IN ('wanted', 'denied') THEN 'left' ELSE 'leaving' END FROM feeds f
			WHERE f.id = p.feed_id AND p.state IN ('wanted', 'asked', 'active', 'denied')
			AND (NOT (`+pushable+`) OR NOT (`+offered+`)
				AND (p.state <> 'active' OR EXISTS (SELECT 1 FROM push_subscriptions x WHERE x.feed_id = p.feed_id
				AND x.topic = f.topic AND x.state = 'active')))
			RETURNING feed_id`, now)
		if err != nil {
			return err
		}
		gone, err := c.Exec(ctx, `UPDATE push_subscriptions SET state = 'left', next_at = ? WHERE state NOT IN ('left')
			AND NOT EXISTS (SELECT 1 FROM feeds f WHERE f.id = push_subscriptions.feed_id)`, now)
		n = len(feeds) + gone
		if err == nil {
			err = trust(ctx, c, feeds, now)
		}
		return err
	})
	return n, err
}

// A HubRequest is a request to a hub that is due.
type HubRequest struct {
	digest.PushSubscription
	FeedURL     string
	PublicOnly  bool // the feed is public, so its hubs must not be in a private network
	Subscribers int
}

// A HubDomain returns the domain under which requests to a hub count. outside says that the feed is public.
// Such a feed's hubs cannot be in a private network, so they do not count for a hub there.
type HubDomain func(address string, outside bool) string

// outside selects whether the feed of a subscription p is public.
const outside = `COALESCE((SELECT f.public_only FROM feeds f WHERE f.id = p.feed_id), 1) AS public_only`

// ClaimHubRequests claims up to n due requests for this worker, and performs the other actions that are due. It sets
// the subscriptions of the requests to PushAsked or PushLeaving. Unless the hub verifies them, they are due again at
// the time that retry returns for the failures so far. Requests to a host that confirms nothing wait
// (digest.HubHost). domain returns the domain under which a hub counts. more reports whether others may be due.
func (s Feeds) ClaimHubRequests(ctx context.Context, now time.Time, n int, retry func(failures int) time.Time,
	domain HubDomain) (requests []HubRequest, more bool, err error) {
	err = s.change(ctx, "claiming requests to hubs", func(c conn) error {
		requests = nil
		var due []HubRequest
		err := c.All(ctx, &due, `SELECT `+pushColumns+`, `+outside+` FROM push_subscriptions p WHERE p.next_at <= ?
			AND (p.state IN ('active', 'left') OR `+asksHost("p")+`)
			ORDER BY p.next_at, p.id LIMIT ?`+c.d.SkipRows("p"), now, now, n)
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

// hostsOfPushes stores the domains of subscriptions and locks their hosts.
func hostsOfPushes(ctx context.Context, c conn, due []HubRequest, domain HubDomain) (hubHosts, error) {
	hubs := make(map[string]string)
	for i := range due {
		p := &due[i]
		if known := domain(p.Hub, p.PublicOnly); p.Domain != known {
			p.Domain = known
			if err := c.Run(ctx, `UPDATE push_subscriptions SET domain = ? WHERE id = ?`, known, p.ID); err != nil {
				return nil, err
			}
		}
		hubs[p.Domain] = p.Hub
	}
	return holdHubHosts(ctx, c, hubs)
}

// duePush performs the action that is due for a subscription. It reports whether its hub gets a request.
func duePush(ctx context.Context, c conn, p *digest.PushSubscription, hosts hubHosts, now time.Time,
	retry func(int) time.Time) (asks bool, err error) {
	switch {
	case p.State == digest.PushLeft:
		return false, c.Run(ctx, `DELETE FROM push_subscriptions WHERE id = ?`, p.ID)
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
		return true, c.Run(ctx, `UPDATE push_subscriptions SET errors = ?, next_at = ? WHERE id = ?`, p.Errors,
			from(retry(p.Errors)), p.ID)
	}
	if p.State == digest.PushAsked { // the hub did not verify the last request
		p.Errors, p.LastError = p.Errors+1, cmp.Or(p.LastError, "the hub did not verify the request")
		if err := failPush(ctx, c, *p, now); err != nil {
			return false, err
		}
	}
	p.State, p.RequestedAt = digest.PushAsked, now
	return true, c.Run(ctx, `UPDATE push_subscriptions SET state = 'asked', requested_at = ?, errors = ?,
		last_error = ?, next_at = ? WHERE id = ?`,
		now, p.Errors, p.LastError, from(retry(p.Errors+1)), p.ID)
}

// renewPush adds a subscription that renews an active one. It ends the active one if it has expired.
func renewPush(ctx context.Context, c conn, p digest.PushSubscription, now time.Time) error {
	if !p.ExpiresAt.After(now) {
		return endPush(ctx, c, p.ID, now)
	}
	if err := c.Run(ctx, `UPDATE push_subscriptions SET next_at = expires_at WHERE id = ?`, p.ID); err != nil {
		return err
	}
	return c.Run(ctx, `INSERT INTO push_subscriptions (feed_id, hub, topic, secret, state, next_at)
		SELECT CAST(? AS BIGINT), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), 'wanted', CAST(? AS BIGINT)
		WHERE NOT EXISTS (SELECT 1 FROM push_subscriptions x WHERE x.feed_id = ? AND x.hub = ? AND x.topic = ?
		AND x.state IN ('wanted', 'asked'))`,
		p.FeedID, p.Hub, p.Topic, rand.Text()+rand.Text(), now, p.FeedID, p.Hub, p.Topic)
}

func endPush(ctx context.Context, c conn, id digest.PushID, now time.Time) error {
	var feeds []digest.FeedID
	err := c.All(ctx, &feeds,
		`UPDATE push_subscriptions SET state = 'left', next_at = ? WHERE id = ? RETURNING feed_id`,
		at(now).Plus(keepLeft), id)
	if err != nil {
		return err
	}
	return trust(ctx, c, feeds, now)
}

// failPush withdraws the trust in a feed's pushes after a hub failed, if no other hub pushes the feed.
func failPush(ctx context.Context, c conn, p digest.PushSubscription, now time.Time) error {
	err := c.Run(ctx, `UPDATE feed_news SET pushes = 0 WHERE feed_id = ? AND NOT EXISTS (SELECT 1
		FROM push_subscriptions x
		WHERE x.feed_id = feed_news.feed_id AND x.state = 'active' AND x.hub <> ?)`, p.FeedID, p.Hub)
	if err != nil {
		return err
	}
	return trust(ctx, c, []digest.FeedID{p.FeedID}, now)
}

// addFeeds adds to requests the data of their feeds.
func addFeeds(ctx context.Context, c conn, requests []HubRequest) error {
	for i := range requests {
		r := &requests[i]
		_, err := c.Find(ctx, r,
			`SELECT `+pushColumns+`, f.url AS feed_url, f.public_only, `+subscribers+` AS subscribers
			FROM push_subscriptions p JOIN feeds f ON f.id = p.feed_id WHERE p.id = ?`, r.ID)
		if err != nil {
			return err
		}
	}
	return nil
}

// HubFailed records that a request to subscribe failed, unless the hub has verified it since, and schedules the next
// one. made says that the request was sent and counts for its host.
func (s Feeds) HubFailed(ctx context.Context, now time.Time, id digest.PushID, why string, again time.Time,
	made bool) error {
	why = db.Clean(why)
	why = db.Clean(why[:min(len(why), reasonLength)])
	return s.change(ctx, "noting that a hub failed", func(c conn) error {
		n, err := c.Exec(ctx, `UPDATE push_subscriptions SET state = 'wanted', errors = errors + 1, last_error = ?,
			next_at = ?
			WHERE id = ? AND state = 'asked'`, why, from(again), id)
		if err != nil || n == 0 {
			return err
		}
		var p digest.PushSubscription
		if err := c.Get(ctx, &p, `SELECT `+pushColumns+` FROM push_subscriptions p WHERE p.id = ?`, id); err != nil {
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

// PushSubscription returns a subscription at a hub, or digest.NotFound.
func (s Feeds) PushSubscription(ctx context.Context, id digest.PushID) (digest.PushSubscription, error) {
	return readOne[digest.PushSubscription](ctx, s.read(), "reading a subscription at a hub",
		notFound("there is no such subscription"),
		`SELECT `+pushColumns+` FROM push_subscriptions p WHERE p.id = ?`, id)
}

// PushSubscriptionsOf returns the subscriptions of a feed at hubs, newest first.
func (s Feeds) PushSubscriptionsOf(ctx context.Context, id digest.FeedID) ([]digest.PushSubscription, error) {
	return readRows[digest.PushSubscription](ctx, s.read(), "reading what hubs were asked for",
		`SELECT `+pushColumns+` FROM push_subscriptions p WHERE p.feed_id = ? ORDER BY p.id DESC`, id)
}

// VerifyPush answers a hub that verifies a subscription. It returns true if the subscription was requested, and makes
// it active. Verifying it again changes nothing. It ends the former subscriptions of the feed at this hub, under any
// topic.
func (s Feeds) VerifyPush(ctx context.Context, now time.Time, id digest.PushID, topic string, expires,
	renew time.Time) (meant bool, err error) {
	err = s.change(ctx, "verifying a subscription at a hub", func(c conn) error {
		meant = false
		var p digest.PushSubscription
		found, err := c.Find(ctx, &p, `SELECT `+pushColumns+` FROM push_subscriptions p WHERE p.id = ? AND p.topic = ?`+
			c.d.LockRows("p"), id, topic)
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
		err = c.Run(ctx, `UPDATE push_subscriptions SET state = 'active', verified_at = ?, expires_at = ?, next_at = ?,
			errors = 0, last_error = '' WHERE id = ?`,
			now, expires, renew, id)
		if err == nil {
			err = confirmHubHost(ctx, c, p.Domain)
		}
		if err != nil {
			return err
		}
		err = c.Run(ctx, `UPDATE push_subscriptions SET state = 'leaving', errors = 0, next_at = ?
			WHERE feed_id = ? AND id <> ? AND state = 'active' AND hub = ?`, now, p.FeedID, id, p.Hub)
		if err != nil {
			return err
		}
		return trust(ctx, c, []digest.FeedID{p.FeedID}, now)
	})
	return meant, err
}

// VerifyLeave answers a hub that verifies the end of a subscription. It returns true if the end was requested.
func (s Feeds) VerifyLeave(ctx context.Context, now time.Time, id digest.PushID, topic string) (meant bool,
	err error) {
	err = s.change(ctx, "verifying that a hub was left", func(c conn) error {
		var was struct{ State, Domain string }
		meant, err = c.Find(ctx, &was,
			`SELECT p.state, p.domain FROM push_subscriptions p WHERE p.id = ? AND p.topic = ?
				AND p.state IN ('leaving', 'left')`+c.d.LockRows("p"), id, topic)
		if err != nil || !meant {
			return err
		}
		if err := c.Run(ctx, `UPDATE push_subscriptions SET state = 'left', next_at = ? WHERE id = ?`,
			at(now).Plus(keepLeft), id); err != nil {
			return err
		}
		if was.State == string(digest.PushLeft) {
			return nil
		}
		return confirmHubHost(ctx, c, was.Domain)
	})
	return meant, err
}

// DenyPush records that a hub denies a subscription, and schedules the next request. It returns false if there was
// nothing to deny.
func (s Feeds) DenyPush(ctx context.Context, now time.Time, id digest.PushID, topic, why string,
	again time.Time) (meant bool, err error) {
	err = s.change(ctx, "noting that a hub refuses", func(c conn) error {
		var p digest.PushSubscription
		meant, err = c.Find(ctx, &p, `SELECT `+
			pushColumns+` FROM push_subscriptions p WHERE p.id = ? AND p.topic = ?
				AND p.state IN ('asked', 'active', 'denied')`+c.d.LockRows("p"), id, topic)
		if err != nil || !meant {
			return err
		}
		if err := c.Run(ctx, `UPDATE push_subscriptions SET state = 'denied', errors = errors + 1, last_error = ?,
			next_at = ? WHERE id = ?`, "denied: "+why, from(again), id); err != nil {
			return err
		}
		if p.State == digest.PushAsked { // a denial confirms that the host is a hub
			if err := confirmHubHost(ctx, c, p.Domain); err != nil {
				return err
			}
		}
		return trust(ctx, c, []digest.FeedID{p.FeedID}, now)
	})
	return meant, err
}

// AnyPushed reports whether any subscription at a hub is requested, active or not ended yet.
func (s Feeds) AnyPushed(ctx context.Context) (bool, error) {
	n, err := s.read().Number(ctx,
		`SELECT count(*) FROM (SELECT 1 FROM push_subscriptions WHERE state IN ('asked', 'active', 'leaving')
			LIMIT 1) x`)
	return n > 0, failed("looking for promises of hubs", err)
}
