package acceptance

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// A web is all sites with one simulated clock. It records each request unchanged.
type web struct {
	t      *testing.T
	mu     sync.Mutex
	now    time.Time
	byPath map[string]*page
	busy   map[string]int // concurrent requests, by host
	log    []request
	robots []request // requests for robots.txt; no site has one

	countdown int // requests until the call of bell
	bell      func()
}

// A page is the content of one path: a site's feed, or its former address.
type page struct {
	*site
	moved int    // 301 or 302: a redirect
	to    string // its target
}

// A request is a request to a site, with its response.
type request struct {
	at       time.Time // simulated time
	page     *page     // nil: a robots.txt
	method   string
	origin   string // host and port
	target   string // path and query, byte for byte
	header   http.Header
	inFlight int // concurrent requests to the host, including this one
	status   int
	etag, lm string // of the response
	length   int    // of the feed, in a 200
	body     bool   // the response has the complete feed
}

func newWeb(t *testing.T, now time.Time) *web {
	w := &web{t: t, now: now, byPath: map[string]*page{}, busy: map[string]int{}}
	return w
}

// open gives each site its own address: a host in 127.0.0.0/8 with a port, because the program paces each host.
func (w *web) open(t *testing.T, sites []*site) {
	t.Helper()
	server := &http.Server{Handler: w}
	t.Cleanup(func() { server.Close() })
	bases := map[int]string{}
	base := func(host int) string {
		if bases[host] == "" {
			l := listen(t, host)
			go server.Serve(l)
			bases[host] = "http://" + l.Addr().String()
		}
		return bases[host]
	}
	for _, s := range sites {
		s.url = base(s.host) + s.path()
		w.byPath[s.path()] = &page{site: s}
		s.final = s.url
		if s.moved != 0 {
			old := fmt.Sprintf("/old/%d.xml", s.n)
			w.byPath[old] = &page{site: s, moved: s.moved, to: s.url}
			s.url = base(1000+s.host) + old
		}
	}
}

// listen opens a port on the n-th loopback host, or, outside of Linux, on 127.0.0.1.
func listen(t *testing.T, n int) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", fmt.Sprintf("127.77.%d.%d:0", n/200, n%200+1))
	if err != nil {
		l, err = net.Listen("tcp", "127.0.0.1:0")
	}
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func (w *web) set(now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = now
}

// onRequest sets a function to call before the response to the n-th request from now.
func (w *web) onRequest(n int, bell func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.countdown, w.bell = n, bell
}

func (w *web) requests() []request {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]request(nil), w.log...)
}

func (w *web) rules() []request {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]request(nil), w.robots...)
}

func (w *web) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	host, _, _ := net.SplitHostPort(r.Host)
	w.mu.Lock()
	if w.byPath[r.URL.Path] == nil && r.URL.Path != "/robots.txt" {
		w.t.Errorf("%s: %s %s: nobody subscribed to that (S30)", instant(w.now), r.Method, r.RequestURI)
		http.NotFound(rw, r)
		w.mu.Unlock()
		return
	}
	if w.countdown--; w.countdown == 0 && w.bell != nil {
		w.bell()
	}
	w.busy[host]++
	q := request{at: w.now, page: w.byPath[r.URL.Path], method: r.Method, origin: r.Host, target: r.RequestURI,
		header: r.Header.Clone(), inFlight: w.busy[host]}
	record := &w.log
	if q.page == nil {
		record = &w.robots
	}
	*record = append(*record, q)
	entry := len(*record) - 1
	w.mu.Unlock()
	if q.page == nil {
		q.status = http.StatusNotFound
		http.NotFound(rw, r)
	} else {
		q.answer(rw)
	}
	w.mu.Lock()
	w.busy[host]--
	(*record)[entry] = q
	w.mu.Unlock()
}

func (q *request) answer(rw http.ResponseWriter) {
	h := rw.Header()
	h.Set("Date", q.at.UTC().Format(http.TimeFormat))
	switch {
	case q.page.moved != 0:
		q.status = q.page.moved
		h.Set("Location", q.page.to)
		rw.WriteHeader(q.status)
	case q.page.trouble.at(q.at):
		q.fail(rw)
	default:
		q.serve(rw)
	}
}

// fail responds like a site in trouble.
func (q *request) fail(rw http.ResponseWriter) {
	tr := q.page.trouble
	if tr.wait > 0 {
		rw.Header().Set("Retry-After", strconv.Itoa(int(tr.wait/time.Second)))
	}
	q.status = tr.status
	body := "<!DOCTYPE html><html><head><title>Maintenance</title></head><body><h1>Back soon</h1></body></html>"
	switch {
	case tr.cut:
		body = string(q.page.document(q.at))
		rw.Header().Set("Content-Length", strconv.Itoa(len(body)))
		body = body[:len(body)/2]
	case tr.status == http.StatusOK:
		rw.Header().Set("Content-Type", "text/html; charset=utf-8")
		rw.Header().Set("ETag", `"maintenance"`)
	}
	rw.WriteHeader(q.status)
	if q.method == http.MethodGet {
		fmt.Fprint(rw, body)
	}
}

// serve responds by the site's temper.
func (q *request) serve(rw http.ResponseWriter) {
	s, h := q.page.site, rw.Header()
	etag, lm := s.validators(q.at)
	if q.method == http.MethodHead {
		switch s.head {
		case headRefused:
			q.status = http.StatusMethodNotAllowed
			rw.WriteHeader(q.status)
			return
		case headRestless:
			etag, lm = `"`+q.at.Format("150405")+`"`, q.at.UTC().Format(http.TimeFormat)
		case headStuck:
			etag, lm = s.validators(s.begin)
		}
	}
	q.etag, q.lm = etag, lm
	s.describe(h, q.at, etag, lm)
	ignores := s.deaf || s.head == headStuck && q.method == http.MethodHead
	if !ignores && s.notModified(q.header, etag, lm) {
		q.status = http.StatusNotModified
		rw.WriteHeader(q.status)
		return
	}
	q.status = http.StatusOK
	h.Set("Content-Type", s.contentType())
	body := s.document(q.at)
	if s.zipped && strings.Contains(q.header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		body = compress(body)
	}
	q.length = len(body)
	h.Set("Content-Length", strconv.Itoa(q.length))
	rw.WriteHeader(q.status)
	if q.method != http.MethodGet {
		return
	}
	q.body = true
	if s.slow {
		rw.Write(body[:len(body)/2])
		http.NewResponseController(rw).Flush()
		<-time.After(30 * time.Millisecond) // slow sites
		body = body[len(body)/2:]
	}
	rw.Write(body)
}

func compress(b []byte) []byte {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	z.Write(b)
	z.Close()
	return out.Bytes()
}
