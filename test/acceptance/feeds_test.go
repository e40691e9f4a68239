package acceptance

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"html"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"time"
)

// A temper is the behaviour of a site's server.
type temper struct {
	name   string
	kind   string // "rss", "atom", "json"
	etag   string // the format of its ETag, with %s for the version; "": none
	lm     string // the layout of its Last-Modified; "": none
	head   headTemper
	deaf   bool // ignores conditions
	maxAge time.Duration
	bydate bool // states maxAge by Expires
	zipped bool
	slow   bool
	cookie bool
	moved  int // 301 or 302: subscribed at an old address
	query  string
	shared bool // on the host of the previous site

	trouble trouble

	undated  bool
	reguid   bool // changes all GUIDs on the third day
	flickers bool // removes its newest posts for some hours every day
	touches  bool // changes validators every six hours, whatever the content
	edits    bool // changes the title of each post three hours later
}

type headTemper int

const (
	headHonest   headTemper = iota
	headRefused             // responds 405
	headRestless            // always has new validators
	headStuck               // always has the validators of the beginning, and the current length
)

// A trouble is a period in which a site does not serve its feed.
type trouble struct {
	from, to time.Duration // since the beginning
	status   int
	wait     time.Duration // Retry-After
	cut      bool          // the body is incomplete
	begin    time.Time
}

func (tr trouble) at(now time.Time) bool {
	return tr.status != 0 && !now.Before(tr.begin.Add(tr.from)) && now.Before(tr.begin.Add(tr.to))
}

const strong, weak, suffixed, bare = `"%s"`, `W/"%s"`, `"%s-gzip"`, `%s`

func tempers() []temper {
	const day = 24 * time.Hour
	oddDate := "Mon, 02 Jan 2006 15:04:05 -0700"
	return []temper{
		{name: "both validators", kind: "rss", etag: strong, lm: http.TimeFormat},
		{name: "ETag only", kind: "atom", etag: weak},
		{name: "Last-Modified only", kind: "json", lm: http.TimeFormat},
		{name: "no validators", kind: "rss"},
		{name: "ETag with -gzip", kind: "atom", etag: suffixed, lm: http.TimeFormat, zipped: true},
		{name: "HEAD refused", kind: "rss", etag: strong, head: headRefused},
		{name: "HEAD restless", kind: "json", etag: strong, lm: http.TimeFormat, head: headRestless},
		{name: "HEAD stuck", kind: "rss", etag: strong, lm: http.TimeFormat, head: headStuck},
		{name: "always 200", kind: "atom", etag: strong, lm: http.TimeFormat, deaf: true},
		{name: "fresh for 30 minutes", kind: "rss", etag: strong, maxAge: 30 * time.Minute},
		{name: "fresh for 90 minutes", kind: "atom", etag: strong, maxAge: 90 * time.Minute},
		{name: "fresh for a day", kind: "rss", lm: http.TimeFormat, maxAge: day},
		{name: "Expires", kind: "json", etag: strong, maxAge: 3 * time.Hour, bydate: true},
		{name: "301", kind: "rss", etag: strong, lm: http.TimeFormat, moved: 301},
		{name: "302", kind: "atom", etag: strong, moved: 302},
		{name: "503 for a day", kind: "rss", etag: strong, lm: http.TimeFormat,
			trouble: trouble{from: 30 * time.Hour, to: 54 * time.Hour, status: 503}},
		{name: "429", kind: "atom", etag: strong,
			trouble: trouble{from: 40 * time.Hour, to: 49 * time.Hour, status: 429, wait: 2 * time.Hour}},
		{name: "an error page with 200", kind: "rss", etag: strong, lm: http.TimeFormat,
			trouble: trouble{from: 20 * time.Hour, to: 32 * time.Hour, status: 200}},
		{name: "cut short", kind: "json", etag: strong, head: headRefused,
			trouble: trouble{from: 25 * time.Hour, to: 45 * time.Hour, status: 200, cut: true}},
		{name: "slow", kind: "rss", etag: strong, lm: http.TimeFormat, slow: true},
		{name: "gzip", kind: "atom", etag: strong, lm: http.TimeFormat, zipped: true},
		{name: "odd validators", kind: "rss", etag: bare, lm: oddDate},
		{name: "new GUIDs", kind: "rss", etag: strong, reguid: true},
		{name: "undated", kind: "atom", etag: strong, undated: true},
		{name: "flickering", kind: "json", etag: strong, lm: http.TimeFormat, flickers: true},
		{name: "touched", kind: "rss", etag: strong, lm: http.TimeFormat, touches: true},
		{name: "edited", kind: "atom", etag: strong, edits: true},
		{name: "cookies", kind: "rss", etag: strong, cookie: true},
		{name: "a query", kind: "rss", etag: strong, lm: http.TimeFormat, query: "?b=2&a=%7e1&b=2&_"},
		{name: "two on a host", kind: "atom", etag: strong, lm: http.TimeFormat, shared: true},
	}
}

