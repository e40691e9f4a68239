package acceptance

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"time"
)

const day = 24 * time.Hour

// A manner is a site's behaviour and its requests to readers. These are stated twice: in the protocol, and as the
// times that the author of the test means.
type manner struct {
	name string

	etag string // with %d for the version; "": none
	lm   string // layout; "": none
	deaf bool   // ignores conditions
	late bool   // only If-Modified-Since matches, never If-None-Match

	fields [][2]string                  // of every successful response
	fresh  time.Duration                // their meaning
	dated  func(at time.Time) [2]string // a field that depends on the time
	only   int                          // the only status with these fields

	channel string        // in the document
	ttl     time.Duration // its meaning
	skip    func(at time.Time) bool

	head    func(p *plot, at time.Time, a *reply)
	trouble func(p *plot, at time.Time) (a reply, ok bool) // instead of a successful response
	adjust  func(p *plot, at time.Time, r *http.Request, a *reply)

	every  time.Duration // between two posts; 0: two and a half days
	burst  [2]time.Duration
	quiet  time.Duration // age of its newest post at the beginning; no others follow
	least  time.Duration // between two polls, by digest's own rules
	signs  [][2]string   // fields of each redirect
	user   string
	query  string
	moved  []int         // the redirects to it, from the eighth day on
	rule   time.Duration // the operator's rule
	robots robotsAt
	shares string // sites with the same name here share a host
	leaves bool   // polls must end after 410
	lags   bool   // posts may be a poll late until the program knows that HEAD lies

	extra     int // allowed requests beyond the ideal
	extraWhy  string
	extraFull int  // allowed full responses beyond the ideal
	hopeless  bool // nothing shows whether it has changed
}

// A stop is a former address of a site.
type stop struct{ path, to string }

// was returns the index of a former path of the site; -1: none.
func (p *plot) was(path string) int {
	return slices.IndexFunc(p.old, func(s stop) bool { return s.path == path })
}

// A plot is a site of the long runs.
type plot struct {
	manner
	n     int
	door  *door
	path  string
	old   []stop // former addresses, in order
	url   string // the subscribed address
	begin time.Time
	posts []post
	many  bool // has readers in several zones
	alone bool // is the only site of its host
}

// plant returns a plot with posts at seeded times, from two days before the beginning until the end.
func plant(n int, m manner, begin, end time.Time) *plot {
	p := &plot{manner: m, n: n, path: fmt.Sprintf("/feed/%d.xml", n), begin: begin}
	random := rand.New(rand.NewPCG(7, uint64(n)))
	if m.every == 0 {
		m.every = 60 * time.Hour
	}
	at := begin.Add(-48 * time.Hour)
	if m.quiet > 0 {
		p.posts = []post{{fmt.Sprintf("http://site-%d.example/posts/0", n), 0, begin.Add(-m.quiet - 2*day)}}
		at, end = begin.Add(-m.quiet-day), begin.Add(-m.quiet+time.Second)
		m.every = day
	}
	for at.Before(end) {
		step := m.every/2 + time.Duration(random.Int64N(int64(m.every)))
		switch since := at.Sub(begin); {
		case m.burst[1] == 0 || since >= m.burst[1]:
		case since >= m.burst[0]:
			step = 20 * time.Minute
		case since+step > m.burst[0]:
			step = m.burst[0] - since + 7*time.Minute
		}
		at = at.Add(step).Truncate(time.Minute)
		if at.Minute() == 0 {
			at = at.Add(7 * time.Minute)
		}
		if at.Before(end) {
			k := len(p.posts)
			p.posts = append(p.posts, post{fmt.Sprintf("http://site-%d.example/posts/%d", n, k), k, at})
		}
	}
	return p
}

// bursts reports whether the site publishes more than a reader can follow at that time.
func (p *plot) bursts(at time.Time) bool {
	since := at.Sub(p.begin)
	return since >= p.burst[0] && since < p.burst[1]
}

// version returns the number of posts up to a time.
func (p *plot) version(at time.Time) (n int, last time.Time) {
	n, last = 1, p.begin.Add(-100*day)
	for _, post := range p.posts {
		if !post.at.After(at) {
			n, last = n+1, post.at
		}
	}
	return n, last
}

