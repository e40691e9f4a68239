package store

import (
	"context"

	"digest"
)

// Body gives the last document of a feed; false: none is kept.
func (s *Store) Body(ctx context.Context, id digest.FeedID) (Body, bool, error) {
	return Body{}, false, nil
}
