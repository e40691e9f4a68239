package poller

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"digest"
)

// TestRobotsGroups checks which groups name this program, and their rules.
func TestRobotsGroups(t *testing.T) {
	tests := []struct{ why, text, want string }{
		{"not us", "User-agent: *\nDisallow: /", ""},
		{"us", "User-agent: digest\nDisallow: /", "disallow /\n"},
		{"any case, a version, a comment", "USER-AGENT:DIGEST/1.2 # that one\nDISALLOW:/a#b", "disallow /a\n"},
		{"a longer name", "User-agent: digestbot\nDisallow: /", ""},
		{"a name with a hyphen", "User-agent: digest-news\nDisallow: /", ""},
		{"a longer name before", "User-agent: mydigest\nDisallow: /", ""},
		{"one group of two", "User-agent: other\nUser-agent: digest\nUser-agent: *\nDisallow: /a\nAllow: /a/b",
			"disallow /a\nallow /a/b\n"},
		{"the group ends", "User-agent: digest\nDisallow: /a\n\nUser-agent: *\nDisallow: /b", "disallow /a\n"},
		{"an empty line does not end it", "User-agent: digest\n\nDisallow: /a\n\nDisallow: /b",
			"disallow /a\ndisallow /b\n"},
		{"other lines do not either", "User-agent: digest\nSitemap: /x\nCrawl-delay: 10\nDisallow: /a",
			"disallow /a\n"},
		{"a rule between names",
			"User-agent: digest\nDisallow: /a\nUser-agent: other\nDisallow: /b\nUser-agent: digest\nDisallow: /c",
			"disallow /a\ndisallow /c\n"},
		{"allowed everything", "User-agent: digest\nDisallow:", ""},
		{"before any name", "Disallow: /\nUser-agent: digest", ""},
		{"old line ends, and a mark", "\ufeffUser-agent: digest\rDisallow: /a\r\nDisallow: /b",
			"disallow /a\ndisallow /b\n"},
		{"escapes", "User-agent: digest\nDisallow: /%7ejoe/%e4%2f ü", "disallow /~joe/%E4%2F%20%C3%BC\n"},
		{"a page", "<!doctype html><title>Not found</title>", ""},
		{"bytes", string(zeros(1000)), ""},
	}
	for _, test := range tests {
		if got := parseRobots([]byte(test.text)); got != test.want {
			t.Errorf("%s: %q, want %q", test.why, got, test.want)
		}
	}
	long := parseRobots([]byte("User-agent: digest\n" +
		strings.Repeat("Disallow: /"+strings.Repeat("a", 1000)+"\n", 1000)))
	if len(long) > maxRules+1100 || len(long) < maxRules/2 {
		t.Errorf("%d bytes of rules are kept", len(long))
	}
}

// TestRobotsRules checks which rule decides (RFC 9309 §2.2.2 and 2.2.3).
func TestRobotsRules(t *testing.T) {
	for _, test := range table(`
		rules                   | path               | want
		                        | /                  | true
		disallow /              | /feed              | false
		disallow /a             | /b                 | true
		disallow /feed          | /feed.xml          | false
		disallow /Feed          | /feed              | true
		disallow /a, allow /a/b | /a/b/c             | true
		disallow /a/b, allow /a | /a/b/c             | false
		allow /a, disallow /a   | /a                 | true
		disallow /a, allow /a   | /a                 | true
		disallow *.xml          | /feeds/all.xml?x=1 | false
		disallow *.xml$         | /feeds/all.xml?x=1 | true
		disallow *.xml$         | /feeds/all.xml     | false
		disallow /*/b*c$        | /a/bxc/bc          | false
		disallow /*/b*c$        | /a/bxcd            | true
		disallow /$             | /                  | false
		disallow /$             | /a                 | true
		disallow /feed?format=  | /feed?format=rss   | false
		disallow /~joe/         | /%7Ejoe/feed       | false
		disallow /a%2Fb         | /a/b               | true
		disallow /%E4           | /%e4               | false
		disallow /x%2A          | /x*y               | false
		disallow /x%2A          | /xy                | true
		disallow /x$y           | /x$yz              | false`) {
		rules := strings.ReplaceAll(test["rules"], ", ", "\n") + "\n"
		if got := fmt.Sprint(allows(rules, test["path"])); got != test["want"] {
			t.Errorf("%q lets %s: %v", test["rules"], test["path"], got)
		}
	}
}

