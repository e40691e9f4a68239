package main

import (
	"fmt"

	"digest"
	"digest/store"
	"digest/worker"
)

type pruneCmd struct {
	Confirm bool `env:"-" help:"Delete them now, even if they are more than half."`
}

type reportedPrune struct {
	digest.Prune
	Keep      string `json:"keep"`
	Waits     bool   `json:"waits"` // the hourly job waits for the operator's confirmation
	Confirmed bool   `json:"confirmed"`
}

func (r reportedPrune) contents() string {
	return fmt.Sprintf("%d of %s and %d of %s are older than %s (DIGEST_KEEP=%s)",
		r.Editions, digest.Counted(r.AllEditions, "edition"), r.Posts, digest.Counted(r.AllPosts, "post"),
		r.Before.Format("2006-01-02 15:04 MST"), r.Keep)
}

// Run counts the editions and posts older than DIGEST_KEEP, and deletes them with --confirm.
func (c pruneCmd) Run(a *app) error {
	a.readsOnly = !c.Confirm
	return a.withStore(func(st *store.Store) error {
		counted, err := st.Operator.CountPrune(a.soft, a.now(), a.Keep)
		if err != nil {
			return err
		}
		r := reportedPrune{Prune: counted, Keep: span(a.Keep), Confirmed: c.Confirm}
		if c.Confirm {
			if err := a.pruneNow(st); err != nil {
				return err
			}
			return a.say(r, "deleted: %s", r.contents())
		}
		waits, err := st.Operator.WouldWait(a.soft, a.now(), a.Keep)
		if err != nil {
			return err
		}
		r.Waits = waits != nil
		next := "the hourly job deletes them"
		switch {
		case r.Waits:
			next = "that is more than half, so they wait: set a longer DIGEST_KEEP, or run: digest prune --confirm"
		case r.Editions+r.Posts == 0:
			next = "nothing is deleted"
		}
		return a.say(r, "%s; %s", r.contents(), next)
	})
}

// pruneNow deletes the editions and posts older than DIGEST_KEEP. If it is interrupted, the hourly job deletes the
// rest.
func (a *app) pruneNow(st *store.Store) error {
	now, err := st.Operator.PruneTime(a.soft, a.now())
	if err != nil {
		return err
	}
	if err := st.Operator.ConfirmPrune(a.soft, now.Add(-a.Keep)); err != nil {
		return err
	}
	if err := worker.PruneAll(a.soft, a.hard, st, now, a.Keep, a.log); err != nil {
		return err
	}
	if a.soft.Err() != nil {
		return fmt.Errorf("%w; the hourly job deletes the rest", errInterrupted)
	}
	return nil
}
