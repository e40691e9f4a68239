package web

import (
	"hash/maphash"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"
)

// limits is how much strangers may ask for.
type limits struct {
	pingers *limiter // pings from one address
	pinged  *limiter // pings of one address of a feed or a site
	pings   *limiter // all pings: each may cost the database a write
	lookups *limiter // questions for a feed's status from one address
	finds   *limiter // addresses that one reader looks for feeds at: each asks a site
	imports *limiter // lists of one reader
	exports *limiter // of all of one reader's data

	letters    *limiter // letters asked for from one address
	ceremonies *limiter // passkeys asked from one address: each is a row for a while
}

func newLimits() limits {
	return limits{
		pingers: newLimiter(60, 10*time.Second), // a host of blogs pings for many of them
		pinged:  newLimiter(3, 8*time.Hour),     // anyone can ping for anyone, and the site would pay
		pings:   newLimiter(200, 100*time.Millisecond),
		lookups: newLimiter(60, 2*time.Second),
		finds:   newLimiter(60, 10*time.Second),
		imports: newLimiter(20, time.Minute),
		exports: newLimiter(5, 5*time.Minute),

		letters:    newLimiter(20, 3*time.Minute),
		ceremonies: newLimiter(60, 10*time.Second),
	}
}

// cells is how many keys a limiter can tell apart.
const cells = 4096

// A limiter gives each key burst tokens and a new one after every span. It
// holds a fixed number of buckets, so that no crowd of strangers makes it grow:
// keys that fall into one share it, and which do cannot be known from outside.
type limiter struct {
	burst float64
	every time.Duration
	seed  maphash.Seed

	mu      sync.Mutex
	buckets [cells]bucket
}

// A bucket is how much of the burst was spent at an instant.
type bucket struct {
	spent float64
	at    time.Time
}

func newLimiter(burst int, every time.Duration) *limiter {
	return &limiter{burst: float64(burst), every: every, seed: maphash.MakeSeed()}
}

// allow uses one of key's tokens; false: there is none left.
func (l *limiter) allow(key string, now time.Time) bool {
	b := &l.buckets[maphash.String(l.seed, key)%cells]
	l.mu.Lock()
	defer l.mu.Unlock()
	if passed := now.Sub(b.at); passed > 0 {
		b.spent = max(0, b.spent-float64(passed)/float64(l.every))
		b.at = now
	}
	if b.spent > l.burst-1 {
		return false
	}
	b.spent++
	return true
}

// client names who asks, for limits: an IPv4 address, or the network of an IPv6
// one. Behind a proxy on this machine it is who the proxy says; others could
// say anything.
func client(r *http.Request) string {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return ""
	}
	addr := peer.Addr().Unmap()
	if addr.IsLoopback() {
		list := r.Header.Values("X-Forwarded-For")
		last := strings.Join(list, ",")
		last = strings.TrimSpace(last[strings.LastIndexByte(last, ',')+1:])
		if said, err := netip.ParseAddr(last); err == nil {
			addr = said.Unmap()
		}
	}
	if addr.Is6() {
		network, _ := addr.WithZone("").Prefix(64)
		return network.String()
	}
	return addr.String()
}
