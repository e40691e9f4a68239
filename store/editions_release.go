package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"digest"
	"digest/calendar"
)

// Release makes the editions of due digests, and gives them their next
// midnight. The first edition after a pause with an end holds all that came during the
// pause, shortened: it is bound, like a volume. A digest waits for Plan, and then while one of its feeds is still
// queued for a poll, or in flight, for deadline at most: counted from Plan and
// not from midnight, so that a machine that slept over midnight polls first.
// A digest with nothing new, nothing to be told and nothing to be carried gets
// no edition. After an outage the missed days come as one edition, of the last
// of its days that has begun.
//
// An edition is sent at its digest's hour by the reader's clock on its date,
// but not before it is made. One for a suppressed address, or of a digest
// without mail, is not sent.
//
// Digests of one zone, midnight and set of weekdays are released by one
// statement, in one transaction that excludes storing (I8); no row of a post
// is touched, but for digests with filters: what these match is held back
// first (filters_held.go), which takes its time: they come after all others. A
// group that fails holds up no other. It gives the number of editions made.
func (s *Store) Release(ctx context.Context, now time.Time, deadline time.Duration) (editions int, err error) {
	groups, err := s.releaseGroups(ctx, at(now))
	if err != nil {
		return 0, fmt.Errorf("finding what to release: %w", err)
	}
	if len(groups) == 0 {
		return 0, nil
	}
	if err := s.write(ctx, func(c conn) error { return expire(ctx, c, at(now)) }); err != nil {
		return 0, fmt.Errorf("ending editions that are too late: %w", err)
	}
	for _, g := range groups {
		n, failed := s.releaseGroup(ctx, g, now, deadline)
		editions += n
		if failed != nil {
			err = errors.Join(err, fmt.Errorf("releasing the editions of %s: %w", g.TimeZone, failed))
		}
		if ctx.Err() != nil || IsAway(failed) {
			break
		}
	}
	return editions, err
}

// releaseGroup releases a group: in one transaction, or, where its digests have
// filters, a batch of them at a time, each in one.
func (s *Store) releaseGroup(ctx context.Context, g releaseGroup, now time.Time, deadline time.Duration) (editions int, err error) {
	if !g.Filtered {
		return s.releaseAlone(ctx, g, now, deadline)
	}
	where, args := g.dueDigests(at(now), deadline)
	batches, err := g.batches(ctx, s.read(), where, args)
	if err != nil {
		return 0, err
	}
	for _, batch := range batches {
		g.batch, g.filtering = batch, newFiltering(g.DueAt)
		if err := g.filtering.update(ctx, s.read(), batch); err != nil {
			return editions, err
		}
		n, err := s.releaseAlone(ctx, g, now, deadline)
		editions += n
		if err != nil {
			return editions, err
		}
	}
	return editions, nil
}

func (s *Store) releaseAlone(ctx context.Context, g releaseGroup, now time.Time, deadline time.Duration) (n int, err error) {
	err = s.changeAlone(ctx, "", func(c conn) (err error) {
		if n, err = g.release(ctx, c, now, deadline); err != nil {
			return err
		}
		return count(ctx, c, at(now), counters{CounterEdition: {N: int64(n)}})
	})
	if err != nil {
		return 0, err
	}
	return n, nil
}

// A releaseGroup is the digests that are released alike, at whatever hour of
// the day their mail leaves.
type releaseGroup struct {
	TimeZone string
	DueAt    instant `db:"next_due_at"`
	Weekdays digest.Weekdays
	Filtered bool    // its digests have filters
	hours    []int64 // those of its digests, as they were when it was found

	// Of a group with filters, the digests that are released now, and what is
	// held back of them.
	batch     []digest.DigestID
	filtering *filtering
}

// like reports whether digests of two groups are released alike.
func (g releaseGroup) like(o releaseGroup) bool {
	return g.TimeZone == o.TimeZone && g.DueAt == o.DueAt && g.Weekdays == o.Weekdays && g.Filtered == o.Filtered
}

// inBatch selects the digests d of the group that are released now. One that was
// given its first filter meanwhile, or has lost its last, waits for the next Release.
func (g releaseGroup) inBatch() string {
	if g.filtering == nil {
		return fmt.Sprint(`d.filtered = `, bit(g.Filtered))
	}
	return `d.filtered = 1 AND d.id IN (` + list(g.batch) + `)`
}

// due is the midnight of digests d, written so that a batch is read by its keys:
// by their index all of the zone would be looked at for each.
func (g releaseGroup) due() string {
	if g.filtering == nil {
		return `d.next_due_at`
	}
	return `(d.next_due_at + 0)`
}