func (p *plot) validators(at time.Time) (etag, lm string) {
	n, last := p.version(at)
	if p.etag != "" {
		etag = strings.ReplaceAll(p.etag, "%d", fmt.Sprint(n))
	}
	if p.lm != "" {
		lm = last.UTC().Format(p.lm)
	}
	return etag, lm
}

func (p *plot) document(at time.Time) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, `<?xml version="1.0" encoding="utf-8"?><rss version="2.0" xmlns:sy="http://purl.org/rss/1.0/modules/syndication/"><channel><title>Site %d</title><link>http://site-%[1]d.example/</link>%s`+"\n", p.n, p.channel)
	n, _ := p.version(at)
	for i := n - 2; i >= 0 && i > n-12; i-- {
		post := p.posts[i]
		fmt.Fprintf(&b, `<item><title>Post %d of site %d</title><link>%s</link><guid isPermaLink="false">tag:site-%d.example,2026:%d</guid><pubDate>%s</pubDate><description>&lt;p&gt;What post %d has to say.&lt;/p&gt;</description></item>`+"\n",
			post.n, p.n, post.url, p.n, post.n, post.at.UTC().Format(time.RFC1123Z), post.n)
	}
	b.WriteString("</channel></rss>\n")
	return []byte(b.String())
}

// wants returns how long readers must wait after a successful response.
func (p *plot) wants(status int) (time.Duration, string) {
	fresh := p.fresh
	if p.only != 0 && p.only != status {
		fresh = 0
	}
	if p.ttl > fresh {
		return p.ttl, "ttl or sy: (S15)"
	}
	return fresh, "still fresh (S15)"
}

// answer returns the site's response to a request at a time. It depends only on these and changes nothing.
func (p *plot) answer(at time.Time, r *http.Request) reply {
	if i := p.was(r.URL.Path); i >= 0 && p.movesAt(at) {
		a := reply{status: p.moved[i]}
		a.add("Location", p.old[i].to)
		a.fields = append(a.fields, p.signs...)
		return a
	}
	if p.user != "" && r.Header.Get("Authorization") != "Basic "+base64.StdEncoding.EncodeToString([]byte(p.user)) {
		return reply{status: http.StatusUnauthorized, rest: 4 * time.Hour, why: "401"}
	}
	if p.trouble != nil {
		if a, ok := p.trouble(p, at); ok {
			return a
		}
	}
	a := p.good(at, r)
	if r.Method == http.MethodHead && p.head != nil {
		p.head(p, at, &a)
	}
	if p.adjust != nil {
		p.adjust(p, at, r, &a)
	}
	return a
}

func (p *plot) good(at time.Time, r *http.Request) reply {
	n, _ := p.version(at)
	etag, lm := p.validators(at)
	a := reply{status: http.StatusOK, version: n}
	if !p.deaf && p.holds(r.Header, etag, lm) || p.deaf && r.Method == http.MethodHead && p.head == nil &&
		p.holds(r.Header, etag, lm) {
		a.status = http.StatusNotModified
	}
	a.rest, a.why = p.wants(a.status)
	if etag != "" {
		a.add("ETag", etag)
	}
	if lm != "" {
		a.add("Last-Modified", lm)
	}
	if p.only == 0 || p.only == a.status {
		a.fields = append(a.fields, p.fields...)
		if p.dated != nil {
			a.fields = append(a.fields, p.dated(at))
		}
	}
	if a.status == http.StatusOK {
		a.add("Content-Type", "application/rss+xml; charset=utf-8")
		a.body = p.document(at)
	}
	return a
}

// holds reports whether a request's conditions match the current version.
func (p *plot) holds(h http.Header, etag, lm string) bool {
	if sent, ok := h["If-None-Match"]; ok {
		return !p.late && etag != "" && sent[0] == etag
	}
	sent, ok := h["If-Modified-Since"]
	return ok && lm != "" && sent[0] == lm
}

func (p *plot) address() string {
	url := p.door.base + p.path
	if p.url != "" {
		url = p.url
	}
	if p.user != "" {
		url = strings.Replace(url, "http://", "http://"+p.user+"@", 1)
	}
	return url + p.query
}

// during returns a trouble in a period of each run.
func during(from, to time.Duration, a reply) func(*plot, time.Time) (reply, bool) {
	return func(p *plot, at time.Time) (reply, bool) {
		since := at.Sub(p.begin)
		return a, since >= from && since < to
	}
}
