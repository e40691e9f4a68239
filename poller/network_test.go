package poller

import (
	"context"
	"log/slog"
	"net"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"digest"
	"digest/feed"
)

// A network has sites in memory, so that time in a synctest bubble advances.
type network struct {
	mu    sync.Mutex
	sites map[string]*site // by host:port
	conns []net.Conn
	p     []*Poller
}

func newNetwork() *network { return &network{sites: map[string]*site{}} }

func inNetwork(t *testing.T, f func(t *testing.T, n *network)) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork()
		defer time.Sleep(time.Hour) // until the sites have finished their answers
		defer n.close()
		f(t, n)
	})
}

// A gauge counts what happens at the same time, and the maximum.
type gauge struct {
	mu        sync.Mutex
	now, most int
}

// take counts one for a duration.
func (g *gauge) take(d time.Duration) {
	g.mu.Lock()
	g.now++
	g.most = max(g.most, g.now)
	g.mu.Unlock()
	time.Sleep(d)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.now--
}

func (n *network) site(address string, answer func(request) string) *site {
	s := &site{address: address, answer: answer}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.sites[address] = s
	return s
}

func (n *network) dial(_ context.Context, _, address string) (net.Conn, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	s := n.sites[strings.ToLower(address)]
	if s == nil {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	}
	ours, theirs := net.Pipe()
	n.conns = append(n.conns, theirs)
	go s.serve(theirs)
	return ours, nil
}

// reader returns a poller on this network, with the bubble's clock and the default pauses.
func (n *network) reader(t *testing.T, address string, change ...func(*Options)) *reader {
	o := Options{DialContext: n.dial, HostInterval: 2 * time.Second, Log: slog.New(slog.DiscardHandler)}
	for _, f := range change {
		f(&o)
	}
	p := New(o)
	n.p = append(n.p, p)
	return &reader{t: t, p: p, watch: newWatch(), feed: digest.Feed{ID: 1, URL: address, Host: feed.Host(address)}}
}

func (n *network) close() {
	for _, p := range n.p {
		p.Close()
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, c := range n.conns {
		c.Close()
	}
}

// TestS34_OneAtATime holds that requests of many workers, feeds and redirects to one host are sent one at a
// time, two seconds apart.
func TestS34_OneAtATime(t *testing.T) {
	inNetwork(t, func(t *testing.T, n *network) {
		var g gauge
		slow := func(r request) string {
			g.take(3 * time.Second)
			return good(1)(r)
		}
		s := n.site("a.example:80", slow)
		n.site("b.example:80", func(r request) string { return reply(r, 302, "", "Location: http://a.example/from-b") })
		r := n.reader(t, "http://a.example/feed")
		var wg sync.WaitGroup
		for _, address := range []string{"http://a.example/1", "http://A.example/2", "http://a.example/3",
			"http://b.example/4"} {
			wg.Go(func() {
				f := digest.Feed{URL: address, Host: feed.Host(address)}
				if result := r.p.Poll(t.Context(), f, 1); result.Outcome != Changed {
					t.Error(result.Message)
				}
			})
		}
		wg.Wait()
		log := s.log()
		for i := 1; i < len(log); i++ {
			if gap := log[i].at.Sub(log[i-1].at); gap != 5*time.Second {
				t.Errorf("requests %v apart, want 3 s of answer and 2 s of pause", gap)
			}
		}
		if len(log) != 4 || g.most != 1 {
			t.Errorf("%d requests, %d at once", len(log), g.most)
		}
	})
}

// TestS34_HeadAndGet holds that the two requests of one poll have the pause too, and use one connection.
func TestS34_HeadAndGet(t *testing.T) {
	inNetwork(t, func(t *testing.T, n *network) {
		s := n.site("a.example:80", good(1))
		r := n.reader(t, "http://a.example/feed", head(HeadAlways))
		first := r.p.Poll(t.Context(), r.feed, 1)
		if !first.HostFreeAt.Equal(time.Now().Add(2 * time.Second)) {
			t.Errorf("free at %v", first.HostFreeAt)
		}
		time.Sleep(time.Hour)
		s.answers(good(2))
		second := r.p.Poll(t.Context(), first.Feed, 1)
		log := s.log()
		if methods(log) != "GET HEAD GET" || log[2].at.Sub(log[1].at) != 2*time.Second || log[1].conn != log[2].conn ||
			log[0].conn == log[1].conn {
			t.Errorf("%v", log)
		}
		if got := second.Feed.LastAttemptAt.Sub(first.Feed.LastAttemptAt); got != time.Hour {
			t.Errorf("attempts %v apart", got)
		}
	})
}

// TestNoWait holds that without pauses, requests are still sent one at a time.
func TestNoWait(t *testing.T) {
	inNetwork(t, func(t *testing.T, n *network) {
		s := n.site("a.example:80", func(r request) string {
			time.Sleep(time.Second)
			return good(1)(r)
		})
		r := n.reader(t, "http://a.example/feed", func(o *Options) { o.NoWait = true })
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() { r.p.Poll(t.Context(), r.feed, 1) })
		}
		wg.Wait()
		log := s.log()
		for i := 1; i < len(log); i++ {
			if gap := log[i].at.Sub(log[i-1].at); gap != time.Second {
				t.Errorf("%v apart", gap)
			}
		}
		if len(r.p.pace.byName) != 0 {
			t.Error("hosts are kept")
		}
	})
}

