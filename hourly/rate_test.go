package hourly_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/hourly"
	"digest/store"
	"digest/store/storetest"
)

// TestTickStaysForItsRate holds that a tick whose mail may not all leave at
// once stays until it has, and that one whose clock stands still leaves the
// rest to a later one.
func TestTickStaysForItsRate(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		const readers = 5
		s := newSite(t)
		s.publish("first")
		h := newHouse(t, st, "2026-11-19 10:00")
		for i := range readers {
			h.reader(fmt.Sprintf("r%d@example.org", i), "UTC", s)
		}
		h.set("2026-11-20 00:00")
		rate := digest.Limits{Rate: digest.Rate{Messages: 20, Per: time.Second}} // two at once, then one every 56 ms
		frozen := h.job()
		frozen.Mail.Domain = rate
		sum, err := frozen.Tick(t.Context())
		if err != nil || sum.Editions != readers || sum.Sent != 2 {
			t.Errorf("with a clock that stands still: %+v, %v; want %d editions and 2 sent", sum, err, readers)
		}
		running := h.job()
		start, began := h.clock, time.Now()
		running.Frozen, running.Now = false, func() time.Time { return start.Add(time.Since(began)) }
		running.Mail.Now, running.Mail.Domain = running.Now, rate
		if sum, err = running.Tick(t.Context()); err != nil || sum.Sent != readers-2 {
			t.Errorf("with a clock that runs: %+v, %v; want %d sent", sum, err, readers-2)
		}
		if n, _ := h.inbox(); n != readers {
			t.Errorf("%d mails, want %d", n, readers)
		}
	})
}

// TestConnectionsAreOurOwn holds that what another worker has on the way takes
// none of our connections: the tick stays for its rate as if it were alone.
func TestConnectionsAreOurOwn(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		s := newSite(t)
		s.publish("first")
		h := newHouse(t, st, "2026-11-19 10:00")
		for i := range 6 {
			h.reader(fmt.Sprintf("r%d@example.org", i), "UTC", s)
		}
		h.set("2026-11-20 00:00")
		sealing := h.job()
		sealing.Mail.Domain = digest.Limits{Rate: digest.Rate{Messages: 1, Per: time.Second}}
		if sum, err := sealing.Tick(t.Context()); err != nil || sum.Sent != 1 {
			t.Fatalf("%+v, %v", sum, err)
		}
		other := digest.Claim{Most: 2, Lease: 5 * time.Minute, Token: "another worker"}
		if got, err := st.ClaimEditions(t.Context(), h.clock, other); err != nil || len(got) != 2 {
			t.Fatal(got, err)
		}
		running := h.job()
		start, began := h.clock.Add(time.Second), time.Now()
		running.Frozen, running.Now = false, func() time.Time { return start.Add(time.Since(began)) }
		running.Mail.Now = running.Now
		running.Mail.Route = digest.Limits{Connections: 2}
		running.Mail.Domain = digest.Limits{Rate: digest.Rate{Messages: 20, Per: time.Second}}
		if sum, err := running.Tick(t.Context()); err != nil || sum.Sent != 3 {
			t.Errorf("%+v, %v; want 3 sent", sum, err)
		}
	})
}

// TestPauseEndsByItself holds that a reader whose pause is over gets what
// waited, and all that is new, with the next edition.
func TestPauseEndsByItself(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		s := newSite(t)
		s.publish("before")
		h := newHouse(t, st, "2026-11-19 10:00")
		d := h.reader("utc@example.org", "UTC", s)
		until := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
		if err := st.PauseDigest(t.Context(), d.ID, until, h.clock); err != nil {
			t.Fatal(err)
		}
		s.publish("meanwhile")
		h.tick("2026-11-20 00:00", hourly.Summary{Polled: 1, Changed: 1, Posts: 1})
		h.tick("2026-11-21 00:00", hourly.Summary{Polled: 1, Unchanged: 1})
		h.tick("2026-11-21 23:00", hourly.Summary{})
		h.tick("2026-11-22 00:00", hourly.Summary{Polled: 1, Unchanged: 1, Editions: 1, Sent: 1})
		if n, text := h.inbox(); n != 1 || !strings.Contains(text, "before") || !strings.Contains(text, "meanwhile") {
			t.Errorf("%d mails, want one with what waited and what is new:\n%s", n, text)
		}
	})
}
