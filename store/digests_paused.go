package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"digest"
	"digest/timezone"
)

// longestPause is how far ahead a pause may end: what waits is kept so long, and
// its feeds are asked for somebody who does not read.
const longestPause = 400 * 24 * time.Hour

// PauseDigest pauses a digest until a time, or, if that is zero, until the reader
// says otherwise. What waits for it goes on waiting. digest.Conflict for one
// that was left: no pause may bring it back when it ends.
//
// A pause with an end loses nothing: its feeds are asked at the midnights in
// between, and what they bring waits, with what waited before, for the first
// midnight from its end on. If a midnight was passed over, the edition of that
// one is bound.
func (s *Store) PauseDigest(ctx context.Context, id digest.DigestID, until, now time.Time) error {
	switch {
	case until.IsZero():
	case !until.After(now):
		return invalid("a pause ends in the future, not at %s", until.Format(time.DateTime))
	case until.Sub(now) > longestPause:
		return invalid("a pause ends within %d days, not at %s", longestPause/(24*time.Hour), until.Format(time.DateTime))
	}
	return s.changeDigest(ctx, "pausing the digest", id, func(c conn, d digestRow) error {
		if d.State == digest.DigestLeft {
			return &digest.Error{Kind: digest.Conflict, Message: "its reader has left; make it active first"}
		}
		return pause(ctx, c, d, from(until), now)
	})
}

// pause pauses a digest, or sets another end to its pause; 0 is none. Gathering
// begins with a pause that has an end, and goes on through what changes that.
func pause(ctx context.Context, c conn, d digestRow, until instant, now time.Time) error {
	begun, ended, asks := d.PausedAt, d.PausedTo, instant(0)
	switch {
	case until != 0:
		var err error
		if asks, err = d.nextAsk(now); err != nil {
			return err
		}
		ended = 0
		if begun == 0 {
			begun = at(now)
		}
	case begun != 0 && ended == 0:
		ended = at(now)
	}
	_, err := c.exec(ctx, `UPDATE digests SET state = ?, paused_until = ?, paused_at = ?, paused_to = ?, asks_at = ? WHERE id = ?`,
		digest.DigestPaused, until, begun, ended, asks, d.ID)
	if err != nil {
		return err
	}
	if until == 0 {
		return dropFeeds(ctx, c, d.ID)
	}
	d.State, d.PausedUntil = digest.DigestPaused, until
	return reschedule(ctx, c, d, now)
}

// nextAsk is the midnight at which the feeds of a digest that pauses are asked
// first: the one it was due at, if that is still to be planned.
func (r digestRow) nextAsk(now time.Time) (instant, error) {
	switch {
	case r.AsksAt != 0:
		return r.AsksAt, nil
	case r.State == digest.DigestActive && (r.NextDueAt > at(now) || r.PlannedDueAt != r.NextDueAt):
		return r.NextDueAt, nil
	}
	next, err := r.midnightAfter(now)
	return at(next), err
}

// midnightAfter is the digest's next midnight by its zone and days alone.
func (r digestRow) midnightAfter(t time.Time) (time.Time, error) {
	loc, err := zoneOf(r.TimeZone)
	if err != nil {
		return time.Time{}, err
	}
	return timezone.NextOn(t, loc, r.Weekdays.Has), nil
}

// ResumeDigest makes a paused digest active again; any other stays as it is, one
// that was left above all. Its next midnight brings what waits.
func (s *Store) ResumeDigest(ctx context.Context, id digest.DigestID, now time.Time) error {
	return s.changeDigest(ctx, "ending the pause", id, func(c conn, d digestRow) error {
		if d.State != digest.DigestPaused {
			return nil
		}
		return resume(ctx, c, d, now, at(now))
	})
}

// resume makes a digest active again, due at its first midnight after the given
// instant; to is when what it gathered ends. Where its pause has passed over no
// midnight, there is nothing to be bound.
func resume(ctx context.Context, c conn, d digestRow, after time.Time, to instant) error {
	begun, ended := d.PausedAt, d.PausedTo
	if begun != 0 {
		first, err := d.midnightAfter(begun.time())
		if err != nil {
			return err
		}
		switch {
		case first.After(after):
			begun, ended = 0, 0
		case ended == 0:
			ended = to
		}
	}
	_, err := c.exec(ctx, `UPDATE digests SET state = ?, paused_until = 0, asks_at = 0, paused_at = ?, paused_to = ? WHERE id = ?`,
		digest.DigestActive, begun, ended, d.ID)
	if err != nil {
		return err
	}
	d.State, d.PausedUntil = digest.DigestActive, 0
	return reschedule(ctx, c, d, after)
}