// releaseGroups gives the groups that are due: those without filters first, the
// earliest first.
func (s *Store) releaseGroups(ctx context.Context, now instant) (groups []releaseGroup, err error) {
	var rows []struct {
		releaseGroup
		SendDelay int64
	}
	err = s.read().all(ctx, &rows, `SELECT u.time_zone, d.next_due_at, d.weekdays, d.filtered, d.send_delay
		FROM digests d JOIN users u ON u.id = d.user_id
		WHERE d.state = 'active' AND d.next_due_at <= ? AND d.planned_due_at = d.next_due_at
		GROUP BY u.time_zone, d.next_due_at, d.weekdays, d.filtered, d.send_delay
		ORDER BY d.filtered, d.next_due_at, u.time_zone, d.weekdays, d.send_delay`, now)
	for _, r := range rows {
		n := len(groups)
		if n == 0 || !groups[n-1].like(r.releaseGroup) {
			groups, n = append(groups, r.releaseGroup), n+1
		}
		groups[n-1].hours = append(groups[n-1].hours, r.SendDelay)
	}
	return groups, err
}

// A groupTimes is when the editions of a group appear and leave.
type groupTimes struct {
	date  digest.Date
	next  instant // the midnight of the group's next edition
	hours values  // (hour, when it is sent, not sent after this)
}

// times gives the date of the group's edition, that of the last of its midnights
// that has passed, with what follows from it.
func (g releaseGroup) times(now time.Time) (groupTimes, error) {
	loc, err := calendar.Zone(g.TimeZone)
	if err != nil {
		return groupTimes{}, err
	}
	last, next := calendar.Passed(g.DueAt.time(), now, loc, g.Weekdays)
	t := groupTimes{date: digest.DateOf(last.In(loc)), next: at(next)}
	for _, hour := range g.hours {
		send, expires := calendar.Sending(t.date, span(hour), next, at(now).time(), loc)
		t.hours.row(hour, at(send), at(expires))
	}
	return t, nil
}

// inZone is written so that no planner can turn it round and begin with all
// users of the zone: for each digest it can only look its own user up. What
// dueDigests asks of feeds is written likewise.
const inZone = `(SELECT u.time_zone FROM users u WHERE u.id = d.user_id) = ?`

// dueDigests selects the group's digests d that need not wait any longer. One
// whose hour has become another meanwhile waits for the next Release.
func (g releaseGroup) dueDigests(now instant, deadline time.Duration) (where string, args []any) {
	where = `d.state = 'active' AND ` + g.due() + ` = ? AND d.planned_due_at = d.next_due_at AND d.weekdays = ? AND d.send_delay IN (` + list(g.hours) + `) AND ` + inZone + ` AND ` + g.inBatch()
	args = []any{g.DueAt, g.Weekdays, g.TimeZone}
	where += ` AND (d.planned_at <= ? OR NOT EXISTS (SELECT 1 FROM subscriptions s WHERE s.digest_id = d.id AND s.rests = 0
		AND (SELECT f.poll_at FROM feeds f WHERE f.id = s.feed_id) <= d.planned_at + ?))`
	args = append(args, now.plus(-deadline), int64(deadline/time.Second))
	return where, args
}

// release releases a group. First the digests that had an edition of this date
// already, which can only be after a journey or an outage, wait for the next
// one with their posts (I1). What filters match is held back before there is a
// reason for an edition. Then last_due_at and released_at mark the digests
// that the second statement takes, so that it sees exactly those.
func (g releaseGroup) release(ctx context.Context, c conn, now time.Time, deadline time.Duration) (int, error) {
	times, err := g.times(now)
	if err != nil {
		return 0, err
	}
	where, args := g.dueDigests(at(now), deadline)
	if err := g.postpone(ctx, c, times, where, args); err != nil {
		return 0, err
	}
	if g.filtering != nil {
		var due []digest.DigestID
		if err := c.all(ctx, &due, `SELECT d.id FROM digests d WHERE `+where+` ORDER BY d.id`, args...); err != nil {
			return 0, err
		}
		if err := g.filtering.hold(ctx, c, due); err != nil {
			return 0, err
		}
	}
	reason, carries, err := g.reason(ctx, c)
	if err != nil {
		return 0, err
	}
	released, err := c.exec(ctx, `UPDATE digests AS d SET prev_due_at = d.last_due_at, prev_released_at = d.released_at,
		last_due_at = d.next_due_at, next_due_at = ?, planned_due_at = 0, released_at = ?,
		bound_from = d.paused_at, bound_to = d.paused_to, paused_at = 0, paused_to = 0,
		edition_count = d.edition_count + CASE WHEN `+reason+` THEN 1 ELSE 0 END WHERE `+where,
		append([]any{times.next, at(now)}, args...)...)
	if err != nil || released == 0 {
		return 0, err
	}
	made, err := g.seal(ctx, c, at(now), times, reason)
	if err != nil || !carries {
		return made, err
	}
	return made, g.carry(ctx, c, at(now))
}

