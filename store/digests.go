package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"digest"
	"digest/timezone"
)

// SetTimeZone moves a user to another zone. Each of their digests becomes due
// at the first midnight there that begins a date without an edition (I1), and
// what waits for it moves along; one whose midnight has passed and that is
// still to be released stays due. A stay that has begun ends with it: this is
// where the reader is at home now. digest.Invalid for a zone that does not exist.
func (s *Store) SetTimeZone(ctx context.Context, user digest.UserID, zone string, now time.Time) error {
	if _, err := zoneOf(zone); err != nil {
		return err
	}
	err := s.alone(ctx, func(c conn) error {
		t, err := readTraveller(ctx, c, user)
		if err != nil || t.zone == zone {
			return err
		}
		for _, statement := range []string{
			`UPDATE users SET home_zone = '' WHERE id = ?`,
			`DELETE FROM stays WHERE user_id = ? AND begun = 1`,
		} {
			if _, err := c.exec(ctx, statement, user); err != nil {
				return err
			}
		}
		if err := setZone(ctx, c, user, t.zone, zone, now); err != nil {
			return err
		}
		return travel(ctx, c, user, now)
	})
	if err != nil {
		return fmt.Errorf("setting the time zone: %w", err)
	}
	return nil
}

// setZone gives a user another zone, and their digests the midnights there.
func setZone(ctx context.Context, c conn, user digest.UserID, was, zone string, now time.Time) error {
	if was == zone {
		return nil
	}
	if _, err := c.exec(ctx, `UPDATE users SET time_zone = ? WHERE id = ?`, zone, user); err != nil {
		return err
	}
	var digests []digestRow
	if err := c.all(ctx, &digests, selectDigest+`WHERE d.user_id = ? ORDER BY d.id`, user); err != nil {
		return err
	}
	for _, d := range digests {
		if d.due(now) {
			continue
		}
		if err := moveDigest(ctx, c, d, was, now); err != nil {
			return err
		}
	}
	return nil
}

// moveDigest takes a digest to its user's new zone.
func moveDigest(ctx context.Context, c conn, d digestRow, was string, now time.Time) error {
	until, err := d.pauseIn(was)
	if err != nil {
		return err
	}
	if until != d.PausedUntil {
		if _, err := c.exec(ctx, `UPDATE digests SET paused_until = ? WHERE id = ?`, until, d.ID); err != nil {
			return err
		}
	}
	d.PausedUntil = until
	if err := reask(ctx, c, d, now); err != nil {
		return err
	}
	return reschedule(ctx, c, d, now)
}

// SetDeliverAt sets the hour at which a digest's mail leaves by its reader's
// clock, in whole seconds from 00:00. Editions already released keep theirs.
func (s *Store) SetDeliverAt(ctx context.Context, id digest.DigestID, clock time.Duration) error {
	if clock < 0 || clock >= 24*time.Hour {
		return invalid("a mail leaves at an hour from 00:00 to 23:59, not at %s", clock)
	}
	return s.changeDigest(ctx, "setting the hour of the mail", id, func(c conn, _ digestRow) error {
		_, err := c.exec(ctx, `UPDATE digests SET send_delay = ? WHERE id = ?`, int64(clock/time.Second), id)
		return err
	})
}

// SetLook sets how a digest's mail is set, from its next edition that is
// printed on; digest.Invalid for a layout or images that do not exist.
func (s *Store) SetLook(ctx context.Context, id digest.DigestID, l digest.Look) error {
	switch l.Layout {
	case digest.Headlines, digest.Excerpts, digest.FullText:
	default:
		return invalid("a layout is headlines, excerpts or full, not %q", l.Layout)
	}
	switch l.Images {
	case digest.NoImages, digest.LinkedImages, digest.ProxiedImages:
	default:
		return invalid("images are off, linked or proxy, not %q", l.Images)
	}
	return s.changeDigest(ctx, "setting the look of the mail", id, func(c conn, _ digestRow) error {
		_, err := c.exec(ctx, `UPDATE digests SET layout = ?, images = ?, threaded = ? WHERE id = ?`,
			string(l.Layout), string(l.Images), bit(l.Threaded), id)
		return err
	})
}

// SetWeekdays sets the days on which a digest appears. It becomes due at the
// first of them that has no edition, and what waits for it moves along, unless
// it is due already.
func (s *Store) SetWeekdays(ctx context.Context, id digest.DigestID, w digest.Weekdays, now time.Time) error {
	if w&digest.EveryDay == 0 || w > digest.EveryDay {
		return invalid("a digest needs at least one day of the week")
	}
	return s.changeDigest(ctx, "setting the days", id, func(c conn, d digestRow) error {
		if d.Weekdays == w {
			return nil
		}
		if _, err := c.exec(ctx, `UPDATE digests SET weekdays = ? WHERE id = ?`, w, id); err != nil {
			return err
		}
		if d.due(now) {
			return nil
		}
		d.Weekdays = w
		if err := reask(ctx, c, d, now); err != nil {
			return err
		}
		return reschedule(ctx, c, d, now)
	})
}

// SetDigestState starts, pauses or ends a digest; the state it has already
// changes nothing but the end of a pause. Ending it deletes what waits and what is not on its way
// yet: of the editions already handed to a mailer, those whose final dot is
// not written are refused it (BeginDots). One that is started again becomes due
// at its next midnight, not at one that passed meanwhile.
func (s *Store) SetDigestState(ctx context.Context, id digest.DigestID, state digest.DigestState, now time.Time) error {
	switch state {
	case digest.DigestActive, digest.DigestPaused, digest.DigestLeft:
	default:
		return invalid("a digest is active, paused or left, not %q", state)
	}
	return s.changeDigest(ctx, "setting the digest's state", id, func(c conn, d digestRow) error {
		return setDigestState(ctx, c, d, state, now)
	})
}

