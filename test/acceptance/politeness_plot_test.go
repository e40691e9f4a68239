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

// A manner is how one site of the long runs behaves, and what it asks of its
// readers, said twice: in the words of the protocol, and as the times that
// whoever wrote the case means by them.
type manner struct {
	name string

	etag string // %d is the version; empty: none
	lm   string // layout; empty: none
	deaf bool   // a GET is answered in full, whatever its conditions
	late bool   // If-None-Match never matches, If-Modified-Since alone does

	fields [][2]string                  // of every good answer
	fresh  time.Duration                // what they mean
	dated  func(at time.Time) [2]string // one that depends on the time
	only   int                          // they are sent with this status alone

	channel string        // in the document
	ttl     time.Duration // what it means
	skip    func(at time.Time) bool

	head    func(p *plot, at time.Time, a *reply)
	trouble func(p *plot, at time.Time) (a reply, ok bool) // instead of a good answer
	adjust  func(p *plot, at time.Time, r *http.Request, a *reply)

	every  time.Duration // between two posts; 0: two days and a half
	burst  [2]time.Duration
	quiet  time.Duration // its newest post is that old at the beginning, and none follows
	least  time.Duration // between two polls, by our own manners
	signs  [][2]string   // of each redirect
	user   string
	query  string
	moved  []int         // the redirects that lead to it, from the eighth day on
	rule   time.Duration // the operator's
	robots robotsAt
	shares string // sites of the same name here lie on one host
	leaves bool   // 410 is meant: it is asked no more
	lags   bool   // posts may come a poll later: its HEAD lies until that is known

	extra     int // requests beyond the ideal
	extraWhy  string
	extraFull int  // full answers beyond the ideal
	hopeless  bool // nothing tells whether it has changed
}

// A stop is an address that a site has had.
type stop struct{ path, to string }

// was tells whether a path is one that the site has left, and which.
func (p *plot) was(path string) int {
	return slices.IndexFunc(p.old, func(s stop) bool { return s.path == path })
}

// A plot is a site of the long runs.
type plot struct {
	manner
	n     int
	door  *door
	path  string
	old   []stop // former addresses, one after the other
	url   string // as subscribed
	begin time.Time
	posts []post
	many  bool // readers in several zones
	alone bool // on its host
}

// plant makes a plot: its posts come at seeded times from two days before the
// beginning until the end.
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

// bursts tells whether more is published at an instant than anybody can follow.
func (p *plot) bursts(at time.Time) bool {
	since := at.Sub(p.begin)
	return since >= p.burst[0] && since < p.burst[1]
}

// version counts what has been published up to an instant.
func (p *plot) version(at time.Time) (n int, last time.Time) {
	n, last = 1, p.begin.Add(-100*day)
	for _, post := range p.posts {
		if !post.at.After(at) {
			n, last = n+1, post.at
		}
	}
	return n, last
}

// validators are those of the document at an instant.
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

// document is the feed: its ten newest posts.
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

// wants is how long a reader must leave the site alone after a good answer.
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

// answer is what the site says to a request at an instant. It is a function of
// both: asking changes nothing.
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

// holds tells whether a request's conditions name the version there is.
func (p *plot) holds(h http.Header, etag, lm string) bool {
	if sent, ok := h["If-None-Match"]; ok {
		return !p.late && etag != "" && sent[0] == etag
	}
	sent, ok := h["If-Modified-Since"]
	return ok && lm != "" && sent[0] == lm
}

// address is what readers subscribe to.
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

// during is a trouble that lasts for a time of each run.
func during(from, to time.Duration, a reply) func(*plot, time.Time) (reply, bool) {
	return func(p *plot, at time.Time) (reply, bool) {
		since := at.Sub(p.begin)
		return a, since >= from && since < to
	}
}
