package store

import (
	"context"
	"slices"
	"time"

	"digest"
	"digest/calendar"
	"digest/store/db"
)

// A digestRow is a digest with columns that only the store uses.
type digestRow struct {
	digest.Digest
	NextPollAt   time.Time
	PlannedDueAt time.Time
}

// selectDigest reads digestRows. The time zone is the user's.
const selectDigest = `SELECT ` + digestColumns + ` FROM digests d JOIN users u ON u.id = d.user_id `

const digestColumns = `d.id, d.user_id, COALESCE(d.newsletter_id, 0) AS newsletter_id, d.name,
	d.folder_order, u.time_zone, d.next_due_at, d.last_due_at,
	d.deliver_at, d.cadence, d.state, d.edition_count AS editions, d.layout, d.images, d.threaded,
	d.date_subject, d.budget, d.grouping, d.web_layout, d.web_grouping, d.web_images, d.read_here, d.link_round,
	d.paused_until, d.paused_at, d.paused_to, d.was_paused, d.was_paused_until, d.mailed, d.next_poll_at,
	d.planned_due_at`

// DigestOf returns a user's own daily digest, or digest.NotFound.
func (s Readers) DigestOf(ctx context.Context, user digest.UserID) (digest.Digest, error) {
	d, err := readDigest(ctx, s.read(), `d.user_id = ? AND d.newsletter_id IS NULL ORDER BY d.id LIMIT 1`, user)
	return d.Digest, err
}

// Digest returns a digest by its key, or digest.NotFound.
func (s Readers) Digest(ctx context.Context, id digest.DigestID) (digest.Digest, error) {
	d, err := readDigest(ctx, s.read(), `d.id = ?`, id)
	return d.Digest, err
}

func readDigest(ctx context.Context, c conn, where string, args ...any) (digestRow, error) {
	return readOne[digestRow](ctx, c, "reading the digest", notFound("there is no such digest"), selectDigest+`WHERE `+
		where, args...)
}

// SetDigestState starts, pauses or ends a digest. Setting the current state again only removes the end of a pause.
//
// Ending a digest ends its unsent editions. If a mailer already has one, MarkEditions rejects its dot unless it is
// already recorded. Hidden posts remain until returnTime after the midnight of the next edition, but a membership
// loses them immediately. A digest that starts again is due at its next midnight, with its hidden posts, and not at a
// past one.
func (s Readers) SetDigestState(ctx context.Context, id digest.DigestID, state digest.DigestState,
	now time.Time) error {
	switch state {
	case digest.DigestActive, digest.DigestPaused, digest.DigestLeft:
	default:
		return db.Invalid("a digest is active, paused or left, not %q", state)
	}
	return s.changeDigest(ctx, "setting the digest's state", id, func(c conn, d digestRow) error {
		if err := refuseArchive(ctx, c, d); err != nil {
			return err
		}
		return setDigestState(ctx, c, d, state, now)
	})
}

// VoidLinks invalidates the links in all email of a digest that was sent before.
func (s Readers) VoidLinks(ctx context.Context, id digest.DigestID) error {
	return s.runOne(ctx, "voiding the links in older mail", notFound("there is no such digest"),
		`UPDATE digests SET link_round = CASE WHEN link_round < ? THEN link_round + 1 ELSE 1 END WHERE id = ?`,
		digest.LastLinkRound, id)
}

// refuseArchive returns digest.Conflict if d is a newsletter's archive. No link in an email may pause or end it. It
// ends with its newsletter.
func refuseArchive(ctx context.Context, c conn, d digestRow) error {
	if d.NewsletterID == 0 {
		return nil
	}
	n, err := readNewsletter(ctx, c, `n.id = ?`, d.NewsletterID)
	if err == nil && n.ArchiveID == d.ID {
		err = db.Conflict("this is the archive of %s and continues as long as the newsletter; see: digest newsletter hold",
			n.Name)
	}
	return err
}

