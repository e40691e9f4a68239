package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"digest"
	"digest/calendar"
	"digest/store/db"
)

// Release creates the editions of due digests and schedules the next midnight of each. It returns the number of
// editions. A digest without new posts, notices or undelivered editions gets no edition. After an outage one edition
// contains all missed days; it has the last date that has begun. The first edition after a pause with an end is bound:
// it shows the posts of the pause shortened.
//
// A digest waits for Plan, and then until none of its feeds is queued or in flight, but not longer than deadline. The
// deadline counts from Plan and not from midnight. So a machine that was off at midnight polls first.
//
// An edition is sent on its date at its digest's hour in the reader's time zone, or later if it is released later.
// Editions for suppressed addresses and of digests without email are not sent.
//
// Release finds digests by their rows in waiting_digests (digests_waiting.go), so its cost depends only on the digests
// with news.
//
// It releases digests with the same zone, midnight, cadence and newsletter as a batch. Each batch is one transaction
// that locks out transactions that store posts (I8). If a batch fails, the others continue. A batch does not write
// rows of posts, except for digests with filters, where it first stores the filtered posts (filters_held.go). This
// takes time, so such batches come last.
func (s Editions) Release(ctx context.Context, now time.Time, deadline time.Duration) (editions int, err error) {
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

// releaseAll releases batches and also returns the number of their digests.
func (s *database) releaseAll(ctx context.Context, batches []releaseBatch, now time.Time) (editions, digests int,
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

func (s *database) releaseAlone(ctx context.Context, g releaseBatch, now time.Time) (n int, err error) {
	if err := g.lookAtFilters(ctx, s.read()); err != nil {
		return 0, err
	}
	return s.releaseUnderLock(ctx, g, now)
}

// lookAtFilters finds the posts that the filters of the batch match, before the transaction that locks others out.
func (g *releaseBatch) lookAtFilters(ctx context.Context, c conn) error {
	if !g.Filtered {
		return nil
	}
	g.filtering = newFiltering(g.DueAt)
	return g.filtering.update(ctx, c, g.ids)
}

func (s *database) releaseUnderLock(ctx context.Context, g releaseBatch, now time.Time) (n int, err error) {
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

// A releaseBatch holds digests that are released together. They differ only in the hour of their email.
type releaseBatch struct {
	releaseKind
	ids       []digest.DigestID
	hours     []int64    // hours of the digests when they were found
	filtering *filtering // nil: no filters
	// the unchanged next midnight of a first edition that its reader requested (SendFirst), which is sent now; zero:
	// no such edition
	atOnce time.Time
}

// A releaseKind holds what the digests of a batch have in common.
type releaseKind struct {
	TimeZone     string
	DueAt        instant `db:"next_due_at"`
	Cadence      digest.Cadence
	NewsletterID digest.NewsletterID // 0: readers' own digests
	Filtered     bool                // the digests have filters
}

const (
	// releaseStep is how many digests Release reads in one step.
	releaseStep = 50_000
	// releaseDigests is how many digests share a transaction. Transactions that store posts wait for it.
	releaseDigests = 5000
)

// releaseBatches returns the digests that need not wait longer, in batches: earliest first, but those with filters
// last.
func (s *database) releaseBatches(ctx context.Context, now instant) ([]releaseBatch, error) {
	var rows []struct {
		releaseKind
		ID        digest.DigestID
		DeliverAt int64
		Posts     int // hidden posts; only for digests with filters
	}
	err := s.read().All(ctx, &rows,
		`SELECT d.id, u.time_zone, d.next_due_at, d.cadence, COALESCE(d.newsletter_id, 0) AS newsletter_id,
			d.filtered, d.deliver_at,
			CASE WHEN d.filtered = 0 THEN 0 ELSE (SELECT count(*) FROM digest_posts p WHERE p.digest_id = d.id
			AND p.visible_at = d.next_due_at) END AS posts
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

// A groupTimes holds the date of a group's editions and when they are sent.
type groupTimes struct {
	now   instant
	zone  *time.Location
	date  digest.Date
	next  instant // the next midnight of the group
	hours values  // rows of (hour, time to send, expiry, 1 if unmailed because of UnfenceAfter)
}

// times returns the date of the group's editions, from the last of its midnights that has passed, and its next
// midnight.
func (g releaseBatch) times(now time.Time) (groupTimes, error) {
	loc, err := calendar.Zone(g.TimeZone)
	if err != nil {
		return groupTimes{}, err
	}
	last, next := calendar.Passed(g.DueAt.Time(), now, loc, g.Cadence)
	if !g.atOnce.IsZero() {
		last, next = g.DueAt.Time(), g.atOnce
	}
	return groupTimes{now: at(now), zone: loc, date: digest.DateOf(last.In(loc)), next: at(next)}, nil
}

// setHours sets when the group's editions are sent, after a wait for approval. Editions that should have been sent
// before discarded are not sent.
func (t *groupTimes) setHours(hours []int64, now time.Time, wait time.Duration, discarded instant) {
	for _, hour := range hours {
		send, expires := calendar.Sending(t.date, db.Span(hour), t.next.Time(), at(now).Time(), t.zone)
		send, expires = calendar.Waiting(send, expires, wait)
		planned, _ := calendar.Sending(t.date, db.Span(hour), t.next.Time(), time.Time{}, t.zone)
		t.hours.Row(hour, send, expires, at(planned.Add(wait)) < discarded)
	}
}

func (t *groupTimes) setNow(hours []int64) {
	for _, hour := range hours {
		send, expires := calendar.Sending(t.date, 0, t.next.Time(), t.now.Time(), t.zone)
		t.hours.Row(hour, send, expires, false)
	}
}

// inZone uses a subquery so that the planner looks up the user of each digest and does not start with all users of the
// zone.
const inZone = `(SELECT u.time_zone FROM users u WHERE u.id = d.user_id) = ?`

// digests selects the digests d of the batch. A digest that has changed since it was found, or got its first filter or
// lost its last, waits for the next Release. The expression next_due_at + 0 prevents use of the index on midnights,
// which would read the whole zone.
func (g releaseBatch) digests(d *dialect) (where string, args []any) {
	where = `d.id` + d.OneOf + ` AND d.state = 'active' AND (d.next_due_at + 0) = ? AND d.planned_due_at = d.next_due_at
		AND d.cadence = ? AND d.filtered = ` + fmt.Sprint(db.Bit(g.Filtered)) +
		` AND d.deliver_at` + d.OneOf + ` AND ` +
		inZone
	return where, []any{g.ids, g.DueAt, g.Cadence, g.hours, g.TimeZone}
}

// release releases a batch and returns the number of editions. Digests that already have an edition of this date,
// after a trip or an outage, wait for the next midnight with their posts (I1). Filters and roll-ups come before the check
// whether an edition has a reason. last_due_at and released_at mark the digests for the statement that creates the editions.
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
		if err := c.All(ctx, &due, `SELECT d.id FROM digests d WHERE `+where+` ORDER BY d.id`, args...); err != nil {
			return 0, err
		}
		if err := g.filtering.hold(ctx, c, due); err != nil {
			return 0, err
		}
	}
	if err := g.rollUp(ctx, c, times, where, args); err != nil {
		return 0, err
	}
	reason, carries, err := g.reason(ctx, c)
	if err != nil {
		return 0, err
	}
	released, err := c.Exec(ctx, `UPDATE digests AS d SET prev_due_at = d.last_due_at, prev_released_at = d.released_at,
		last_due_at = d.next_due_at, next_due_at = ?, planned_due_at = 0, released_at = ?,
		bound_from = d.paused_at, bound_to = d.paused_to, paused_at = 0, paused_to = 0,
		edition_count = d.edition_count + CASE WHEN `+reason+` THEN 1 ELSE 0 END WHERE `+where,
		append([]any{times.next, now}, args...)...)
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

// seal creates the editions of the digests that were just released and have a reason for one.
func (g releaseBatch) seal(ctx context.Context, c conn, now instant, times groupTimes, reason string) (int, error) {
	return c.ExecRows(ctx, &times.hours,
		`INSERT INTO editions (digest_id, local_date, due_at, prev_due_at, prev_released_at,
		bound_from, bound_to, send_at, date, next_at, expires_at, number, domain, state, error)
		WITH h (hour, send, ends, discarded) AS (VALUES {rows})
		SELECT e.id, ?, e.last_due_at, e.prev_due_at, e.prev_released_at, e.bound_from, e.bound_to,
		h.send, h.send, h.send, h.ends,
			e.edition_count, e.domain, CASE WHEN e.unmailed = '' AND h.discarded = 0 THEN 'ready' ELSE 'unmailed' END,
			CASE WHEN e.unmailed = '' AND h.discarded = 1 THEN '`+leftUnmailed+`' ELSE e.unmailed END
		FROM (SELECT d.id, d.last_due_at, d.edition_count, d.deliver_at, d.prev_due_at, d.prev_released_at,
		d.bound_from, d.bound_to,
				(SELECT u.mail_domain FROM users u WHERE u.id = d.user_id) AS domain,
				COALESCE(`+unmailedDigest+`, '') AS unmailed
			FROM digests d
			WHERE d.id`+c.d.OneOf+` AND d.state = 'active' AND (d.next_due_at + 0) = ? AND d.last_due_at = ?
			AND d.released_at = ?
			AND d.deliver_at`+c.d.OneOf+` AND `+reason+`) e CROSS JOIN h
		WHERE h.hour = e.deliver_at ORDER BY e.id ON CONFLICT DO NOTHING`,
		times.date, g.ids, times.next, g.DueAt, now, g.hours)
}

// reason returns the condition for digests d that get an edition: hidden posts, notices or editions to carry. At most
// midnights there are no notices and nothing to carry, so it omits these parts.
func (g releaseBatch) reason(ctx context.Context, c conn) (where string, carries bool, err error) {
	due := fmt.Sprint(g.DueAt)
	where = `EXISTS (SELECT 1 FROM digest_posts dp WHERE dp.digest_id = d.id AND dp.visible_at = ` + due + `)`
	var any struct {
		Notices     bool
		Undelivered bool
	}
	if err = c.Get(ctx, &any,
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

// postpone moves the digests that already have an edition of this date, with their hidden posts.
//
// With EXISTS, PostgreSQL would read all editions of the date, of which its statistics do not know yet.
func (g releaseBatch) postpone(ctx context.Context, c conn, times groupTimes, where string, args []any) error {
	where += ` AND (SELECT 1 FROM editions e WHERE e.digest_id = d.id AND e.local_date = ?) = 1`
	args = append(args[:len(args):len(args)], times.date.String())
	return g.moveOn(ctx, c, times, where, args)
}

// moveOn moves the digests d of the batch for which where holds, with their hidden posts, to their next midnight.
func (g releaseBatch) moveOn(ctx context.Context, c conn, times groupTimes, where string, args []any) error {
	var digests []digest.DigestID
	if err := c.All(ctx, &digests, `SELECT d.id FROM digests d WHERE `+where, args...); err != nil ||
		len(digests) == 0 {
		return err
	}
	if err := showAgain(ctx, c, digests, g.DueAt, times.now); err != nil {
		return err
	}
	return changeMidnight(ctx, c, digests, g.DueAt, times.next)
}
