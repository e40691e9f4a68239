package acceptance

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

const day = 24 * time.Hour

// A manner is a site's behaviour and its requests to readers. These are stated twice: in the protocol, and as the
// times that the author of the test means.
type manner struct {
	name string
	kind string // "atom" or "json"; "": RSS
	long bool   // its document has all posts, not only the ten newest

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

	head    func(p *site, at time.Time, a *reply)
	trouble func(p *site, at time.Time) (a reply, ok bool) // instead of a successful response
	adjust  func(p *site, at time.Time, r *http.Request, a *reply)

	undated  bool
	renames  bool // changes all GUIDs on the third day
	flickers bool // removes its newest posts for some hours every day
	edits    bool // changes the title of each post three hours later

	every  time.Duration // between two posts; 0: two and a half days
	burst  [2]time.Duration
	quiet  time.Duration // age of its newest post at the beginning; no others follow
	least  time.Duration // between two polls, by digest's own rules
	signs  [][2]string   // fields of each redirect
	user   string
	query  string
	moved  []int         // the redirects to it
	leaves time.Duration // when it moves
	rule   time.Duration // the operator's rule
	robots robotsAt
	shares string // sites with the same name here share a host
	ends   bool   // polls must end after 410
	lags   bool   // posts may be a poll late until the program knows that HEAD lies

	extra     int // allowed requests beyond the ideal
	extraWhy  string
	extraFull int  // allowed full responses beyond the ideal
	hopeless  bool // nothing shows whether it has changed
}

// A stop is a former address of a site.
type stop struct{ path, to string }

// A site has one feed, in its manner.
type site struct {
	manner
	n       int
	door    *door
	path    string
	old     []stop // former addresses, in order
	url     string // the subscribed address
	begin   time.Time
	posts   []post // oldest first
	real    *realFeed
	many    bool // has readers in several zones
	alone   bool // is the only site of its host
	settled bool // the program has seen a permanent redirect twice, 20 hours apart
}

type post struct {
	url string
	n   int
	at  time.Time
}

func newSite(n int, m manner, begin time.Time) *site {
	return &site{manner: m, n: n, path: fmt.Sprintf("/feed/%d.xml", n), begin: begin}
}

// publish adds a post. It never appears at the time of a tick.
func (p *site) publish(at time.Time) {
	if at.Minute() == 0 {
		at = at.Add(7 * time.Minute)
	}
	n := len(p.posts)
	p.posts = append(p.posts, post{fmt.Sprintf("http://site-%d.example/posts/%d", p.n, n), n, at})
}

// plant returns a site with posts at seeded times, from two days before the beginning until the end.
func plant(n int, m manner, begin, end time.Time) *site {
	p := newSite(n, m, begin)
	random := rand.New(rand.NewPCG(7, uint64(n)))
	if m.every == 0 {
		m.every = 60 * time.Hour
	}
	at := begin.Add(-48 * time.Hour)
	if m.quiet > 0 {
		p.publish(begin.Add(-m.quiet - 2*day))
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
		if at = at.Add(step).Truncate(time.Minute); at.Before(end) {
			p.publish(at)
		}
	}
	return p
}

// was returns the index of a former path of the site; -1: none.
func (p *site) was(path string) int {
	return slices.IndexFunc(p.old, func(s stop) bool { return s.path == path })
}

// bursts reports whether the site publishes more than a reader can follow at that time.
func (p *site) bursts(at time.Time) bool {
	since := at.Sub(p.begin)
	return since >= p.burst[0] && since < p.burst[1]
}

func (p *site) forGood() bool {
	return !slices.ContainsFunc(p.moved, func(status int) bool { return status != 301 && status != 308 })
}

// movesAt reports whether the feed has left its first address.
func (p *site) movesAt(at time.Time) bool { return p.moved != nil && at.Sub(p.begin) >= p.leaves }

// version returns the number of changes up to a time, and the last of them.
func (p *site) version(at time.Time) (n int, last time.Time) {
	n, last = 1, p.begin.Add(-100*day)
	see := func(change time.Time) {
		if !change.After(at) {
			n, last = n+1, latest(last, change)
		}
	}
	for _, post := range p.posts {
		see(post.at)
		if p.edits {
			see(post.at.Add(3 * time.Hour))
		}
	}
	if p.renames {
		see(p.begin.Add(50 * time.Hour))
	}
	if p.real != nil {
		for _, out := range p.real.reveal {
			see(out)
		}
	}
	for hour := p.begin.Truncate(day).Add(-2 * day); p.flickers && !hour.After(at); {
		if h := hour.Hour(); (h == 9 || h == 15) && p.published(hour) > 3 {
			see(hour)
		}
		hour = hour.Add(time.Hour)
	}
	return n, last
}

func (p *site) validators(at time.Time) (etag, lm string) {
	n, last := p.version(at)
	if p.etag != "" {
		etag = strings.ReplaceAll(p.etag, "%d", fmt.Sprint(n))
	}
	if p.lm != "" {
		lm = last.UTC().Format(p.lm)
	}
	return etag, lm
}

// published returns the number of posts up to a time.
func (p *site) published(at time.Time) int {
	n := slices.IndexFunc(p.posts, func(post post) bool { return post.at.After(at) })
	if n < 0 {
		return len(p.posts)
	}
	return n
}

// listed returns the posts in the document at a time, newest first.
func (p *site) listed(at time.Time) []post {
	listed := slices.Clone(p.posts[:p.published(at)])
	if p.flickers && at.Hour() >= 9 && at.Hour() < 15 && len(listed) > 3 {
		listed = listed[:len(listed)-2]
	}
	slices.Reverse(listed)
	if !p.long {
		listed = listed[:min(len(listed), 10)]
	}
	return listed
}

