package store

import (
	"context"

	"digest"
)

// Notices gives what editions tell of feeds, by the edition's key.
func (s *Store) Notices(ctx context.Context, editions []digest.Delivery) (map[digest.EditionID][]digest.Notice, error) {
	return nil, nil
}

// WaitingNotices gives what the digest's next midnight would tell as things stand.
func (s *Store) WaitingNotices(ctx context.Context, id digest.DigestID) ([]digest.Notice, error) {
	return nil, nil
}
