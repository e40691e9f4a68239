package acceptance

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"
)

// checkFirstFetches checks that an import sends each site a single GET (S1, S17): no HEAD, no conditions, no
// repetition.
func (s *scene) checkFirstFetches() {
	s.t.Helper()
	asked := map[*page]int{}
	for _, q := range s.web.requests() {
		s.checkHeader(q, 1)
		asked[q.page]++
		if q.method != http.MethodGet || q.header["If-None-Match"] != nil || q.header["If-Modified-Since"] != nil {
			s.t.Errorf("the first fetch of site %d (%s) was %s %v", q.page.n, q.page.name, q.method, q.header)
		}
	}
	for page, n := range asked {
		if n != 1 {
			s.t.Errorf("site %d (%s) was fetched %d times", page.n, page.name, n)
		}
	}
}

var userAgent = regexp.MustCompile(
	`^digest/\S+ \(\+http://localhost:8080/bot; (\d+) subscribers(?:; feed-id=(\d+))?\)$`)

const robotsAge = 7 * 24 * time.Hour

// checkRobots checks that the program requests a robots.txt at most once a week, before other requests to its origin
// and with the same header. A run killed at one of these times may not have stored it.
func (s *scene) checkRobots(killed ...time.Time) {
	s.t.Helper()
	asked, first := map[string]time.Time{}, map[string]time.Time{}
	for _, q := range s.web.rules() {
		about := fmt.Sprintf("%s: %s http://%s%s", instant(q.at), q.method, q.origin, q.target)
		before, known := asked[q.origin]
		lost := slices.ContainsFunc(killed, before.Equal)
		if known && !lost && q.at.Sub(before) < robotsAge {
			s.t.Errorf("%s: asked %s before", about, q.at.Sub(before))
		}
		asked[q.origin] = q.at
		first[q.origin] = earliest(first[q.origin], q.at)
		if q.method != http.MethodGet || !userAgent.MatchString(q.header.Get("User-Agent")) {
			s.t.Errorf("%s: by %q", about, q.header.Get("User-Agent"))
		}
		s.checkPurity(about, q)
	}
	for _, q := range s.web.requests() {
		if at, known := first[q.origin]; !known || at.After(q.at) {
			s.t.Errorf("%s: %s http://%s%s before its robots.txt", instant(q.at), q.method, q.origin, q.target)
		}
	}
}

// checkManners checks all requests for impolite ones.
func (s *scene) checkManners() {
	s.t.Helper()
	s.checkRobots()
	polls := map[*site]map[time.Time][]request{}
	for _, q := range s.web.requests() {
		site := q.page.site
		if polls[site] == nil {
			polls[site] = map[time.Time][]request{}
		}
		polls[site][q.at] = append(polls[site][q.at], q)
	}
	for site, p := range polls {
		w := witness{scene: s, site: site}
		for at := begin(); !at.After(s.now); at = at.Add(time.Minute) {
			if p[at] != nil {
				w.poll(at, p[at])
			}
		}
	}
}

func (s *scene) checkHeader(q request, subscribers int) {
	s.t.Helper()
	about := fmt.Sprintf("%s: %s %s (%s)", instant(q.at), q.method, q.target, q.page.name)
	s.checkPurity(about, q)
	if !strings.Contains(q.header.Get("Accept"), "rss+xml") || q.header.Get("Accept-Encoding") != "gzip, br, zstd" {
		s.t.Errorf("%s: Accept %q, Accept-Encoding %q (S27)", about, q.header.Get("Accept"),
			q.header.Get("Accept-Encoding"))
	}
	if want := q.page.path() + q.page.query; q.page.moved == 0 && q.target != want {
		s.t.Errorf("%s: the address was %s (S24)", about, want)
	}
	m := userAgent.FindStringSubmatch(q.header.Get("User-Agent"))
	if m == nil || m[1] != fmt.Sprint(subscribers) {
		s.t.Errorf("%s: User-Agent %q with %d subscribers (S26)", about, q.header.Get("User-Agent"), subscribers)
	}
}

// checkPurity checks conditions that also apply to requests for robots.txt.
func (s *scene) checkPurity(about string, q request) {
	s.t.Helper()
	for _, name := range []string{"Referer", "Cookie", "Cache-Control", "Pragma"} {
		if q.header[name] != nil {
			s.t.Errorf("%s: %s %q", about, name, q.header[name])
		}
	}
	if q.inFlight > 1 {
		s.t.Errorf("%s: %d in flight to one host (S34)", about, q.inFlight)
	}
}

// checkFeedID checks that every poll of a site has the same feed number, which no other site has.
func (s *scene) checkFeedID(q request) {
	s.t.Helper()
	m := userAgent.FindStringSubmatch(q.header.Get("User-Agent"))
	if m == nil {
		return // checkHeader reports it
	}
	if s.ids == nil {
		s.ids = map[string]*site{}
	}
	site, id := q.page.site, m[2]
	if s.ids[id] == nil {
		s.ids[id] = site
	}
	if n := len(s.ids); id == "" || s.ids[id] != site || n > len(s.sites) {
		s.t.Errorf("%s: %s %s (%s): User-Agent %q; the number is that of site %d, and there are %d (S26)",
			instant(q.at), q.method, q.target, site.name, m[0], s.ids[id].n, n)
	}
}