// A shelf stores robots.txt rules like a store.
type shelf struct {
	mu   sync.Mutex
	kept map[string]digest.Robots
}

func (s *shelf) Robots(_ context.Context, origin string) (digest.Robots, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.kept[origin]
	return r, ok, nil
}

func (s *shelf) SaveRobots(_ context.Context, r digest.Robots) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept == nil {
		s.kept = map[string]digest.Robots{}
	}
	s.kept[r.Origin] = r
	return nil
}

func (r *reader) restart() { r.p.robots.known = map[string]digest.Robots{} }

func withRobots(s *shelf) func(*Options) { return func(o *Options) { o.Robots = s } }

func robotsAnd(robots, then func(request) string) func(request) string {
	return func(r request) string {
		if r.target == "/robots.txt" {
			return robots(r)
		}
		return then(r)
	}
}

func says(status int, body string, header ...string) func(request) string {
	return func(r request) string { return reply(r, status, body, header...) }
}

const keepOut = "User-agent: digest\nDisallow: /\n"

// TestRobotsOnce holds that a robots.txt is read before the first request to a site. It is read again,
// conditionally, after two weeks without rules for this program, and after one week with rules.
func TestRobotsOnce(t *testing.T) {
	kept := &shelf{}
	s := newSite(t, robotsAnd(conditional("User-agent: *\nDisallow: /", `"r"`, monday),
		good(1)))
	r := newReader(t, s.url("/feed"), withRobots(kept))
	if result := r.want(Changed); result.Requests != 2 {
		t.Errorf("%d requests", result.Requests)
	}
	log := asked(t, s, "GET GET")
	if log[0].target != "/robots.txt" || log[1].target != "/feed" {
		t.Fatalf("%v", log)
	}
	for _, q := range log {
		sent(t, q, "User-Agent", "digest/1.2 (+https://news.example/bot; 3 subscribers; feed-id=1)")
		sent(t, q, "If-None-Match", "")
		sent(t, q, "Authorization", "")
	}
	for day := range 13 {
		if day == 3 {
			r.restart()
		}
		r.want(Unchanged)
	}
	if got := targets(s.log()); strings.Contains(got, "robots") {
		t.Errorf("asked within two weeks: %s", got)
	}
	for range 2 {
		r.want(Unchanged)
	}
	log = s.log()
	if len(log) != 3 || log[0].target != "/robots.txt" {
		t.Fatalf("%v", log)
	}
	sent(t, log[0], "If-None-Match", `"r"`)
	sent(t, log[0], "If-Modified-Since", monday)
	sent(t, log[1], "If-None-Match", `"1"`)
	if origin := "http://" + s.address; kept.kept[origin].FetchedAt != r.watch.now().Add(-day1) ||
		kept.kept[origin].Rules != "" {
		t.Errorf("%+v", kept.kept)
	}
}

// TestRobotsRefuses holds that a forbidden feed is not requested, and that the rules are read again before
// it is.
func TestRobotsRefuses(t *testing.T) {
	s, r := newFeed(t, robotsAnd(says(200, keepOut), good(1)), withRobots(&shelf{}))
	r.want(Failed)
	if got := targets(s.log()); got != "GET/robots.txt" {
		t.Errorf("asked: %s", got)
	}
	if f := r.feed; f.LastError != "the site's robots.txt disallows this program" ||
		f.NotBefore.Sub(r.watch.now()) != 7*day1 || f.LastStatus != 0 {
		t.Errorf("%+v", f)
	}
	s.answers(robotsAnd(says(200, ""), good(1)))
	r.watch.pass(6 * day1) // poll adds a day
	r.want(Changed)
	if got := targets(s.log()); got != "GET/robots.txt GET/feed" || r.feed.Errors != 0 {
		t.Errorf("asked: %s", got)
	}
}

