package acceptance

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"digest/test/tier"
)

// smallWorld returns a world of few sites and one reader in Paris, with ticks at her midnights and some hours after.
func smallWorld(t *testing.T, days int, manners ...manner) *world {
	t.Helper()
	var ticks []time.Time
	for d := range days {
		midnight := runBegin().Truncate(day).Add(time.Duration(d)*day + 23*time.Hour)
		ticks = append(ticks, midnight, midnight.Add(time.Hour), midnight.Add(5*time.Hour))
	}
	w := newWorld(t, ticks)
	w.settle(manners, runBegin().Add(time.Duration(days)*day))
	kept := w.sites[:0]
	for _, p := range w.sites {
		if !p.many {
			kept = append(kept, p)
		}
	}
	w.sites = kept
	w.join("one@example.org", "Europe/Paris", func(*site) bool { return true })
	return w
}

// asked returns the number of requests to a site since the n-th.
func (w *world) asked(p *site, since int) (n int) {
	for _, e := range w.recorder.entries(since) {
		if e.site == p {
			n++
		}
	}
	return n
}

func (w *world) until(i, n int) int {
	w.t.Helper()
	for ; i < n; i++ {
		if !full() && i > 30 && i%3 != 0 { // only the midnights
			continue
		}
		w.recorder.set(w.ticks[i])
		w.tick(w.ticks[i])
		w.inbox.arrived(w.t)
	}
	return i
}

// poll runs the poll command for a feed.
func (w *world) poll(now time.Time, p *site) (outcome, state string) {
	w.t.Helper()
	w.recorder.set(now)
	o := w.try(w.t.Context(), "--now", instant(now), "--json", "poll", p.address())
	var told struct{ Outcome, State string }
	if err := json.Unmarshal([]byte(o.stdout), &told); err != nil {
		w.t.Errorf("poll %s: %v: %s%s", p.address(), err, o.stdout, o.stderr)
	}
	return told.Outcome, told.State
}

// TestDeathAndRevival checks that polls end after 90 days of errors. The reader gets a notice and stays subscribed. A
// person's poll revives the feed only if the site responds successfully (S20).
func TestDeathAndRevival(t *testing.T) {
	tier.Acceptance(t)
	t.Parallel()
	failing := reply{status: 500, rest: 4 * time.Hour, why: "500 (S20)"}
	w := smallWorld(t, 112, troubled("500 for 104 days", day, 105*day, failing))
	p := w.sites[0]
	w.until(0, 3*95)
	if n := w.asked(p, 0); n > 1+2+96 {
		t.Errorf("%d requests in 95 days, of which it failed for 94", n)
	}
	dead := len(w.recorder.entries(0))
	w.until(3*95, 3*100)
	if n := w.asked(p, dead); n != 0 {
		t.Errorf("%d requests after 90 days of errors", n)
	}
	told := w.notices("one@example.org", "Site 0")
	if len(told) != 1 || !strings.Contains(told[0], "90 days") {
		t.Errorf("the reader was told %q", told)
	}
	if outcome, state := w.poll(w.ticks[3*100-1].Add(time.Hour), p); outcome != "failed" || state != "dead" {
		t.Errorf("vouched for too early: %s, %s", outcome, state)
	}
	w.until(3*100, 3*106)
	if n := w.asked(p, dead); n != 1 {
		t.Errorf("%d requests after a person's word for a feed that still fails", n)
	}
	if outcome, state := w.poll(w.ticks[3*106-1].Add(time.Hour), p); outcome != "changed" || state == "dead" {
		t.Errorf("vouched for: %s, %s", outcome, state)
	}
	back := len(w.recorder.entries(0))
	w.until(3*106, 3*112)
	if n := w.asked(p, back); n < 4 || n > 7 {
		t.Errorf("%d requests in the six days after its revival", n)
	}
	// The site has published many posts, but the document contains only ten.
	if told := w.notices("one@example.org", "Site 0"); len(told) != 2 || !strings.Contains(told[1], "issed posts") {
		t.Errorf("the reader was told %q", told)
	}
	w.judgeRobots()
}
