package web

import (
	"context"
	"net/http"
	"time"

	"digest/internal/catalogue"
	"digest/store"
)

// fence returns the active fence, or a zero Fence.
func (s *site) fence(ctx context.Context) (store.Fence, error) {
	if s.Fence == nil {
		return store.Fence{}, nil
	}
	return s.Fence(ctx)
}

// fenced reports whether the fence is active, for pages of readers.
func (s *site) fenced(ctx context.Context) (bool, error) {
	f, err := s.fence(ctx)
	return f.Reason != "", err
}

// A fencePart describes the active fence and the waiting editions.
type fencePart struct {
	store.Fence
	Here    string              // address of this instance
	Now     time.Time           // default for the time before which due editions stay unmailed
	Readers []store.FenceReader // the first readers with waiting editions
	IfNews  int                 // number of other readers whose feeds may have new posts
}

// The maximum number of listed readers, and the maximum time for finding them.
const (
	fenceShown    = 10
	fencePatience = 3 * time.Second
)

// fencePart returns the operator's view of the fence, or nil if it is not active.
func (s *site) fencePart(ctx context.Context) (*fencePart, error) {
	f, err := s.fence(ctx)
	if err != nil || f.Reason == "" {
		return nil, err
	}
	p := fencePart{Fence: f, Here: s.BaseURL, Now: s.Now().UTC()}
	ctx, cancel := context.WithTimeout(ctx, fencePatience)
	defer cancel()
	counts, err := s.Store.Operator.CountWaiting(ctx, s.Now())
	if err == nil {
		p.Waiting, p.IfNews = counts.Editions, counts.IfNews
		p.Readers, err = s.Store.Operator.WaitingReaders(ctx, s.Now(), fenceShown)
	}
	if err != nil {
		s.Log.WarnContext(ctx, "cannot list the readers behind the fence", "err", err)
	}
	return &p, nil
}

// fenceInstant is the format of the instant before which due editions stay unmailed.
const fenceInstant = "2006-01-02T15:04"

// Until returns the default of the form's time.
func (p fencePart) Until() string { return p.Now.Format(fenceInstant) }

var errNotPast = &problem{http.StatusBadRequest, catalogue.Key("Choose a time in the past"),
	catalogue.Key("Go back and choose a date and time in the past.")}

// releaseFence lets this instance poll and mail. If the form names a time, it leaves unmailed what was due before.
func (s *site) releaseFence(v *visit) error {
	f, err := s.fence(v.ctx)
	if err != nil {
		return err
	}
	if f.Reason == "" {
		return v.saved(nil, "/operator", "was-open")
	}
	before, sealed, done := v.PostForm.Get("before"), 0, "opened"
	if before == "" {
		err = s.Store.Operator.Unfence(v.ctx, s.BaseURL, v.now)
	} else {
		done = "opened-later"
		var instant time.Time
		if instant, err = time.Parse(fenceInstant, before); err != nil || instant.After(v.now) {
			return errNotPast
		}
		sealed, err = s.Store.Operator.UnfenceAfter(v.ctx, s.BaseURL, v.now, instant)
	}
	if err != nil {
		return err
	}
	s.Log.InfoContext(v.ctx, "an operator released the fence",
		"operator", int64(v.ID), "why", f.Reason, "waiting", f.Waiting, "unmailed_before", before, "unmailed", sealed)
	return v.saved(nil, "/operator", done)
}
