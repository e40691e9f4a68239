package main

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"digest/store"
)

const (
	measureEvery = time.Minute     // interval between readings of the database's clock
	measureLimit = 2 * time.Second // timeout of a reading
	tolerance    = time.Second     // difference below which clocks count as equal
	worthSaying  = time.Minute     // difference above which the log warns
)

// A commonClock is the clock of a database that several machines use. It decides leases and midnights, even if the
// machine's own clock is wrong. Between readings it extrapolates with the machine's clock. If that is set to another
// time, it reads the database's clock again.
type commonClock struct {
	local func() reading
	ask   func(context.Context) (time.Time, error)
	log   *slog.Logger

	mu    sync.Mutex
	last  reading       // of the machine's clock at the last measurement
	ahead time.Duration // difference between the database's clock and the machine's
	said  time.Duration // difference in the last warning
}

// A reading is the time that a machine's clock shows, and the monotonic time since the program began.
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

// jumpedSince reports whether somebody set the clock since the last reading.
func (r reading) jumpedSince(last reading) bool {
	return (r.shows.Round(0).Sub(last.shows.Round(0)) - (r.passed - last.passed)).Abs() > tolerance
}

// measure reads the database's clock. If that fails, it keeps the last known difference.
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

// useCommonClock replaces a running clock by the database's clock, if it has one, until the command ends.
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