type site struct {
	temper
	n     int
	host  int
	begin time.Time
	posts []post // oldest first
	real  *realFeed
	url   string // the subscribed address
	final string // the address of the feed

	settled bool // the program has seen a permanent redirect twice, 20 hours apart
}

type post struct {
	url string
	n   int
	at  time.Time
}

// publish returns n sites whose posts appear at seeded random times, from a day and a half before begin until end.
func publish(n int, begin, end time.Time, seed uint64) []*site {
	kinds := tempers()
	sites := make([]*site, n)
	for i := range sites {
		s := &site{temper: kinds[i%len(kinds)], n: i, host: i, begin: begin}
		s.trouble.begin = begin
		if s.shared && i > 0 {
			s.host = sites[i-1].host
		}
		random := rand.New(rand.NewPCG(seed, uint64(i)))
		for at := begin.Add(-36 * time.Hour); at.Before(end); {
			at = at.Add(time.Duration(1+random.IntN(26*60)) * time.Minute)
			if at.Minute() == 0 { // never at the time of a tick
				at = at.Add(7 * time.Minute)
			}
			k := len(s.posts)
			s.posts = append(s.posts, post{fmt.Sprintf("http://site-%d.example/posts/%d", i, k), k, at})
		}
		sites[i] = s
	}
	return sites
}

func (s *site) path() string { return fmt.Sprintf("/feeds/%d.%s", s.n, s.kind) }

// address returns the address that readers subscribe to: after a permanent redirect the new one.
func (s *site) address() string {
	if s.settled {
		return s.final
	}
	return s.url + s.query
}

// listed returns the posts in the feed at a time, newest first.
func (s *site) listed(now time.Time) []post {
	var listed []post
	for _, p := range s.posts {
		if !p.at.After(now) {
			listed = append(listed, p)
		}
	}
	if s.flickers && now.Hour() >= 9 && now.Hour() < 15 && len(listed) > 3 {
		listed = listed[:len(listed)-2]
	}
	slices.Reverse(listed)
	return listed
}

func (s *site) changedAt(now time.Time) time.Time {
	last := s.begin.Add(-48 * time.Hour)
	see := func(t time.Time) {
		if !t.After(now) && t.After(last) {
			last = t
		}
	}
	for _, p := range s.posts {
		see(p.at)
		if s.edits {
			see(p.at.Add(3 * time.Hour))
		}
	}
	if s.real != nil {
		for _, at := range s.real.reveal {
			see(at)
		}
	}
	if s.flickers {
		see(now.Truncate(24 * time.Hour).Add(-9 * time.Hour))
		see(now.Truncate(24 * time.Hour).Add(9 * time.Hour))
		see(now.Truncate(24 * time.Hour).Add(15 * time.Hour))
	}
	if s.reguid {
		see(s.begin.Add(50 * time.Hour))
	}
	if s.touches {
		see(now.Truncate(6 * time.Hour).Add(-time.Hour))
	}
	return last
}

func (s *site) validators(now time.Time) (etag, lm string) {
	changed := s.changedAt(now)
	if s.etag != "" {
		h := fnv.New64a()
		h.Write(s.document(now))
		if s.touches {
			fmt.Fprint(h, changed.Unix())
		}
		etag = fmt.Sprintf(s.temper.etag, hex.EncodeToString(h.Sum(nil)))
	}
	if s.lm != "" {
		lm = changed.UTC().Format(s.lm)
	}
	return etag, lm
}

// notModified evaluates a request's conditions: If-None-Match first, otherwise If-Modified-Since by equality, like
// many servers.
func (s *site) notModified(h http.Header, etag, lm string) bool {
	if sent, ok := h["If-None-Match"]; ok {
		return s.temper.etag != suffixed && etag != "" && sent[0] == etag
	}
	sent, ok := h["If-Modified-Since"]
	return ok && lm != "" && sent[0] == lm
}

