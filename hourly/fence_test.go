package hourly_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"digest/store/storetest"
)

// TestFencedWhileItRuns: an instance whose database another one takes over
// stops polling and mailing, and goes on when it is released.
func TestFencedWhileItRuns(t *testing.T) {
	path := storetest.SQLite(t)
	synctest.Test(t, func(t *testing.T) {
		begin := time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)
		time.Sleep(time.Until(begin))
		w := newWeek(t, path, begin)
		w.subscribe("ann@example.org", "Europe/Paris")
		closed, open := begin.Add(36*time.Hour), begin.Add(84*time.Hour)
		job := w.job()
		job.Fence = func(_ context.Context, now time.Time) (string, error) {
			if now.After(closed) && now.Before(open) {
				return "another instance works on this database", nil
			}
			return "", nil
		}
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() {
			if err := job.Run(ctx); err != nil {
				t.Error(err)
			}
		})
		time.Sleep(6 * 24 * time.Hour)
		stop()
		running.Wait()
		w.close()
		before, after := 0, 0
		for _, r := range w.requests["busy"] {
			switch {
			case r.at.Before(closed.Add(5 * time.Minute)):
				before++
			case r.at.Before(open):
				t.Errorf("asked at %v, behind the fence", r.at)
			default:
				after++
			}
		}
		for _, l := range w.inbox["ann@example.org"] {
			if l.at.After(closed.Add(5*time.Minute)) && l.at.Before(open) {
				t.Errorf("mailed at %v, behind the fence", l.at)
			}
		}
		if before < 2 || after < 2 {
			t.Errorf("asked %d times before and %d times after", before, after)
		}
	})
}
