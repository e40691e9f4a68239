package poller

import (
	"context"
	"encoding/hex"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"digest"
)

// A RobotsCache stores the robots.txt rules of sites.
type RobotsCache interface {
	Robots(ctx context.Context, origin string) (digest.Robots, bool, error)
	SaveRobots(ctx context.Context, r digest.Robots) error
}

const (
	// robotsToken is this program's name in a robots.txt. The program ignores rules for all programs ("*"),
	// which address crawlers, because readers choose the feeds.
	robotsToken = "digest"

	maxRobots = 512 << 10 // bytes of a robots.txt that are read (RFC 9309 §2.5)
	maxRules  = 64 << 10  // bytes of rules that are stored
	maxRule   = 2 << 10   // bytes of one rule
)

// parseRobots returns the rules of the groups that name this program, one a line: "allow /a" or "disallow
// /b" (RFC 9309 §2.2). It normalises paths and ignores other lines.
func parseRobots(body []byte) string {
	text := strings.TrimPrefix(string(body[:min(len(body), maxRobots)]), "\ufeff")
	var rules strings.Builder
	ours, naming := false, false // the group names this program; the previous line was a name too
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

// isUs compares a user-agent value without its version with robotsToken.
func isUs(value string) bool {
	end := strings.IndexFunc(value, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r != '-' && r != '_'
	})
	if end >= 0 {
		value = value[:end]
	}
	return strings.EqualFold(value, robotsToken)
}

// allows reports whether rules allow a request for path with its query. The longest matching rule wins, and
// "allow" wins a tie.
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

// matches reports whether a path matches a pattern: "*" matches any text, and a final "$" the end.
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

// literal escapes the two special characters of patterns in a path.
func literal(path string) string {
	return strings.NewReplacer("*", "%2A", "$", "%24").Replace(path)
}

const upperHex = "0123456789ABCDEF"

// normalPath returns one spelling of a path (RFC 9309 §2.2.2): escapes in upper case, no needless escapes,
// all bytes beyond ASCII escaped.
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

// unreserved reports whether c means the same with and without an escape (RFC 3986 §2.3).
func unreserved(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~", c) >= 0
}

const (
	robotsAge  = 7 * 24 * time.Hour  // until a robots.txt with rules for us is requested again
	silentAge  = 14 * 24 * time.Hour // the same without rules for us
	refusedFor = 7 * 24 * time.Hour  // the pause of a feed that robots.txt forbids
	maxKnown   = 10000               // sites whose rules stay in memory
)

// A robotsReader reads and caches robots.txt rules.
type robotsReader struct {
	cache  RobotsCache
	asking singleflight.Group // one lookup of a site at a time

	mu    sync.Mutex
	known map[string]digest.Robots // part of the cache, in memory
}

func newRobotsReader(cache RobotsCache) *robotsReader {
	if cache == nil {
		return nil
	}
	return &robotsReader{cache: cache, known: make(map[string]digest.Robots)}
}

// allowedByRobots returns an error if the site's robots.txt forbids a request to this program by name. It
// requests the robots.txt before the first request to a site, and again when the stored rules are old.
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

// consult returns the rules of a site. Only one session looks them up at a time.
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
		// The error of another session's lookup need not apply to this one.
	}
}

// lookUpRobots returns the rules from the cache, or requests them if they are too old.
func (s *session) lookUpRobots(ctx context.Context, r route) (digest.Robots, error) {
	reader, origin := s.poller.robots, r.origin()
	if robots, ok := reader.remembered(origin, s.poller.now()); ok {
		return robots, nil // another session has just looked
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
		return digest.Robots{}, err // the site is unreachable, or the request was stopped
	}
	if failed := reader.cache.SaveRobots(ctx, now); failed != nil {
		s.poller.log.Warn("cannot store a robots.txt", "origin", origin, "err", failed)
	}
	reader.remember(now)
	return now, err
}

// askRobots requests the robots.txt of a site. A missing file means no rules. While the file is
// unavailable, the old rules apply. An error ends the session, because the site is unreachable or asks for
// a pause. After a pause the old rules count as fresh, so that they are not requested again immediately.
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
	if _, ok := asPollError(err); err != nil && (!ok || s.requests == before) {
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
		return now, nil // the file is missing, whatever else the status means
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

// current reports whether rules are fresh. Most sites have no rules for us. Weekly requests to them would
// be a seventh of all requests.
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

// origin returns the scheme, host and port of a route. A robots.txt applies to its origin only.
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
