package store

import (
	"context"
	"errors"
	"time"

	"digest"
)

// A GoneCase is a feed that says 410, and the other feeds of its host and port
// that somebody takes: what is needed to judge whether it is gone, or the host broken.
type GoneCase struct {
	Feed     digest.Feed
	Siblings []digest.Feed
}

var errSoon = errors.New("not made yet")

// SaidGone gives the feeds that say 410 and of which that is not decided yet.
func (s *Store) SaidGone(ctx context.Context, now time.Time) ([]GoneCase, error) { return nil, nil }

// Retire makes feeds gone, unsubscribes everybody and tells them in their next
// edition. It gives the number of digests that took them.
func (s *Store) Retire(ctx context.Context, now time.Time, ids []digest.FeedID) (digests int, err error) {
	return 0, errSoon
}

// FeedDue gives the next midnight of the active digests that take a feed, none
// of those it is being asked for now; zero: there is none.
func (s *Store) FeedDue(ctx context.Context, id digest.FeedID) (time.Time, error) {
	info, err := s.Feed(ctx, id)
	return info.NextDueAt, err
}