func setDigestState(ctx context.Context, c conn, d digestRow, state digest.DigestState, now time.Time) error {
	s, err := d.schedule()
	switch {
	case d.State == state && d.PausedUntil.IsZero():
		return nil
	case state == digest.DigestLeft: // needs no valid time zone
		if err := c.Run(ctx, `UPDATE digests SET was_paused = ?, was_paused_until = ? WHERE id = ?`,
			d.State == digest.DigestPaused, from(d.PausedUntil), d.ID); err != nil {
			return err
		}
		if err := saveSchedule(ctx, c, d.ID, s.Leave()); err != nil {
			return err
		}
		if err := dropFeeds(ctx, c, d.ID); err != nil {
			return err
		}
		if err := noteLeft(ctx, c, d, now); err != nil {
			return err
		}
		return leave(ctx, c, d, at(now))
	case err != nil:
		return err
	case state == digest.DigestPaused:
		return pause(ctx, c, d, time.Time{}, now)
	case d.State == digest.DigestLeft && at(d.NextDueAt) < at(now).Plus(-returnTime):
		if err := dropWaiting(ctx, c, d.ID, at(d.NextDueAt)); err != nil {
			return err
		}
	}
	if err := reschedule(ctx, c, d, s.Resume(now, at(now).Time()), now); err != nil || d.State != digest.DigestLeft {
		return err
	}
	return noteBack(ctx, c, d, now)
}

// dropFeeds removes the feeds from the queue that only this digest needs.
func dropFeeds(ctx context.Context, c conn, id digest.DigestID) error {
	return dropIdle(ctx, c, `f.id IN (SELECT s.feed_id FROM subscriptions s WHERE s.digest_id = ?
		AND s.paused = 0)`, id)
}

// unsubscribed is the error of an edition whose reader left.
const unsubscribed = "unsubscribed"

// returnTime is how long a left digest keeps its hidden posts after the midnight of its next edition, in case the
// reader returns.
const returnTime = 24 * time.Hour

func dropWaiting(ctx context.Context, c conn, id digest.DigestID, due instant) error {
	return c.ExecEach(ctx, []string{
		`DELETE FROM digest_posts WHERE digest_id = ? AND visible_at = ?`,
		`DELETE FROM notices WHERE digest_id = ? AND visible_at = ?`,
	}, id, due)
}

// pruneLeft deletes the hidden posts of readers who left and did not return in time. It only checks digests of the
// last 40 days; older ones have no hidden posts left.
func (s *database) pruneLeft(ctx context.Context, now time.Time) error {
	const leftWithin = 40 * 24 * time.Hour
	due := at(now).Plus(-returnTime)
	var left []struct {
		ID        digest.DigestID
		NextDueAt instant
	}
	err := s.read().All(ctx, &left,
		`SELECT d.id, d.next_due_at FROM digests d WHERE d.state = 'left' AND d.next_due_at < ?
			AND d.next_due_at >= ? ORDER BY d.id`,
		due, due.Plus(-leftWithin))
	if err != nil || len(left) == 0 {
		return err
	}
	var v values
	for _, d := range left {
		v.Row(d.ID, d.NextDueAt)
	}
	return s.write(ctx, func(c conn) error {
		for _, table := range []string{"digest_posts", "notices"} {
			if err := c.RunRows(ctx, &v,
				`DELETE FROM `+table+` WHERE (digest_id, visible_at) IN (SELECT d.id, d.next_due_at FROM digests d
				WHERE d.state = 'left' AND (d.id, d.next_due_at) IN (VALUES {rows}))`); err != nil {
				return err
			}
		}
		return nil
	})
}

// leave drops the editions and issues that a reader who left has not received.
func leave(ctx context.Context, c conn, d digestRow, now instant) error {
	if err := resumeOwn(ctx, c, d.ID, 0); err != nil {
		return err
	}
	if d.NewsletterID != 0 { // a former member gets no further issues
		if err := dropWaiting(ctx, c, d.ID, at(d.NextDueAt)); err != nil {
			return err
		}
	}
	held, err := recall(ctx, c, `= ?`, d.ID)
	if err == nil {
		err = endEditions(ctx, c, now, held, digest.EditionFailed, unsubscribed)
	}
	if err != nil {
		return err
	}
	return dropUnsent(ctx, c, d.ID, digest.EditionFailed, unsubscribed)
}

// changeDigest calls f with a digest, in its own transaction.
func (s *database) changeDigest(ctx context.Context, doing string, id digest.DigestID,
	f func(conn, digestRow) error) error {
	return s.changeAlone(ctx, doing, func(c conn) error {
		d, err := readDigest(ctx, c, `d.id = ?`, id)
		if err != nil {
			return err
		}
		return f(c, d)
	})
}

