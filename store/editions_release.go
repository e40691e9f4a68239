package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
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
// A digest is found by its row in waiting_digests (digests_waiting.go), so that
// what a Release costs follows from the digests of which there is news.
//
// Digests of one zone, midnight, cadence and newsletter are released together, a
// batch in one transaction that excludes storing (I8); no row of a post
// is touched, but for digests with filters: what these match is held back
// first (filters_held.go), which takes its time: they come after all others. A
// batch that fails holds up no other. It gives the number of editions made.
func (s *Store) Release(ctx context.Context, now time.Time, deadline time.Duration) (editions int, err error) {
	if err := s.lookAtWaiting(ctx, at(now), deadline); err != nil {
		return 0, fmt.Errorf("looking at what digests wait for: %w", err)
	}
	for more := true; more && err == nil; {
		var n, left int
		batches, failed := s.releaseBatches(ctx, at(now))
		if failed != nil {
			return editions, fmt.Errorf("finding what to release: %w", failed)
		}
		n, left, err = s.releaseAll(ctx, batches, now)
		editions += n
		more = left == releaseStep
	}
	return editions, err
}

// releaseAll releases batches, and says how many digests they are.
func (s *Store) releaseAll(ctx context.Context, batches []releaseBatch, now time.Time) (editions, digests int,
	err error) {
	if len(batches) == 0 {
		return 0, 0, nil
	}
	if err := s.write(ctx, func(c conn) error { return expire(ctx, c, at(now)) }); err != nil {
		return 0, 0, fmt.Errorf("ending editions that are too late: %w", err)
	}
	for _, g := range batches {
		n, failed := s.releaseAlone(ctx, g, now)
		editions, digests = editions+n, digests+len(g.ids)
		if failed != nil {
			err = errors.Join(err, fmt.Errorf("releasing the editions of %s: %w", g.TimeZone, failed))
		}
		if ctx.Err() != nil || IsAway(failed) {
			break
		}
	}
	return editions, digests, err
}

// releaseAlone releases a batch in one transaction.
func (s *Store) releaseAlone(ctx context.Context, g releaseBatch, now time.Time) (n int, err error) {
	if err := g.lookAtFilters(ctx, s.read()); err != nil {
		return 0, err
	}
	return s.releaseUnderLock(ctx, g, now)
}

// lookAtFilters finds what the filters of the batch's digests hold back, before
// anybody waits for it.
func (g *releaseBatch) lookAtFilters(ctx context.Context, c conn) error {
	if !g.Filtered {
		return nil
	}
	g.filtering = newFiltering(g.DueAt)
	return g.filtering.update(ctx, c, g.ids)
}

func (s *Store) releaseUnderLock(ctx context.Context, g releaseBatch, now time.Time) (n int, err error) {
	err = s.changeAlone(ctx, "", func(c conn) (err error) {
		if n, err = g.release(ctx, c, now); err != nil {
			return err
		}
		return count(ctx, c, at(now), counters{CounterEdition: {N: int64(n)}})
	})
	if err != nil {
		return 0, err
	}
	return n, nil
}

// A releaseBatch is digests that are released together: alike but for the hour
// of the day at which their mail leaves.
type releaseBatch struct {
	releaseKind
	ids       []digest.DigestID
	hours     []int64    // those of its digests, as they were when they were found
	filtering *filtering // nil: they have no filters
	// a first edition that was asked for (SendFirst): its mail leaves now, and this stays the next midnight; zero: it
	// is not
	atOnce time.Time
}

// A releaseKind is what digests have in common that are released together.
type releaseKind struct {
	TimeZone     string
	DueAt        instant `db:"next_due_at"`
	Cadence      digest.Cadence
	NewsletterID digest.NewsletterID // 0: they are readers' own
	Filtered     bool                // they have filters
}

const (
	// releaseStep is how many digests Release holds in memory at once.
	releaseStep = 50_000
	// releaseDigests is how many share a transaction: storing waits for it.
	releaseDigests = 5000
)

