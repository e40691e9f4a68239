package poller

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"digest"
)

// errNotPublic is the error for every forbidden address. It does not contain the address.
var errNotPublic = errors.New(
	string(digest.Words("not allowed: the address is private; the operator can allow its network")))

// IsNotPublic reports whether an error says that an address is not public.
func IsNotPublic(err error) bool {
	return strings.Contains(err.Error(), errNotPublic.Error()) || strings.Contains(err.Error(), formerNotPublic)
}

var errPort = errors.New(string(digest.Words("not allowed: feeds may use only ports 80 and 443, or 1024 and above")))

const (
	dialTimeout  = 10 * time.Second // for all addresses of a name together
	lookTimeout  = 2 * time.Second  // for a DNS lookup without a request
	maxAddresses = 4                // of a name that are tried
)

// A guard connects only to public addresses and to the networks that the operator allows. It checks every
// address that a name resolves to, and again the address of the connection. So the check also covers
// literal addresses, redirects and changing DNS answers (invariant I7).
type guard struct {
	allow  []netip.Prefix
	lookup func(ctx context.Context, network, host string) ([]netip.Addr, error)
	dialer net.Dialer

	lookupTXT func(ctx context.Context, name string) ([]string, error)
}

func newGuard(allow []netip.Prefix) *guard {
	g := &guard{allow: allow, lookup: net.DefaultResolver.LookupNetIP, lookupTXT: net.DefaultResolver.LookupTXT}
	g.dialer = net.Dialer{ControlContext: g.control}
	return g
}

// DialContext connects to one of the addresses of a name. It tries one at a time, and one poll uses one
// address.
func (g *guard) DialContext(ctx context.Context, _, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("reading the address: %w", err)
	}
	addrs, err := g.resolve(ctx, host)
	if err != nil {
		return nil, err
	}
	noteBehind(ctx, host, addrs)
	c, a, err := g.dialFirst(ctx, pinned(ctx, address, addrs), port)
	if err == nil {
		pin(ctx, address, a)
	}
	return c, err
}

// resolve returns the addresses that may be dialled. It rejects a name with both public and forbidden
// addresses, which indicates an attack by DNS. If a name also has addresses in allowed networks, resolve
// drops the forbidden ones (localhost has an IPv6 address too).
func (g *guard) resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	addrs, err := g.addresses(ctx, host)
	if err != nil {
		return nil, err
	}
	var allowed, public []netip.Addr
	for _, a := range addrs {
		switch {
		case g.allowed(a):
			allowed = append(allowed, a)
		case IsPublic(a):
			public = append(public, a)
		}
	}
	forbidden := len(addrs) - len(allowed) - len(public)
	if len(public)+len(allowed) == 0 || forbidden > 0 && len(public) > 0 {
		return nil, errNotPublic
	}
	return append(allowed, public...), nil
}

func (g *guard) addresses(ctx context.Context, host string) ([]netip.Addr, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{a}, nil
	}
	return g.lookup(ctx, "ip", host)
}

// dialFirst tries the addresses in turn and divides the time among them.
func (g *guard) dialFirst(ctx context.Context, addrs []netip.Addr, port string) (net.Conn, netip.Addr, error) {
	addrs = addrs[:min(len(addrs), maxAddresses)]
	var first error
	for _, a := range addrs {
		c, err := g.dialOne(ctx, a.Unmap(), port, dialTimeout/time.Duration(len(addrs)))
		if err == nil {
			return c, a, nil
		}
		if first == nil {
			first = err
		}
		if ctx.Err() != nil {
			break
		}
	}
	return nil, netip.Addr{}, first
}

func (g *guard) dialOne(ctx context.Context, a netip.Addr, port string, most time.Duration) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	return g.dialer.DialContext(ctx, "tcp", net.JoinHostPort(a.String(), port))
}

// control checks the final address before the connection is made.
func (g *guard) control(_ context.Context, network, address string, _ syscall.RawConn) error {
	if network != "tcp4" && network != "tcp6" {
		return errNotPublic
	}
	ap, err := netip.ParseAddrPort(address)
	if err != nil {
		return errNotPublic
	}
	return g.check(ap.Addr(), ap.Port())
}

func (g *guard) check(a netip.Addr, port uint16) error {
	switch {
	case !g.allowed(a) && !IsPublic(a):
		return errNotPublic
	case !feedPort(port):
		return errPort
	}
	return nil
}

func (g *guard) allowed(a netip.Addr) bool { return a.Zone() == "" && in(a.Unmap(), g.allow) }

