package store

import (
	"context"
	"errors"
	"time"

	"digest"
)

// A Policy is what package poller decides and the store only keeps. Whoever
// opens a store to ask feeds, or to change what is known of them, sets it
// before anything else.
type Policy struct {
	// Askable gives the first instant, not before from, at which a feed may be
	// asked (I5), in whole seconds; the zero time: at once.
	Askable func(f digest.Feed, from time.Time) time.Time

	// PaceDomain returns the pace of a domain, or of an IP address, after a poll of one of its feeds.
	PaceDomain func(d digest.DomainPace, f digest.Feed, now time.Time) digest.DomainPace

	// IsPlatform reports whether to pace an address with a number of hosts and a number of domains that refuse polls.
	IsPlatform func(hosts, refusing int) bool

	// Honest gives a feed without the instants that only a wrong clock can have
	// written; wanted says that it is still to be asked for a midnight that has come.
	Honest func(f digest.Feed, wanted bool, now time.Time) digest.Feed

	// Admit decides what is stored of a poll.
	Admit func(digest.Intake) digest.Admission
}

// check fails where a store was given no policy, or half of one. Whatever asks
// the policy begins with it.
func (p *Policy) check() error {
	if p.Askable == nil || p.PaceDomain == nil || p.IsPlatform == nil || p.Honest == nil || p.Admit == nil {
		return errors.New("the store was given no policy")
	}
	return nil
}

// askable asks the policy.
func (c conn) askable(f digest.Feed, since instant) instant {
	return from(c.policy.Askable(f, since.time()))
}

// An askRow is what of a feed decides when it may be asked, and when
// it was to be asked so far.
type askRow struct {
	digest.Feed
	AskableAt instant
	First     digest.DigestID // only of a candidate, see digest.QueuedFeed; so is Last
	Last      digest.DigestID

	Subscribers int     // as counted last; only of a candidate that is locked
	CountedAt   instant // 0: never
}

func (r askRow) queued() digest.QueuedFeed {
	return digest.QueuedFeed{ID: r.ID, First: r.First, Last: r.Last, Domain: r.Domain, Address: r.Address,
		Reliability: r.Reliability}
}

const askColumns = `f.id, t.askable_at, t.last_attempt_at, t.not_before, t.fresh_until, t.lease_until,
	f.own_interval, f.host_interval, f.skip_hours, f.skip_days, t.last_ok_at, f.errors`

// refreshAskable brings askable_at up to date after something has changed that
// it rests on; where says of which feeds f.
func refreshAskable(ctx context.Context, c conn, where string, args ...any) error {
	if err := c.policy.check(); err != nil {
		return err
	}
	var ids []digest.FeedID
	err := c.all(ctx, &ids, `SELECT f.id FROM `+timedFeeds+` WHERE `+where+` ORDER BY f.id`+c.d.lockRows("t"), args...)
	if err != nil || len(ids) == 0 {
		return err
	}
	var rows []askRow
	if err := c.all(ctx, &rows, `SELECT `+askColumns+` FROM `+timedFeeds+` WHERE f.id`+
		c.d.oneOf, keys(c.d, ids)); err != nil {
		return err
	}
	var v values
	for _, r := range rows {
		if t := c.askable(r.Feed, 0); t != r.AskableAt {
			v.row(r.ID, t)
		}
	}
	return saveAskable(ctx, c, &v)
}

// saveAskable writes askable_at; v holds keys and instants.
func saveAskable(ctx context.Context, c conn, v *values) error {
	return c.runRows(ctx, v, `WITH v (id, askable_at) AS (VALUES {rows})
		UPDATE feed_times SET askable_at = v.askable_at FROM v WHERE feed_times.feed_id = v.id`)
}

// queue asks for polls no later than the given instant, or than the feed may be
// asked if that is later: nobody waits for a feed that cannot be asked (I5).
func queue(ctx context.Context, c conn, ids []digest.FeedID, poll instant) error {
	if err := c.policy.check(); err != nil {
		return err
	}
	if err := lockTimes(ctx, c, ids); err != nil {
		return err
	}
	var rows []askRow
	err := c.all(ctx, &rows, `SELECT `+askColumns+` FROM `+timedFeeds+` WHERE f.id`+c.d.oneOf+` AND `+
		alive, keys(c.d, ids))
	if err != nil {
		return err
	}
	var v values
	for _, r := range rows {
		v.row(r.ID, c.askable(r.Feed, 0), c.askable(r.Feed, poll))
	}
	return c.runRows(ctx, &v, `WITH v (id, askable_at, poll_at) AS (VALUES {rows})
		UPDATE feed_times SET askable_at = v.askable_at,
			poll_at = CASE WHEN feed_times.poll_at <= v.poll_at THEN feed_times.poll_at ELSE v.poll_at END
		FROM v WHERE feed_times.feed_id = v.id`)
}

// NotePollGap is called by whoever is about to claim feeds, with the poll gap of
// the Policy. Where it has changed, the feeds that it still speaks of are gone
// through once.
func (s *Store) NotePollGap(ctx context.Context, now time.Time, gap time.Duration) error {
	last, err := pollGap(ctx, s.read())
	if err != nil || last == gap {
		return failed("noting the poll gap", err)
	}
	return s.change(ctx, "noting the poll gap", func(c conn) error {
		last, err := pollGap(ctx, c)
		if err != nil {
			return err
		}
		if err := c.setSetting(ctx, "poll_gap", []byte(gap.String())); err != nil {
			return err
		}
		return refreshAskable(ctx, c, `t.last_attempt_at > ?`, at(now).plus(-max(gap, last)))
	})
}

// pollGap is the gap that was noted last, 0 if none was.
func pollGap(ctx context.Context, c conn) (time.Duration, error) {
	value, err := c.setting(ctx, "poll_gap")
	if err != nil || value == nil {
		return 0, err
	}
	return time.ParseDuration(string(value))
}
