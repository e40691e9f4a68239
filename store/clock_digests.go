package store

import (
	"context"
	"iter"
	"slices"
	"time"

	"digest"
	"digest/calendar"
)

// nearMidnight is less than the distance to any digest's second next midnight.
const nearMidnight = 22 * time.Hour

// misplaced returns a condition for digests d that a wrong clock may have scheduled, planned or released.
func misplaced(now instant) (where string, args []any) {
	late, ancient := now.plus(digest.ClockSlack), now.plus(-10*365*oneDay)
	return `d.state <> 'left' AND (d.state = 'active' AND (d.next_due_at > ? OR d.next_due_at < ?
		OR d.planned_due_at > ? OR d.planned_at > ?)
		OR d.last_due_at > ? OR d.released_at > ? OR d.next_poll_at > ?)`,
		[]any{now.plus(nearMidnight), ancient, late, late, late, late, now.plus(nearMidnight)}
}

// A dated is a digest with all instants that a wrong clock may have set.
type dated struct {
	digestRow
	PlannedAt, PrevDueAt, ReleasedAt, PrevReleasedAt instant
	CreatedAt                                        instant // of the reader's account
}

const datedColumns = digestColumns + `, d.planned_at, d.prev_due_at, d.released_at, d.prev_released_at, u.created_at`

// An issued is an edition with its date and the midnight that its posts are stored under.
type issued struct {
	ID        digest.EditionID
	LocalDate digest.Date
	DueAt     instant
}

// true reports whether an edition can have been released by now, or has already been moved behind a midnight.
func (e issued) true(now time.Time, zone *time.Location) bool {
	i := calendar.Issue{DueAt: e.DueAt.time(), Date: e.LocalDate}
	moved := e.DueAt <= at(now) && !calendar.Begins(digest.DateOf(i.DueAt.In(zone)), zone).Equal(i.DueAt)
	return moved || i.True(now, zone)
}

// misplacedDigests yields the digests whose instants may be wrong. They include digests whose midnight has just
// passed.
func (s *Store) misplacedDigests(ctx context.Context, now instant) iter.Seq2[dated, error] {
	where, args := misplaced(now)
	return pages(func(last *dated) (page []dated, err error) {
		after := digest.DigestID(0)
		if last != nil {
			after = last.ID
		}
		err = s.read().all(ctx, &page, `SELECT `+datedColumns+` FROM digests d JOIN users u ON u.id = d.user_id
			WHERE d.id > ? AND `+where+` ORDER BY d.id LIMIT ?`, append(append([]any{after}, args...), pageRows)...)
		return page, err
	})
}

// putDigestsRight gives digests back the midnight that they lost to a fast clock: the first whose date has no edition,
// even if it passed within the last day. Hidden posts move with it, and the digest is planned again.
//
// An edition that was released before its midnight counts as the edition of that midnight. If it was released long
// before and has the date of another day, the midnight gets another edition.
func (s *Store) putDigestsRight(ctx context.Context, now time.Time) (int, error) {
	if err := s.noteForgotten(ctx, at(now)); err != nil {
		return 0, err
	}
	var ids []digest.DigestID
	for d, err := range s.misplacedDigests(ctx, at(now)) {
		if err != nil {
			return 0, err
		}
		if !d.onTime(now) {
			ids = append(ids, d.ID)
		}
	}
	return changeInParts(ctx, s, "", ids, func(c conn, part []digest.DigestID) (changed int, err error) {
		var digests []dated
		err = c.all(ctx, &digests, `SELECT `+datedColumns+`
			FROM digests d JOIN users u ON u.id = d.user_id WHERE d.id IN (`+list(part)+`) ORDER BY d.id`)
		for i := 0; err == nil && i < len(digests); i++ {
			var right bool
			if right, err = digests[i].putRight(ctx, c, now); right {
				changed++
			}
		}
		return changed, err
	})
}

