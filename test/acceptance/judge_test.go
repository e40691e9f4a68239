package acceptance

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A court checks all requests in a recorder against the rules. It knows the sites' behaviour, and nothing about the
// program.
type court struct {
	*recorder
	subscribers func(*site) int
	begin       time.Time
	judges      map[*site]*judge
	seen        int            // entries that are judged
	faults      map[string]int // by site and rule
}

func newCourt(r *recorder, subscribers func(*site) int) *court {
	return &court{recorder: r, subscribers: subscribers, begin: r.now, judges: map[*site]*judge{},
		faults: map[string]int{}}
}

// broken reports a broken rule. It prints each twice, and counts the rest.
func (c *court) broken(p *site, at time.Time, rule, format string, args ...any) {
	c.t.Helper()
	name := "somewhere"
	if p != nil {
		name = fmt.Sprintf("site %d (%s)", p.n, p.name)
	}
	if c.faults[name+rule]++; c.faults[name+rule] <= 2 {
		c.t.Errorf("%s: %s, %s, day %.2f: %s", rule, name, instant(at), c.day(at), fmt.Sprintf(format, args...))
	}
}

func (c *court) day(at time.Time) float64 { return at.Sub(c.begin).Hours() / 24 }

// judge judges the requests since its previous call.
func (c *court) judge() {
	var order []*site
	bySite := map[*site][]*entry{}
	for _, e := range c.entries(c.seen) {
		c.seen++
		switch {
		case e.site == nil && e.req.URL.Path != "/robots.txt":
			c.broken(nil, e.at, "S30", "%s %s: nobody named that", e.req.Method, e.req.RequestURI)
		case e.site != nil:
			if bySite[e.site] == nil {
				order = append(order, e.site)
			}
			bySite[e.site] = append(bySite[e.site], e)
		}
	}
	for _, p := range order {
		j := c.judges[p]
		if j == nil {
			j = &judge{c: c, p: p, tries: map[string]string{}}
			c.judges[p] = j
		}
		for all := bySite[p]; len(all) > 0; {
			n := 1
			for n < len(all) && all[n].at.Equal(all[0].at) {
				n++
			}
			j.poll(all[0].at, all[:n])
			all = all[n:]
		}
	}
}

// A judge checks the requests to one site.
type judge struct {
	c *court
	p *site

	begun    bool
	last     time.Time // the first request of the last poll
	until    time.Time
	why      string
	failing  time.Time // since when
	etag, lm string    // of the last 200 with the feed
	from     string    // the path of that response
	repeats  int       // consecutive full responses with equal bytes and ETag
	body     string
	byDate   bool      // its ETag prevents a 304 (S37)
	useless  time.Time // when HEAD was useless
	sighted  time.Time // when the permanent redirect was first seen
	settled  bool
	ended    string
	feedID   string
	tries    map[string]string // header fields that must never change
}

func (j *judge) broken(at time.Time, rule, format string, args ...any) {
	j.c.t.Helper()
	j.c.broken(j.p, at, rule, format, args...)
}

func (j *judge) poll(at time.Time, all []*entry) {
	j.times(at)
	final := all[:0:0]
	for _, e := range all {
		j.header(e)
		if j.p.movesAt(at) && e.moved {
			j.hop(e)
			continue
		}
		j.conditions(e)
		final = append(final, e)
		j.hear(e)
	}
	j.sequence(at, final)
	if j.p.movesAt(at) && j.sighted.IsZero() {
		j.sighted = at
	} else if j.p.movesAt(at) && at.Sub(j.sighted) >= 20*time.Hour && j.p.forGood() {
		j.settled = true
	}
	j.last, j.begun = at, true
}

func (j *judge) times(at time.Time) {
	gap := at.Sub(j.last)
	switch {
	case j.ended != "":
		j.broken(at, "S20", "asked although %s", j.ended)
	case !j.begun:
		return
	case gap < time.Hour:
		j.broken(at, "S14", "asked %s after the last time", gap)
	case at.Before(j.until):
		j.broken(at, "wait", "asked %s too early: %s", j.until.Sub(at), j.why)
	case gap < j.p.least && !(j.p.deaf && j.c.day(at) < 14): // the program has learned it by then
		j.broken(at, "own", "asked %s after the last time; %s is the least", gap, j.p.least)
	}
	if j.p.skip != nil && j.p.skip(at) {
		j.broken(at, "skip", "asked at a time that its document excludes")
	}
}