// resumed is how many digests Resume starts in one transaction.
const resumed = 200

// EndPauses makes those digests active again whose pause is over, and says how
// many those were. A midnight that ends the pause is one of theirs: who is back
// on a date gets the edition of that date.
func (s *Store) EndPauses(ctx context.Context, now time.Time) (int, error) {
	var ids []digest.DigestID
	const over = `d.state = 'paused' AND d.paused_until > 0 AND d.paused_until <= ?`
	err := s.read().all(ctx, &ids, `SELECT d.id FROM digests d WHERE `+over+` ORDER BY d.id`, at(now))
	if err != nil {
		return 0, fmt.Errorf("looking for pauses that are over: %w", err)
	}
	total := 0
	for part := range slices.Chunk(ids, resumed) {
		n := 0
		err := s.alone(ctx, func(c conn) error {
			var digests []digestRow
			if err := c.all(ctx, &digests, selectDigest+`WHERE d.id IN (`+list(part)+`) AND `+over+` ORDER BY d.id`, at(now)); err != nil {
				return err
			}
			for _, d := range digests {
				if err := resume(ctx, c, d, d.PausedUntil.time().Add(-time.Second), d.PausedUntil); err != nil {
					return err
				}
			}
			n = len(digests)
			return nil
		})
		if err != nil {
			return total, fmt.Errorf("ending pauses: %w", err)
		}
		total += n
	}
	return total, nil
}

// A restGroup is the paused digests whose feeds are asked at one midnight.
type restGroup struct {
	TimeZone string          `db:"time_zone"`
	AsksAt   instant         `db:"asks_at"`
	Weekdays digest.Weekdays `db:"weekdays"`
}

// restGroups gives the groups whose feeds are to be asked now.
func restGroups(ctx context.Context, c conn, now instant) (groups []restGroup, err error) {
	err = c.all(ctx, &groups, `SELECT u.time_zone, d.asks_at, d.weekdays FROM digests d JOIN users u ON u.id = d.user_id
		WHERE d.asks_at > 0 AND d.asks_at <= ? GROUP BY u.time_zone, d.asks_at, d.weekdays ORDER BY d.asks_at, u.time_zone, d.weekdays`, now)
	return groups, err
}

// advance gives a group its next midnight, and says how many digests it is.
func (g restGroup) advance(ctx context.Context, c conn, now time.Time) (int, error) {
	loc, err := zoneOf(g.TimeZone)
	if err != nil {
		return 0, err
	}
	next := g.AsksAt.time()
	for !next.After(now) {
		next = timezone.NextOn(next, loc, g.Weekdays.Has)
	}
	return c.exec(ctx, `UPDATE digests AS d SET asks_at = ? WHERE d.asks_at = ? AND d.weekdays = ? AND `+inZone,
		at(next), g.AsksAt, g.Weekdays, g.TimeZone)
}

// reask moves the midnight at which the feeds of a paused digest are asked to
// where its zone and days have moved it. One that has passed is still asked.
func reask(ctx context.Context, c conn, d digestRow, now time.Time) error {
	if d.AsksAt <= at(now) {
		return nil
	}
	next, err := d.midnightAfter(now)
	if err != nil {
		return err
	}
	_, err = c.exec(ctx, `UPDATE digests SET asks_at = ? WHERE id = ?`, at(next), d.ID)
	return err
}

// pauseIn is when a pause ends in the digest's zone that was set in another: on
// the same date, if it ends as one begins.
func (r digestRow) pauseIn(was string) (instant, error) {
	if r.PausedUntil == 0 {
		return 0, nil
	}
	there, err := zoneOf(was)
	if err != nil {
		return 0, err
	}
	here, err := zoneOf(r.TimeZone)
	if err != nil {
		return 0, err
	}
	y, m, d := r.PausedUntil.time().In(there).Date()
	if begins, _ := timezone.Begin(y, m, d, there); at(begins) != r.PausedUntil {
		return r.PausedUntil, nil
	}
	begins, _ := timezone.Begin(y, m, d, here)
	return at(begins), nil
}
