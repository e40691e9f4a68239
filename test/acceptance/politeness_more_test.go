package acceptance

import (
	"fmt"
	"net/http"
	"strings"
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
		if n := w.asked(w.plots[0], before); n != (to-from)/3 {
			t.Errorf("%d requests in %d days although %s", n, (to-from)/3, why)
		}
	}
	asked(0, 3, "all is as usual")
	w.at(w.ticks[2].Add(time.Minute), "user", "set", "one@example.org", "--state", "paused")
	quiet(3, 9, "its reader has paused")
	w.at(w.ticks[8].Add(time.Minute), "user", "set", "one@example.org", "--state", "active")
	asked(9, 15, "its reader is back")
	for _, p := range w.plots {
		w.at(w.ticks[14].Add(time.Minute), "unsubscribe", "one@example.org", p.address())
	}
	quiet(15, 21, "nobody takes it")
	w.recorder.set(w.ticks[20].Add(time.Minute))
	w.at(w.ticks[20].Add(time.Minute), "subscribe", "one@example.org", w.plots[0].address())
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
		m.adjust = func(_ *plot, _ time.Time, _ *http.Request, a *reply) { a.slow = true }
		manners = append(manners, m)
	}
	w := smallWorld(t, 6, manners...)
	for i, now := range w.ticks {
		w.recorder.set(now)
		if i == 6 {
			w.run1("hosts", "set", mustURL(w.plots[0].door.base).Hostname(), "--interval", "48h")
			for _, p := range w.plots {
				if p.door == w.plots[0].door {
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
	w.judgeAll()
	for _, p := range w.plots {
		n, want := w.asked(p, 0), 1+6
		if p.rule > 0 {
			want = 1 + 2 + 2
		}
		if n < want-1 || n > want+4 {
			t.Errorf("%s: %d requests, want about %d", p.path, n, want)
		}
	}
}

// TestMerge checks that a feed that moves to the address of another one merges with it: one request per midnight for
// both, and no repeated posts.
func TestMerge(t *testing.T) {
	tier.Acceptance(t)
	t.Parallel()
	m := both("moves")
	m.moved, m.every = []int{301}, 20*time.Hour
	w := smallWorld(t, 20, m)
	p := w.plots[0]
	direct := p.door.base + p.path
	w.at(runBegin(), "user", "add", "two@example.org", "--time-zone", "Europe/Paris")
	w.at(runBegin(), "subscribe", "two@example.org", direct)
	w.recorder.set(runBegin().Add(2 * time.Hour))
	w.at(runBegin().Add(2*time.Hour), "subscribe", "one@example.org", direct)
	w.until(0, 3*11)
	before := len(w.recorder.entries(0))
	w.until(3*11, 3*20)
	if n := w.asked(p, before); n > 9+1 {
		t.Errorf("%d requests in 9 days for two feeds that are one", n)
	}
	had := map[string]bool{}
	for _, l := range w.inbox.letters {
		for url := range l.posts {
			if had[l.to+url] {
				t.Errorf("%s had %s twice", l.to, url)
			}
			had[l.to+url] = true
		}
	}
	list := w.at(w.ticks[len(w.ticks)-1], "opml", "export", "one@example.org")
	if strings.Count(list, "xmlUrl") != 1 || !strings.Contains(list, direct) {
		t.Errorf("the list of who had both:\n%s", list)
	}
}

// TestElsewhere checks that the target of a redirect gets no password, and that its robots.txt is obeyed.
func TestElsewhere(t *testing.T) {
	t.Parallel()
	secret, closed := both("asks for a password, then redirects"), both("redirects to a site that names us")
	secret.moved, closed.moved = []int{302}, []int{302}
	closed.robots = func(time.Time) string { return "User-agent: digest\nDisallow: /" }
	w := smallWorld(t, 1)
	w.settle([]manner{secret, closed}, runBegin().Add(20*day))
	w.at(runBegin(), "user", "add", "one@example.org", "--time-zone", "Europe/Paris")
	address := strings.Replace(w.plots[0].address(), "http://", "http://reader:s3cret@", 1)
	w.at(runBegin(), "subscribe", "one@example.org", address)
	w.at(runBegin(), "subscribe", "one@example.org", w.plots[2].address())
	for d := 7; d < 12; d++ {
		now := parisMidnight(d)
		w.recorder.set(now)
		w.tick(now)
	}
	for _, e := range w.recorder.entries(0) {
		switch sent := e.req.Header.Get("Authorization") != ""; {
		case e.plot == w.plots[2] && !e.moved:
			t.Errorf("%s %s although its robots.txt says not to", e.req.Method, e.raw)
		case sent && (e.plot != w.plots[0] || !e.moved):
			t.Errorf("the password went to another site:\n%s", e.raw)
		case !sent && e.plot == w.plots[0] && e.moved:
			t.Errorf("no password was sent:\n%s", e.raw)
		}
	}
	if n := w.asked(w.plots[2], 0); n > 5 {
		t.Errorf("%d requests in five midnights that lead to a site that names us", n)
	}
}

// TestFirstAnswer checks that a site that refuses the first request gets no other until the rules allow it, for any
// number of subscriptions (S18, S19, S21).
func TestFirstAnswer(t *testing.T) {
	t.Parallel()
	begin := runBegin()
	w := newWorld(t, []time.Time{begin})
	wait := reply{status: 429, fields: [][2]string{{"Retry-After", "18000"}}}
	missing, broken := reply{status: 404}, reply{status: 500}
	w.settle([]manner{
		troubled("429", 0, 3*time.Hour, wait), troubled("404", 0, 3*time.Hour, missing),
		troubled("500", 0, 3*time.Hour, broken),
	}, begin.Add(day))
	w.at(begin, "user", "add", "one@example.org", "--time-zone", "Europe/Paris")
	for _, minutes := range []int{0, 1, 5} {
		now := begin.Add(time.Duration(minutes) * time.Minute)
		w.recorder.set(now)
		for i := 0; i < len(w.plots); i += 2 {
			o := w.try(t.Context(), "--now", instant(now), "subscribe", "one@example.org", w.plots[i].address())
			if lines := strings.Count(strings.TrimSpace(o.stderr), "\n"); o.status != 1 || lines > 0 {
				t.Errorf("subscribing to a site that answers %s: exit status %d, %q", w.plots[i].name, o.status,
					o.stderr)
			}
		}
	}
	// Without a stored feed each subscription sends a request, but only one, and none to a site that named a time.
	for i := 0; i < len(w.plots); i += 2 {
		n, heads := 0, 0
		for _, e := range w.recorder.entries(0) {
			if e.plot == w.plots[i] {
				n++
				if e.req.Method == http.MethodHead {
					heads++
				}
			}
		}
		t.Logf("%s: %d requests for three wishes in five minutes", w.plots[i].name, n)
		if heads > 0 || n > 3 || i == 0 && n > 1 {
			t.Errorf("%s: %d requests, %d of them HEAD, for three wishes in five minutes", w.plots[i].name, n, heads)
		}
	}
}
