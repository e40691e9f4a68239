package store

import (
	"context"
	"fmt"
	"time"

	"digest"
	"digest/calendar"
)

// PauseDigest pauses a digest until a time; zero: until the reader resumes it. Its hidden posts remain. It returns
// digest.Conflict if the reader left, because the end of a pause must not restart the digest.
//
// A pause with an end loses no posts. The feeds are still polled at the midnights of the pause, and the posts wait for
// the first midnight from its end on. If the pause skipped a midnight, that edition is bound.
func (s Readers) PauseDigest(ctx context.Context, id digest.DigestID, until, now time.Time) error {
	if err := calendar.CheckPause(until, now); err != nil {
		return err
	}
	return s.changeDigest(ctx, "pausing the digest", id, func(c conn, d digestRow) error {
		if d.State == digest.DigestLeft {
			return digest.Refuse(digest.Conflict, "the reader unsubscribed; resume the digest first")
		}
		if err := refuseArchive(ctx, c, d); err != nil {
			return err
		}
		return pause(ctx, c, d, from(until).Time(), now)
	})
}

// pause pauses a digest or changes the end of its pause. A zero time means no end.
func pause(ctx context.Context, c conn, d digestRow, until, now time.Time) error {
	s, err := d.schedule()
	if err != nil {
		return err
	}
	s = s.Pause(until, at(now).Time())
	if !until.IsZero() {
		return reschedule(ctx, c, d, s, now)
	}
	if err := saveSchedule(ctx, c, d.ID, s); err != nil {
		return err
	}
	if err := wakeOwn(ctx, c, d.ID); err != nil {
		return err
	}
	return dropFeeds(ctx, c, d.ID)
}

// ResumeDigest makes a paused digest active again. It ignores digests in other states. The next midnight releases the
// hidden posts.
func (s Readers) ResumeDigest(ctx context.Context, id digest.DigestID, now time.Time) error {
	return s.changeDigest(ctx, "ending the pause", id, func(c conn, d digestRow) error {
		if d.State != digest.DigestPaused {
			return nil
		}
		return setDigestState(ctx, c, d, digest.DigestActive, now)
	})
}

// BringBack restarts a left digest. If the digest was paused before and that pause has not ended, it pauses it again.
// left is false, and nothing changes, if the digest was not left. It returns digest.NotFound if the digest does not
// exist, and digest.Conflict if its reader has never started it.
func (s Readers) BringBack(ctx context.Context, id digest.DigestID, now time.Time) (d digest.Digest, left bool,
	err error) {
	err = s.changeDigest(ctx, "bringing the digest back", id, func(c conn, was digestRow) error {
		if left = was.State == digest.DigestLeft; left {
			if err := refuseUnbegun(ctx, c, was); err != nil {
				return err
			}
			if err := bringBack(ctx, c, was, now); err != nil {
				return err
			}
		}
		is, err := readDigest(ctx, c, `d.id = ?`, id)
		d = is.Digest
		return err
	})
	return d, left, err
}

// refuseUnbegun returns digest.Conflict if the reader has only joined newsletters and never started their digest.
func refuseUnbegun(ctx context.Context, c conn, d digestRow) error {
	if d.NewsletterID != 0 {
		return nil
	}
	u, err := readUser(ctx, c, d.UserID)
	if err == nil && u.MemberOnly {
		err = digest.Refuse(digest.Conflict, "this account has no daily digest yet; start one first")
	}
	return err
}

func bringBack(ctx context.Context, c conn, was digestRow, now time.Time) error {
	if err := setDigestState(ctx, c, was, digest.DigestActive, now); err != nil || !was.ReturnsToPause(now) {
		return err
	}
	active, err := readDigest(ctx, c, `d.id = ?`, was.ID)
	if err != nil {
		return err
	}
	return pause(ctx, c, active, was.WasPausedUntil, now)
}

// EndPauses resumes the digests whose pause has ended and returns their number. A reader whose pause ends at a
// midnight gets the edition of that date.
func (s Editions) EndPauses(ctx context.Context, now time.Time) (int, error) {
	var ids []digest.DigestID
	const over = `d.state = 'paused' AND d.paused_until > 0 AND d.paused_until <= ?`
	err := s.read().All(ctx, &ids, `SELECT d.id FROM digests d WHERE `+over+` ORDER BY d.id`, now)
	if err != nil {
		return 0, fmt.Errorf("looking for pauses that are over: %w", err)
	}
	return changeInParts(ctx, s.database, "ending pauses", ids, func(c conn, part []digest.DigestID) (int, error) {
		var digests []digestRow
		if err := c.All(ctx, &digests, selectDigest+`WHERE d.id IN (`+list(part)+`) AND `+over+` ORDER BY d.id`,
			now); err != nil {
			return 0, err
		}
		for _, d := range digests {
			s, err := d.schedule()
			if err != nil {
				return 0, err
			}
			before := s.PausedUntil.Add(-time.Second)
			if err := reschedule(ctx, c, d, s.Resume(before, s.PausedUntil), before); err != nil {
				return 0, err
			}
		}
		return len(digests), nil
	})
}

// An askedGroup identifies digests whose feeds are polled at one midnight although no edition is due: they are paused
// or appear less than daily.
type askedGroup struct {
	TimeZone   string
	NextPollAt instant
	Cadence    digest.Cadence
}

func askedGroups(ctx context.Context, c conn, now instant) (groups []askedGroup, err error) {
	err = c.All(ctx, &groups,
		`SELECT u.time_zone, d.next_poll_at, d.cadence FROM digests d JOIN users u ON u.id = d.user_id
		WHERE d.next_poll_at > 0 AND d.next_poll_at <= ? GROUP BY u.time_zone, d.next_poll_at, d.cadence
		ORDER BY d.next_poll_at, u.time_zone, d.cadence`, now)
	return groups, err
}

// advance sets the next midnight of a group and returns the number of its digests.
func (g askedGroup) advance(ctx context.Context, c conn, now time.Time) (int, error) {
	loc, err := calendar.Zone(g.TimeZone)
	if err != nil {
		return 0, err
	}
	_, next := calendar.Passed(g.NextPollAt.Time(), now, loc, calendar.Gathering(g.Cadence))
	return c.Exec(ctx, `UPDATE digests AS d SET next_poll_at = ? WHERE d.next_poll_at = ? AND d.cadence = ? AND `+
		inZone,
		next, g.NextPollAt, g.Cadence, g.TimeZone)
}