func (p *site) contentType() string {
	return map[string]string{"": "application/rss+xml; charset=utf-8", "atom": "application/atom+xml",
		"json": "application/feed+json"}[p.kind]
}

// document returns the site's feed at a time.
func (p *site) document(at time.Time) []byte {
	if p.real != nil {
		return p.real.document(at)
	}
	head := `<?xml version="1.0" encoding="utf-8"?>
		<rss version="2.0" xmlns:sy="http://purl.org/rss/1.0/modules/syndication/">
		<channel><title>Site %d</title><link>http://site-%[1]d.example/</link>`
	item := `<item><title>%[1]s</title><link>%[2]s</link><guid isPermaLink="false">%[3]s</guid>%[4]s
		<description>%[5]s</description></item>`
	dated, layout, end := "<pubDate>%s</pubDate>", time.RFC1123Z, "</channel></rss>\n"
	switch p.kind {
	case "atom":
		head = `<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom">
			<title>Site %d</title><id>urn:site:%[1]d</id><link href="http://site-%[1]d.example/"/>`
		item = `<entry><title>%[1]s</title><link href="%[2]s"/><id>%[3]s</id>%[4]s
			<content type="html">%[5]s</content></entry>`
		dated, layout, end = "<published>%s</published><updated>%[1]s</updated>", time.RFC3339, "</feed>\n"
	case "json":
		return p.json(at)
	}
	var b strings.Builder
	fmt.Fprintf(&b, head+p.channel+"\n", p.n)
	for _, post := range p.listed(at) {
		date := ""
		if !p.undated {
			date = fmt.Sprintf(dated, post.at.UTC().Format(layout))
		}
		fmt.Fprintf(&b, item+"\n", p.title(post, at), post.url, p.guid(post, at), date,
			fmt.Sprintf("&lt;p&gt;What post %d has to say.&lt;/p&gt;", post.n))
	}
	return append([]byte(b.String()), end...)
}

func (p *site) json(at time.Time) []byte {
	items := []map[string]string{}
	for _, post := range p.listed(at) {
		item := map[string]string{"id": p.guid(post, at), "url": post.url, "title": p.title(post, at),
			"content_html": fmt.Sprintf("<p>What post %d has to say.</p>", post.n)}
		if !p.undated {
			item["date_published"] = post.at.UTC().Format(time.RFC3339)
		}
		items = append(items, item)
	}
	b, err := json.Marshal(map[string]any{
		"version": "https://jsonfeed.org/version/1.1", "title": fmt.Sprintf("Site %d", p.n),
		"home_page_url": fmt.Sprintf("http://site-%d.example/", p.n), "items": items,
	})
	if err != nil {
		panic(err)
	}
	return b
}

func (p *site) title(post post, at time.Time) string {
	title := fmt.Sprintf("Post %d of site %d", post.n, p.n)
	if p.edits && !at.Before(post.at.Add(3*time.Hour)) {
		return title + ", edited"
	}
	return title
}

func (p *site) guid(post post, at time.Time) string {
	if p.renames && at.Sub(p.begin) >= 50*time.Hour {
		return fmt.Sprintf("urn:new:%d", post.n)
	}
	return fmt.Sprintf("tag:site-%d.example,2026:%d", p.n, post.n)
}

// wants returns how long readers must wait after a successful response.
func (p *site) wants(status int) (time.Duration, string) {
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
func (p *site) answer(at time.Time, r *http.Request) reply {
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

func (p *site) good(at time.Time, r *http.Request) reply {
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
		a.add("Content-Type", p.contentType())
		a.body = p.document(at)
	}
	return a
}

// holds reports whether a request's conditions match the current version: If-None-Match first, otherwise
// If-Modified-Since by equality, like many servers.
func (p *site) holds(h http.Header, etag, lm string) bool {
	if sent, ok := h["If-None-Match"]; ok {
		return !p.late && etag != "" && sent[0] == etag
	}
	sent, ok := h["If-Modified-Since"]
	return ok && lm != "" && sent[0] == lm
}

// fails reports whether the site does not serve its feed, and how long it then tells readers to wait.
func (p *site) fails(at time.Time) (told time.Duration, failed bool) {
	a := p.answer(at, &http.Request{Method: http.MethodGet, URL: mustURL(p.path)})
	seconds, _ := strconv.Atoi(a.get("Retry-After"))
	return time.Duration(seconds) * time.Second, a.status != http.StatusOK || a.version == 0 || a.cut
}

// address returns the address that readers subscribe to: after a permanent redirect the new one.
func (p *site) address() string {
	url := p.door.base + p.path
	if p.url != "" && !p.settled {
		url = p.url
	}
	if p.user != "" {
		url = strings.Replace(url, "http://", "http://"+p.user+"@", 1)
	}
	return url + p.query
}

// during returns a trouble in a period of each run.
func during(from, to time.Duration, a reply) func(*site, time.Time) (reply, bool) {
	return func(p *site, at time.Time) (reply, bool) {
		since := at.Sub(p.begin)
		return a, since >= from && since < to
	}
}

// zip is an adjust that compresses the response.
func zip(_ *site, _ time.Time, r *http.Request, a *reply) {
	if a.body == nil || !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		return
	}
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	_, _ = z.Write(a.body)
	_ = z.Close()
	a.body = out.Bytes()
	a.add("Content-Encoding", "gzip")
	a.add("Vary", "Accept-Encoding")
}
