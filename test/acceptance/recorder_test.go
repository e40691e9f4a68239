package acceptance

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// A recorder is a server of many sites, each at its own address. It records every request from the wire. It
// implements HTTP itself, so that no library changes its record, and its responses may be invalid.
type recorder struct {
	t     *testing.T
	mu    sync.Mutex
	now   time.Time
	doors map[string]*door // by the name that their sites share
	log   []*entry
	hung  chan struct{} // closed at the end: ends hanging responses

	countdown int // requests to sites until the call of bell
	bell      func()
}

// A door is an address of a recorder.
type door struct {
	base   string           // http://host:port
	sites  map[string]*site // by path
	busy   int              // requests in progress
	robots robotsAt         // nil: none
}

// robotsAt returns a site's robots.txt at a time.
type robotsAt func(at time.Time) string

type entry struct {
	at       time.Time // simulated time
	names    []string
	req      *http.Request
	door     *door
	site     *site // nil: robots.txt, or no site
	moved    bool  // the request used a former address
	inFlight int
	reply    reply
	wire     int // bytes of the sent body
}

type reply struct {
	status  int
	fields  [][2]string
	body    []byte
	version int // of its feed; 0: none
	cut     bool
	hang    bool
	slow    bool
	drop    bool

	// How long readers must now wait, and why, as the author of the site means it.
	rest time.Duration
	why  string
}

// whole reports whether the program got the complete feed.
func (e *entry) whole() bool {
	return e.req.Method == http.MethodGet && e.reply.status == http.StatusOK && e.reply.version > 0 && !e.reply.cut
}

func (r *reply) add(name, value string) { r.fields = append(r.fields, [2]string{name, value}) }

func (r reply) get(name string) string {
	for _, f := range r.fields {
		if strings.EqualFold(f[0], name) {
			return f[1]
		}
	}
	return ""
}

func newRecorder(t *testing.T, now time.Time) *recorder {
	r := &recorder{t: t, now: now, doors: map[string]*door{}, hung: make(chan struct{})}
	t.Cleanup(func() { close(r.hung) })
	return r
}

// open listens at a new address.
func (r *recorder) open(n int) *door {
	r.t.Helper()
	l := listen(r.t, 2000+n)
	r.t.Cleanup(func() { l.Close() })
	d := &door{base: "http://" + l.Addr().String(), sites: map[string]*site{}}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go r.serve(c, d)
		}
	}()
	return d
}

func (r *recorder) set(now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now = now
}

// put opens a site: at its own address, or at the one that it shares, and at its former addresses.
func (r *recorder) put(p *site, shares string) {
	r.t.Helper()
	p.alone = shares == ""
	p.door = r.doors[shares]
	if p.alone || p.door == nil {
		p.door = r.open(p.n)
		r.doors[shares] = p.door
	}
	next := p.door.base + p.path
	for k := len(p.moved) - 1; k >= 0; k-- {
		old := r.open(1000 + 3*p.n + k)
		path := fmt.Sprintf("/old/%d/%d.xml", k, p.n)
		r.change(func() { old.sites[path] = p })
		p.old = slices.Insert(p.old, 0, stop{path, next})
		next = old.base + path
		p.url = next
	}
	r.change(func() { p.door.robots, p.door.sites[p.path] = p.robots, p })
}

// onRequest sets a function to call before the response to the n-th request to a site from now.
func (r *recorder) onRequest(n int, bell func()) { r.change(func() { r.countdown, r.bell = n, bell }) }

func (r *recorder) entries(n int) []*entry {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]*entry(nil), r.log[n:]...)
}

// change changes the sites under the lock.
func (r *recorder) change(do func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	do()
}

func (r *recorder) serve(c net.Conn, d *door) {
	defer c.Close()
	in := bufio.NewReader(c)
	for {
		head, err := readHead(in)
		if err != nil {
			return
		}
		req, err := http.ReadRequest(bufio.NewReader(strings.NewReader(head)))
		if err != nil {
			r.t.Errorf("a request that is none: %v\n%s", err, head)
			return
		}
		e := &entry{req: req, door: d}
		for _, line := range strings.Split(head, "\r\n")[1:] {
			if name, _, ok := strings.Cut(line, ":"); ok {
				e.names = append(e.names, name)
			}
		}
		r.note(e)
		if e.reply.slow {
			<-time.After(20 * time.Millisecond) // slow sites
		}
		// The client may send the next request as soon as it has the response.
		r.mu.Lock()
		d.busy--
		r.mu.Unlock()
		if !r.send(c, e) {
			return
		}
	}
}

// readHead reads a request up to the empty line; the program's requests have no body.
func readHead(in *bufio.Reader) (string, error) {
	var head strings.Builder
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return "", err
		}
		head.WriteString(line)
		if line == "\r\n" {
			return head.String(), nil
		}
	}
}

func (r *recorder) note(e *entry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e.at = r.now
	e.door.busy++
	e.inFlight = e.door.busy
	e.reply = e.answer()
	r.log = append(r.log, e)
	if e.site != nil {
		if r.countdown--; r.countdown == 0 && r.bell != nil {
			r.bell()
		}
	}
}

func (e *entry) answer() reply {
	path := e.req.URL.Path
	if p := e.door.sites[path]; p != nil {
		e.site, e.moved = p, p.was(path) >= 0
		return p.answer(e.at, e.req)
	}
	if path == "/robots.txt" && e.door.robots != nil {
		text := e.door.robots(e.at)
		out := reply{status: 200, body: []byte(text)}
		tag := fmt.Sprintf(`"r%d"`, len(text))
		out.add("ETag", tag)
		out.add("Content-Type", "text/plain")
		if e.req.Header.Get("If-None-Match") == tag {
			out.status, out.body = 304, nil
		}
		return out
	}
	return reply{status: 404, body: []byte("not here\n")}
}

// send writes a response and reports whether the connection continues.
func (r *recorder) send(c net.Conn, e *entry) (more bool) {
	a := e.reply
	if a.hang {
		select {
		case <-r.hung:
		case <-gone(c):
		}
		return false
	}
	if a.drop {
		return false
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "HTTP/1.1 %d %s\r\n", a.status, http.StatusText(a.status))
	if a.get("Date") == "" {
		fmt.Fprintf(&out, "Date: %s\r\n", e.at.UTC().Format(http.TimeFormat))
	}
	for _, f := range a.fields {
		fmt.Fprintf(&out, "%s: %s\r\n", f[0], f[1])
	}
	if a.status != http.StatusNotModified {
		fmt.Fprintf(&out, "Content-Length: %d\r\n", len(a.body))
	}
	out.WriteString("\r\n")
	body := a.body
	if e.req.Method == http.MethodHead || a.status == http.StatusNotModified {
		body = nil
	}
	if a.cut {
		body = body[:len(body)/2]
	}
	out.Write(body)
	r.mu.Lock()
	e.wire = len(body)
	r.mu.Unlock()
	if _, err := c.Write(out.Bytes()); err != nil {
		return false
	}
	return !a.cut
}

// gone returns a channel that closes when the client disconnects.
func gone(c net.Conn) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		io.Copy(io.Discard, c)
	}()
	return done
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
