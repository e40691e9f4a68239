package store

import (
	"context"
	"net/url"
	"strings"
	"time"

	"digest"
)

const (
	// trialEvery is how often a ping may cause a trial of a dead feed.
	trialEvery = 24 * time.Hour
	// mostPinged is the maximum number of feeds that one ping of a site affects.
	mostPinged = 10
)

// dailyAtMost limits the poll interval of our own to one day after news. Only a long silence makes it longer.
const dailyAtMost = `own_interval = CASE WHEN own_interval > 86400 THEN 86400 ELSE own_interval END`

// Pinged records a ping with one or more normalized addresses, and uses the first that belongs to a feed or a site. It
// ignores feeds without readers, and the caller cannot tell whether a feed is known. It queues the feed now, except in
// the hot minutes (S35). The poll gap, leases and the site's own limits still apply (S18). A dead feed gets a trial,
// at most once in 24 hours. A feed that was silent for years is polled at the usual interval again.
func (s Feeds) Pinged(ctx context.Context, urls []string, now time.Time) error {
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

// gathers holds for digests d that collect posts: active digests, and digests that are paused until a time.
const gathers = `(d.state = 'active' OR d.paused_until > 0)`

// wanted holds for feeds f that a digest collects.
const wanted = `EXISTS (SELECT 1 FROM subscriptions s JOIN digests d ON d.id = s.digest_id
	WHERE s.feed_id = f.id AND s.paused = 0 AND ` + gathers + `)`

// namedBy returns the feed at an address, or the feeds of the site there.
func (s *database) namedBy(ctx context.Context, address string) ([]digest.FeedID, error) {
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
	// By host, because it has an index. Most feeds are on the host of their site.
	host := strings.TrimPrefix(strings.ToLower(u.Hostname()), "www.")
	bare := strings.TrimSuffix(address, "/")
	var ids []digest.FeedID
	err = s.read().All(ctx, &ids, `SELECT f.id FROM feeds f WHERE f.host IN (?, ?) AND f.site_url IN (?, ?)
		AND f.merged_into = 0 AND `+wanted+` ORDER BY f.id LIMIT ?`, host, "www."+host, bare, bare+"/", mostPinged)
	return ids, err
}

// ping records a ping for the feeds that it affects, and queues them.
func (s *database) ping(ctx context.Context, ids []digest.FeedID, now time.Time) error {
	const open = ` AND f.merged_into = 0 AND (f.pinged_at = 0 OR t.poll_at IS NULL)
		AND (f.state IN ('active', 'trial') OR t.last_attempt_at <= ?) AND ` + wanted
	var some []digest.FeedID
	tried := at(now).Plus(-trialEvery)
	err := s.read().All(ctx, &some, `SELECT f.id FROM `+timedFeeds+` WHERE f.id IN (`+list(ids)+`)`+open, tried)
	if err != nil || len(some) == 0 {
		return failed("taking a ping", err)
	}
	return s.change(ctx, "taking a ping", func(c conn) error {
		err := c.Run(ctx, `UPDATE feeds AS f SET pinged_at = ?, `+dailyAtMost+`,
			state = CASE WHEN state IN ('dead', 'gone') THEN 'trial' ELSE state END
			FROM feed_times t WHERE t.feed_id = f.id AND f.id IN (`+list(some)+`)`+open, now, tried)
		if err != nil {
			return err
		}
		if err := notePings(ctx, c, some, at(now)); err != nil {
			return err
		}
		return queue(ctx, c, some, at(coolMinute(now, some[0])))
	})
}

// coolMinute moves an instant out of the hot minutes :59, :00 and :01, to a second that depends on the feed.
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

// Vouch queues a poll because a person expects news. It makes the next poll ignore the validators (S36). A dead or
// gone feed gets a trial, which ends the penalty of its last failure unless the site named the time. The poll is due
// now, or when the feed may be requested. Vouch ignores feeds that were merged into another.
func (s Feeds) Vouch(ctx context.Context, id digest.FeedID, now time.Time) error {
	return s.change(ctx, "queueing the feed", func(c conn) error {
		if err := lockFeed(ctx, c, id); err != nil {
			return err
		}
		var f digest.Feed
		found, err := c.Find(ctx, &f, `SELECT `+feedColumns+` FROM `+timedFeeds+` WHERE f.id = ? AND f.merged_into = 0`+
			c.d.LockRows("t"), id)
		if err != nil || !found {
			return err
		}
		v := vouched(f)
		if err := c.Run(ctx, `UPDATE feed_times SET not_before = ? WHERE feed_id = ?`, from(v.NotBefore),
			id); err != nil {
			return err
		}
		if err := c.Run(ctx, `UPDATE feeds SET validators_doubted = ?, state = ?, own_interval = ? WHERE id = ?`,
			v.ValidatorsDoubted, v.State, v.OwnInterval, id); err != nil {
			return err
		}
		return queue(ctx, c, []digest.FeedID{id}, at(now))
	})
}

// vouched returns a feed after Vouch.
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

// VouchedAt returns when a feed may be requested, not before now, after a person vouches for it (I5).
func (s Feeds) VouchedAt(f digest.Feed, now time.Time) (time.Time, error) {
	if err := s.Policy.check(); err != nil {
		return time.Time{}, err
	}
	return s.Policy.Askable(vouched(f), now), nil
}