// seal makes the editions of those digests that have just been released and
// have a reason for one.
func (g releaseGroup) seal(ctx context.Context, c conn, now instant, times groupTimes, reason string) (int, error) {
	return c.exec(ctx, `INSERT INTO editions (digest_id, local_date, due_at, prev_due_at, prev_released_at,
		bound_from, bound_to, send_at, date, next_at, expires_at, number, domain, state, error)
		WITH h (hour, send, ends) AS (VALUES `+times.hours.String()+`)
		SELECT e.id, ?, e.last_due_at, e.prev_due_at, e.prev_released_at, e.bound_from, e.bound_to, h.send, h.send, h.send, h.ends,
			e.edition_count, e.domain, CASE WHEN e.unmailed = '' THEN 'ready' ELSE 'unmailed' END, e.unmailed
		FROM (SELECT d.id, d.last_due_at, d.edition_count, d.send_delay, d.prev_due_at, d.prev_released_at, d.bound_from, d.bound_to,
				(SELECT u.mail_domain FROM users u WHERE u.id = d.user_id) AS domain, COALESCE(`+unmailedDigest+`, '') AS unmailed
			FROM digests d
			WHERE d.state = 'active' AND `+g.due()+` = ? AND d.last_due_at = ? AND d.released_at = ? AND d.weekdays = ?
			AND d.send_delay IN (`+list(g.hours)+`) AND `+inZone+` AND `+g.inBatch()+` AND `+reason+`) e CROSS JOIN h
		WHERE h.hour = e.send_delay ORDER BY e.id ON CONFLICT DO NOTHING`,
		times.date.String(), times.next, g.DueAt, now, g.Weekdays, g.TimeZone)
}

// reason gives what holds for digests d that get an edition: posts wait, or
// notices, or there is something to carry. Most midnights have neither of the
// last two: then nothing is asked of each digest about them.
func (g releaseGroup) reason(ctx context.Context, c conn) (where string, carries bool, err error) {
	due := fmt.Sprint(g.DueAt)
	where = `EXISTS (SELECT 1 FROM digest_posts dp WHERE dp.digest_id = d.id AND dp.visible_at = ` + due + `)`
	var any struct {
		Notices bool
		Lost    bool
	}
	if err = c.get(ctx, &any, `SELECT (SELECT count(*) FROM (SELECT 1 FROM notices n WHERE n.visible_at = `+due+` LIMIT 1) x) AS notices,
		(SELECT count(*) FROM (SELECT 1 FROM editions e WHERE `+lost+` LIMIT 1) x) AS lost`); err != nil {
		return "", false, err
	}
	if any.Notices {
		where += ` OR EXISTS (SELECT 1 FROM notices n WHERE n.digest_id = d.id AND n.visible_at = ` + due + `)`
	}
	if any.Lost {
		where += ` OR EXISTS (SELECT 1 FROM editions e WHERE e.digest_id = d.id AND ` + toCarry + `)`
	}
	return `(` + where + `)`, any.Lost, nil
}

// postpone moves the digests that have an edition of this date, and what waits for them.
func (g releaseGroup) postpone(ctx context.Context, c conn, times groupTimes, where string, args []any) error {
	where += ` AND EXISTS (SELECT 1 FROM editions e WHERE e.digest_id = d.id AND e.local_date = ?)`
	args = append(args[:len(args):len(args)], times.date.String())
	var digests []digest.DigestID
	if err := c.all(ctx, &digests, `SELECT d.id FROM digests d WHERE `+where, args...); err != nil || len(digests) == 0 {
		return err
	}
	for _, table := range []string{"digest_posts", "notices"} {
		if _, err := c.exec(ctx, `UPDATE `+table+` SET visible_at = ? WHERE visible_at = ? AND digest_id IN (`+list(digests)+`)`, times.next, g.DueAt); err != nil {
			return err
		}
	}
	return c.run(ctx, `UPDATE digests SET next_due_at = ?, planned_due_at = 0 WHERE id IN (`+list(digests)+`)`, times.next)
}
