package worker_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"digest"
	"digest/store/storetest"
	"digest/worker"
)

// running returns a job on a database whose clock runs in a synctest bubble from start on.
func (h *house) running(t *testing.T, database string, start time.Time) *worker.Job {
	inside := *h
	inside.t, inside.st = t, storetest.Open(t, database)
	job, began := inside.job(), time.Now()
	job.Frozen, job.Now = false, func() time.Time { return start.Add(time.Since(began)) }
	job.Mail.Now = job.Now
	return job
}

// TestTickStaysForItsRate holds that a tick waits until all mail is sent within its rate. With a frozen
// clock it leaves the rest to a later tick.
func TestTickStaysForItsRate(t *testing.T) {
	storetest.EachAddress(t, func(t *testing.T, database string) {
		const readers = 5
		h := houseOfMany(t, database, readers)
		// Two immediately, then one every 56 ms.
		rate := digest.Limits{Rate: digest.Rate{Messages: 20, Per: time.Second}}
		frozen := h.job()
		frozen.Mail.Domain = rate
		sum, err := frozen.Tick(t.Context())
		if err != nil || sum.Editions != readers || sum.Sent != 2 {
			t.Errorf("with a clock that stands still: %+v, %v; want %d editions and 2 sent", sum, err, readers)
		}
		synctest.Test(t, func(t *testing.T) {
			running := h.running(t, database, h.clock)
			running.Mail.Domain = rate
			if sum, err := running.Tick(t.Context()); err != nil || sum.Sent != readers-2 {
				t.Errorf("with a clock that runs: %+v, %v; want %d sent", sum, err, readers-2)
			}
		})
		if n, _ := h.inbox(); n != readers {
			t.Errorf("%d mails, want %d", n, readers)
		}
	})
}

// houseOfMany returns a house at the midnight of a number of readers in UTC.
func houseOfMany(t *testing.T, database string, readers int) *house {
	s := newSite(t, "first")
	h := newHouse(t, storetest.Open(t, database), "2026-11-19 10:00")
	for i := range readers {
		h.reader(fmt.Sprintf("r%d@example.org", i), "UTC", s)
	}
	h.set("2026-11-20 00:00")
	return h
}

// TestConnectionsAreOurOwn holds that deliveries of another worker take none of our connections. The tick
// waits for its rate as if it were alone.
func TestConnectionsAreOurOwn(t *testing.T) {
	storetest.EachAddress(t, func(t *testing.T, database string) {
		h := houseOfMany(t, database, 6)
		sealing := h.job()
		sealing.Mail.Domain = digest.Limits{Rate: digest.Rate{Messages: 1, Per: time.Second}}
		if sum, err := sealing.Tick(t.Context()); err != nil || sum.Sent != 1 {
			t.Fatalf("%+v, %v", sum, err)
		}
		other := digest.Claim{Most: 2, Lease: 5 * time.Minute, Token: "another worker"}
		if got, err := h.st.Editions.ClaimEditions(t.Context(), h.clock, other); err != nil || len(got) != 2 {
			t.Fatal(got, err)
		}
		synctest.Test(t, func(t *testing.T) {
			running := h.running(t, database, h.clock.Add(time.Second))
			running.Mail.Route = digest.Limits{Connections: 2}
			running.Mail.Domain = digest.Limits{Rate: digest.Rate{Messages: 20, Per: time.Second}}
			if sum, err := running.Tick(t.Context()); err != nil || sum.Sent != 3 {
				t.Errorf("%+v, %v; want 3 sent", sum, err)
			}
		})
	})
}
