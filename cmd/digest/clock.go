package main

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"digest/store"
)

const (
	measureEvery = time.Minute     // between two looks at the database's clock
	measureLimit = 2 * time.Second // for one
	tolerance    = time.Second     // clocks that are so near are one
	worthSaying  = time.Minute     // a clock that is off by more has to be put right
)

// A commonClock is the clock of a database that several machines work on: leases
// and midnights are judged by it, whatever the machine's own clock says. In between
// two looks at it the machine's clock counts, and if that is put forward or back
// there is another look at once.
type commonClock struct {
	local func() reading
	ask   func(context.Context) (time.Time, error)
	log   *slog.Logger

	mu    sync.Mutex
	last  reading       // of the machine's clock, at the last look
	ahead time.Duration // of the database's clock
	said  time.Duration // what the operator was told
}

// A reading is what a machine's clock shows, and how much time has passed, which
// goes on whatever is done to the clock.
type reading struct {
	shows  time.Time
	passed time.Duration
}

func newCommonClock(st *store.Store, log *slog.Logger) *commonClock {
	began := time.Now()
	local := func() reading { now := time.Now(); return reading{now, now.Sub(began)} }
	c := &commonClock{local: local, ask: st.Clock, log: log}
	c.measure()
	return c
}

// Now gives the time by the database's clock.
func (c *commonClock) Now() time.Time {
	now := c.local()
	c.mu.Lock()
	ahead, jumped := c.ahead, now.jumpedSince(c.last)
	c.mu.Unlock()
	if !jumped {
		return now.shows.Add(ahead)
	}
	c.measure()
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.local().shows.Add(c.ahead)
}

// jumpedSince reports whether the clock has gone on by another time than has passed.
func (r reading) jumpedSince(last reading) bool {
	return (r.shows.Round(0).Sub(last.shows.Round(0)) - (r.passed - last.passed)).Abs() > tolerance
}

// measure looks at the database's clock. Where it does not answer, what was seen
// last goes on to hold.
func (c *commonClock) measure() {
	ctx, cancel := context.WithTimeout(context.Background(), measureLimit)
	defer cancel()
	before := c.local()
	theirs, err := c.ask(ctx)
	after := c.local()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last = after
	if err != nil {
		c.log.Warn("cannot read the database clock; using the last known difference", "err", err)
		return
	}
	took := after.passed - before.passed
	c.ahead = theirs.Sub(after.shows.Round(0).Add(-took / 2))
	if c.ahead.Abs() <= tolerance+took/2 {
		c.ahead = 0
	}
	if (c.ahead - c.said).Abs() > worthSaying {
		c.said = c.ahead
		c.log.Warn("using the database clock instead of this machine's; see: digest doctor", "database_ahead",
			c.ahead.Round(time.Second).String())
	}
}

// keep goes on measuring until ctx ends.
func (c *commonClock) keep(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(measureEvery):
			c.measure()
		}
	}
}

// useCommonClock lets a command whose clock runs go by that of the database, where
// it has one, until the command ends.
func (a *app) useCommonClock(st *store.Store) (stop func()) {
	if a.asOf || !st.HasClock() {
		return func() {}
	}
	c := newCommonClock(st, a.log)
	a.clock = c.Now
	ctx, stop := context.WithCancel(a.hard)
	go c.keep(ctx)
	return stop
}