// TestSlow holds that a slow answer ends after the timeout of one request.
func TestSlow(t *testing.T) {
	tests := []struct {
		why   string
		serve func(net.Conn)
	}{
		{"no answer", func(c net.Conn) { time.Sleep(time.Hour) }},
		{"a byte of the header a second",
			func(c net.Conn) { dribble(c, "HTTP/1.1 200 OK\r\nX: "+strings.Repeat("x", 5000)) }},
		{"a byte of the body a second", func(c net.Conn) {
			c.Write([]byte("HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n"))
			dribble(c, atom(1))
		}},
	}
	for _, test := range tests {
		synctest.Test(t, func(t *testing.T) {
			dial := func(context.Context, string, string) (net.Conn, error) {
				ours, theirs := net.Pipe()
				go func() {
					defer theirs.Close()
					buf := make([]byte, 4096)
					theirs.Read(buf)
					test.serve(theirs)
				}()
				return ours, nil
			}
			p := New(Options{DialContext: dial})
			start := time.Now()
			result := p.Poll(t.Context(), digest.Feed{URL: "http://a.example/", Host: "a.example"}, 1)
			if took := time.Since(start); took != 30*time.Second || result.Outcome != Failed ||
				result.Message != "no complete answer within 30s" {
				t.Errorf("%s: %v %s after %v", test.why, result.Outcome, result.Message, took)
			}
			p.Close()
			time.Sleep(2 * time.Hour)
		})
	}
}

// TestSlowChain holds that a chain of slow redirects has a limited time.
func TestSlowChain(t *testing.T) {
	inNetwork(t, func(t *testing.T, n *network) {
		n.site("a.example:80", func(r request) string {
			time.Sleep(29 * time.Second)
			return reply(r, 302, "", "Location: "+r.target+"x")
		})
		r := n.reader(t, "http://a.example/feed")
		start := time.Now()
		result := r.p.Poll(t.Context(), r.feed, 1)
		if took := time.Since(start); took > 3*time.Minute || result.Outcome != Failed {
			t.Errorf("%s after %v", result.Message, took)
		}
	})
}

func dribble(c net.Conn, s string) {
	for i := range len(s) {
		if _, err := c.Write([]byte{s[i]}); err != nil {
			return
		}
		time.Sleep(time.Second)
	}
}

