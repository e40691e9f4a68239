package poller

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"digest"
)

// A RobotsCache keeps what the robots.txt of each site said.
type RobotsCache interface {
	Robots(ctx context.Context, origin string) (digest.Robots, bool, error)
	SaveRobots(ctx context.Context, r digest.Robots) error
}

const (
	// robotsToken is the name by which a robots.txt speaks to this program. What
	// it says to all ("*") is meant for those who find pages by themselves; a
	// feed is asked because a reader has chosen it.
	robotsToken = "digest"

	maxRobots = 512 << 10 // bytes of a robots.txt that are read (RFC 9309 §2.5)
	maxRules  = 64 << 10  // bytes of rules that are kept
	maxRule   = 2 << 10   // bytes of one
)

// parseRobots gives the rules of the groups that name us, in a form that allows
// reads: "allow /a" or "disallow /b" a line (RFC 9309 §2.2). Paths are
// normalised; what is neither rule nor name is passed over.
func parseRobots(body []byte) string {
	text := strings.TrimPrefix(string(body[:min(len(body), maxRobots)]), "\ufeff")
	var rules strings.Builder
	ours, naming := false, false // the group names us; its names are still being listed
	for line := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '\n' || r == '\r' }) {
		key, value := directive(line)
		switch key {
		case "user-agent":
			ours = ours && naming || isUs(value)
			naming = true
		case "allow", "disallow":
			naming = false
			path := normalPath(value)
			if ours && path != "" && len(path) <= maxRule && rules.Len()+len(path) < maxRules {
				rules.WriteString(key + " " + path + "\n")
			}
		}
	}
	return rules.String()
}

func directive(line string) (key, value string) {
	line, _, _ = strings.Cut(line, "#")
	key, value, _ = strings.Cut(line, ":")
	return strings.ToLower(strings.TrimSpace(key)), strings.TrimSpace(value)
}

// isUs compares the name that a line begins with, up to its version.
func isUs(value string) bool {
	end := strings.IndexFunc(value, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r != '-' && r != '_'
	})
	if end >= 0 {
		value = value[:end]
	}
	return strings.EqualFold(value, robotsToken)
}

// allows reports whether rules let path, with its query, be asked for: the
// longest rule that matches wins, and of two as long the one that allows.
func allows(rules, path string) bool {
	path = literal(normalPath(path))
	verdict, longest := true, -1
	for line := range strings.Lines(rules) {
		kind, pattern, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if pattern == "" || len(pattern) < longest || !matches(pattern, path) {
			continue
		}
		allow := kind == "allow"
		verdict = allow || verdict && len(pattern) == longest
		longest = len(pattern)
	}
	return verdict
}

// matches reports whether a path begins as a pattern says: "*" stands for
// anything, a last "$" for the end.
func matches(pattern, path string) bool {
	pattern, whole := strings.CutSuffix(pattern, "$")
	parts := strings.Split(strings.ReplaceAll(pattern, "$", "%24"), "*")
	rest, ok := strings.CutPrefix(path, parts[0])
	if !ok {
		return false
	}
	if len(parts) == 1 {
		return !whole || rest == ""
	}
	last := len(parts) - 1
	for _, part := range parts[1:last] {
		_, after, found := strings.Cut(rest, part)
		if !found {
			return false
		}
		rest = after
	}
	if whole {
		return strings.HasSuffix(rest, parts[last])
	}
	return strings.Contains(rest, parts[last])
}

// literal writes the two characters that are special in a pattern as they must
// be written there to stand for themselves.
func literal(path string) string {
	return strings.NewReplacer("*", "%2A", "$", "%24").Replace(path)
}

const upperHex = "0123456789ABCDEF"

// normalPath makes two ways of writing a path the same (RFC 9309 §2.2.2):
// escapes in capitals, none where none is needed, all bytes beyond ASCII escaped.
func normalPath(s string) string {
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		c := s[i]
		escaped := false
		if c == '%' && i+2 < len(s) {
			if d, err := hex.DecodeString(s[i+1 : i+3]); err == nil {
				c, escaped = d[0], true
				i += 2
			}
		}
		if c <= ' ' || c >= 0x7f || escaped && !unreserved(c) {
			b = append(b, '%', upperHex[c>>4], upperHex[c&15])
		} else {
			b = append(b, c)
		}
	}
	return string(b)
}

// unreserved bytes mean the same with an escape and without (RFC 3986 §2.3).
func unreserved(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~", c) >= 0
}

const (
	robotsAge  = 7 * 24 * time.Hour  // of what a robots.txt says to us, before it is asked for again
	silentAge  = 14 * 24 * time.Hour // the same, of one that says nothing to us
	refusedFor = 7 * 24 * time.Hour  // how long a feed is left alone that may not be read
	maxKnown   = 10000               // sites whose rules are remembered between two polls
)

