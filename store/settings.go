package store

import (
	"context"
	"time"

	"digest"
	"digest/calendar"
	"digest/store/db"
)

// SetPages stores how the pages around a reader's posts look. It returns digest.Invalid for an unknown value.
func (s Readers) SetPages(ctx context.Context, user digest.UserID, p digest.Pages) error {
	if err := p.Check(); err != nil {
		return err
	}
	return s.runOne(ctx, "setting how the pages are", noUser(),
		`UPDATE users SET direction = ?, shortcuts = ?, player = ?, theme = ?, type_size = ? WHERE id = ?`,
		p.Direction, p.Shortcuts, p.Player, p.Theme, p.TypeSize, user)
}

// SetLanguage stores the language of a reader; "" means their browser's.
func (s Readers) SetLanguage(ctx context.Context, user digest.UserID, tag string) error {
	return s.runOne(ctx, "setting the language", noUser(), `UPDATE users SET language = ? WHERE id = ?`, tag, user)
}

// SetTimeZone moves a user to another time zone. Each of their digests becomes due at the first midnight there whose
// date has no edition (I1), and its waiting posts move along. A digest whose midnight has passed stays due. A trip
// that has begun ends, because the new zone is the reader's home. SetTimeZone returns digest.Invalid for an unknown
// zone.
func (s Readers) SetTimeZone(ctx context.Context, user digest.UserID, zone string, now time.Time) error {
	loc, err := calendar.Zone(zone)
	if err != nil {
		return err
	}
	return s.changeAlone(ctx, "setting the time zone", func(c conn) error {
		t, err := readTraveller(ctx, c, user)
		if err != nil || t.Zone == zone {
			return err
		}
		err = c.ExecEach(ctx, []string{
			`UPDATE users SET home_zone = '' WHERE id = ?`,
			`DELETE FROM trips WHERE user_id = ? AND begun = 1`,
		}, user)
		if err != nil {
			return err
		}
		if err := setZone(ctx, c, user, t.Zone, loc, now); err != nil {
			return err
		}
		return travel(ctx, c, user, now)
	})
}

// setZone moves a user from the zone was to another, and their digests to the midnights there. A digest that is due
// stays due.
func setZone(ctx context.Context, c conn, user digest.UserID, was string, zone *time.Location, now time.Time) error {
	if was == zone.String() {
		return nil
	}
	if err := c.Run(ctx, `UPDATE users SET time_zone = ? WHERE id = ?`, zone.String(), user); err != nil {
		return err
	}
	var digests []digestRow
	if err := c.All(ctx, &digests, selectDigest+`WHERE d.user_id = ? ORDER BY d.id`, user); err != nil {
		return err
	}
	for _, d := range digests {
		s, err := d.schedule()
		if err != nil {
			return err
		}
		if old, err := calendar.Zone(was); err == nil { // a zone that no longer exists prevents nothing
			s.Zone = old
		}
		if s.Passed(now) {
			continue
		}
		if err := reschedule(ctx, c, d, s.In(zone, now), now); err != nil {
			return err
		}
	}
	return nil
}

// SetDeliverAt sets the time of day in the reader's zone, in whole seconds from 00:00, at which a digest's email is
// sent. Released editions keep theirs.
func (s Readers) SetDeliverAt(ctx context.Context, id digest.DigestID, clock time.Duration) error {
	return s.changeDigest(ctx, "setting the time of the email", id, func(c conn, _ digestRow) error {
		return setDeliverAt(ctx, c, id, clock)
	})
}

func setDeliverAt(ctx context.Context, c conn, id digest.DigestID, clock time.Duration) error {
	if clock < 0 || clock >= 24*time.Hour {
		return db.Invalid("enter a time from 00:00 to 23:59")
	}
	return c.Run(ctx, `UPDATE digests SET deliver_at = ? WHERE id = ?`, clock, id)
}

