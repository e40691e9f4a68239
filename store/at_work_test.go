package store_test

import (
	"testing"
	"time"

	"digest/store"
)

// TestWorkersApart: a worker whose own clock is 14 hours off does not delete other workers. The database's clock
// decides which workers have not reported for too long.
func TestWorkersApart(t *testing.T) {
	for _, off := range []time.Duration{14 * time.Hour, -14 * time.Hour} {
		t.Run(off.String(), func(t *testing.T) {
			each(t, func(w world) {
				now := must(w.Clock(w.ctx))
				w.ok(w.AtWork(w.ctx, store.Worker{ID: "silent", At: now.Add(-2 * time.Hour)}))
				w.ok(w.AtWork(w.ctx, store.Worker{ID: "right", At: now}))
				w.ok(w.AtWork(w.ctx, store.Worker{ID: "wrong", At: now.Add(off)}))
				workers := must(w.Workers(w.ctx))
				if len(workers) != 2 || workers[0].ID != "right" || workers[1].ID != "wrong" {
					t.Errorf("at work: %v", workers)
				}
			})
		})
	}
}