// TestRefusedIsNotHeldAgainstHEAD holds that a closed port says nothing about HEAD, and that there is no
// second request.
func TestRefusedIsNotHeldAgainstHEAD(t *testing.T) {
	inNetwork(t, func(t *testing.T, n *network) {
		n.site("a.example:80", good(1))
		r := n.reader(t, "http://a.example/feed")
		first := r.p.Poll(t.Context(), r.feed, 1)
		n.close()
		delete(n.sites, "a.example:80")
		second := r.p.Poll(t.Context(), first.Feed, 1)
		if second.Message != "connection refused" || second.Feed.Head != digest.Unknown || second.Requests != 0 ||
			second.Feed.LastStatus != 0 {
			t.Errorf("%+v", second)
		}
	})
}

// TestStoppedBeforeDecoding holds that a poll that waits for a decoder can be stopped.
func TestStoppedBeforeDecoding(t *testing.T) {
	inNetwork(t, func(t *testing.T, n *network) {
		n.site("x.example:80", says(200, string(pack(t, []byte(atom(1)), "br")), "Content-Encoding: br"))
		r := n.reader(t, "http://x.example/")
		for range cap(r.p.decoders) {
			r.p.decoders <- struct{}{}
		}
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan Result, 1)
		go func() { done <- r.p.Poll(ctx, r.feed, 1) }()
		synctest.Wait()
		stop()
		synctest.Wait()
		select {
		case result := <-done:
			if result.Outcome != Stopped {
				t.Errorf("%+v", result)
			}
		default:
			t.Error("it goes on")
			<-r.p.decoders
			<-done
		}
	})
}

// TestStopped holds that a stopped poll leaves the record and its place in the queue unchanged.
func TestStopped(t *testing.T) {
	inNetwork(t, func(t *testing.T, n *network) {
		n.site("a.example:80", func(request) string { time.Sleep(time.Minute); return "" })
		r := n.reader(t, "http://a.example/feed")
		r.feed.PollAt = time.Now()
		ctx, cancel := context.WithCancel(t.Context())
		var waiting Result
		var wg sync.WaitGroup
		wg.Go(func() {
			synctest.Wait()
			waiting = r.p.Poll(ctx, r.feed, 1) // for its turn
		})
		time.AfterFunc(5*time.Second, cancel)
		asking := r.p.Poll(ctx, r.feed, 1)
		wg.Wait()
		for _, result := range []Result{asking, waiting} {
			f := result.Feed
			if result.Outcome != Stopped || f.Errors != 0 || !f.PollAt.Equal(r.feed.PollAt) || f.LastError != "" {
				t.Errorf("%+v", result)
			}
		}
		if asking.Feed.LastAttemptAt.IsZero() || !waiting.Feed.LastAttemptAt.IsZero() {
			t.Error("an attempt is what has sent a request")
		}
	})
}

// TestDeadConnection holds that a request that is repeated after a closed connection is counted, and has
// the pause.
func TestDeadConnection(t *testing.T) {
	inNetwork(t, func(t *testing.T, n *network) {
		s := n.site("a.example:80", nil)
		seen := 0
		s.answers(func(r request) string {
			if seen++; seen == 2 {
				return "" // read, then closed
			}
			return good(1)(r)
		})
		r := n.reader(t, "http://a.example/feed", head(HeadNever))
		first := r.p.Poll(t.Context(), r.feed, 1)
		second := r.p.Poll(t.Context(), first.Feed, 1)
		log := s.log()
		if second.Outcome != Unchanged || second.Requests != 2 || len(log) != 3 ||
			log[2].at.Sub(log[1].at) != 2*time.Second {
			t.Errorf("%+v, %d requests", second, len(log))
		}
	})
}

// TestPacerForgets holds that the pacer drops unused hosts.
func TestPacerForgets(t *testing.T) {
	w := newWatch()
	p := newPacer(time.Second, false, w.now)
	for i := range 5 * firstSweep {
		host := "host" + time.Duration(i).String()
		leave, err := p.enter(t.Context(), host)
		if err != nil {
			t.Fatal(err)
		}
		leave()
		w.pass(time.Second)
	}
	if n := len(p.byName); n > firstSweep+1 {
		t.Errorf("%d hosts are remembered", n)
	}
}
