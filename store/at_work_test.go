package store_test

import (
	"testing"
	"time"

	"digest/store"
)

// TestWorkersApart: a worker that says what its own clock shows, 14 hours from the
// truth, has nobody forgotten who works; who has been silent for long is forgotten, by
// the clock of the database.
func TestWorkersApart(t *testing.T) {
	for _, off := range []time.Duration{14 * time.Hour, -14 * time.Hour} {
		t.Run(off.String(), func(t *testing.T) {
			eachWorld(t, func(w world) {
				now, err := w.Clock(w.ctx())
				w.ok(err)
				w.ok(w.AtWork(w.ctx(), store.Worker{ID: "silent", At: now.Add(-2 * time.Hour)}))
				w.ok(w.AtWork(w.ctx(), store.Worker{ID: "right", At: now}))
				w.ok(w.AtWork(w.ctx(), store.Worker{ID: "wrong", At: now.Add(off)}))
				workers, err := w.Workers(w.ctx())
				w.ok(err)
				if len(workers) != 2 || workers[0].ID != "right" || workers[1].ID != "wrong" {
					t.Errorf("at work: %v", workers)
				}
			})
		})
	}
}
