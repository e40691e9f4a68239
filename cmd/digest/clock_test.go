package main

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"digest/store/storetest"
)

// TestCommonClock checks that a worker uses the database's clock, and warns once that its own is wrong.
func TestCommonClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var off time.Duration // of the machine's clock
		var away error
		var said bytes.Buffer
		began := time.Now()
		c := &commonClock{
			local: func() reading { return reading{time.Now().Add(off), time.Since(began)} },
			ask:   func(context.Context) (time.Time, error) { return time.Now().Round(0).UTC(), away },
			log:   slog.New(slog.NewTextHandler(&said, nil)),
		}
		c.measure()
		right := func(what string, slack time.Duration) {
			t.Helper()
			if got := c.Now().Round(0).Sub(time.Now().Round(0)); got.Abs() > slack {
				t.Errorf("%s: the clock is %v ahead", what, got)
			}
		}
		right("at first", 0)
		off = 300 * time.Millisecond
		c.measure()
		right("a little fast: not worth a thought", off)
		for _, off = range []time.Duration{10 * time.Minute, 14 * time.Hour, -14 * time.Hour, 0} {
			right("set to "+off.String(), 0)
			time.Sleep(10 * time.Minute)
			right("later", 0)
		}
		off, away = 40*time.Minute, errors.New("away")
		if got := c.Now().Round(0).Sub(time.Now().Round(0)); got != off {
			t.Errorf("while the database is away the clock is %v ahead; want what the machine says", got)
		}
		away = nil
		c.measure()
		right("when it is back", 0)
		if n := strings.Count(said.String(), "using the database clock"); n != 5 {
			t.Errorf("it said %d times that the clock is wrong, or right again; want 5:\n%s", n, said.String())
		}
	})
}

// TestFastWorker checks that a worker whose clock is ten minutes fast uses PostgreSQL's clock. So it claims nothing
// before the lease expires, and releases nothing early.
func TestFastWorker(t *testing.T) {
	st := storetest.Open(t, storetest.Postgres(t))
	began := time.Now()
	c := &commonClock{
		local: func() reading { return reading{time.Now().Add(10 * time.Minute), time.Since(began)} },
		ask:   st.Clock,
		log:   slog.New(slog.DiscardHandler),
	}
	c.measure()
	if ahead := time.Until(c.Now()); ahead.Abs() > 2*time.Minute {
		t.Errorf("it is %v ahead", ahead)
	}
}
