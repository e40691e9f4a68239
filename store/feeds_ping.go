package store

import (
	"context"
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

// dailyAtMost is what is left of the interval of our own manners when there is news:
// only a long silence makes it longer than a day.
const dailyAtMost = `own_interval = CASE WHEN own_interval > 86400 THEN 86400 ELSE own_interval END`

// Pinged notes that there is news at one of these addresses, which are one
// ping's, in normal form: the first that is a feed's or its site's counts. Of
// what nobody is subscribed to nothing is noted, and nobody is told what is known. A feed
// is queued at once, but for the minutes in which nothing is asked (S35); the
// poll gap, leases and what the site asked for hold all the same (S18). A dead
// one gets a trial, once in 24 hours; one that was silent for years is asked as
// if it had not been.
func (s *Store) Pinged(ctx context.Context, urls []string, now time.Time) error {
	for _, u := range urls {
		ids, err := s.namedBy(ctx, u)
		if err == nil && len(ids) > 0 {
			return s.ping(ctx, ids, now)
		}
		if err != nil {
			return failed("taking a ping", err)
		}
	}
	return nil
}

// gathers holds for digests d for which feeds are asked and posts wait: active
// ones, and those that pause until a time.
const gathers = `(d.state = 'active' OR d.paused_until > 0)`

// wanted holds for feeds f to which somebody is subscribed who gets a digest.
const wanted = `EXISTS (SELECT 1 FROM subscriptions s JOIN digests d ON d.id = s.digest_id
	WHERE s.feed_id = f.id AND s.paused = 0 AND ` + gathers + `)`

// namedBy gives the feed at an address, or else those of the site there.
func (s *Store) namedBy(ctx context.Context, address string) ([]digest.FeedID, error) {
	f, err := feedByURL(ctx, s.read(), address)
	if err == nil {
		return []digest.FeedID{f.ID}, nil
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
	var ids []digest.FeedID
	err = s.read().all(ctx, &ids, `SELECT f.id FROM feeds f WHERE f.host IN (?, ?) AND f.site_url IN (?, ?)
		AND f.merged_into = 0 AND `+wanted+` ORDER BY f.id LIMIT ?`, host, "www."+host, bare, bare+"/", mostPinged)
	return ids, err
}

// ping notes a ping with those feeds for which it changes something, and queues them.
func (s *Store) ping(ctx context.Context, ids []digest.FeedID, now time.Time) error {
	const open = ` AND f.merged_into = 0 AND (f.pinged_at = 0 OR t.poll_at IS NULL)
		AND (f.state IN ('active', 'trial') OR t.last_attempt_at <= ?) AND ` + wanted
	var some []digest.FeedID
	tried := at(now).plus(-trialEvery)
	err := s.read().all(ctx, &some, `SELECT f.id FROM `+timedFeeds+` WHERE f.id IN (`+list(ids)+`)`+open, tried)
	if err != nil || len(some) == 0 {
		return failed("taking a ping", err)
	}
	return s.change(ctx, "taking a ping", func(c conn) error {
		_, err := c.exec(ctx, `UPDATE feeds AS f SET pinged_at = ?, `+dailyAtMost+`,
			state = CASE WHEN state IN ('dead', 'gone') THEN 'trial' ELSE state END
			FROM feed_times t WHERE t.feed_id = f.id AND f.id IN (`+list(some)+`)`+open, at(now), tried)
		if err != nil {
			return err
		}
		if err := notePings(ctx, c, some, at(now)); err != nil {
			return err
		}
		return queue(ctx, c, some, at(coolMinute(now, some[0])))
	})
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
// penalty that its last failure brought unless its site named the time. It is
// queued for now, or for when it may be asked. One that has become part of
// another meanwhile stays what it is.
func (s *Store) Vouch(ctx context.Context, id digest.FeedID, now time.Time) error {
	return s.change(ctx, "queueing the feed", func(c conn) error {
		if err := lockFeed(ctx, c, id); err != nil {
			return err
		}
		var f digest.Feed
		found, err := c.find(ctx, &f, `SELECT `+feedColumns+` FROM `+timedFeeds+` WHERE f.id = ? AND f.merged_into = 0`+
			c.d.lockRows("t"), id)
		if err != nil || !found {
			return err
		}
		v := vouched(f)
		if err := c.run(ctx, `UPDATE feed_times SET not_before = ? WHERE feed_id = ?`, from(v.NotBefore),
			id); err != nil {
			return err
		}
		if err := c.run(ctx, `UPDATE feeds SET validators_doubted = ?, state = ?, own_interval = ? WHERE id = ?`,
			bit(v.ValidatorsDoubted), string(v.State), seconds(v.OwnInterval), id); err != nil {
			return err
		}
		return queue(ctx, c, []digest.FeedID{id}, at(now))
	})
}

// vouched is a feed of which a person says that it is worth asking.
func vouched(f digest.Feed) digest.Feed {
	f.ValidatorsDoubted = f.ValidatorsDoubted || !f.ParsedAt.IsZero()
	f.OwnInterval = min(f.OwnInterval, trialEvery) // as dailyAtMost
	if f.State == digest.FeedDead || f.State == digest.FeedGone {
		f.State = digest.FeedTrial
		if f.LastStatus != 429 && f.LastStatus != 503 {
			f.NotBefore = time.Time{}
		}
	}
	return f
}

// VouchedAt gives when a feed may be asked at the earliest, not before now, if a person vouches for it (I5).
func (s *Store) VouchedAt(f digest.Feed, now time.Time) (time.Time, error) {
	if err := s.Policy.check(); err != nil {
		return time.Time{}, err
	}
	return s.Policy.Askable(vouched(f), now), nil
}
