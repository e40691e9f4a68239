package acceptance

import (
	"net/http"
	"slices"
	"testing"
	"time"
)

// A model is the ideal reader: it knows each site's behaviour in advance, sends the fewest requests, and has every
// post in the earliest possible edition. It uses the same ticks as the program.
type model struct {
	t       *testing.T
	ticks   []time.Time
	states  map[*site]*ideal
	sites   []*site
	readers []*subscriber
}

// An ideal is the model's state for one site.
type ideal struct {
	last, until, queued, retry time.Time
	failing, sighted           time.Time
	errors, version            int
	gone, settled              bool
	listed                     map[string]bool

	polls, requests, full, bytes int
}

type subscriber struct {
	email, zone string
	sites       []*site
	next        time.Time
	planned     time.Time
	waiting     []string
	got         map[string]time.Time // delivery times of posts
}

func (m *model) subscribe(now time.Time, r *subscriber) {
	r.next, r.got = midnight(m.t, now, r.zone), map[string]time.Time{}
	m.readers = append(m.readers, r)
	for _, p := range r.sites {
		if m.states[p] == nil {
			m.states[p] = &ideal{listed: map[string]bool{}}
			m.sites = append(m.sites, p)
			m.ask(p, now)
			// The first reading contains only a part of the posts; it is ignored.
			for _, r := range m.readers {
				r.waiting = nil
			}
		}
	}
}

func (m *model) tick(i int) {
	now := m.ticks[i]
	for _, r := range m.readers {
		if !r.next.After(now) && r.planned.IsZero() {
			m.plan(r, now)
		}
	}
	for _, p := range m.sites {
		s := m.states[p]
		due := func(at time.Time) bool { return !at.IsZero() && !at.After(now) }
		if due(s.queued) || due(s.retry) || m.before(p, i) {
			m.ask(p, now)
		}
	}
	for _, r := range m.readers {
		if !r.next.After(now) && !m.waits(r, now) {
			for _, url := range r.waiting {
				r.got[url] = now
			}
			r.waiting, r.planned = nil, time.Time{}
			for !r.next.After(now) {
				r.next = midnight(m.t, r.next, r.zone)
			}
		}
	}
}

// askable returns when a site may get the next request.
func (m *model) askable(p *site) time.Time {
	s := m.states[p]
	return latest(s.last.Add(time.Hour), s.last.Add(p.least), s.until)
}

func (m *model) plan(r *subscriber, now time.Time) {
	r.planned = now
	for _, p := range r.sites {
		s, askable := m.states[p], m.askable(p)
		if s.gone || askable.After(latest(r.next.Add(30*time.Minute), now)) || p.skip != nil && p.skip(now) {
			continue
		}
		if at := latest(now, askable); s.queued.IsZero() || at.Before(s.queued) {
			s.queued = at
		}
	}
}

// before reports whether tick i is the last at which a site may be polled that excludes the hours of a reader's next
// midnight.
func (m *model) before(p *site, i int) bool {
	now := m.ticks[i]
	if p.skip == nil || p.skip(now) || m.askable(p).After(now) {
		return false
	}
	for k := i + 1; k < len(m.ticks) && m.ticks[k].Sub(now) <= day; k++ {
		excluded := p.skip(m.ticks[k])
		for _, r := range m.readers {
			if slices.Contains(r.sites, p) && r.next.After(now) && !r.next.After(m.ticks[k]) {
				return excluded
			}
		}
		if !excluded {
			return false
		}
	}
	return false
}

func (m *model) waits(r *subscriber, now time.Time) bool {
	until := r.planned.Add(30 * time.Minute)
	return until.After(now) && slices.ContainsFunc(r.sites, func(p *site) bool {
		queued := m.states[p].queued
		return queued.After(now) && !queued.After(until)
	})
}

func (m *model) ask(p *site, now time.Time) {
	s := m.states[p]
	req := &http.Request{Method: http.MethodGet, Header: http.Header{}, URL: mustURL(p.door.base + p.path)}
	if name, password, ok := cutUser(p.user); ok {
		req.SetBasicAuth(name, password)
	}
	a := p.answer(now, req)
	s.last, s.queued, s.retry = now, time.Time{}, time.Time{}
	s.polls++
	s.requests += 1 + m.hops(p, now)
	if a.status != http.StatusOK || a.version == 0 || a.cut {
		m.fail(p, a, now)
		return
	}
	s.errors, s.failing = 0, time.Time{}
	status := http.StatusNotModified
	if a.version != s.version || p.hopeless {
		status = http.StatusOK
		s.full++
		s.bytes += len(a.body)
	}
	s.version = a.version
	rest, _ := p.wants(status)
	s.until = now.Add(rest)
	m.read(p, now)
}

// hops returns the number of redirects in a poll. Permanent ones count only until the second sighting.
func (m *model) hops(p *site, now time.Time) int {
	s := m.states[p]
	if !p.movesAt(now) || s.settled {
		return 0
	}
	if s.sighted.IsZero() {
		s.sighted = now
	}
	s.settled = now.Sub(s.sighted) >= 20*time.Hour && p.forGood()
	return len(p.moved)
}

// read adds the new posts to the readers.
func (m *model) read(p *site, now time.Time) {
	s := m.states[p]
	n, _ := p.version(now)
	for i := n - 2; i >= 0 && i > n-12; i-- {
		url := p.posts[i].url
		if s.listed[url] {
			continue
		}
		s.listed[url] = true
		for _, r := range m.readers {
			if slices.Contains(r.sites, p) {
				r.waiting = append(r.waiting, url)
			}
		}
	}
}

func (m *model) fail(p *site, a reply, now time.Time) {
	s := m.states[p]
	s.errors++
	if s.failing.IsZero() {
		s.failing = now
	}
	said := a.status == 429 || a.status == 503 && a.get("Retry-After") != ""
	rest := a.rest
	switch {
	case said:
	case a.status == 401 || a.status == 403:
		if now.Sub(s.failing) >= 3*day {
			rest = max(rest, day)
		}
	case a.status >= 500 || a.status == 0 || a.status == 200:
		grown := 4 * time.Hour
		for range s.errors - 1 {
			grown = min(2*grown, day)
		}
		rest = max(rest, grown)
	}
	s.until = now.Add(rest)
	if a.status == http.StatusGone && p.ends || now.Sub(s.failing) >= 90*day && !said {
		s.gone = true
		return
	}
	if beside := said || a.status >= 500 || a.status == 0 || a.status == 200; !beside {
		return
	}
	at := latest(s.until, now.Add(time.Hour))
	for _, r := range m.readers {
		next := midnight(m.t, at.Add(-time.Minute), r.zone)
		if slices.Contains(r.sites, p) && next.Sub(at) <= 2*time.Hour {
			return
		}
	}
	s.retry = at
}
