package acceptance

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"digest/test/tier"
)

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
