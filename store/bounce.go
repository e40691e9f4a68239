package store

import (
	"context"
	"time"

	"digest"
)

// Bounced records what came back of an edition.
func (s *Store) Bounced(ctx context.Context, now time.Time, b digest.Bounce) (sup digest.Suppression, suppressed bool, err error) {
	return digest.Suppression{}, false, notFound("there is no such edition")
}
