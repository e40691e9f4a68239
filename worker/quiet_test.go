package worker_test

import (
	"sync/atomic"
	"testing"
	"time"
)

// TestQuietWhileMailIsDown holds that an edition that cannot be sent does not keep the loops busy.
func TestQuietWhileMailIsDown(t *testing.T) {
	inWeek(t, time.Date(2026, 3, 26, 12, 0, 0, 0, time.UTC), func(t *testing.T, w *week) {
		w.subscribe("ann@example.org", "UTC")
		w.mailnet.Close() // no server listens
		var looks atomic.Int64
		job := w.job()
		job.Now = func() time.Time { looks.Add(1); return time.Now() }
		stop := w.run(job)
		time.Sleep(13 * time.Hour) // an hour past midnight
		looks.Store(0)
		time.Sleep(6 * time.Hour)
		if n := looks.Load(); n > 2000 { // untilTold reads it 1440 times
			t.Errorf("the clock was read %d times in six hours in which nothing could be done", n)
		}
		stop()
	})
}

// TestTickDoesNotStayForTheRoute holds that a tick ends if mail cannot be sent; the next one retries.
func TestTickDoesNotStayForTheRoute(t *testing.T) {
	inWeek(t, time.Date(2026, 3, 26, 12, 0, 0, 0, time.UTC), func(t *testing.T, w *week) {
		w.subscribe("ann@example.org", "UTC")
		_, err := w.job().Tick(t.Context())
		ok(t, err)
		time.Sleep(time.Until(w.begin.Add(12 * time.Hour)))
		if sum, err := w.job().Tick(t.Context()); err != nil || sum.Editions != 1 || sum.Sent != 0 { // greylisted
			t.Fatalf("%+v, %v", sum, err)
		}
		w.mailnet.Close() // no server listens
		time.Sleep(10 * time.Minute)
		start := time.Now()
		if sum, err := w.job().Tick(t.Context()); err != nil || sum.MailWaits == "" ||
			time.Since(start) > 30*time.Second {
			t.Errorf("%+v, %v, after %v", sum, err, time.Since(start))
		}
	})
}
