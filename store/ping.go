package store

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"

	"digest"
)

const (
	// trialEvery is how often a ping may have a dead feed asked once more.
	trialEvery = 24 * time.Hour
	// mostPinged is how many feeds of a site one ping of the site concerns.
	mostPinged = 10
)

// Pinged takes it that something is new at these addresses, each of which may
// be a feed's or its site's, in normal form. Of what nobody takes nothing is
// noted, and nobody is told what is known. A feed is queued at once, but for
// the minutes in which nothing is asked (S35); the poll gap, leases and what
// the site asked for hold all the same (S18). A dead or gone one gets a trial,
// once in 24 hours.
func (s *Store) Pinged(ctx context.Context, urls []string, now time.Time) error {
	for _, u := range urls {
		ids, err := s.pingable(ctx, u, now)
		if err == nil && len(ids) > 0 {
			err = s.write(ctx, func(c conn) error { return ping(ctx, c, ids, now) })
		}
		if err != nil {
			return fmt.Errorf("taking a ping: %w", err)
		}
	}
	return nil
}

// wanted holds for feeds f that somebody takes who gets a digest.
const wanted = `EXISTS (SELECT 1 FROM subscriptions s JOIN digests d ON d.id = s.digest_id
	WHERE s.feed_id = f.id AND d.state = 'active')`

// pingable gives the feeds that a ping of an address concerns and that it
// would change something about: the feed there, or else those of the site.
func (s *Store) pingable(ctx context.Context, address string, now time.Time) ([]digest.FeedID, error) {
	const open = ` AND f.merged_into = 0 AND (f.pinged_at = 0 OR f.poll_at IS NULL)
		AND ` + wanted + ` AND (f.state IN ('active', 'trial') OR f.last_attempt_at <= ?)`
	tried := at(now).plus(-trialEvery)
	var ids []digest.FeedID
	f, err := feedByURL(ctx, s.read(), address)
	if err == nil {
		err = s.read().all(ctx, &ids, `SELECT f.id FROM feeds f WHERE f.id = ?`+open, f.ID, tried)
		return ids, err
	}
	if !isNone(err) {
		return nil, err
	}
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		return nil, nil
	}
	// By host, which has an index: most feeds lie beside their site.
	host := strings.TrimPrefix(strings.ToLower(u.Hostname()), "www.")
	bare := strings.TrimSuffix(address, "/")
	err = s.read().all(ctx, &ids, `SELECT f.id FROM feeds f WHERE f.host IN (?, ?) AND f.site_url IN (?, ?)`+open+`
		ORDER BY f.id LIMIT ?`, host, "www."+host, bare, bare+"/", tried, mostPinged)
	return ids, err
}

func ping(ctx context.Context, c conn, ids []digest.FeedID, now time.Time) error {
	_, err := c.exec(ctx, `UPDATE feeds SET pinged_at = ?, state = CASE WHEN state IN ('dead', 'gone') THEN 'trial' ELSE state END
		WHERE id IN (`+list(ids)+`) AND (state IN ('active', 'trial') OR last_attempt_at <= ?)`, at(now), at(now).plus(-trialEvery))
	if err != nil {
		return err
	}
	return queue(ctx, c, ids, at(coolMinute(now, ids[0])))
}

// coolMinute moves an instant in minutes :59, :00 or :01 behind them; feeds are
// spread over the minute there.
func coolMinute(t time.Time, id digest.FeedID) time.Time {
	past := t.Sub(t.Truncate(time.Hour))
	switch {
	case past >= 59*time.Minute:
		past -= time.Hour
	case past >= 2*time.Minute:
		return t
	}
	return t.Add(2*time.Minute - past + time.Duration(id%60)*time.Second)
}

// Vouch takes a person's word that a feed is worth asking now: its validators
// are doubted once (S36), and a dead or gone one gets a trial, which ends the
// penalty that its last failure brought unless its site named the time. queued
// says that it is in the queue for now; the poll gap and leases hold all the
// same. If not it is asked when its site or its penalty lets it.
func (s *Store) Vouch(ctx context.Context, id digest.FeedID, now time.Time) (queued bool, err error) {
	err = s.write(ctx, func(c conn) error {
		_, err := c.exec(ctx, `UPDATE feeds SET doubted = CASE WHEN parsed_at > 0 THEN 1 ELSE doubted END,
			not_before = CASE WHEN state IN ('dead', 'gone') AND last_status NOT IN (429, 503) THEN 0 ELSE not_before END,
			state = CASE WHEN state IN ('dead', 'gone') THEN 'trial' ELSE state END WHERE id = ?`, id)
		if err != nil {
			return err
		}
		if err := queue(ctx, c, []digest.FeedID{id}, at(now)); err != nil {
			return err
		}
		var n int
		err = c.get(ctx, &n, `SELECT count(*) FROM feeds WHERE id = ? AND poll_at <= ?`, id, at(now))
		queued = n > 0
		return err
	})
	if err != nil {
		return false, fmt.Errorf("queueing the feed: %w", err)
	}
	return queued, nil
}
