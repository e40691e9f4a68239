package store

import (
	"context"
	"errors"
	"time"

	"digest"
)

// A Policy holds decisions of package poller whose results the store keeps. A program that polls or changes feeds sets
// it before it uses the store.
type Policy struct {
	// Askable returns the first instant, not before from, at which a feed may be requested (I5), in whole seconds.
	// Zero means now.
	Askable func(f digest.Feed, from time.Time) time.Time

	// PaceDomain returns the pace of a domain, or of an IP address, after a poll of one of its feeds.
	PaceDomain func(d digest.DomainPace, f digest.Feed, now time.Time) digest.DomainPace

	// IsPlatform reports whether to pace an address with a number of hosts and a number of domains that refuse polls.
	IsPlatform func(hosts, refusing int) bool

	// Admit decides which posts of a poll to store.
	Admit func(digest.Intake) digest.Admission

	// Images is the display of pictures in the emails of new readers. "" means none.
	Images digest.Images
}

// check returns an error if the policy is not complete. Functions that use the policy call it first.
func (p *Policy) check() error {
	if p.Askable == nil || p.PaceDomain == nil || p.IsPlatform == nil || p.Admit == nil {
		return errors.New("the store was given no policy")
	}
	return nil
}

func (c conn) askable(f digest.Feed, since instant) instant {
	return from(c.policy.Askable(f, since.Time()))
}

// An askRow is a feed with the columns that decide when it may be requested.
type askRow struct {
	digest.Feed
	AskableAt instant
	First     digest.DigestID // First and Last are set only for candidates, see digest.QueuedFeed
	Last      digest.DigestID

	Subscribers int     // last count; only for locked candidates
	CountedAt   instant // zero: never
}

func (r askRow) queued() digest.QueuedFeed {
	return digest.QueuedFeed{ID: r.ID, First: r.First, Last: r.Last, Domain: r.Domain, Address: r.Address,
		Reliability: r.Reliability}
}

const askColumns = `f.id, t.askable_at, t.last_attempt_at, t.not_before, t.fresh_until, t.lease_until,
	f.own_interval, f.host_interval, f.skip_hours, f.skip_days, t.last_ok_at, f.errors`

// refreshAskable updates askable_at of the feeds f that where selects, after a change of the columns that it depends
// on.
func refreshAskable(ctx context.Context, c conn, where string, args ...any) error {
	if err := c.policy.check(); err != nil {
		return err
	}
	var ids []digest.FeedID
	err := c.All(ctx, &ids, `SELECT f.id FROM `+timedFeeds+` WHERE `+where+` ORDER BY f.id`+c.d.LockRows("t"), args...)
	if err != nil || len(ids) == 0 {
		return err
	}
	var rows []askRow
	if err := c.All(ctx, &rows, `SELECT `+askColumns+` FROM `+timedFeeds+` WHERE f.id`+
		c.d.OneOf, ids); err != nil {
		return err
	}
	var v values
	for _, r := range rows {
		if t := c.askable(r.Feed, 0); t != r.AskableAt {
			v.Row(r.ID, t)
		}
	}
	return saveAskable(ctx, c, &v)
}

func saveAskable(ctx context.Context, c conn, v *values) error {
	return c.RunRows(ctx, v, `WITH v (id, askable_at) AS (VALUES {rows})
		UPDATE feed_times SET askable_at = v.askable_at FROM v WHERE feed_times.feed_id = v.id`)
}

// queue schedules polls at the given instant, or when the feed may be requested if that is later (I5). It keeps an
// earlier poll.
func queue(ctx context.Context, c conn, ids []digest.FeedID, poll instant) error {
	if err := c.policy.check(); err != nil {
		return err
	}
	if err := lockTimes(ctx, c, ids); err != nil {
		return err
	}
	var rows []askRow
	err := c.All(ctx, &rows, `SELECT `+askColumns+` FROM `+timedFeeds+` WHERE f.id`+c.d.OneOf+` AND `+
		alive, ids)
	if err != nil {
		return err
	}
	var v values
	for _, r := range rows {
		v.Row(r.ID, c.askable(r.Feed, 0), c.askable(r.Feed, poll))
	}
	return c.RunRows(ctx, &v, `WITH v (id, askable_at, poll_at) AS (VALUES {rows})
		UPDATE feed_times SET askable_at = v.askable_at,
			poll_at = CASE WHEN feed_times.poll_at <= v.poll_at THEN feed_times.poll_at ELSE v.poll_at END
		FROM v WHERE feed_times.feed_id = v.id`)
}

// NotePollGap stores the poll gap of the Policy before feeds are claimed. If it has changed, NotePollGap updates the
// feeds that it affects.
func (s Feeds) NotePollGap(ctx context.Context, now time.Time, gap time.Duration) error {
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
		return refreshAskable(ctx, c, `t.last_attempt_at > ?`, at(now).Plus(-max(gap, last)))
	})
}

func pollGap(ctx context.Context, c conn) (time.Duration, error) {
	value, err := c.setting(ctx, "poll_gap")
	if err != nil || value == nil {
		return 0, err
	}
	return time.ParseDuration(string(value))
}