// hear records a response with the feed.
func (j *judge) hear(e *entry) {
	a, at := e.reply, e.at
	good := (a.status == 200 || a.status == 304) && a.version > 0 && !a.cut
	if e.req.Method == http.MethodHead {
		if good {
			j.wait(at, a.rest, a.why)
		} else if a.status == 429 || a.status == 401 || a.status == 403 {
			j.wait(at, a.rest, a.why)
		}
		return
	}
	if !good {
		if j.failing.IsZero() {
			j.failing = at
		}
		rest := a.rest
		if at.Sub(j.failing) >= 3*day && a.status != 429 && a.get("Retry-After") == "" {
			rest = max(rest, day)
		}
		j.wait(at, rest, a.why)
		if at.Sub(j.failing) >= 90*day {
			j.ended = "it has failed for 90 days"
		}
		if a.status == http.StatusGone && j.p.ends && (j.p.alone || at.Sub(j.failing) >= day) {
			j.ended = "it said 410"
		}
		return
	}
	j.failing = time.Time{}
	j.wait(at, a.rest, a.why)
	if a.status == 304 {
		if lm := a.get("Last-Modified"); lm != "" {
			j.lm = lm
		}
		return
	}
	if string(a.body) == j.body && a.get("ETag") == j.etag && j.etag != "" {
		j.repeats++
	} else {
		j.repeats = 1
	}
	j.body, j.etag, j.lm, j.from = string(a.body), a.get("ETag"), a.get("Last-Modified"), e.req.URL.Path
}

func (j *judge) wait(at time.Time, rest time.Duration, why string) {
	j.until, j.why = at.Add(rest), why
}

// hop judges a request to a former address of the site.
func (j *judge) hop(e *entry) {
	if j.settled {
		j.broken(e.at, "S28", "moved for good, and asked at its old address")
	}
	j.conditions(e)
}

// conditions checks that the validators are the last 200's, byte for byte, and only for its path (S2-S12).
func (j *judge) conditions(e *entry) {
	etag, lm := j.etag, j.lm
	if j.from != e.req.URL.Path {
		etag, lm = "", ""
	}
	inm, ims := e.req.Header["If-None-Match"], e.req.Header["If-Modified-Since"]
	need := 3
	if strings.Contains(etag, "-gzip") {
		need = 2
	}
	j.byDate = j.byDate || j.repeats >= need
	if j.byDate && inm == nil && etag != "" && lm != "" && len(ims) == 1 && ims[0] == lm {
		return // S37
	}
	for _, c := range []struct {
		name string
		got  []string
		want string
	}{{"If-None-Match", inm, etag}, {"If-Modified-Since", ims, lm}} {
		if c.want == "" && c.got != nil || c.want != "" && (len(c.got) != 1 || c.got[0] != c.want) {
			j.broken(e.at, "S2-S12", "%s %s with %s %q, want %q", e.req.Method, e.req.RequestURI, c.name, c.got, c.want)
		}
	}
}

func (j *judge) sequence(at time.Time, all []*entry) {
	methods := ""
	for i, e := range all {
		methods += e.req.Method + " "
		if i > 0 && all[i-1].req.Method == http.MethodGet {
			j.broken(at, "S21", "a request after GET was answered %d", all[i-1].reply.status)
		}
	}
	methods = strings.TrimSpace(methods)
	if !j.begun {
		if methods != "GET" {
			j.broken(at, "S1", "the first poll was %s", methods)
		}
		return
	}
	if !slices.Contains([]string{"GET", "HEAD", "HEAD GET", ""}, methods) {
		j.broken(at, "S32", "the poll was %s", methods)
	}
	if strings.HasPrefix(methods, "HEAD") {
		j.afterHead(at, all)
	}
}

func (j *judge) afterHead(at time.Time, all []*entry) {
	a := all[0].reply
	if !j.useless.IsZero() && at.Sub(j.useless) < 90*day {
		j.broken(at, "S32", "HEAD, which was of no use on %s", instant(j.useless))
	}
	stop := a.status == 304 || a.status == 429 || a.status == 401
	if stop && len(all) > 1 {
		j.broken(at, "S32", "GET after HEAD was answered %d", a.status)
	}
	if len(all) == 1 && !stop && a.status != 403 && a.status >= 400 {
		j.broken(at, "S32", "HEAD was refused, and no GET followed")
	}
	if len(all) == 2 && (a.status != 200 || all[1].reply.status == 304) {
		j.useless = at
	}
}