func (r digestRow) schedule() (calendar.Schedule, error) {
	loc, err := calendar.Zone(r.TimeZone)
	return calendar.Schedule{
		Zone:        loc,
		Cadence:     r.Cadence,
		State:       r.State,
		NextDueAt:   r.NextDueAt,
		LastDueAt:   r.LastDueAt,
		Planned:     r.PlannedDueAt.Equal(r.NextDueAt),
		PausedUntil: r.PausedUntil,
		PausedAt:    r.PausedAt,
		PausedTo:    r.PausedTo,
		NextPollAt:  r.NextPollAt,
	}, err
}

// saveSchedule stores the fields of the schedule that the reader sets. Trials are not decided while their reader is
// away: another edition asks afterwards.
func saveSchedule(ctx context.Context, c conn, id digest.DigestID, s calendar.Schedule) error {
	err := c.Run(ctx, `UPDATE digests SET state = ?, cadence = ?, paused_until = ?, paused_at = ?,
		paused_to = ?, next_poll_at = ? WHERE id = ?`,
		s.State, s.Cadence, s.PausedUntil, s.PausedAt, s.PausedTo, s.NextPollAt, id)
	if err != nil || s.State == digest.DigestActive {
		return err
	}
	return c.Run(ctx, `UPDATE subscriptions SET `+asksAgain+` WHERE digest_id = ? AND trial_until <> ''`, id)
}

// reschedule stores a digest's schedule and sets its next midnight (I1, I4). Hidden posts move with it.
func reschedule(ctx context.Context, c conn, d digestRow, s calendar.Schedule, now time.Time) error {
	if err := saveSchedule(ctx, c, d.ID, s); err != nil {
		return err
	}
	var had []string
	err := c.All(ctx, &had, `SELECT local_date FROM editions WHERE digest_id = ? AND local_date >= ?`, d.ID,
		calendar.Earliest(now))
	if err != nil {
		return err
	}
	next := at(s.Due(now, func(date digest.Date) bool { return slices.Contains(had, date.String()) }))
	if next == at(d.NextDueAt) {
		return nil
	}
	return moveWaiting(ctx, c, d, next, at(now))
}

// moveWaiting moves a digest and its hidden posts to another midnight.
func moveWaiting(ctx context.Context, c conn, d digestRow, next, now instant) error {
	was := at(d.NextDueAt)
	if err := showAgain(ctx, c, []digest.DigestID{d.ID}, was, now); err != nil {
		return err
	}
	return changeMidnight(ctx, c, []digest.DigestID{d.ID}, was, next)
}

// showAgain sets shown_at to now for the hidden posts of digests.
func showAgain(ctx context.Context, c conn, ids []digest.DigestID, was, now instant) error {
	return c.Run(ctx, `UPDATE posts SET shown_at = ? WHERE id IN
		(SELECT post_id FROM digest_posts WHERE visible_at = ? AND digest_id IN (`+list(ids)+`))`, now, was)
}

// changeMidnight moves digests and their hidden posts from one midnight to another. It drops posts and notices that
// already wait for the other.
func changeMidnight(ctx context.Context, c conn, ids []digest.DigestID, was, next instant) error {
	for table, same := range map[string]string{"digest_posts": `x.post_id = y.post_id`,
		"notices": `x.feed_id = y.feed_id AND x.kind = y.kind`} {
		if err := c.Run(ctx, `DELETE FROM `+table+` AS x WHERE x.visible_at = ? AND x.digest_id IN (`+list(ids)+`)
			AND EXISTS (SELECT 1 FROM `+table+` y WHERE y.digest_id = x.digest_id AND y.visible_at = ? AND `+
			same+`)`, was, next); err != nil {
			return err
		}
		if err := c.Run(ctx, `UPDATE `+table+` SET visible_at = ? WHERE visible_at = ? AND digest_id IN (`+
			list(ids)+`)`, next, was); err != nil {
			return err
		}
	}
	return c.Run(ctx, `UPDATE digests SET next_due_at = ?, planned_due_at = 0 WHERE id IN (`+list(ids)+`)`, next)
}