// releaseBatches gives the digests that need not wait any longer, in batches:
// those without filters first, the earliest first.
func (s *Store) releaseBatches(ctx context.Context, now instant) ([]releaseBatch, error) {
	var rows []struct {
		releaseKind
		ID        digest.DigestID
		DeliverAt int64
		Posts     int // that wait for a digest with filters
	}
	err := s.read().all(ctx, &rows,
		`SELECT d.id, u.time_zone, d.next_due_at, d.cadence, COALESCE(d.newsletter_id, 0) AS newsletter_id, d.filtered, d.deliver_at,
			CASE WHEN d.filtered = 0 THEN 0 ELSE (SELECT count(*) FROM digest_posts p WHERE p.digest_id = d.id AND p.visible_at = d.next_due_at) END AS posts
		FROM waiting_digests w CROSS JOIN digests d CROSS JOIN users u
		WHERE w.feed_id = ? AND d.id = w.digest_id AND u.id = d.user_id
		AND d.state = 'active' AND d.planned_due_at = d.next_due_at AND d.next_due_at <= ?
		ORDER BY d.filtered, d.next_due_at, u.time_zone, d.cadence, newsletter_id, d.id LIMIT ?`, waitsForNone, now,
		releaseStep)
	var batches []releaseBatch
	room := 0
	for _, r := range rows {
		n := len(batches) - 1
		if n < 0 || batches[n].releaseKind != r.releaseKind || len(batches[n].ids) == releaseDigests ||
			r.Filtered && (len(batches[n].ids) == batchDigests || r.Posts > room) {
			batches, n, room = append(batches, releaseBatch{releaseKind: r.releaseKind}), n+1, batchPosts
		}
		b := &batches[n]
		b.ids = append(b.ids, r.ID)
		room -= r.Posts
		if !slices.Contains(b.hours, r.DeliverAt) {
			b.hours = append(b.hours, r.DeliverAt)
		}
	}
	return batches, err
}

// A groupTimes is when the editions of a group appear and leave.
type groupTimes struct {
	now   instant
	zone  *time.Location
	date  digest.Date
	next  instant // the midnight of the group's next edition
	hours values  // (hour, when it is sent, not sent after this, 1 if it is left unmailed)
}

// times gives the date of the group's edition, that of the last of its midnights
// that has passed, with what follows from it.
func (g releaseBatch) times(now time.Time) (groupTimes, error) {
	loc, err := calendar.Zone(g.TimeZone)
	if err != nil {
		return groupTimes{}, err
	}
	last, next := calendar.Passed(g.DueAt.time(), now, loc, g.Cadence)
	if !g.atOnce.IsZero() {
		last, next = g.DueAt.time(), g.atOnce
	}
	return groupTimes{now: at(now), zone: loc, date: digest.DateOf(last.In(loc)), next: at(next)}, nil
}

// setHours says when the group's editions are mailed, which wait so long for approval. Those that should have been
// mailed before discarded are not.
func (t *groupTimes) setHours(hours []int64, now time.Time, wait time.Duration, discarded instant) {
	for _, hour := range hours {
		send, expires := calendar.Sending(t.date, span(hour), t.next.time(), at(now).time(), t.zone)
		send, expires = calendar.Waiting(send, expires, wait)
		planned, _ := calendar.Sending(t.date, span(hour), t.next.time(), time.Time{}, t.zone)
		t.hours.row(hour, at(send), at(expires), bit(at(planned.Add(wait)) < discarded))
	}
}

// setNow has the group's editions mailed at once.
func (t *groupTimes) setNow(hours []int64) {
	for _, hour := range hours {
		send, expires := calendar.Sending(t.date, 0, t.next.time(), t.now.time(), t.zone)
		t.hours.row(hour, at(send), at(expires), bit(false))
	}
}

// inZone is written so that no planner can turn it round and begin with all
// users of the zone: for each digest it can only look its own user up.
const inZone = `(SELECT u.time_zone FROM users u WHERE u.id = d.user_id) = ?`

// digests selects those of the batch, d. One that has become another since it was
// found, or was given its first filter, or has lost its last, waits for the next
// Release. Their midnight is written so that they are read by their keys: by its
// index all of the zone would be looked at.
func (g releaseBatch) digests(d *dialect) (where string, args []any) {
	where = `d.id` + d.oneOf + ` AND d.state = 'active' AND (d.next_due_at + 0) = ? AND d.planned_due_at = d.next_due_at
		AND d.cadence = ? AND d.filtered = ` + fmt.Sprint(bit(g.Filtered)) + ` AND d.deliver_at` + d.oneOf + ` AND ` +
		inZone
	return where, []any{keys(d, g.ids), g.DueAt, g.Cadence, keys(d, g.hours), g.TimeZone}
}

