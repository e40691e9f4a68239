package bounce

import (
	"errors"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"
)

// A listener limits the number of connections. When no place is free, a new connection replaces the least useful one.
type listener struct {
	net.Listener
	now     func() time.Time
	fromOne int // of each address; 0: no limit

	mu   sync.Mutex
	full bool // the server shuts down
	open map[*conn]bool
	from map[string]int // open ones, by address
}

// Accept returns the next connection that gets a place. It tells all others to try again later.
func (l *listener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if mine := (&conn{Conn: c, of: l, who: peer(c), end: time.Now().Add(maxSession)}); l.enter(mine) {
			return mine, nil
		}
		c.SetDeadline(time.Now().Add(time.Second)) //nolint:errcheck // a courtesy
		c.Write([]byte("421 4.7.0 Too many connections, try again later\r\n"))
		c.Close()
	}
}

// peer returns the address that a connection counts for. For IPv6 that is the /64 network, because its owner can use
// every address in it.
func peer(c net.Conn) string {
	a, ok := c.RemoteAddr().(*net.TCPAddr)
	if !ok {
		return ""
	}
	ip := a.AddrPort().Addr().Unmap()
	if !ip.Is6() {
		return ip.String()
	}
	const site = 64 // in bits (RFC 6177)
	return netip.PrefixFrom(ip.WithZone(""), site).Masked().String()
}

// enter reserves a place for c if one is free, or if another connection can be closed for it.
func (l *listener) enter(c *conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	c.usefulAt = l.now()
	crowded := l.fromOne > 0 && l.from[c.who] >= l.fromOne
	switch {
	case l.full:
		return false
	case crowded || len(l.open) >= maxConnections:
		least := l.leastUseful(c, crowded)
		if least == nil {
			return false
		}
		l.remove(least)
		go least.makeWay()
	}
	l.open[c] = true
	l.from[c.who]++
	return true
}

// leastUseful returns the connection to close for a new one, or nil. It prefers connections that sent no message for
// minSession. After those it takes connections of addresses with at least as many places as the new one's address. It
// selects the address with the most places, and of its connections the one with the oldest last message. It never
// returns a connection whose message is being stored.
func (l *listener) leastUseful(c *conn, sameAddress bool) (least *conn) {
	leastIdle := false
	for other := range l.open {
		idle := c.usefulAt.Sub(other.usefulAt) >= minSession
		places := l.from[other.who]
		switch {
		case other.storing || sameAddress && other.who != c.who, !idle && places <= l.from[c.who]+1:
		case least == nil, idle && !leastIdle, idle == leastIdle && (places > l.from[least.who] ||
			places == l.from[least.who] && other.usefulAt.Before(least.usefulAt)):
			least, leastIdle = other, idle
		}
	}
	return least
}

func (l *listener) leave(c *conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.remove(c)
}

// remove is leave for a caller that holds the lock.
func (l *listener) remove(c *conn) {
	if !l.open[c] {
		return
	}
	delete(l.open, c)
	if l.from[c.who]--; l.from[c.who] == 0 {
		delete(l.from, c.who)
	}
}

func (l *listener) endAll() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.full = true
	for c := range l.open {
		c.Conn.Close()
	}
}

// A conn ends at a fixed time, even if its deadlines are moved, and after maxUnanswered bytes without a reply.
type conn struct {
	net.Conn

	of  *listener
	who string
	end time.Time

	usefulAt time.Time // when it began or last sent a message; of.mu guards it and storing
	storing  bool      // the handler is storing a message of it

	unanswered atomic.Int64 // bytes received since the last reply
	passing    atomic.Bool  // the client sends a message after DATA
	broken     atomic.Bool  // reading has failed
}

// store runs f, which stores a message. Until f returns, no other connection replaces this one. If f succeeds, the
// connection counts as new.
func (c *conn) store(f func() error) error {
	c.note(true, false)
	err := f()
	c.note(false, err == nil)
	return err
}

func (c *conn) note(storing, useful bool) {
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	if c.storing = storing; useful {
		c.usefulAt = c.of.now()
	}
}

// makeWay closes a connection that another one replaced.
func (c *conn) makeWay() {
	c.Conn.SetDeadline(time.Now().Add(time.Second)) //nolint:errcheck // a courtesy
	c.Conn.Write([]byte("421 4.4.2 Idle too long, closing the connection\r\n"))
	c.Conn.Close()
}

var errUnanswered = errors.New("the message is too large or has no end")

func (c *conn) Read(b []byte) (int, error) {
	if c.unanswered.Load() > maxUnanswered && !c.passing.Load() {
		return 0, errUnanswered
	}
	n, err := c.Conn.Read(b)
	c.unanswered.Add(int64(n))
	if err != nil {
		c.broken.Store(true)
	}
	return n, err
}

func (c *conn) Write(b []byte) (int, error) {
	c.unanswered.Store(0)
	c.passing.Store(false)
	return c.Conn.Write(b)
}

func (c *conn) SetReadDeadline(t time.Time) error  { return c.Conn.SetReadDeadline(c.bounded(t)) }
func (c *conn) SetWriteDeadline(t time.Time) error { return c.Conn.SetWriteDeadline(c.bounded(t)) }
func (c *conn) SetDeadline(t time.Time) error      { return c.Conn.SetDeadline(c.bounded(t)) }

func (c *conn) bounded(t time.Time) time.Time {
	if t.IsZero() || t.After(c.end) {
		return c.end
	}
	return t
}

func (c *conn) Close() error {
	c.of.leave(c)
	return c.Conn.Close()
}
