package poller

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	maxHeaderBytes   = 64 << 10
	maxIdleConns     = 256 // over all hosts
	handshakeTimeout = 10 * time.Second
	tlsSessions      = 4096 // kept across hours, because a full handshake is most of a poll's cost
)

// newTransport differs from http.DefaultTransport to protect against a feed's server. It uses no proxy from
// the environment, which would bypass the guard. It does not decompress, because a HEAD would then request
// another representation than a GET. Headers are small, and a host has one idle connection for a short
// time.
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

// idleFor returns the lifetime of an idle connection: long enough for the GET after a HEAD, and for the
// next feed of the host.
func idleFor(interval time.Duration, noWait bool) time.Duration {
	if noWait {
		return 2 * time.Second
	}
	return interval + 3*time.Second
}

// A pins binds all requests of a session to the address that its first request used for a name (S38). It
// maps host:port to a netip.Addr. The transport dials in goroutines of its own.
type pins struct{ sync.Map }

type pinsKey struct{}

// in returns a context in which connections use the pins.
func (p *pins) in(ctx context.Context) context.Context {
	return context.WithValue(ctx, pinsKey{}, p)
}

// A behind is the key in pins of all addresses of a host.
type behind string

// addressOf returns an IP address of a host, for the pace of the hosts that share it. It keeps the known address as
// long as the host has it. Otherwise it returns the lowest, because name servers list the addresses of a platform in
// any order. For a host that is an address it returns "".
func (p *pins) addressOf(host, known string) string {
	if _, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return ""
	}
	found, ok := p.Load(behind(host))
	if !ok { // no connection was made for this poll
		return known
	}
	addrs := found.([]netip.Addr)
	for _, a := range addrs {
		if a.String() == known {
			return known
		}
	}
	return slices.MinFunc(addrs, netip.Addr.Compare).String()
}

// pinned returns only the address that the session has used, if the name still has it; otherwise addrs.
func pinned(ctx context.Context, name string, addrs []netip.Addr) []netip.Addr {
	if p, ok := ctx.Value(pinsKey{}).(*pins); ok {
		if a, ok := p.Load(name); ok && slices.Contains(addrs, a.(netip.Addr)) {
			return []netip.Addr{a.(netip.Addr)}
		}
	}
	return addrs
}

func noteBehind(ctx context.Context, host string, addrs []netip.Addr) {
	p, ok := ctx.Value(pinsKey{}).(*pins)
	if !ok || len(addrs) == 0 {
		return
	}
	unmapped := make([]netip.Addr, len(addrs))
	for i, a := range addrs {
		unmapped[i] = a.Unmap()
	}
	p.Store(behind(host), unmapped)
}

func pin(ctx context.Context, name string, a netip.Addr) {
	if p, ok := ctx.Value(pinsKey{}).(*pins); ok {
		p.Store(name, a)
	}
}