// isHome reports whether an address is in a non-public network that the operator allows.
func (g *guard) isHome(a netip.Addr) bool { return g.allowed(a) && !IsPublic(a.Unmap()) }

// IsHome reports whether a is in a non-public network that the operator allows.
func (p *Poller) IsHome(a netip.Addr) bool { return p.guard.isHome(a.Unmap()) }

// leadsHome reports whether a host is in a non-public network that the operator allows. It returns false
// for an unknown or slow name.
func (p *Poller) leadsHome(ctx context.Context, host string) bool {
	if len(p.guard.allow) == 0 {
		return false // the guard rejects all such addresses
	}
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	addrs, err := p.guard.addresses(ctx, host)
	return err == nil && slices.ContainsFunc(addrs, p.guard.isHome)
}

// feedPort rejects the low ports, where a crafted request could reach mail, shell and name servers. Small
// sites use high ports, so those are allowed.
func feedPort(port uint16) bool { return port == 80 || port == 443 || port >= 1024 }

// IsPublic reports whether an address is public: not in the IANA special-purpose registries (RFC 6890), not
// multicast, and without a zone. Of IPv6, only 2000::/3 is public, and NAT64 (RFC 6052) with a public IPv4
// address.
func IsPublic(a netip.Addr) bool {
	a = a.Unmap()
	switch {
	case !a.IsValid() || a.Zone() != "":
		return false
	case a.Is4():
		return !in(a, specialIPv4)
	case nat64.Contains(a):
		b := a.As16()
		return !in(netip.AddrFrom4([4]byte(b[12:])), specialIPv4)
	}
	return globalIPv6.Contains(a) && !in(a, specialIPv6)
}

func in(a netip.Addr, list []netip.Prefix) bool {
	return slices.ContainsFunc(list, func(p netip.Prefix) bool { return p.Contains(a) })
}

// ParseNetworks reads the setting DIGEST_ALLOW_NETWORKS: CIDRs or single addresses, separated by commas or
// spaces.
func ParseNetworks(s string) ([]netip.Prefix, error) {
	var list []netip.Prefix
	for _, field := range splitList(s) {
		p, err := netip.ParsePrefix(field)
		if err != nil {
			a, errAddr := netip.ParseAddr(field)
			if errAddr != nil || a.Zone() != "" {
				return nil, fmt.Errorf("%s is not a network such as 127.0.0.0/8", strconv.Quote(field))
			}
			p = netip.PrefixFrom(a, a.BitLen())
		}
		list = append(list, p.Masked())
	}
	return list, nil
}

// The networks below are constant tables.
var (
	// specialIPv4 is the IANA IPv4 Special-Purpose Address Registry plus multicast.
	specialIPv4 = prefixes(`
		0.0.0.0/8          this network
		10.0.0.0/8         private
		100.64.0.0/10      shared by carriers
		127.0.0.0/8        loopback
		169.254.0.0/16     link-local, and the metadata service of clouds
		172.16.0.0/12      private
		192.0.0.0/24       protocol assignments
		192.0.2.0/24       documentation
		192.31.196.0/24    AS112
		192.52.193.0/24    AMT
		192.88.99.0/24     6to4 relays
		192.168.0.0/16     private
		192.175.48.0/24    AS112
		198.18.0.0/15      benchmarks
		198.51.100.0/24    documentation
		203.0.113.0/24     documentation
		224.0.0.0/4        multicast
		240.0.0.0/4        reserved, and broadcast`)

	// globalIPv6 is the allocated part of IPv6 (RFC 4291 §2.4).
	globalIPv6 = netip.MustParsePrefix("2000::/3")

	// specialIPv6 lists the special networks in globalIPv6.
	specialIPv6 = prefixes(`
		2001::/23          protocol assignments: Teredo, benchmarks, ORCHID
		2001:db8::/32      documentation
		2002::/16          6to4: an IPv4 address in disguise
		2620:4f:8000::/48  AS112
		3fff::/20          documentation`)

	// nat64 has an IPv4 address in its last four bytes (RFC 6052 §2.1). 64:ff9b:1::/48 (RFC 8215) is for
	// local use and stays forbidden.
	nat64 = netip.MustParsePrefix("64:ff9b::/96")
)

// prefixes reads a table with a network and its use on each line.
func prefixes(table string) []netip.Prefix {
	var list []netip.Prefix
	for line := range strings.Lines(table) {
		if f := strings.Fields(line); len(f) > 0 {
			list = append(list, netip.MustParsePrefix(f[0]))
		}
	}
	return list
}

func splitList(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' || r == '\n' || r == '\t' })
}
