package acceptance

import (
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"digest/store/storetest"
	"digest/test/tier"
)

// A world is a house with readers, their sites, the recorded requests, and the ideal reader.
type world struct {
	*house
	recorder *recorder
	model    *model
	plots    []*plot
	inbox    *inbox
	got      map[string]map[string]time.Time // by reader and post: when it was mailed
	ticks    []time.Time
	faults   map[string]int
}

func newWorld(t *testing.T, ticks []time.Time) *world {
	w := &world{house: newHouse(t, storetest.SQLite(t)), recorder: newRecorder(t, runBegin()), ticks: ticks}
	w.set("DIGEST_FETCH_TIMEOUT=10s") // few sites hang
	w.model = &model{t: t, ticks: ticks, states: map[*plot]*ideal{}}
	w.inbox, w.got, w.faults = newInbox(w.maildir()), map[string]map[string]time.Time{}, map[string]int{}
	return w
}

// broken reports a broken rule. It prints each twice, and counts the rest.
func (w *world) broken(p *plot, at time.Time, rule, text string) {
	name := "somewhere"
	if p != nil {
		name = fmt.Sprintf("site %d (%s)", p.n, p.name)
	}
	key := name + rule
	if w.faults[key]++; w.faults[key] <= 2 {
		w.t.Errorf("%s: %s, day %.2f: %s", rule, name, at.Sub(runBegin()).Hours()/24, text)
	}
}

func (w *world) subscribers(p *plot) (n int) {
	for _, r := range w.model.readers {
		if slices.Contains(r.plots, p) {
			n++
		}
	}
	return n
}

// settle adds each manner as two sites: for a reader in one zone, and for readers in three. A short run of many
// manners has only one of the two, alternately.
func (w *world) settle(manners []manner, end time.Time) {
	doors := map[string]*door{}
	for i, m := range manners {
		for copyOf := range 2 {
			if len(manners) > 40 && !full() && m.shares == "" && copyOf != i%2 && !m.hopeless {
				continue
			}
			n := 2*i + copyOf
			p := plant(n, m, runBegin(), end)
			p.many = copyOf == 1 && m.user == "" // each reader of a private feed has their own requests
			key := fmt.Sprint(m.shares, copyOf)
			if m.shares == "" {
				key = fmt.Sprint(n)
				p.alone = true
			}
			if doors[key] == nil {
				doors[key] = w.recorder.open(n)
			}
			p.door = doors[key]
			w.recorder.change(func() { p.door.robots = m.robots })
			next := p.door.base + p.path
			for k := len(m.moved) - 1; k >= 0; k-- {
				old := w.recorder.open(1000 + 3*n + k)
				path := fmt.Sprintf("/old/%d/%d.xml", k, n)
				w.recorder.change(func() { old.plots[path] = p })
				p.old = slices.Insert(p.old, 0, stop{path, next})
				next = old.base + path
				p.url = next
			}
			w.recorder.change(func() { p.door.plots[p.path] = p })
			w.plots = append(w.plots, p)
		}
	}
}

// join adds a reader who subscribes to the sites that takes selects.
func (w *world) join(email, zone string, takes func(*plot) bool) {
	w.t.Helper()
	r := &subscriber{email: email, zone: zone}
	args := []string{"subscribe", email}
	for _, p := range w.plots {
		if takes(p) {
			r.plots = append(r.plots, p)
			args = append(args, p.address())
		}
	}
	if len(r.plots) == 0 {
		return
	}
	begin := runBegin()
	w.at(begin, "user", "add", email, "--time-zone", zone)
	w.at(begin, args...)
	w.model.subscribe(begin, r)
	w.got[email] = map[string]time.Time{}
}

func (w *world) run() {
	w.t.Helper()
	for i, now := range w.ticks {
		w.recorder.set(now)
		w.tick(now)
		w.model.tick(i)
		for _, l := range w.inbox.arrived(w.t) {
			for post := range l.posts {
				w.got[l.to][post] = now
			}
		}
	}
}

// hours returns the ticks of the long run: every hour in some weeks, otherwise the times at which something can
// happen.
func hours(days int, zones []string) []time.Time {
	interesting := map[time.Time]bool{}
	begin, end := runBegin(), runBegin().Add(time.Duration(days)*day)
	for _, zone := range zones {
		loc, err := time.LoadLocation(zone)
		if err != nil {
			panic(err)
		}
		for at := begin; at.Before(end); at = at.Add(time.Hour) {
			if local := at.In(loc); local.Hour() == 0 || local.Hour() == 1 && at.Sub(begin) < 12*day {
				interesting[at] = true
			}
		}
	}
	var ticks []time.Time
	for at := begin.Add(time.Hour); at.Before(end); at = at.Add(time.Hour) {
		d := int(at.Sub(begin) / day)
		if full() && d < 60 || d >= 4 && d < 6 || d >= 10 && d < 12 || interesting[at] || at.Hour() == 20 ||
			at.Hour() == 23 {
			ticks = append(ticks, at)
		}
	}
	return ticks
}

// TestSixtyDays runs the program hour by hour with all kinds of sites. It checks every request against the rules, and
// compares requests and bytes with the ideal reader's. A short run ends after the 38th day, after all events.
func TestSixtyDays(t *testing.T) {
	tier.Acceptance(t)
	t.Parallel()
	var chosen []manner
	for _, m := range allManners() {
		if named(m, os.Getenv("DIGEST_ACCEPTANCE_SITE")) {
			chosen = append(chosen, m)
		}
	}
	zones := []string{"Europe/Paris", "America/New_York", "Asia/Kolkata"}
	days := 38
	if full() {
		days = 60
	}
	w := newWorld(t, hours(days, zones))
	w.settle(chosen, runBegin().Add(time.Duration(days)*day))
	for _, p := range w.plots {
		if p.rule > 0 {
			w.run1("hosts", "set", mustURL(p.door.base).Hostname(), "--interval", p.rule.String())
		}
	}
	w.join("one@example.org", "Europe/Paris", func(p *plot) bool { return !p.many })
	for i, zone := range zones {
		w.join(fmt.Sprintf("many%d@example.org", i), zone, func(p *plot) bool { return p.many })
	}
	w.run()
	w.judgeAll()
	w.compare()
	w.checkLate()
	w.checkNotices()
	w.tell(os.Getenv("DIGEST_ACCEPTANCE_TELL"))
}

// tell logs every request to the site with a number.
func (w *world) tell(number string) {
	for _, e := range w.recorder.entries(0) {
		if e.plot != nil && fmt.Sprint(e.plot.n) == number {
			w.t.Logf("day %.2f %s %s %q %q: %d %d %s", w.day(e.at), e.req.Method, e.req.URL.Path,
				e.req.Header["If-None-Match"], e.req.Header["If-Modified-Since"], e.reply.status, e.reply.version,
				e.reply.get("ETag"))
		}
	}
}

func (w *world) run1(args ...string) {
	w.t.Helper()
	if o := w.try(w.t.Context(), args...); o.status != 0 {
		w.t.Errorf("digest %s: %s", strings.Join(args, " "), o.stderr)
	}
}

func mustURL(s string) *url.URL {
	u, err := url.Parse(s)
	if err != nil {
		panic(err)
	}
	return u
}

func cutUser(s string) (name, password string, ok bool) {
	name, password, ok = strings.Cut(s, ":")
	return name, password, ok
}