func setDigestState(ctx context.Context, c conn, d digestRow, state digest.DigestState, now time.Time) error {
	switch {
	case d.State == state && d.PausedUntil == 0:
		return nil
	case state == digest.DigestActive:
		return resume(ctx, c, d, now, at(now))
	case state == digest.DigestPaused:
		return pause(ctx, c, d, 0, now)
	}
	_, err := c.exec(ctx, `UPDATE digests SET state = ?, paused_until = 0, asks_at = 0, paused_at = 0, paused_to = 0 WHERE id = ?`, state, d.ID)
	if err != nil {
		return err
	}
	if err := dropFeeds(ctx, c, d.ID); err != nil {
		return err
	}
	return leave(ctx, c, d)
}

// dropFeeds takes what only this digest took out of the queue.
func dropFeeds(ctx context.Context, c conn, id digest.DigestID) error {
	return dropIdle(ctx, c, `f.id IN (SELECT s.feed_id FROM subscriptions s WHERE s.digest_id = ? AND s.rests = 0)`, id)
}

// unsubscribed is the error of an edition that its reader no longer wants.
const unsubscribed = "unsubscribed"

// leave drops all that has not reached the reader.
func leave(ctx context.Context, c conn, d digestRow) error {
	for _, table := range []string{"digest_posts", "notices"} {
		if _, err := c.exec(ctx, `DELETE FROM `+table+` WHERE digest_id = ? AND visible_at = ?`, d.ID, d.NextDueAt); err != nil {
			return err
		}
	}
	_, err := c.exec(ctx, `UPDATE editions AS e SET state = ?, error = ? WHERE e.digest_id = ? AND (e.state = 'ready' OR `+lost+`)`,
		digest.EditionFailed, unsubscribed, d.ID)
	return err
}

// alone runs f in a transaction that excludes storing and releasing (I8).
func (s *Store) alone(ctx context.Context, f func(conn) error) error {
	return s.write(ctx, func(c conn) error {
		if err := c.hold(ctx, s.d.lockAlone); err != nil {
			return err
		}
		return f(c)
	})
}

// changeDigest hands a digest to f, in a transaction of its own.
func (s *Store) changeDigest(ctx context.Context, doing string, id digest.DigestID, f func(conn, digestRow) error) error {
	err := s.alone(ctx, func(c conn) error {
		var d digestRow
		err := c.get(ctx, &d, selectDigest+`WHERE d.id = ?`, id)
		if isNone(err) {
			return notFound("there is no such digest")
		}
		if err != nil {
			return err
		}
		return f(c, d)
	})
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return nil
}

// reschedule makes a digest due at its first midnight after now, or from the end
// of its pause on, that begins one of its days and a date without an edition
// (I1), and moves its waiting posts there. The midnight is later than the last one released even if the
// clock is not: two editions of one midnight would hold the same posts (I4).
func reschedule(ctx context.Context, c conn, d digestRow, now time.Time) error {
	var zone string
	if err := c.get(ctx, &zone, `SELECT time_zone FROM users WHERE id = ?`, d.UserID); err != nil {
		return err
	}
	loc, err := zoneOf(zone)
	if err != nil {
		return err
	}
	var had []string
	err = c.all(ctx, &had, `SELECT local_date FROM editions WHERE digest_id = ? AND local_date >= ?`,
		d.ID, digest.DateOf(now.UTC().AddDate(0, 0, -2)).String())
	if err != nil {
		return err
	}
	after := now
	if d.PausedUntil != 0 {
		after = d.PausedUntil.time().Add(-time.Second)
	}
	if last := d.LastDueAt.time(); last.After(after) {
		after = last
	}
	next := timezone.NextOn(after, loc, d.Weekdays.Has)
	for slices.Contains(had, digest.DateOf(next.In(loc)).String()) {
		next = timezone.NextOn(next, loc, d.Weekdays.Has)
	}
	if at(next) == d.NextDueAt {
		return nil
	}
	return moveWaiting(ctx, c, d, at(next), at(now))
}

// due reports whether the digest's midnight has passed and its edition is still to be made.
func (r digestRow) due(now time.Time) bool {
	return r.State == digest.DigestActive && r.NextDueAt <= at(now)
}

// moveWaiting gives a digest another midnight, and what waits for it with it.
func moveWaiting(ctx context.Context, c conn, d digestRow, next, now instant) error {
	_, err := c.exec(ctx, `UPDATE posts SET shown_at = ? WHERE id IN
		(SELECT post_id FROM digest_posts WHERE digest_id = ? AND visible_at = ?)`, now, d.ID, d.NextDueAt)
	if err != nil {
		return err
	}
	for _, table := range []string{"digest_posts", "notices"} {
		if _, err = c.exec(ctx, `UPDATE `+table+` SET visible_at = ? WHERE digest_id = ? AND visible_at = ?`, next, d.ID, d.NextDueAt); err != nil {
			return err
		}
	}
	_, err = c.exec(ctx, `UPDATE digests SET next_due_at = ?, planned_due_at = 0 WHERE id = ?`, next, d.ID)
	return err
}