// release releases a batch. First the digests that had an edition of this date
// already, which can only be after a journey or an outage, wait for the next
// one with their posts (I1). What filters match is held back before there is a
// reason for an edition. Then last_due_at and released_at mark the digests
// that the second statement takes, so that it sees exactly those.
func (g releaseBatch) release(ctx context.Context, c conn, now time.Time) (int, error) {
	times, err := g.times(now)
	if err != nil {
		return 0, err
	}
	where, args := g.digests(c.d)
	if err := g.postpone(ctx, c, times, where, args); err != nil {
		return 0, err
	}
	wait, err := g.followPublisher(ctx, c, times, where, args)
	if err != nil {
		return 0, err
	}
	discarded, err := discardedBefore(ctx, c)
	if err != nil {
		return 0, err
	}
	if g.atOnce.IsZero() {
		times.setHours(g.hours, now, wait, discarded)
	} else {
		times.setNow(g.hours)
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
	if err == nil {
		err = endWaiting(ctx, c, g.ids)
	}
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
func (g releaseBatch) seal(ctx context.Context, c conn, now instant, times groupTimes, reason string) (int, error) {
	return c.execRows(ctx, &times.hours,
		`INSERT INTO editions (digest_id, local_date, due_at, prev_due_at, prev_released_at,
		bound_from, bound_to, send_at, date, next_at, expires_at, number, domain, state, error)
		WITH h (hour, send, ends, discarded) AS (VALUES {rows})
		SELECT e.id, ?, e.last_due_at, e.prev_due_at, e.prev_released_at, e.bound_from, e.bound_to, h.send, h.send, h.send, h.ends,
			e.edition_count, e.domain, CASE WHEN e.unmailed = '' AND h.discarded = 0 THEN 'ready' ELSE 'unmailed' END,
			CASE WHEN e.unmailed = '' AND h.discarded = 1 THEN '`+leftUnmailed+`' ELSE e.unmailed END
		FROM (SELECT d.id, d.last_due_at, d.edition_count, d.deliver_at, d.prev_due_at, d.prev_released_at, d.bound_from, d.bound_to,
				(SELECT u.mail_domain FROM users u WHERE u.id = d.user_id) AS domain, COALESCE(`+unmailedDigest+`, '') AS unmailed
			FROM digests d
			WHERE d.id`+c.d.oneOf+` AND d.state = 'active' AND (d.next_due_at + 0) = ? AND d.last_due_at = ? AND d.released_at = ?
			AND d.deliver_at`+c.d.oneOf+` AND `+reason+`) e CROSS JOIN h
		WHERE h.hour = e.deliver_at ORDER BY e.id ON CONFLICT DO NOTHING`,
		times.date.String(), keys(c.d, g.ids), times.next, g.DueAt, now, keys(c.d, g.hours))
}

// reason gives what holds for digests d that get an edition: posts wait, or
// notices, or there is something to carry. Most midnights have neither of the
// last two: then nothing is asked of each digest about them.
func (g releaseBatch) reason(ctx context.Context, c conn) (where string, carries bool, err error) {
	due := fmt.Sprint(g.DueAt)
	where = `EXISTS (SELECT 1 FROM digest_posts dp WHERE dp.digest_id = d.id AND dp.visible_at = ` + due + `)`
	var any struct {
		Notices     bool
		Undelivered bool
	}
	if err = c.get(ctx, &any,
		`SELECT (SELECT count(*) FROM (SELECT 1 FROM notices n WHERE n.visible_at = `+due+` LIMIT 1) x) AS notices,
		(SELECT count(*) FROM (SELECT 1 FROM editions e WHERE `+undelivered+` LIMIT 1) x) AS undelivered`); err != nil {
		return "", false, err
	}
	if any.Notices {
		where += ` OR EXISTS (SELECT 1 FROM notices n WHERE n.digest_id = d.id AND n.visible_at = ` + due + `)`
	}
	if any.Undelivered {
		where += ` OR EXISTS (SELECT 1 FROM editions e WHERE e.digest_id = d.id AND ` + toCarry + ` AND ` +
			isReason + `)`
	}
	return `(` + where + `)`, any.Undelivered, nil
}

// postpone moves the digests that have an edition of this date, and what waits for them.
func (g releaseBatch) postpone(ctx context.Context, c conn, times groupTimes, where string, args []any) error {
	where += ` AND EXISTS (SELECT 1 FROM editions e WHERE e.digest_id = d.id AND e.local_date = ?)`
	args = append(args[:len(args):len(args)], times.date.String())
	return g.moveOn(ctx, c, times, where, args)
}

// moveOn gives those of the batch's digests d for which where holds their next midnight, with
// what waits for them.
func (g releaseBatch) moveOn(ctx context.Context, c conn, times groupTimes, where string, args []any) error {
	var digests []digest.DigestID
	if err := c.all(ctx, &digests, `SELECT d.id FROM digests d WHERE `+where, args...); err != nil ||
		len(digests) == 0 {
		return err
	}
	if err := showAgain(ctx, c, digests, g.DueAt, times.now); err != nil {
		return err
	}
	return changeMidnight(ctx, c, digests, g.DueAt, times.next)
}