// TestRobotsAnswers checks the effect of each answer on a feed, first without stored rules, then after a
// refusal.
func TestRobotsAnswers(t *testing.T) {
	big := "# " + strings.Repeat("x", 11<<20)
	tests := []struct {
		why          string
		robots       func(request) string
		first, later Outcome // without stored rules; refused a week ago
		log          string  // of the first
	}{
		{"404", says(404, ""), Changed, Changed, "GET/robots.txt GET/feed"},
		{"404 with a wish", says(404, "", "Retry-After: 60"), Changed, Changed, "GET/robots.txt GET/feed"},
		{"gone, and the feed is not", says(410, "", "Retry-After: 0"), Changed, Changed, "GET/robots.txt GET/feed"},
		{"401", says(401, ""), Changed, Changed, "GET/robots.txt GET/feed"},
		{"204", says(204, ""), Changed, Changed, "GET/robots.txt GET/feed"},
		{"500", says(500, ""), Changed, Failed, "GET/robots.txt GET/feed"},
		{"closed", says(0, ""), Changed, Failed, "GET/robots.txt GET/feed"},
		{"too large", says(200, big), Changed, Changed, "GET/robots.txt GET/feed"},
		{"429", says(429, "", "Retry-After: 60"), Failed, Failed, "GET/robots.txt"},
		{"503 with a wish", says(503, "", "Retry-After: 60"), Failed, Failed, "GET/robots.txt"},
		{"a redirect to rules", from(302, map[string]string{"/robots.txt": "/r"}, says(200, keepOut)), Failed, Failed,
			"GET/robots.txt"},
		{"a circle", says(302, "", "Location: /robots.txt"), Changed, Failed, "GET/robots.txt GET/feed"},
		{"a redirect to a private address", says(302, "", "Location: http://10.0.0.1/"), Changed, Failed,
			"GET/robots.txt GET/feed"},
	}
	for _, test := range tests {
		robots := func(r request) string {
			if test.why == "closed" {
				return ""
			}
			return test.robots(r)
		}
		s := newSite(t, nil)
		s.answers(func(q request) string {
			if q.target == "/feed" {
				return good(1)(q)
			}
			if q.target == "/r" {
				return reply(q, 200, keepOut)
			}
			return robots(q)
		})
		kept := &shelf{}
		r := newReader(t, s.url("/feed"), withRobots(kept))
		r.want(test.first)
		if got := targets(s.log()); got != test.log && test.log+" GET/r" != got {
			t.Errorf("%s: asked %s", test.why, got)
		}
		origin := "http://" + s.address
		if kept.kept[origin].FetchedAt.IsZero() {
			t.Errorf("%s: asked again at once", test.why)
		}
		kept.kept[origin] = digest.Robots{Origin: origin, FetchedAt: r.watch.now().Add(-7 * day1),
			Rules: "disallow /\n"}
		r = newReader(t, s.url("/feed"), withRobots(kept))
		if result := r.poll(); result.Outcome != test.later {
			t.Errorf("%s: later %s (%s)", test.why, result.Outcome, result.Message)
		}
	}
}

// TestRobotsOfADeadSite holds that an unreachable site gets one attempt.
func TestRobotsOfADeadSite(t *testing.T) {
	s := newSite(t, nil)
	s.close()
	kept := &shelf{}
	r := newReader(t, s.url("/feed"), withRobots(kept))
	if result := r.want(Failed); result.Message != "connection refused" || result.Requests != 0 || len(kept.kept) != 0 {
		t.Errorf("%+v %v", result, kept.kept)
	}
}