// onTime reports whether a digest is due at its next midnight and has no other instant in the future. This is true for
// most candidates, because they appear weekly.
func (d dated) onTime(now time.Time) bool {
	s, err := d.schedule()
	if err != nil { // the time zone no longer exists; digest doctor reports it
		return true
	}
	late := now.Add(digest.ClockSlack)
	if d.LastDueAt.After(late) || d.ReleasedAt.time().After(late) || d.PlannedAt.time().After(late) ||
		d.PlannedDueAt.After(late) {
		return false
	}
	_, changed := s.Honest(now, d.since(now), d.issues(nil))
	return !changed
}

// putRight corrects one digest and reports whether it has changed anything.
func (d dated) putRight(ctx context.Context, c conn, now time.Time) (changed bool, err error) {
	s, err := d.schedule()
	if err != nil {
		return false, err
	}
	had, err := d.editions(ctx, c, now)
	if err != nil {
		return false, err
	}
	was := d
	if err := d.makeRoom(ctx, c, s, had, now); err != nil {
		return false, err
	}
	s, changed = s.Honest(now, d.since(now), d.issues(had))
	last := at(s.LastDueAt)
	for _, e := range had { // an early edition has passed when the next midnight comes
		if e.DueAt < at(s.NextDueAt) {
			last = max(last, e.DueAt)
		}
	}
	d.LastDueAt = last.time()
	d.NextDueAt, d.NextPollAt = s.NextDueAt, s.NextPollAt
	d.clampPast(at(now))
	if at(d.NextDueAt) != at(was.NextDueAt) {
		d.PlannedDueAt = time.Time{}
		if err := moveWaiting(ctx, c, was.digestRow, at(d.NextDueAt), at(now)); err != nil {
			return false, err
		}
	}
	err = c.run(ctx, `UPDATE digests SET planned_due_at = ?, planned_at = ?, last_due_at = ?, prev_due_at = ?,
		released_at = ?, prev_released_at = ?, next_poll_at = ? WHERE id = ?`, at(d.PlannedDueAt), d.PlannedAt,
		at(d.LastDueAt), d.PrevDueAt,
		d.ReleasedAt, d.PrevReleasedAt, at(d.NextPollAt), d.ID)
	if err == nil {
		err = noteWaiting(ctx, c, `d.id = ?`, d.ID)
	}
	return changed || !d.same(was), err
}

// since returns the start of the digest's midnights. A reader has none from before their account.
func (d dated) since(now time.Time) time.Time { return min(d.CreatedAt, at(now)).time() }

// same reports whether the stored instants of a digest are unchanged.
func (d dated) same(was dated) bool {
	return at(d.PlannedDueAt) == at(was.PlannedDueAt) && d.PlannedAt == was.PlannedAt &&
		at(d.LastDueAt) == at(was.LastDueAt) &&
		d.PrevDueAt == was.PrevDueAt && d.ReleasedAt == was.ReleasedAt && d.PrevReleasedAt == was.PrevReleasedAt &&
		at(d.NextPollAt) == at(was.NextPollAt)
}

// clampPast moves past events that lie in the future to now. It clears a planned midnight in the future, so that its
// feeds are queued when it comes.
func (d *dated) clampPast(now instant) {
	if at(d.PlannedDueAt) > now.plus(digest.ClockSlack) {
		d.PlannedDueAt = time.Time{}
	}
	for _, t := range []*instant{&d.PlannedAt, &d.ReleasedAt, &d.PrevReleasedAt} {
		if *t > now.plus(digest.ClockSlack) {
			*t = now
		}
	}
	d.PrevDueAt = min(d.PrevDueAt, at(d.LastDueAt))
}

// editions returns the digest's editions that may collide with a midnight, earliest first: the last before now and all
// later ones.
func (d dated) editions(ctx context.Context, c conn, now time.Time) (had []issued, err error) {
	err = c.all(ctx, &had, `SELECT e.id, e.local_date, e.due_at FROM editions e WHERE e.digest_id = ?
		AND (e.local_date >= ? OR e.due_at >= COALESCE(
		(SELECT MAX(x.due_at) FROM editions x WHERE x.digest_id = e.digest_id AND x.due_at <= ?
		AND x.local_date <= ?), 0)) ORDER BY e.due_at`,
		d.ID, calendar.Earliest(now).String(), at(now), calendar.Latest(now).String())
	return had, err
}

