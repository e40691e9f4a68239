package acceptance

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"digest/test/tier"
)

// TestNobodyReads checks that a feed without active readers gets no requests until it has one again.
func TestNobodyReads(t *testing.T) {
	tier.Acceptance(t)
	t.Parallel()
	failing := troubled("500 for ever", 12*time.Hour, 1000*day, reply{status: 500, rest: 4 * time.Hour, why: "500"})
	w := smallWorld(t, 12, both("usual"), failing)
	quiet := func(from, to int, why string) {
		t.Helper()
		before := len(w.recorder.entries(0))
		w.until(from, to)
		if n := len(w.recorder.entries(before)); n != 0 {
			t.Errorf("%d requests although %s", n, why)
		}
	}
	asked := func(from, to int, why string) {
		t.Helper()
		before := len(w.recorder.entries(0))
		w.until(from, to)
		if n := w.asked(w.sites[0], before); n != (to-from)/3 {
			t.Errorf("%d requests in %d days although %s", n, (to-from)/3, why)
		}
	}
	asked(0, 3, "all is as usual")
	w.at(w.ticks[2].Add(time.Minute), "user", "set", "one@example.org", "--state", "paused")
	quiet(3, 9, "its reader has paused")
	w.at(w.ticks[8].Add(time.Minute), "user", "set", "one@example.org", "--state", "active")
	asked(9, 15, "its reader is back")
	for _, p := range w.sites {
		w.at(w.ticks[14].Add(time.Minute), "unsubscribe", "one@example.org", p.address())
	}
	quiet(15, 21, "nobody takes it")
	w.recorder.set(w.ticks[20].Add(time.Minute))
	w.at(w.ticks[20].Add(time.Minute), "subscribe", "one@example.org", w.sites[0].address())
	asked(21, 27, "it has a reader again")
	w.at(w.ticks[26].Add(time.Minute), "user", "remove", "one@example.org")
	quiet(27, 36, "its reader has gone")
}

// TestWorkers uses many concurrent workers, feeds that share hosts, and a rule that changes in between. No request is
// repeated or concurrent (S16, S34, S38).
func TestWorkers(t *testing.T) {
	tier.Acceptance(t)
	t.Parallel()
	var manners []manner
	for i := range 12 {
		m := both("shared")
		m.shares, m.every = fmt.Sprint("host", i%3), 8*time.Hour
		m.adjust = func(_ *site, _ time.Time, _ *http.Request, a *reply) { a.slow = true }
		manners = append(manners, m)
	}
	w := smallWorld(t, 6, manners...)
	for i, now := range w.ticks {
		w.recorder.set(now)
		if i == 6 {
			w.house.run("hosts", "set", mustURL(w.sites[0].door.base).Hostname(), "--interval", "48h")
			for _, p := range w.sites {
				if p.door == w.sites[0].door {
					p.rule = 48 * time.Hour
				}
			}
		}
		var workers sync.WaitGroup
		for range 4 {
			workers.Go(func() { w.tick(now) })
		}
		workers.Wait()
	}
	w.judge()
	w.judgeRobots()
	for _, p := range w.sites {
		n, want := w.asked(p, 0), 1+6
		if p.rule > 0 {
			want = 1 + 2 + 2
		}
		if n < want-1 || n > want+4 {
			t.Errorf("%s: %d requests, want about %d", p.path, n, want)
		}
	}
}
