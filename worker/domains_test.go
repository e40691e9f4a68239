package worker_test

import (
	"context"
	"errors"
	"testing"
)

// TestLooksAtDomains holds that each Tick checks the records of newsletters' domains, and that an error
// there is no failure of the Tick.
func TestLooksAtDomains(t *testing.T) {
	eachHouse(t, "2026-11-19 10:00", func(t *testing.T, h *house, _ *site) {
		looks := 0
		job := h.job()
		job.LookAtDomains = func(context.Context) error { looks++; return errors.New("the DNS is away") }
		if _, err := job.Tick(t.Context()); err != nil || looks != 1 {
			t.Errorf("%d looks, %v", looks, err)
		}
	})
}
