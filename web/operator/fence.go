package operator

import (
	"context"
	"net/http"
	"time"

	"digest/internal/catalogue"
	"digest/store"
	"digest/web/page"
)

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
	f, err := s.ReadFence(ctx)
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

var errNotPast = &page.Problem{Status: http.StatusBadRequest, Title: catalogue.Key("Choose a time in the past"),
	Text: catalogue.Key("Go back and choose a date and time in the past.")}

// releaseFence lets this instance poll and mail. If the form names a time, it leaves unmailed what was due before.
func (s *site) releaseFence(v *page.Visit) error {
	f, err := s.ReadFence(v.Ctx)
	if err != nil {
		return err
	}
	if f.Reason == "" {
		return v.SeeSaved(nil, "/operator", "was-open")
	}
	before, sealed, done := v.PostForm.Get("before"), 0, "opened"
	if before == "" {
		err = s.Store.Operator.Unfence(v.Ctx, s.BaseURL, v.Now)
	} else {
		done = "opened-later"
		var instant time.Time
		if instant, err = time.Parse(fenceInstant, before); err != nil || instant.After(v.Now) {
			return errNotPast
		}
		sealed, err = s.Store.Operator.UnfenceAfter(v.Ctx, s.BaseURL, v.Now, instant)
	}
	if err != nil {
		return err
	}
	s.Log.InfoContext(v.Ctx, "an operator released the fence",
		"operator", int64(v.ID), "why", f.Reason, "waiting", f.Waiting, "unmailed_before", before, "unmailed", sealed)
	return v.SeeSaved(nil, "/operator", done)
}
