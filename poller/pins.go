package poller

import (
	"context"
	"net/netip"
	"slices"
	"sync"
)

// pins hold all requests of a session to the address that its first request found
// behind a name (S38). They are used by the transport's dialling, which has its
// own goroutine.
type pins struct {
	mu        sync.Mutex
	addresses map[string]netip.Addr // by host:port
}

type pinsKey struct{}

// in gives a context in which connections are made with these pins.
func (p *pins) in(ctx context.Context) context.Context {
	return context.WithValue(ctx, pinsKey{}, p)
}

// pinned leaves of the addresses behind a name the one that the session has used,
// if the name still has it.
func pinned(ctx context.Context, name string, addrs []netip.Addr) []netip.Addr {
	p, ok := ctx.Value(pinsKey{}).(*pins)
	if !ok {
		return addrs
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if a, ok := p.addresses[name]; ok && slices.Contains(addrs, a) {
		return []netip.Addr{a}
	}
	return addrs
}

// pin remembers the address that was connected to.
func pin(ctx context.Context, name string, a netip.Addr) {
	p, ok := ctx.Value(pinsKey{}).(*pins)
	if !ok {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.addresses == nil {
		p.addresses = make(map[string]netip.Addr, 1)
	}
	p.addresses[name] = a
}