// A robotsReader knows what the robots.txt of each site says.
type robotsReader struct {
	cache  RobotsCache
	asking singleflight.Group // one look at a site at a time

	mu    sync.Mutex
	known map[string]digest.Robots // a copy of part of the cache
}

func newRobotsReader(cache RobotsCache) *robotsReader {
	if cache == nil {
		return nil
	}
	return &robotsReader{cache: cache, known: make(map[string]digest.Robots)}
}

// allowedByRobots finds out, before a request, whether the site's robots.txt asks this
// program by its name not to make it. The robots.txt is read before the first
// request to a site, and again when what is known has become old.
func (s *session) allowedByRobots(ctx context.Context, r route) error {
	if s.poller.robots == nil || s.forRobots {
		return nil
	}
	robots, err := s.consult(ctx, r)
	if err != nil {
		return err
	}
	if robots.Rules == "" || allows(robots.Rules, r.url.RequestURI()) {
		return nil
	}
	return &pollError{
		failure: failure{wait: refusedFor, waitSaid: true},
		text:    byRobots,
	}
}

// consult finds out what a site's robots.txt says, while nobody else does.
func (s *session) consult(ctx context.Context, r route) (digest.Robots, error) {
	for {
		mine := false
		found, err, _ := s.poller.robots.asking.Do(r.origin(), func() (any, error) {
			mine = true
			return s.lookUpRobots(ctx, r)
		})
		if mine || err == nil || ctx.Err() != nil {
			return found.(digest.Robots), err
		}
		// What has stopped another session need not stop this one.
	}
}

// lookUpRobots looks into the cache, and asks the site if that is too old.
func (s *session) lookUpRobots(ctx context.Context, r route) (digest.Robots, error) {
	reader, origin := s.poller.robots, r.origin()
	if robots, ok := reader.remembered(origin, s.poller.now()); ok {
		return robots, nil // asked for while this session waited
	}
	was, ok, err := reader.cache.Robots(ctx, origin)
	if err != nil {
		return digest.Robots{}, fmt.Errorf("looking up a robots.txt: %w", err)
	}
	if ok && current(was, s.poller.now()) {
		reader.remember(was)
		return was, nil
	}
	now, err := s.askRobots(ctx, r, was)
	if now.FetchedAt.IsZero() {
		return digest.Robots{}, err // not reached, or cut short: nothing was learned
	}
	if failed := reader.cache.SaveRobots(ctx, now); failed != nil {
		s.poller.log.Warn("cannot store a robots.txt", "origin", origin, "err", failed)
	}
	reader.remember(now)
	return now, err
}

// askRobots asks a site for its robots.txt. Where there is none, there are no
// rules; while it cannot be had, what was known holds. An error ends the session:
// the site cannot be reached at all, or asks to be left alone for a while (then
// the rules have their time all the same: they are not asked for at once).
func (s *session) askRobots(ctx context.Context, r route, was digest.Robots) (digest.Robots, error) {
	start, err := routeTo(r.url.Scheme + "://" + r.url.Host + "/robots.txt")
	if err != nil {
		return digest.Robots{}, err
	}
	start.mayBeHome = r.mayBeHome
	side := *s
	side.forRobots, side.stop = true, nil
	defer side.hold.settle(0)
	side.validators = validators{etag: was.ETag, lastModified: was.LastModified, url: start.address}
	before := s.requests
	a, err := side.fetch(ctx, http.MethodGet, start)
	if _, ok := errors.AsType[*pollError](err); err != nil && (!ok || s.requests == before) {
		return digest.Robots{}, err
	}
	now := digest.Robots{Origin: r.origin(), FetchedAt: s.poller.now()}
	old := was
	old.Origin, old.FetchedAt = now.Origin, now.FetchedAt
	switch {
	case err != nil, a.status == http.StatusNotModified && a.conditional:
		return old, nil
	case usable(a.status):
		now.Rules = parseRobots(a.body)
		if a.address == start.address {
			now.ETag, now.LastModified = validator(a.header, "ETag"), validator(a.header, "Last-Modified")
		}
		return now, nil
	case a.status == http.StatusNotFound, a.status == http.StatusGone:
		return now, nil // there is none, whatever else it says; the feed is not gone
	case limits(a):
		return old, badStatus(a)
	case a.status >= 500:
		return old, nil
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
func current(r digest.Robots, now time.Time) bool {
	age := silentAge
	if r.Rules != "" {
		age = robotsAge
	}
	return now.Sub(r.FetchedAt) < age
}

func (d *robotsReader) remembered(origin string, now time.Time) (digest.Robots, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	r, ok := d.known[origin]
	return r, ok && current(r, now)
}

func (d *robotsReader) remember(r digest.Robots) {
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
