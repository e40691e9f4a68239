package poller

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"time"
)

const (
	maxHeaderBytes   = 64 << 10
	maxIdleConns     = 256 // over all hosts
	handshakeTimeout = 10 * time.Second
	tlsSessions      = 4096 // remembered across hours: a full handshake is most of a poll's cost
)

// newTransport differs from http.DefaultTransport in what a feed's server could
// abuse: no proxy from the environment (it would bypass the guard), no
// decompression (a HEAD would ask for another representation than a GET), small
// headers, one idle connection a host for a short time.
func newTransport(dial func(context.Context, string, string) (net.Conn, error), idle time.Duration) *http.Transport {
	return &http.Transport{
		DialContext:            dial,
		ForceAttemptHTTP2:      true,
		DisableCompression:     true,
		MaxResponseHeaderBytes: maxHeaderBytes,
		MaxIdleConns:           maxIdleConns,
		MaxIdleConnsPerHost:    1,
		IdleConnTimeout:        idle,
		TLSHandshakeTimeout:    handshakeTimeout,
		TLSClientConfig: &tls.Config{
			ClientSessionCache: tls.NewLRUClientSessionCache(tlsSessions),
		},
	}
}

// idleFor keeps a connection long enough for the GET after a HEAD and for the
// next feed of the host.
func idleFor(interval time.Duration, noWait bool) time.Duration {
	if noWait {
		return 2 * time.Second
	}
	return interval + 3*time.Second
}

// pins hold all requests of a session to the address that its first request
// found behind a name (S38): from host:port to a netip.Addr. They are used by
// the transport's dialling, which has its own goroutine.
type pins struct{ sync.Map }

type pinsKey struct{}

// in gives a context in which connections are made with these pins.
func (p *pins) in(ctx context.Context) context.Context {
	return context.WithValue(ctx, pinsKey{}, p)
}

// pinned leaves of the addresses behind a name the one that the session has used,
// if the name still has it.
func pinned(ctx context.Context, name string, addrs []netip.Addr) []netip.Addr {
	if p, ok := ctx.Value(pinsKey{}).(*pins); ok {
		if a, ok := p.Load(name); ok && slices.Contains(addrs, a.(netip.Addr)) {
			return []netip.Addr{a.(netip.Addr)}
		}
	}
	return addrs
}

// pin remembers the address that was connected to.
func pin(ctx context.Context, name string, a netip.Addr) {
	if p, ok := ctx.Value(pinsKey{}).(*pins); ok {
		p.Store(name, a)
	}
}
