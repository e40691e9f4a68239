package store

import (
	"context"
	"time"

	"digest"
	"digest/calendar"
	"digest/store/db"
)

// SendFirst releases the first edition of a reader's own digest now, when they request it (I2). It contains the hidden
// posts and has the reader's current date. SendFirst releases the midnight that began this date as Release does. The
// next midnight does not change and releases the posts that arrive from now on (I1, I4). The email is sent now,
// regardless of the reader's hour.
//
// It locks out transactions that store posts, subscribe or release (I8), so concurrent calls create one edition. It
// returns digest.Conflict if the digest has had an edition, is due, is paused or was left. It returns digest.NotFound
// if there are no hidden posts that pass its filters. If it returns an error, nothing has changed.
func (s Editions) SendFirst(ctx context.Context, id digest.DigestID, now time.Time) (date digest.Date, err error) {
	looked := newFiltering(0)
	var filtered bool
	_, err = s.read().Find(ctx, &filtered, `SELECT filtered FROM digests WHERE id = ?`, id)
	if err == nil && filtered { // most of the filtering runs before the transaction locks others out
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

// firstBatch makes a digest without an edition due at the midnight that began its reader's day. It returns the digest
// as a batch for immediate release, and the date of that day.
func firstBatch(ctx context.Context, c conn, id digest.DigestID, now time.Time) (g releaseBatch, date digest.Date,
	err error) {
	d, err := readDigest(ctx, c, `d.id = ?`, id)
	if err != nil {
		return g, date, err
	}
	had, err := c.Number(ctx, `SELECT count(*) FROM editions WHERE digest_id = ?`, id)
	if err != nil {
		return g, date, err
	}
	if had > 0 || d.Editions > 0 || d.NewsletterID != 0 || d.State != digest.DigestActive || !d.NextDueAt.After(now) {
		return g, date, db.Conflict("this digest has had an edition, or is about to have one")
	}
	loc, err := calendar.Zone(d.TimeZone)
	if err != nil {
		return g, date, err
	}
	date = digest.DateOf(now.In(loc))
	due := calendar.Begins(date, loc)
	if d.LastDueAt.After(due) { // the reader has moved west since; LastDueAt must not decrease
		due = d.LastDueAt
	}
	if due.After(now) {
		return g, date, db.Conflict("this digest had a midnight that is still to come")
	}
	g = releaseBatch{ids: []digest.DigestID{id}, hours: []int64{int64(d.DeliverAt / time.Second)}, atOnce: d.NextDueAt}
	g.TimeZone, g.DueAt, g.Cadence = d.TimeZone, at(due), d.Cadence
	if err := moveWaiting(ctx, c, d, g.DueAt, at(now)); err != nil {
		return g, date, err
	}
	if err := c.Get(ctx, &g.Filtered, `SELECT filtered FROM digests WHERE id = ?`, id); err != nil {
		return g, date, err
	}
	return g, date, c.Run(ctx, `UPDATE digests SET planned_due_at = next_due_at WHERE id = ?`, id)
}
