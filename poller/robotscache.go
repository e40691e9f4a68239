package poller

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

const (
	robotsAge  = 7 * 24 * time.Hour  // of what a robots.txt says to us, before it is asked for again
	silentAge  = 14 * 24 * time.Hour // the same, of one that says nothing to us
	refusedFor = 7 * 24 * time.Hour  // how long a feed is left alone that may not be read
	maxKnown   = 10000               // sites whose rules are remembered between two polls
)

// A robotsReader knows what the robots.txt of each site says.
type robotsReader struct {
	cache RobotsCache
	turns *pacer // one look at a site at a time

	mu    sync.Mutex
	known map[string]Robots // a copy of part of the cache
}

func newRobotsReader(cache RobotsCache) *robotsReader {
	if cache == nil {
		return nil
	}
	return &robotsReader{cache: cache, turns: newPacer(0, true, time.Now), known: make(map[string]Robots)}
}

// allowedByRobots finds out, before a request, whether the site's robots.txt asks this
// program by its name not to make it. The robots.txt is read before the first
// request to a site, and again when what is known has become old.
func (t *session) allowedByRobots(ctx context.Context, r route) error {
	if t.p.robots == nil || t.forRobots {
		return nil
	}
	robots, ok := t.p.robots.remembered(r.origin(), t.p.now())
	if !ok {
		var err error
		if robots, err = t.consult(ctx, r); err != nil {
			return err
		}
	}
	if robots.Rules == "" || allows(robots.Rules, r.url.RequestURI()) {
		return nil
	}
	return &pollError{
		failure: failure{wait: refusedFor, waitSaid: true},
		text:    "the site's robots.txt asks this program not to read it",
	}
}

// consult looks into the cache, and asks the site if that is too old.
func (t *session) consult(ctx context.Context, r route) (Robots, error) {
	desk, origin := t.p.robots, r.origin()
	if err := desk.turns.enter(ctx, origin); err != nil {
		return Robots{}, err
	}
	defer desk.turns.leave(origin)
	if robots, ok := desk.remembered(origin, t.p.now()); ok {
		return robots, nil // asked for while this session waited
	}
	was, ok, err := desk.cache.Robots(ctx, origin)
	if err != nil {
		return Robots{}, fmt.Errorf("looking up a robots.txt: %w", err)
	}
	if ok && current(was, t.p.now()) {
		desk.remember(was)
		return was, nil
	}
	now, err := t.askRobots(ctx, r, was)
	if now.FetchedAt.IsZero() {
		return Robots{}, err // not reached, or cut short: nothing was learned
	}
	if failed := desk.cache.SaveRobots(ctx, now); failed != nil {
		t.p.log.Warn("a robots.txt could not be kept", "origin", origin, "err", failed)
	}
	desk.remember(now)
	return now, err
}

// askRobots asks a site for its robots.txt. Where there is none, there are no
// rules; while it cannot be had, what was known holds. An error ends the session:
// the site cannot be reached at all, or asks to be left alone for a while (then
// the rules have their time all the same: they are not asked for at once).
func (t *session) askRobots(ctx context.Context, r route, was Robots) (Robots, error) {
	start, err := routeTo(r.url.Scheme + "://" + r.url.Host + "/robots.txt")
	if err != nil {
		return Robots{}, err
	}
	side := *t
	side.forRobots, side.keeps, side.stop = true, false, nil
	side.validators = validators{etag: was.ETag, lastModified: was.LastModified, url: start.address}
	before := t.requests
	a, err := side.fetch(ctx, http.MethodGet, start)
	if _, ok := errors.AsType[*pollError](err); err != nil && (!ok || t.requests == before) {
		return Robots{}, err
	}
	now := Robots{Origin: r.origin(), FetchedAt: t.p.now()}
	kept := was
	kept.Origin, kept.FetchedAt = now.Origin, now.FetchedAt
	switch {
	case err != nil, a.status == http.StatusNotModified && a.conditional:
		return kept, nil
	case usable(a.status):
		now.Rules = parseRobots(a.body)
		if a.address == start.address {
			now.ETag, now.LastModified = validator(a.header, "ETag"), validator(a.header, "Last-Modified")
		}
		return now, nil
	case a.status == http.StatusNotFound, a.status == http.StatusGone:
		return now, nil // there is none, whatever else it says; the feed is not gone
	case limits(a):
		return kept, badStatus(a)
	case a.status >= 500:
		return kept, nil
	}
	return now, nil
}

// limits reports whether an answer asks for fewer requests.
func limits(a *answer) bool {
	_, wait := retryAfter(a.header, a.received)
	return a.status == http.StatusTooManyRequests || a.status >= 400 && wait
}

// current reports whether what is known of a robots.txt still holds. Most say
// nothing to us: to ask them all every week would be a seventh of all requests.
func current(r Robots, now time.Time) bool {
	age := silentAge
	if r.Rules != "" {
		age = robotsAge
	}
	return now.Sub(r.FetchedAt) < age
}

func (d *robotsReader) remembered(origin string, now time.Time) (Robots, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	r, ok := d.known[origin]
	return r, ok && current(r, now)
}

func (d *robotsReader) remember(r Robots) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.known) >= maxKnown {
		clear(d.known)
	}
	d.known[r.Origin] = r
}

// origin names the site of a route: its robots.txt speaks for no other.
func (r route) origin() string {
	scheme, port := strings.ToLower(r.url.Scheme), r.url.Port()
	switch {
	case port != "":
	case scheme == "https":
		port = "443"
	default:
		port = "80"
	}
	return scheme + "://" + net.JoinHostPort(r.host(), port)
}
