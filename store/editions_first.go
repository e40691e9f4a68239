package store

import (
	"context"
	"time"

	"digest"
	"digest/calendar"
)

// SendFirst makes the first edition of a reader's own digest at once, of what waits for its next
// midnight: they have asked for it (I2). It is the edition of the date that has begun for them. The
// midnight that began it is released as Release would have done; the next one stays where it is, and
// brings what comes in from now on (I1, I4). Its mail leaves now, whatever the reader's hour is.
//
// It excludes storing, subscribing and releasing (I8): of two that ask at once, or of who asks and the
// hour, one makes the edition. digest.Conflict for a digest that has had an edition, is due, is paused
// or was left; digest.NotFound if nothing waits that its filters let through. Nothing is changed then.
func (s *Store) SendFirst(ctx context.Context, id digest.DigestID, now time.Time) (date digest.Date, err error) {
	looked := newFiltering(0)
	var filtered bool
	_, err = s.read().find(ctx, &filtered, `SELECT filtered FROM digests WHERE id = ?`, id)
	if err == nil && filtered { // most of the work is done before anybody waits for it
		err = looked.update(ctx, s.read(), []digest.DigestID{id})
	}
	if err != nil {
		return date, failed("looking at the filters of a first edition", err)
	}
	err = s.changeAlone(ctx, "making a first edition", func(c conn) error {
		g, day, err := firstBatch(ctx, c, id, now)
		if err != nil {
			return err
		}
		if g.Filtered {
			looked.due, g.filtering = g.DueAt, looked
		}
		made, err := g.release(ctx, c, now)
		if err == nil && made == 0 {
			err = notFound("nothing waits for the next edition yet")
		}
		if err != nil {
			return err
		}
		date = day
		return count(ctx, c, at(now), counters{CounterEdition: {N: int64(made)}})
	})
	return date, err
}

// firstBatch makes a digest without an edition due at the midnight that has begun its reader's day, with what
// waits, and gives it as a batch that is released at once, with the date of that day.
func firstBatch(ctx context.Context, c conn, id digest.DigestID, now time.Time) (g releaseBatch, date digest.Date,
	err error) {
	d, err := readDigest(ctx, c, `d.id = ?`, id)
	if err != nil {
		return g, date, err
	}
	had, err := c.number(ctx, `SELECT count(*) FROM editions WHERE digest_id = ?`, id)
	if err != nil {
		return g, date, err
	}
	if had > 0 || d.Editions > 0 || d.NewsletterID != 0 || d.State != digest.DigestActive || !d.NextDueAt.After(now) {
		return g, date, conflict("this digest has had an edition, or is about to have one")
	}
	loc, err := calendar.Zone(d.TimeZone)
	if err != nil {
		return g, date, err
	}
	date = digest.DateOf(now.In(loc))
	due := calendar.Begins(date, loc)
	if d.LastDueAt.After(due) { // of a reader who has gone west since; it stays the last that was released
		due = d.LastDueAt
	}
	if due.After(now) {
		return g, date, conflict("this digest had a midnight that is still to come")
	}
	g = releaseBatch{ids: []digest.DigestID{id}, hours: []int64{int64(d.DeliverAt / time.Second)}, atOnce: d.NextDueAt}
	g.TimeZone, g.DueAt, g.Cadence = d.TimeZone, at(due), d.Cadence
	if err := moveWaiting(ctx, c, d, g.DueAt, at(now)); err != nil {
		return g, date, err
	}
	if err := c.get(ctx, &g.Filtered, `SELECT filtered FROM digests WHERE id = ?`, id); err != nil {
		return g, date, err
	}
	return g, date, c.run(ctx, `UPDATE digests SET planned_due_at = next_due_at WHERE id = ?`, id)
}
