package store

import (
	"context"
	"fmt"
	"time"

	"digest"
	"digest/timezone"
)

// An edition is worth sending until its digest's next one is near: for expiry
// after its hour at least, and until beforeNext before the next midnight.
const (
	expiry     = 20 * time.Hour
	beforeNext = 4 * time.Hour
)

// Release makes the editions of due digests, and gives them their next
// midnight. A digest waits for Plan, and then while one of its feeds is still
// queued for a poll, or in flight, for deadline at most: counted from Plan and
// not from midnight, so that a machine that slept over midnight polls first.
// A digest with nothing new, and nothing to be told, gets no edition. After an outage the missed days
// come as one edition, of the last of its days that has begun.
//
// Digests of one zone, midnight and set of weekdays are released by one
// statement, in one transaction that excludes storing (I8); no row of a post
// is touched. It gives the number of editions made.
func (s *Store) Release(ctx context.Context, now time.Time, deadline time.Duration) (editions int, err error) {
	var groups []releaseGroup
	err = s.read().all(ctx, &groups, `SELECT u.time_zone, d.next_due_at, d.weekdays
		FROM digests d JOIN users u ON u.id = d.user_id
		WHERE d.state = 'active' AND d.next_due_at <= ? AND d.planned_due_at = d.next_due_at
		GROUP BY u.time_zone, d.next_due_at, d.weekdays ORDER BY d.next_due_at, u.time_zone, d.weekdays`, at(now))
	if err != nil {
		return 0, fmt.Errorf("finding what to release: %w", err)
	}
	for _, g := range groups {
		n := 0
		err := s.alone(ctx, func(c conn) (err error) {
			n, err = g.release(ctx, c, now, deadline)
			return err
		})
		if err != nil {
			return editions, fmt.Errorf("releasing the editions of %s: %w", g.TimeZone, err)
		}
		editions += n
	}
	return editions, nil
}

// A releaseGroup is the digests that are released alike.
type releaseGroup struct {
	TimeZone string          `db:"time_zone"`
	DueAt    instant         `db:"next_due_at"`
	Weekdays digest.Weekdays `db:"weekdays"`
}

// days gives the date of the edition, that of the last of the group's
// midnights that has passed, and the midnight after it.
func (g releaseGroup) days(now time.Time) (digest.Date, instant, error) {
	loc, err := zoneOf(g.TimeZone)
	if err != nil {
		return digest.Date{}, 0, err
	}
	last := g.DueAt.time()
	next := timezone.NextOn(last, loc, g.Weekdays.Has)
	for !next.After(now) {
		last, next = next, timezone.NextOn(next, loc, g.Weekdays.Has)
	}
	return digest.DateOf(last.In(loc)), at(next), nil
}

// inZone is written so that no planner can turn it round and begin with all
// users of the zone: for each digest it can only look its own user up. What
// members asks of feeds is written likewise.
const inZone = `(SELECT u.time_zone FROM users u WHERE u.id = d.user_id) = ?`

// members selects the group's digests d that need not wait any longer.
func (g releaseGroup) members(now instant, deadline time.Duration) (where string, args []any) {
	where = `d.state = 'active' AND d.next_due_at = ? AND d.planned_due_at = d.next_due_at AND d.weekdays = ? AND ` + inZone
	args = []any{g.DueAt, g.Weekdays, g.TimeZone}
	where += ` AND (d.planned_at <= ? OR NOT EXISTS (SELECT 1 FROM subscriptions s WHERE s.digest_id = d.id
		AND (SELECT f.poll_at FROM feeds f WHERE f.id = s.feed_id) <= d.planned_at + ?))`
	args = append(args, now.plus(-deadline), int64(deadline/time.Second))
	return where, args
}