// SetLook sets the look of a digest's email, from the next composed edition on. It returns digest.Invalid for an
// unknown layout or unknown images.
func (s Readers) SetLook(ctx context.Context, id digest.DigestID, l digest.Look) error {
	if err := l.Check(); err != nil {
		return err
	}
	return s.changeDigest(ctx, "setting the look of the mail", id, func(c conn, _ digestRow) error {
		err := c.Run(ctx, `UPDATE digests SET layout = ?, images = ?, threaded = ?, date_subject = ?,
			budget = ? WHERE id = ?`,
			l.Layout, l.Images, l.Threaded, l.DateSubject, l.Budget, id)
		return err
	})
}

// SetArrangement sets how the editions of a digest are arranged: in email from the next one on, on pages also
// existing ones. It returns digest.Invalid for an unknown value.
func (s Readers) SetArrangement(ctx context.Context, id digest.DigestID, a digest.Arrangement) error {
	if err := a.Check(); err != nil {
		return err
	}
	return s.changeDigest(ctx, "setting how editions are arranged", id, func(c conn, _ digestRow) error {
		err := c.Run(ctx, `UPDATE digests SET grouping = ?, web_layout = ?, web_grouping = ?, web_images = ?,
			read_here = ? WHERE id = ?`,
			a.Grouping, a.WebLayout, a.WebGrouping, a.WebImages, a.ReadHere, id)
		return err
	})
}

// SetSchedule does what SetCadence and SetDeliverAt do, in one transaction.
func (s Readers) SetSchedule(ctx context.Context, id digest.DigestID, cadence digest.Cadence, clock time.Duration,
	now time.Time) error {
	return s.chooseSchedule(ctx, id, cadence, now, func(c conn) error { return setDeliverAt(ctx, c, id, clock) })
}

// SetCadence sets the days on which a digest appears. The digest becomes due on the first of them without an edition,
// and its waiting posts move along, unless it is due already. SetCadence returns digest.Invalid for an invalid
// cadence, and for a member's cadence that is not as calm as their newsletter's.
func (s Readers) SetCadence(ctx context.Context, id digest.DigestID, cadence digest.Cadence, now time.Time) error {
	return s.chooseSchedule(ctx, id, cadence, now, func(conn) error { return nil })
}

// chooseSchedule sets the days of a digest in the transaction of also, which runs first.
func (s *database) chooseSchedule(ctx context.Context, id digest.DigestID, cadence digest.Cadence, now time.Time,
	also func(conn) error) error {
	if err := cadence.Check(); err != nil {
		return err
	}
	return s.changeDigest(ctx, "setting the schedule", id, func(c conn, d digestRow) error {
		if err := also(c); err != nil {
			return err
		}
		if err := chooseCadence(ctx, c, d, cadence); err != nil {
			return err
		}
		return setCadence(ctx, c, d, cadence, now)
	})
}

func setCadence(ctx context.Context, c conn, d digestRow, cadence digest.Cadence, now time.Time) error {
	if d.Cadence == cadence {
		return nil
	}
	s, err := d.schedule()
	if err != nil {
		return err
	}
	if s.Passed(now) {
		return saveSchedule(ctx, c, d.ID, s.On(cadence, now))
	}
	return reschedule(ctx, c, d, s.On(cadence, now), now)
}

// webOnly is the error of an edition whose reader has turned email off.
const webOnly = "web only"

// SetMailed sets whether a digest's editions are emailed, or appear in the web view only. If email is turned off,
// released editions that were not sent are never sent. MarkEditions refuses the ones that a mailer holds, unless
// their final dot is written. If email is turned on, this applies from the next edition.
func (s Readers) SetMailed(ctx context.Context, id digest.DigestID, mailed bool, now time.Time) error {
	return s.changeDigest(ctx, "switching the mail", id, func(c conn, d digestRow) error {
		if d.Mailed == mailed {
			return nil
		}
		if err := c.Run(ctx, `UPDATE digests SET mailed = ? WHERE id = ?`, mailed, id); err != nil || mailed {
			return err
		}
		held, err := recall(ctx, c, `= ?`, id)
		if err == nil {
			err = endUnmailed(ctx, c, held)
		}
		if err != nil {
			return err
		}
		return dropUnsent(ctx, c, id, digest.EditionUnmailed, webOnly)
	})
}