// A witness checks the polls of one site.
type witness struct {
	*scene
	site *site

	last     time.Time
	begun    bool
	etag, lm string // of the last 200 with the feed
	document string // its body
	length   int    // its length on the wire
	inTheWay bool   // the ETag names a coding, and two consecutive full responses were equal (S37)
	noHEAD   string // the reason against HEAD
	freshTo  time.Time
	waitTo   time.Time
	firstOld time.Time
	settled  bool // permanent redirect seen twice
}

func (w *witness) poll(at time.Time, requests []request) {
	w.t.Helper()
	about := fmt.Sprintf("%s: site %d (%s)", instant(at), w.site.n, w.site.name)
	if w.begun && at.Sub(w.last) < pollGap {
		w.t.Errorf("%s: asked %s after the last time (S14)", about, at.Sub(w.last))
	}
	if at.Before(w.freshTo) {
		w.t.Errorf("%s: asked while fresh until %s (S15)", about, instant(w.freshTo))
	}
	if at.Before(w.waitTo) {
		w.t.Errorf("%s: asked though told to wait until %s (S19)", about, instant(w.waitTo))
	}
	methods := ""
	headSaid := ""
	for _, q := range requests {
		if q.page.moved != 0 {
			if w.settled && q.page.moved == http.StatusMovedPermanently {
				w.t.Errorf("%s: moved for good, and is asked at its old address (S28)", about)
			}
			w.firstOld = earliest(w.firstOld, at)
			if q.header["If-None-Match"] != nil || q.header["If-Modified-Since"] != nil {
				w.t.Errorf("%s: validators were sent to the address it left (S12)", about)
			}
			continue
		}
		methods += q.method + " "
		w.checkConditions(about, q)
		if q.method == http.MethodHead {
			headSaid = w.heard(about, q)
			continue
		}
		w.got(q)
	}
	switch methods = strings.TrimSpace(methods); {
	case !w.begun && methods != "GET":
		w.t.Errorf("%s: the first poll was %s (S1)", about, methods)
	case methods == "GET":
	case methods == "HEAD" && headSaid != "ask":
	case methods == "HEAD GET" && headSaid == "ask":
	default:
		w.t.Errorf("%s: the poll was %s; HEAD said %q (S32)", about, methods, headSaid)
	}
	w.last, w.begun = at, true
	w.settled = w.settled || !w.firstOld.IsZero() && at.Sub(w.firstOld) >= believeMove
}

// earliest returns the earlier of two times; zero counts as later.
func earliest(a, b time.Time) time.Time {
	if a.IsZero() || b.Before(a) {
		return b
	}
	return a
}

// checkConditions checks that the validators are equal to the last 200's, byte for byte (S2-S7, S10), but only the
// date if the ETag prevents a 304 (S37).
func (w *witness) checkConditions(about string, q request) {
	w.t.Helper()
	etag := w.etag
	if w.inTheWay && w.lm != "" {
		etag = ""
	}
	for name, want := range map[string]string{"If-None-Match": etag, "If-Modified-Since": w.lm} {
		got := q.header[name]
		if want == "" && got != nil || want != "" && (len(got) != 1 || got[0] != want) {
			w.t.Errorf("%s: %s with %s %q, want %q", about, q.method, name, got, want)
		}
	}
}

// heard checks a response to HEAD and returns whether a GET must follow in this poll.
func (w *witness) heard(about string, q request) string {
	w.t.Helper()
	if w.noHEAD != "" {
		w.t.Errorf("%s: HEAD, though %s", about, w.noHEAD)
	}
	switch {
	case q.status == http.StatusNotModified:
		w.keepFresh(q)
		return "unchanged"
	case q.status == http.StatusOK && (q.etag != "" || q.lm != "") && q.etag == w.etag && q.lm == w.lm &&
		q.length == w.length:
		w.keepFresh(q)
		return "unchanged"
	case q.status == http.StatusTooManyRequests:
		w.waitTo = q.at.Add(w.site.trouble.wait)
		return "wait"
	case q.status == http.StatusMethodNotAllowed:
		w.noHEAD = "it was refused before"
	}
	return "ask"
}

// got records a response to GET.
func (w *witness) got(q request) {
	switch {
	case q.status == http.StatusNotModified:
		w.noHEAD = "the conditional GET answers 304"
		w.lm = q.lm // of the same version, by its ETag (S8)
		w.keepFresh(q)
	case q.body:
		document := string(q.page.document(q.at))
		w.inTheWay = w.inTheWay || w.site.temper.etag == suffixed && q.etag == w.etag && document == w.document
		w.etag, w.lm, w.document, w.length = q.etag, q.lm, document, q.length
		w.keepFresh(q)
	case q.status == http.StatusTooManyRequests:
		w.waitTo = q.at.Add(w.site.trouble.wait)
	}
}

func (w *witness) keepFresh(q request) { w.freshTo = q.at.Add(w.site.maxAge) }
