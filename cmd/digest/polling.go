package main

import (
	"context"
	"math"
	"time"

	"digest"
	"digest/poller"
	"digest/store"
)

// robots is the store as the poller needs it.
type robots struct{ *store.Store }

// Robots gives what is known of an origin's robots.txt.
func (r robots) Robots(ctx context.Context, origin string) (poller.Robots, bool, error) {
	known, ok, err := r.Store.Robots(ctx, origin)
	return poller.Robots(known), ok, err
}

// SaveRobots stores what an origin's robots.txt says.
func (r robots) SaveRobots(ctx context.Context, said poller.Robots) error {
	return r.Store.SaveRobots(ctx, store.Robots(said))
}

// hostLeases are the store's, by the clock of the command.
type hostLeases struct {
	st  *store.Store
	now func() time.Time
}

// LeaseHost leases a host.
func (h hostLeases) LeaseHost(ctx context.Context, host string, lease time.Duration) (string, time.Time, error) {
	return h.st.LeaseHost(ctx, h.now(), host, lease)
}

// FreeHost gives a host back.
func (h hostLeases) FreeHost(ctx context.Context, host, token string, free time.Time) error {
	return h.st.FreeHost(ctx, host, token, free)
}

// fenceMost is how many editions may wait in a database that was long unused
// before they are held back: more than a family's, or a club's.
const fenceMost = 100

// fence is the hourly job's: it leaves a heartbeat. A stop does not cut it short.
// Between two looks a process may have slept with its machine: a heartbeat that
// it knows is no reason for a fence, however old; an older one is, for then the
// database was brought back from the past beneath it.
func (a *app) fence(st *store.Store) func(context.Context, time.Time) (string, error) {
	const forever = time.Duration(math.MaxInt64)
	var seen time.Time // the latest heartbeat that was found in the database
	return func(_ context.Context, now time.Time) (string, error) {
		f, err := st.Beat(a.hard, a.baseURL, now, a.fenceAfter, fenceMost)
		if err == nil && f.Reason != "" && !seen.IsZero() && !f.Beat.Before(seen) {
			f, err = st.Beat(a.hard, a.baseURL, now, forever, fenceMost)
		}
		if err == nil && f.Reason == "" && f.Beat.After(seen) {
			seen = f.Beat
		}
		return f.Reason, err
	}
}

// withWork is withStore for the hourly job: it begins only if it says who asks,
// and if there is no fence, and leaves a heartbeat.
func (a *app) withWork(do func(*store.Store) error) error {
	return a.unfenced(do, func(st *store.Store) (string, error) { return a.fence(st)(a.soft, a.now()) })
}

// withPolls is withWork for a command that asks a few sites and is no instance at work.
func (a *app) withPolls(do func(*store.Store) error) error {
	return a.unfenced(do, func(st *store.Store) (string, error) {
		f, err := st.LookFence(a.soft, a.baseURL, a.now(), a.fenceAfter, fenceMost)
		return f.Reason, err
	})
}

func (a *app) unfenced(do func(*store.Store) error, look func(*store.Store) (reason string, err error)) error {
	if err := a.named(); err != nil {
		return err
	}
	return a.withStore(func(st *store.Store) error {
		reason, err := look(st)
		if err != nil {
			return err
		}
		if reason != "" {
			return &digest.Error{Kind: digest.Conflict, Message: reason + "; nothing is asked and nothing is sent: see digest fence"}
		}
		return do(st)
	})
}