var politeAgent = regexp.MustCompile(
	`^digest/\S+ \(\+http://localhost:8080/bot; (\d+) subscribers; feed-id=([^ )]+)\)$`)

var politeName = regexp.MustCompile(`^digest/\S+ \(\+http://localhost:8080/bot\b`)

// header checks the header of every request (S22-S27, S34).
func (j *judge) header(e *entry) {
	for _, name := range e.names {
		known := []string{"Host", "User-Agent", "Accept", "Accept-Encoding", "If-None-Match", "If-Modified-Since"}
		if !slices.Contains(known, name) && !(name == "Authorization" && j.p.user != "") {
			j.broken(e.at, "S22-S25", "%s has a field %q", e.req.Method, name)
		}
	}
	for _, name := range []string{"Accept", "Accept-Encoding"} {
		got := e.req.Header.Get(name)
		if before, known := j.tries[name]; known && before != got {
			j.broken(e.at, "S27", "%s was %q, and is %q", name, before, got)
		}
		j.tries[name] = got
	}
	if got := e.req.Header.Get("Accept-Encoding"); got != "gzip, br, zstd" {
		j.broken(e.at, "S27", "Accept-Encoding %q", got)
	}
	if want := e.req.URL.Path + j.p.query; e.req.RequestURI != want {
		j.broken(e.at, "S24", "asked for %s, want %s", e.req.RequestURI, want)
	}
	if e.inFlight > 1 {
		j.broken(e.at, "S34", "%d requests at once", e.inFlight)
	}
	m := politeAgent.FindStringSubmatch(e.req.Header.Get("User-Agent"))
	switch {
	case !j.begun: // the feed has no subscriber and no number yet
	case m == nil:
		j.broken(e.at, "S26", "User-Agent %q", e.req.Header.Get("User-Agent"))
	case m[1] != fmt.Sprint(j.c.subscribers(j.p)):
		j.broken(e.at, "S26", "User-Agent %q, with %d subscribers", m[0], j.c.subscribers(j.p))
	case j.feedID != "" && j.feedID != m[2]:
		j.broken(e.at, "S26", "feed-id was %s, and is %s", j.feedID, m[2])
	default:
		j.feedID = m[2]
	}
}

// judgeRobots checks that a robots.txt is requested at most once a week, before the feed, and obeyed. A run that was
// killed may not have stored it.
func (c *court) judgeRobots(killed ...time.Time) {
	type robots struct {
		at      time.Time
		forbids bool
	}
	said := map[*door]robots{}
	for _, e := range c.entries(0) {
		before, known := said[e.door]
		known = known && !slices.ContainsFunc(killed, before.at.Equal)
		switch {
		case e.req.URL.Path == "/robots.txt":
			if known && e.at.Sub(before.at) < 7*day {
				c.broken(nil, e.at, "robots", "%s/robots.txt again after %s", e.door.base, e.at.Sub(before.at))
			}
			for _, name := range e.names {
				if name == "Authorization" || name == "Cookie" || name == "Referer" {
					c.broken(nil, e.at, "robots", "%s/robots.txt with %s", e.door.base, name)
				}
			}
			if !politeName.MatchString(e.req.Header.Get("User-Agent")) {
				c.broken(nil, e.at, "robots", "asked for by %s", e.req.Header.Get("User-Agent"))
			}
			if known && e.door.robots != nil && e.req.Header.Get("If-None-Match") == "" {
				c.broken(nil, e.at, "robots", "%s/robots.txt again, and without its ETag", e.door.base)
			}
			text := ""
			if e.door.robots != nil {
				text = e.door.robots(e.at)
			}
			said[e.door] = robots{e.at, strings.Contains(text, "Digest\nDisallow: /feed")}
		case before.at.IsZero():
			c.broken(e.site, e.at, "robots", "asked before robots.txt")
			said[e.door] = robots{at: e.at}
		case before.forbids:
			c.broken(e.site, e.at, "robots", "asked although robots.txt says not to")
		}
	}
}
