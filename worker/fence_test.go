package worker_test

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"
)

// TestFencedWhileItRuns holds that an instance stops polling and mailing when another one takes over its
// database, and continues when the fence is released.
func TestFencedWhileItRuns(t *testing.T) {
	inWeek(t, time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC), func(t *testing.T, w *week) {
		w.subscribe("ann@example.org", "Europe/Paris")
		closed, open := w.begin.Add(36*time.Hour), w.begin.Add(84*time.Hour)
		job := w.job()
		job.Fence = func(_ context.Context, now time.Time) (string, error) {
			if now.After(closed) && now.Before(open) {
				return "another instance works on this database", nil
			}
			return "", nil
		}
		stop := w.run(job)
		time.Sleep(6 * 24 * time.Hour)
		stop()
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

// TestAnswersAgain holds that the log says once when the database is available again, and how long it was
// not.
func TestAnswersAgain(t *testing.T) {
	inWeek(t, time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC), func(t *testing.T, w *week) {
		gone, back, sick := w.begin.Add(time.Hour), w.begin.Add(3*time.Hour), w.begin.Add(5*time.Hour)
		var logged strings.Builder
		job := w.job()
		job.Log = slog.New(slog.NewTextHandler(&logged, nil))
		job.Fence = func(_ context.Context, now time.Time) (string, error) {
			switch {
			case now.After(gone) && now.Before(back):
				return "", fmt.Errorf("reading the heartbeat: %w", driver.ErrBadConn)
			case now.After(sick) && now.Before(sick.Add(time.Hour)):
				return "", errors.New("a mistake of ours")
			}
			return "", nil
		}
		stop := w.run(job)
		time.Sleep(12 * time.Hour)
		stop()
		n := strings.Count(logged.String(), "the database is available again")
		if n != 1 || !strings.Contains(logged.String(), `msg="the database is available again" after=1h59m0s`) {
			t.Errorf("said %d times: %s", n, logged.String())
		}
	})
}
