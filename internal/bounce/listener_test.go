package bounce

import (
	"fmt"
	"net"
	"net/textproto"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestLeastUseful is a table of connections that a new one replaces.
func TestLeastUseful(t *testing.T) {
	type place struct {
		who     string
		idle    time.Duration // since it began or sent a message
		storing bool
	}
	long, short := time.Minute, time.Second
	for name, c := range map[string]struct {
		open        []place
		who         string
		sameAddress bool
		want        int // index of the connection that is closed; -1: none
	}{
		"the idlest": {[]place{{"a", long, false}, {"b", 2 * long, false}}, "c", false, 1},
		"of the address with most places": {[]place{{"a", 2 * long, false}, {"b", long, false}, {"b", short, false}},
			"c", false, 1},
		"an idle one before a greedy one": {[]place{{"a", long, false}, {"b", short, false}, {"b", short, false}},
			"c", false, 0},
		"of a greedy address at once": {[]place{{"a", short, false}, {"b", 0, false}, {"b", short, false}}, "c",
			false, 2},
		"nobody of those that just came": {[]place{{"a", short, false}, {"b", short, false}}, "c", false, -1},
		"nobody for another of its own":  {[]place{{"a", short, false}, {"a", short, false}}, "a", false, -1},
		"an idle one of its own": {[]place{{"a", short, false}, {"a", long, false}, {"b", 2 * long, false}},
			"a", true, 1},
		"none whose message is stored":      {[]place{{"a", long, true}, {"b", minSession, false}}, "c", false, 1},
		"nobody where all are being stored": {[]place{{"a", long, true}, {"a", long, true}}, "c", false, -1},
	} {
		now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
		l := &listener{open: map[*conn]bool{}, from: map[string]int{}}
		var all []*conn
		for _, p := range c.open {
			one := &conn{who: p.who, usefulAt: now.Add(-p.idle), storing: p.storing}
			l.open[one], all = true, append(all, one)
			l.from[p.who]++
		}
		got := -1
		for i, one := range all {
			if one == l.leastUseful(&conn{who: c.who, usefulAt: now}, c.sameAddress) {
				got = i
			}
		}
		if got != c.want {
			t.Errorf("%s: %d makes way, want %d", name, got, c.want)
		}
	}
}

// A crowd has clients with addresses of their own, and a clock that the test sets.
type crowd struct {
	*world
	at    net.Addr
	later atomic.Int64 // how far the clock was moved
}

func newCrowd(t *testing.T) *crowd {
	c := &crowd{world: alone(t, 1)}
	begin := c.Now()
	c.Now = func() time.Time { return begin.Add(time.Duration(c.later.Load())) }
	c.at = serve(t, c.Handler, "smtp://127.0.0.1:0")
	return c
}

func (c *crowd) enter(host int) (one *client, reply string) {
	c.t.Helper()
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, byte(host))}}
	raw, err := d.DialContext(c.t.Context(), "tcp", c.at.String())
	if err != nil {
		c.t.Skipf("this machine has no address 127.0.0.%d: %v", host, err)
	}
	raw.SetDeadline(time.Now().Add(patience)) //nolint:errcheck // the test would hang
	c.t.Cleanup(func() { raw.Close() })
	one = &client{textproto.NewConn(raw), c.t}
	return one, one.hear()
}

// fill opens the maximum number of connections, ten from each of five addresses.
func (c *crowd) fill() (all []*client) {
	c.t.Helper()
	for i := range maxConnections {
		one, reply := c.enter(10 + i/maxFromOne)
		one.want("220", reply)
		all = append(all, one)
	}
	return all
}

func (c *crowd) brings(host int) *client {
	c.t.Helper()
	one, reply := c.enter(host)
	one.want("220", reply)
	one.want("250", one.say("EHLO relay.example", "MAIL FROM:<>", "RCPT TO:<"+c.bounceTo(0)+">"))
	one.want("250", one.send(c.sample("postfix-unknown.eml", 0)))
	return one
}

// TestHeldPlacesAreGivenUp lets five addresses hold all places with silent, slow or idle connections, for no time or
// for a minute. It checks that the server accepts the bounce of a sixth address and closes one of their connections.
func TestHeldPlacesAreGivenUp(t *testing.T) {
	for _, held := range []time.Duration{0, time.Minute} {
		t.Run(fmt.Sprint("after ", held), func(t *testing.T) {
			c := newCrowd(t)
			hostile := c.fill()
			hostile[0].want("250", hostile[0].say("EHLO a.example", "NOOP", "MAIL FROM:<>"))
			fmt.Fprint(hostile[1].W, "NO")
			must(t, hostile[1].W.Flush())
			c.wait(held)
			c.brings(9)
			if c.suppressed(0) == "" {
				t.Error("the bounce is not recorded")
			}
			gone := make(chan string, len(hostile))
			for _, one := range hostile {
				go func() {
					line, _ := one.ReadLine() // the other lines arrive after the test
					gone <- line
				}()
			}
			if line := <-gone; !strings.HasPrefix(line, "421 ") {
				t.Errorf("who made way was told %q", line)
			}
		})
	}
}

// TestWhoBringsMailStays checks that of equally old connections, the ones that send messages stay.
func TestWhoBringsMailStays(t *testing.T) {
	c := newCrowd(t)
	honest := c.brings(9)
	hostile := make([]*client, 0, maxConnections)
	for i := range maxConnections - 1 {
		one, reply := c.enter(10 + i)
		one.want("220", reply)
		hostile = append(hostile, one)
	}
	c.wait(time.Minute)
	honest.want("250", honest.say("MAIL FROM:<>", "RCPT TO:<bounces@digest.example>"))
	honest.want("250", honest.send([]byte("Subject: x\r\n\r\n")))
	for i := range len(hostile) {
		one, reply := c.enter(100 + i)
		one.want("220", reply)
	}
	_, reply := c.enter(200)
	honest.want("421", reply) // all connections are new
	honest.want("250", honest.say("NOOP"))
}

func (c *crowd) wait(d time.Duration) { c.later.Add(int64(d)) }
