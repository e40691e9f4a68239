package web

import (
	"context"
	"net/http"
	"time"

	"digest/store"
)

// fence gives the fence around the database, if one stands.
func (s *site) fence(ctx context.Context) (store.Fence, error) {
	if s.Fence == nil {
		return store.Fence{}, nil
	}
	return s.Fence(ctx)
}

// fenced reports whether a fence stands, for whoever is told no more.
func (s *site) fenced(ctx context.Context) (bool, error) {
	f, err := s.fence(ctx)
	return f.Reason != "", err
}

// A fencePart is a fence that stands, and what would go out behind it.
type fencePart struct {
	store.Fence
	Here    string              // the address of this instance
	Readers []store.FenceReader // the first of those to whom something would go out
	Listed  bool                // they could be told in time
}

// fenceShown is how many readers are listed, and fencePatience how long is spent to find them.
const (
	fenceShown    = 10
	fencePatience = 3 * time.Second
)

// fencePart gives what an operator is told of the fence; nil: none stands.
func (s *site) fencePart(ctx context.Context) (*fencePart, error) {
	f, err := s.fence(ctx)
	if err != nil || f.Reason == "" {
		return nil, err
	}
	p := fencePart{Fence: f, Here: s.BaseURL}
	ctx, cancel := context.WithTimeout(ctx, fencePatience)
	defer cancel()
	if p.Readers, err = s.Store.WaitingReaders(ctx, s.Now(), fenceShown); err != nil {
		s.Log.WarnContext(ctx, "the readers behind the fence could not be listed", "err", err)
		err = nil
	} else {
		p.Listed = true
	}
	return &p, err
}

// releaseFence lets this instance poll and mail.
func (s *site) releaseFence(w http.ResponseWriter, r *http.Request, me reader) error {
	f, err := s.fence(r.Context())
	if err != nil {
		return err
	}
	if f.Reason == "" {
		return showSaved(w, r, nil, "/operator", "was-open")
	}
	if err := s.Store.Unfence(r.Context(), s.BaseURL, s.Now()); err != nil {
		return err
	}
	s.Log.InfoContext(r.Context(), "the fence is released", "operator", int64(me.ID), "why", f.Reason, "waiting", f.Waiting)
	return showSaved(w, r, nil, "/operator", "opened")
}