// release releases a group. First the digests that had an edition of this date
// already, which can only be after a journey or an outage, wait for the next
// one with their posts (I1). Then last_due_at and released_at mark the digests
// that the second statement takes, so that it sees exactly those.
func (g releaseGroup) release(ctx context.Context, c conn, now time.Time, deadline time.Duration) (int, error) {
	date, next, err := g.days(now)
	if err != nil {
		return 0, err
	}
	where, args := g.members(at(now), deadline)
	if err := g.postpone(ctx, c, date, next, where, args); err != nil {
		return 0, err
	}
	hasNews, waiting, err := g.news(ctx, c)
	if err != nil {
		return 0, err
	}
	released, err := c.exec(ctx, `UPDATE digests AS d SET prev_due_at = d.last_due_at, prev_released_at = d.released_at,
		last_due_at = d.next_due_at, next_due_at = ?, planned_due_at = 0, released_at = ?,
		edition_count = d.edition_count + CASE WHEN `+hasNews+` THEN 1 ELSE 0 END WHERE `+where,
		append(append([]any{next, at(now)}, waiting...), args...)...)
	if err != nil || released == 0 {
		return 0, err
	}
	patience, lastCall := fmt.Sprint(int64(expiry/time.Second)), fmt.Sprint(next.plus(-beforeNext))
	return c.exec(ctx, `INSERT INTO editions (digest_id, local_date, due_at, prev_due_at, prev_released_at,
		send_at, date, next_at, expires_at, number, state)
		SELECT x.id, ?, x.last_due_at, x.prev_due_at, x.prev_released_at, x.send_at, x.send_at, x.send_at,
			CASE WHEN x.send_at + `+patience+` > `+lastCall+` THEN x.send_at + `+patience+` ELSE `+lastCall+` END, x.edition_count, 'ready'
		FROM (SELECT d.id, d.last_due_at, d.edition_count, d.prev_due_at, d.prev_released_at,
				CASE WHEN d.last_due_at + d.send_delay > ? THEN d.last_due_at + d.send_delay ELSE ? END AS send_at
			FROM digests d
			WHERE d.state = 'active' AND d.next_due_at = ? AND d.last_due_at = ? AND d.released_at = ? AND d.weekdays = ?
			AND `+inZone+` AND `+hasNews+`) x
		WHERE TRUE ORDER BY x.id ON CONFLICT DO NOTHING`,
		append([]any{date.String(), at(now), at(now), next, g.DueAt, at(now), g.Weekdays, g.TimeZone}, waiting...)...)
}

// news gives what holds for digests d for which posts wait, or notices alone,
// with its arguments. Most midnights have no notices: then nothing is asked of
// each digest about them.
func (g releaseGroup) news(ctx context.Context, c conn) (where string, args []any, err error) {
	where, args = `EXISTS (SELECT 1 FROM digest_posts dp WHERE dp.digest_id = d.id AND dp.visible_at = ?)`, []any{g.DueAt}
	var notices int
	if err = c.get(ctx, &notices, `SELECT count(*) FROM (SELECT 1 FROM notices n WHERE n.visible_at = ? LIMIT 1) x`, g.DueAt); err != nil || notices == 0 {
		return where, args, err
	}
	return `(` + where + ` OR EXISTS (SELECT 1 FROM notices n WHERE n.digest_id = d.id AND n.visible_at = ?))`, append(args, g.DueAt), nil
}

// postpone moves the digests that have an edition of this date, and what waits for them.
func (g releaseGroup) postpone(ctx context.Context, c conn, date digest.Date, next instant, where string, args []any) error {
	where += ` AND EXISTS (SELECT 1 FROM editions e WHERE e.digest_id = d.id AND e.local_date = ?)`
	args = append(args[:len(args):len(args)], date.String())
	var digests []digest.DigestID
	if err := c.all(ctx, &digests, `SELECT d.id FROM digests d WHERE `+where, args...); err != nil || len(digests) == 0 {
		return err
	}
	for _, table := range []string{"digest_posts", "notices"} {
		if _, err := c.exec(ctx, `UPDATE `+table+` SET visible_at = ? WHERE visible_at = ? AND digest_id IN (`+list(digests)+`)`, next, g.DueAt); err != nil {
			return err
		}
	}
	_, err := c.exec(ctx, `UPDATE digests SET next_due_at = ?, planned_due_at = 0 WHERE id IN (`+list(digests)+`)`, next)
	return err
}
