package page

import (
	"context"
	"time"

	"digest/store"
)

const (
	// BeatPatience is the maximum age of a heartbeat. The hourly job writes one every five minutes.
	BeatPatience = 15 * time.Minute
)

// ReadFence returns the active fence, or a zero Fence.
func (s *Site) ReadFence(ctx context.Context) (store.Fence, error) {
	if s.Fence == nil {
		return store.Fence{}, nil
	}
	return s.Fence(ctx)
}

// Fenced reports whether the fence is active, for pages of readers.
func (s *Site) Fenced(ctx context.Context) (bool, error) {
	f, err := s.ReadFence(ctx)
	return f.Reason != "", err
}