// describe writes the header fields of successful responses.
func (s *site) describe(h http.Header, now time.Time, etag, lm string) {
	if etag != "" {
		h.Set("ETag", etag)
	}
	if lm != "" {
		h.Set("Last-Modified", lm)
	}
	switch {
	case s.bydate:
		h.Set("Expires", now.Add(s.maxAge).UTC().Format(http.TimeFormat))
	case s.maxAge > 0:
		h.Set("Cache-Control", fmt.Sprintf("public, max-age=%d", s.maxAge/time.Second))
	}
	if s.zipped {
		h.Set("Vary", "Accept-Encoding")
	}
	if s.cookie {
		h.Set("Set-Cookie", "session=0123456789; Path=/")
	}
}

func (s *site) contentType() string {
	switch s.kind {
	case "atom":
		return "application/atom+xml"
	case "json":
		return "application/feed+json"
	}
	return "application/rss+xml; charset=utf-8"
}

func (s *site) title(p post, now time.Time) string {
	if s.edits && !now.Before(p.at.Add(3*time.Hour)) {
		return fmt.Sprintf("Post %d of site %d & more, edited", p.n, s.n)
	}
	return fmt.Sprintf("Post %d of site %d & more", p.n, s.n)
}

func (s *site) guid(p post, now time.Time) string {
	if s.reguid && !now.Before(s.begin.Add(50*time.Hour)) {
		return fmt.Sprintf("urn:new:%d", p.n)
	}
	return fmt.Sprintf("tag:site-%d.example,2026:%d", s.n, p.n)
}

func (s *site) document(now time.Time) []byte {
	if s.real != nil {
		return s.real.document(now)
	}
	switch s.kind {
	case "atom":
		return s.atom(now)
	case "json":
		return s.json(now)
	}
	return s.rss(now)
}

func (s *site) rss(now time.Time) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, `<?xml version="1.0" encoding="utf-8"?><rss version="2.0"><channel><title>Site %d</title><link>http://site-%[1]d.example/</link>`+"\n", s.n)
	for _, p := range s.listed(now) {
		fmt.Fprintf(&b, `<item><title>%s</title><link>%s</link><guid isPermaLink="false">%s</guid>`,
			html.EscapeString(s.title(p, now)), p.url, s.guid(p, now))
		if !s.undated {
			fmt.Fprintf(&b, `<pubDate>%s</pubDate>`, p.at.UTC().Format(time.RFC1123Z))
		}
		fmt.Fprintf(&b, "<description>&lt;p&gt;What post %d has to say.&lt;/p&gt;</description></item>\n", p.n)
	}
	b.WriteString("</channel></rss>\n")
	return []byte(b.String())
}

func (s *site) atom(now time.Time) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, `<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>Site %d</title><id>urn:site:%[1]d</id><link href="http://site-%[1]d.example/"/>`+"\n", s.n)
	for _, p := range s.listed(now) {
		fmt.Fprintf(&b, `<entry><title>%s</title><link href="%s"/><id>%s</id>`, html.EscapeString(s.title(p, now)),
			p.url, s.guid(p, now))
		if !s.undated {
			fmt.Fprintf(&b, `<published>%s</published><updated>%[1]s</updated>`, p.at.UTC().Format(time.RFC3339))
		}
		fmt.Fprintf(&b, "<content type=\"html\">&lt;p&gt;What post %d has to say.&lt;/p&gt;</content></entry>\n", p.n)
	}
	b.WriteString("</feed>\n")
	return []byte(b.String())
}

func (s *site) json(now time.Time) []byte {
	items := []map[string]string{}
	for _, p := range s.listed(now) {
		item := map[string]string{"id": s.guid(p, now), "url": p.url, "title": s.title(p, now),
			"content_html": fmt.Sprintf("<p>What post %d has to say.</p>", p.n)}
		if !s.undated {
			item["date_published"] = p.at.UTC().Format(time.RFC3339)
		}
		items = append(items, item)
	}
	b, err := json.Marshal(map[string]any{
		"version": "https://jsonfeed.org/version/1.1", "title": fmt.Sprintf("Site %d", s.n),
		"home_page_url": fmt.Sprintf("http://site-%d.example/", s.n), "items": items,
	})
	if err != nil {
		panic(err)
	}
	return b
}
