package worker

import (
	"context"
	"fmt"
	"time"

	"digest"
	"digest/store"
)

// check stores the heartbeat. It returns an error for people if a fence is up.
func (j *Job) check(ctx context.Context) error {
	reason, err := j.fence(ctx)
	if err != nil || reason == "" {
		return err
	}
	return &digest.Error{Kind: digest.Conflict, Message: reason + "; see: digest fence"}
}

func (j *Job) fence(ctx context.Context) (string, error) {
	if j.Fence == nil {
		return "", nil
	}
	reason, err := j.Fence(ctx, j.Now())
	if err != nil {
		return "", fmt.Errorf("looking at the heartbeat: %w", err)
	}
	return reason, nil
}

func (j *Job) awaitRelease(ctx context.Context) error {
	for told := false; ctx.Err() == nil; told = true {
		reason, err := j.fence(ctx)
		if err != nil || reason == "" {
			return err
		}
		if !told {
			j.Log.Error("fenced: polling and email are stopped", "why", reason, "see", "digest fence")
		}
		nap(ctx, j.Nap)
	}
	return nil
}

const beatEvery = time.Minute

// keepBeating stores a heartbeat every minute. It stops the other loops while another instance has taken
// over the database.
func (j *Job) keepBeating(ctx context.Context) {
	for nap(ctx, beatEvery); ctx.Err() == nil; nap(ctx, min(beatEvery, j.Nap)) {
		j.tellHour(j.Now())
		reason, err := j.fence(ctx)
		switch {
		case err != nil:
			j.noteAway(err)
			j.Log.Error("cannot store a heartbeat", "err", err)
			continue
		case reason != "" && !j.fenced.Swap(true):
			j.Log.Error("a fence began: polling and email are stopped", "why", reason, "see", "digest fence")
		case reason == "" && j.fenced.Swap(false):
			j.Log.Info("the fence was released: polling and email continue")
		}
		j.noteBack()
	}
}

// noteAway stores since when the database is unavailable, if err says that it is.
func (j *Job) noteAway(err error) {
	if store.IsAway(err) {
		j.away.CompareAndSwap(0, j.Now().UnixNano())
	}
}

// noteBack logs once that the database is available again.
func (j *Job) noteBack() {
	if since := j.away.Swap(0); since != 0 {
		j.Log.Info("the database is available again", "after",
			j.Now().Sub(time.Unix(0, since)).Round(time.Second).String())
	}
}
