package store

import (
	"context"
	"time"
)

// NoteRefusal records that the site at an address, in normal form, must not be requested for a feed before until, and
// why.
func (s Operator) NoteRefusal(ctx context.Context, url string, until time.Time, why string, now time.Time) error {
	return s.change(ctx, "remembering a refusal", func(c conn) error {
		if err := c.Run(ctx, `DELETE FROM refusals WHERE not_before <= ?`, now); err != nil {
			return err
		}
		return c.Run(ctx, `INSERT INTO refusals (url, not_before, reason) VALUES (?, ?, ?)
			ON CONFLICT (url) DO UPDATE SET not_before = excluded.not_before, reason = excluded.reason`, url,
			from(until), why)
	})
}

// Refusal returns until when the site at an address must not be requested, and why, or the zero time.
func (s Operator) Refusal(ctx context.Context, url string, now time.Time) (until time.Time, why string, err error) {
	var row struct {
		NotBefore time.Time
		Reason    string
	}
	_, err = s.read().Find(ctx, &row, `SELECT not_before, reason FROM refusals WHERE url = ? AND not_before > ?`, url,
		now)
	return row.NotBefore, row.Reason, failed("looking for a refusal", err)
}