// TestRobotsElsewhere holds that the rules of a redirect's target apply to it.
func TestRobotsElsewhere(t *testing.T) {
	other := newSite(t, robotsAnd(says(200, "User-agent: digest\nDisallow: /private"),
		good(1)))
	s := newSite(t, nil)
	s.answers(robotsAnd(says(404, ""),
		func(q request) string { return reply(q, 302, "", "Location: "+other.url(q.target)) }))
	kept := &shelf{}
	newReader(t, s.url("/private/feed"), withRobots(kept)).want(Failed)
	newReader(t, s.url("/feed"), withRobots(kept)).want(Changed)
	if got := targets(other.log()); got != "GET/robots.txt GET/feed" {
		t.Errorf("asked: %s", got)
	}
	if len(kept.kept) != 2 {
		t.Errorf("%v", kept.kept)
	}
}

// TestRobotsAtOnce holds that parallel polls of a site read its robots.txt once.
func TestRobotsAtOnce(t *testing.T) {
	inNetwork(t, func(t *testing.T, n *network) {
		slow := func(r request) string { time.Sleep(time.Second); return reply(r, 404, "") }
		target := n.site("target.example:80", robotsAnd(slow, good(1)))
		r := n.reader(t, "http://1.example/feed", withRobots(&shelf{}))
		for _, host := range []string{"1.example", "2.example", "3.example"} {
			n.site(host+":80", robotsAnd(says(404, ""), says(302, "", "Location: http://target.example/feed")))
			f := r.feed
			f.URL, f.Host = "http://"+host+"/feed", host
			go r.p.Poll(t.Context(), f, 1)
		}
		time.Sleep(time.Minute)
		if got := targets(target.log()); got != "GET/robots.txt GET/feed GET/feed GET/feed" {
			t.Errorf("asked: %s", got)
		}
	})
}

// TestRobotsFind holds that a search obeys the rules too.
func TestRobotsFind(t *testing.T) {
	s, r := newFeed(t, robotsAnd(says(200, keepOut), good(1)), withRobots(&shelf{}))
	_, err := find(r.p, s.url("/feed"))
	if err == nil || !strings.Contains(err.Error(), "robots.txt disallows this program") {
		t.Error(err)
	}
	asked(t, s, "GET")
}

func TestOrigin(t *testing.T) {
	for address, want := range map[string]string{
		"http://a.example/feed":      "http://a.example:80",
		"HTTPS://A.example/":         "https://a.example:443",
		"https://a.example:8443/x?y": "https://a.example:8443",
		"http://[2a00::1]/x":         "http://[2a00::1]:80",
	} {
		r, err := routeTo(address)
		if err != nil || r.origin() != want {
			t.Errorf("%s: %s %v", address, r.origin(), err)
		}
	}
}

func FuzzRobots(f *testing.F) {
	for _, s := range []string{keepOut, "User-agent: digest\nAllow: /*a*b$\nDisallow: /%7e%zz%",
		"\ufeffuser-agent:digest/1\r\rdisallow:*"} {
		f.Add([]byte(s), "/feed?x=%7E")
	}
	f.Fuzz(func(t *testing.T, body []byte, path string) {
		rules := parseRobots(body)
		if len(rules) > maxRules+3*maxRule {
			t.Errorf("%d bytes of rules", len(rules))
		}
		allows(rules, path)
		if normal := normalPath(path); normalPath(normal) != normal {
			t.Errorf("%q is normal as %q, and as %q", path, normal, normalPath(normal))
		}
	})
}

// TestRobotsWithoutEnd holds that the beginning of a huge robots.txt is read, within the shared memory, in
// any coding.
func TestRobotsWithoutEnd(t *testing.T) {
	text := []byte(keepOut + strings.Repeat("# more\n", 2<<20))
	for _, codings := range []string{"", "gzip", "br", "zstd"} {
		body, header := text, "X-Coding: none"
		if codings != "" {
			body, header = pack(t, text, codings), "Content-Encoding: "+codings
		}
		s, r := newFeed(t, robotsAnd(says(200, string(body), header), good(1)), withRobots(&shelf{}))
		result := r.want(Failed)
		if got := targets(s.log()); got != "GET/robots.txt" || result.Bytes > 2*maxRobots {
			t.Errorf("%q: asked %s, %d bytes", codings, got, result.Bytes)
		}
		if used := r.p.bodies.used; used != 0 {
			t.Errorf("%q: %d bytes are held", codings, used)
		}
	}
}
