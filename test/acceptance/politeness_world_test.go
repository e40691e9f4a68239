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
	*court
	model *model
	sites []*site
	inbox *letterbox
	got   map[string]map[string]time.Time // by reader and post: when it was mailed
	ticks []time.Time
}

func newWorld(t *testing.T, ticks []time.Time) *world {
	w := &world{house: newHouse(t, storetest.SQLite(t)), ticks: ticks, got: map[string]map[string]time.Time{}}
	w.court = newCourt(newRecorder(t, runBegin()), w.subscribed)
	w.Set("DIGEST_FETCH_TIMEOUT=10s") // few sites hang
	w.model = &model{t: t, ticks: ticks, states: map[*site]*ideal{}}
	w.inbox = newLetterbox(w.house)
	return w
}

func (w *world) subscribed(p *site) (n int) {
	for _, r := range w.model.readers {
		if slices.Contains(r.sites, p) {
			n++
		}
	}
	return n
}

// settle adds each manner as two sites: for a reader in one zone, and for readers in three. A short run of many
// manners has only one of the two, alternately.
func (w *world) settle(manners []manner, end time.Time) {
	for i, m := range manners {
		for copyOf := range 2 {
			if len(manners) > 40 && !full() && m.shares == "" && copyOf != i%2 && !m.hopeless {
				continue
			}
			p := plant(2*i+copyOf, m, runBegin(), end)
			p.many = copyOf == 1 && m.user == "" // each reader of a private feed has their own requests
			if m.shares != "" {
				m.shares += fmt.Sprint(copyOf)
			}
			w.recorder.put(p, m.shares)
			w.sites = append(w.sites, p)
		}
	}
}

// join adds a reader who subscribes to the sites that takes selects.
func (w *world) join(email, zone string, takes func(*site) bool) {
	w.t.Helper()
	r := &subscriber{email: email, zone: zone}
	args := []string{"subscribe", email}
	for _, p := range w.sites {
		if takes(p) {
			r.sites = append(r.sites, p)
			args = append(args, p.address())
		}
	}
	if len(r.sites) == 0 {
		return
	}
	begin := runBegin()
	w.at(begin, "user", "add", email, "--time-zone", zone, "--subject", "date")
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
				w.got[l.To][post] = now
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
	for _, p := range w.sites {
		if p.rule > 0 {
			w.house.run("hosts", "set", mustURL(p.door.base).Hostname(), "--interval", p.rule.String())
		}
	}
	w.join("one@example.org", "Europe/Paris", func(p *site) bool { return !p.many })
	for i, zone := range zones {
		w.join(fmt.Sprintf("many%d@example.org", i), zone, func(p *site) bool { return p.many })
	}
	w.run()
	w.judge()
	w.judgeRobots()
	w.compare()
	w.checkLate()
	w.checkNotices()
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
