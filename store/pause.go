package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"digest"
)

// SetPause pauses a digest until a time, or, if that is zero, until the reader
// says otherwise. What waits for it goes on waiting. digest.Conflict for one
// that was left: no pause may bring it back when it ends.
func (s *Store) SetPause(ctx context.Context, id digest.DigestID, until, now time.Time) error {
	if !until.IsZero() && !until.After(now) {
		return invalid("a pause ends in the future, not at %s", until.Format(time.DateTime))
	}
	return s.changeDigest(ctx, "pausing the digest", id, func(c conn, d digestRow) error {
		if d.State == digest.DigestLeft {
			return &digest.Error{Kind: digest.Conflict, Message: "its reader has left; make it active first"}
		}
		if err := setDigestState(ctx, c, d, digest.DigestPaused, now); err != nil {
			return err
		}
		_, err := c.exec(ctx, `UPDATE digests SET paused_until = ? WHERE id = ?`, from(until), id)
		return err
	})
}

// EndPause makes a paused digest active again; any other stays as it is, one
// that was left above all.
func (s *Store) EndPause(ctx context.Context, id digest.DigestID, now time.Time) error {
	return s.changeDigest(ctx, "ending the pause", id, func(c conn, d digestRow) error {
		if d.State != digest.DigestPaused {
			return nil
		}
		return setDigestState(ctx, c, d, digest.DigestActive, now)
	})
}

// resumed is how many digests Resume starts in one transaction.
const resumed = 200

// Resume makes those digests active again whose pause is over, and says how
// many those were. A midnight that ends the pause is one of theirs: who is back
// on a date gets the edition of that date.
func (s *Store) Resume(ctx context.Context, now time.Time) (int, error) {
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
				before := d.PausedUntil.time().Add(-time.Second)
				if err := setDigestState(ctx, c, d, digest.DigestActive, before); err != nil {
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
