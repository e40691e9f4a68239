package hourly_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"digest/store/storetest"
)

// TestQuietWhileMailIsDown holds that an edition that cannot be sent does not
// keep the loops busy: what nobody can do anything about is no event.
func TestQuietWhileMailIsDown(t *testing.T) {
	path := storetest.SQLite(t)
	synctest.Test(t, func(t *testing.T) {
		begin := time.Date(2026, 3, 26, 12, 0, 0, 0, time.UTC)
		time.Sleep(time.Until(begin))
		w := newWeek(t, path, begin)
		w.subscribe("ann@example.org", "UTC")
		w.mailnet.Close() // nobody listens
		var looks atomic.Int64
		job := w.job()
		job.Now = func() time.Time { looks.Add(1); return time.Now() }
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() {
			if err := job.Run(ctx); err != nil {
				t.Error(err)
			}
		})
		time.Sleep(13 * time.Hour) // an hour past midnight
		looks.Store(0)
		time.Sleep(6 * time.Hour)
		if n := looks.Load(); n > 1000 {
			t.Errorf("the clock was read %d times in six hours in which nothing could be done", n)
		}
		stop()
		running.Wait()
		w.close()
	})
}

// TestTickDoesNotStayForTheRoute holds that a tick is over when mail cannot be
// sent: the next one tries again.
func TestTickDoesNotStayForTheRoute(t *testing.T) {
	path := storetest.SQLite(t)
	synctest.Test(t, func(t *testing.T) {
		begin := time.Date(2026, 3, 26, 12, 0, 0, 0, time.UTC)
		time.Sleep(time.Until(begin))
		w := newWeek(t, path, begin)
		w.subscribe("ann@example.org", "UTC")
		if _, err := w.job().Tick(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Until(begin.Add(12 * time.Hour)))
		if sum, err := w.job().Tick(t.Context()); err != nil || sum.Editions != 1 || sum.Sent != 0 { // greylisted
			t.Fatalf("%+v, %v", sum, err)
		}
		w.mailnet.Close() // nobody listens
		time.Sleep(10 * time.Minute)
		start := time.Now()
		if sum, err := w.job().Tick(t.Context()); err != nil || sum.MailWaits == "" || time.Since(start) > 30*time.Second {
			t.Errorf("%+v, %v, after %v", sum, err, time.Since(start))
		}
		w.close()
	})
}