// issues returns the recent releases of the digest: its last two midnights, and the editions had.
func (d dated) issues(had []issued) []calendar.Issue {
	var issues []calendar.Issue
	for _, i := range []struct{ due, released instant }{{at(d.LastDueAt), d.ReleasedAt},
		{d.PrevDueAt, d.PrevReleasedAt}} {
		if i.due > 0 {
			issues = append(issues, calendar.Issue{DueAt: i.due.time(), ReleasedAt: i.released.time()})
		}
	}
	for _, e := range had {
		issues = append(issues, calendar.Issue{DueAt: e.DueAt.time(), Date: e.LocalDate})
	}
	return issues
}

// makeRoom moves the posts of editions that were released before their midnight to just after the last midnight, so
// that no later edition contains them again. The edition of the very next midnight remains if its date is correct. An
// edition that is dated more than a week ahead gets the date of its posts, if that date has no edition.
func (d dated) makeRoom(ctx context.Context, c conn, s calendar.Schedule, had []issued, now time.Time) error {
	zone := s.Zone
	next := at(calendar.Next(now, zone, d.Cadence))
	honest, _ := s.Honest(now, d.since(now), d.issues(had))
	before := min(at(now), at(honest.NextDueAt)).plus(-time.Hour)
	place := max(at(honest.LastDueAt), at(d.since(now)), before)
	for i := range had {
		e := &had[i]
		early := e.DueAt == next && e.LocalDate == digest.DateOf(next.time().In(zone))
		if !e.true(now, zone) && !early {
			for place++; slices.ContainsFunc(had, func(o issued) bool { return o.DueAt == place }); place++ {
			}
			if err := moveEdition(ctx, c, d.ID, e.DueAt, place); err != nil {
				return err
			}
			e.DueAt = place
		}
		date := digest.DateOf(e.DueAt.time().In(zone))
		if calendar.TooFar(e.LocalDate, now, zone) && e.DueAt <= at(now) {
			done, err := redate(ctx, c, d.ID, e.DueAt, date)
			if err != nil {
				return err
			}
			if done {
				e.LocalDate = date
			}
		}
	}
	return nil
}

// moveEdition moves an edition and everything in it to another midnight.
func moveEdition(ctx context.Context, c conn, id digest.DigestID, from, to instant) error {
	for _, statement := range []string{
		`UPDATE digest_posts SET visible_at = ? WHERE visible_at = ? AND digest_id = ?`,
		`UPDATE notices SET visible_at = ? WHERE visible_at = ? AND digest_id = ?`,
		`UPDATE filtered_posts SET due_at = ? WHERE due_at = ? AND digest_id = ?`,
		`UPDATE saved_posts SET due_at = ? WHERE due_at = ? AND digest_id = ?`,
		`UPDATE editions SET due_at = ? WHERE due_at = ? AND digest_id = ?`,
	} {
		if err := c.run(ctx, statement, to, from, id); err != nil {
			return err
		}
	}
	return nil
}

// redate changes the date of an edition, unless another edition has that date. It reports whether it did.
func redate(ctx context.Context, c conn, id digest.DigestID, due instant, date digest.Date) (bool, error) {
	n, err := c.exec(ctx, `UPDATE editions SET local_date = ? WHERE digest_id = ? AND due_at = ?
		AND NOT EXISTS (SELECT 1 FROM editions x WHERE x.digest_id = ? AND x.local_date = ?)`, date.String(), id, due,
		id, date.String())
	if err != nil || n == 0 {
		return false, err
	}
	return true, c.run(ctx, `UPDATE saved_posts SET local_date = ? WHERE digest_id = ? AND due_at = ?`, date.String(),
		id, due)
}
