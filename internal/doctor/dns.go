package doctor

import (
	"context"
	"errors"
	"net"
	"net/mail"
	"net/netip"
	"slices"
	"strings"
	"sync"

	"golang.org/x/net/publicsuffix"

	"digest"
)

// names looks up names in the DNS. It looks up public names as absolute ones, because a search list of this machine
// could find other records.
type names struct {
	Resolver
	down func() error // why the DNS cannot be reached; tried once
}

func newNames(ctx context.Context, f Facts) *names {
	n := &names{Resolver: f.Resolver}
	n.down = sync.OnceValue(func() error { return n.tryOut(ctx, f) })
	go n.down()
	return n
}

// tryOut checks whether the DNS can be reached, with the first public name of this instance.
func (n *names) tryOut(ctx context.Context, f Facts) error {
	ours := []string{domainOf(f.From), domainOf(f.ReturnPath), digest.HostOf(f.BaseURL), f.Mail.Host}
	first := slices.IndexFunc(ours, IsPublicName)
	if f.Offline || first < 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, f.Limit/2)
	defer cancel()
	if _, err := n.LookupTXT(ctx, ours[first]); isUnreachable(err) {
		return err
	}
	return nil
}

func (n *names) LookupTXT(ctx context.Context, name string) ([]string, error) {
	return n.Resolver.LookupTXT(ctx, rooted(name))
}

func (n *names) LookupMX(ctx context.Context, name string) ([]*net.MX, error) {
	return n.Resolver.LookupMX(ctx, rooted(name))
}

func (n *names) LookupIPAddr(ctx context.Context, host string) ([]net.IPAddr, error) {
	return n.Resolver.LookupIPAddr(ctx, rooted(host))
}

// addresses looks up the addresses of a host; none if the name does not exist.
func (n *names) addresses(ctx context.Context, host string) ([]netip.Addr, error) {
	found, err := n.LookupIPAddr(ctx, host)
	if isNone(err) {
		return nil, nil
	}
	var list []netip.Addr
	for _, f := range found {
		if a, ok := netip.AddrFromSlice(f.IP); ok {
			list = append(list, a.Unmap())
		}
	}
	return list, err
}

// texts looks up TXT records; none if the name does not exist.
func (n *names) texts(ctx context.Context, name string) ([]string, error) {
	found, err := n.LookupTXT(ctx, name)
	if isNone(err) {
		return nil, nil
	}
	return found, err
}

// rooted makes a public name absolute with a final dot.
func rooted(name string) string {
	if !IsPublicName(name) {
		return name
	}
	return strings.TrimSuffix(name, ".") + "."
}

func unrooted(name string) string { return strings.ToLower(strings.TrimSuffix(name, ".")) }

// isNone reports whether the DNS answered that there is no record.
func isNone(err error) bool {
	e, ok := errors.AsType[*net.DNSError](err)
	return ok && e.IsNotFound
}

// isUnreachable reports whether no name server answered, and not that one reported an error.
func isUnreachable(err error) bool {
	if err == nil || isNone(err) {
		return false
	}
	e, ok := errors.AsType[*net.DNSError](err)
	return !ok || e.IsTimeout || !strings.Contains(e.Err, "misbehaving")
}

// unasked returns the finding for a failed lookup.
func unasked(what string, err error) Finding {
	return verdict(Warn, what+" could not be looked up ("+digest.Bare(err).Error()+")",
		"try again; if the error stays, tell the operator of the name servers of that domain")
}

// domainOf returns the domain of an address in ASCII and lower case, or "".
func domainOf(address string) string {
	a, err := mail.ParseAddress(address)
	if err != nil {
		return ""
	}
	return digest.MailDomain(a.Address)
}

type reach int

const (
	everywhere reach = iota
	atHome           // in one network
	hereOnly         // on one machine
)

func reachOf(host string) reach {
	a, err := netip.ParseAddr(host)
	switch {
	case host == "localhost" || strings.HasSuffix(host, ".localhost"), err == nil &&
		(a.IsLoopback() || a.IsUnspecified()):
		return hereOnly
	case err == nil && !isPublic(a), err != nil && !IsPublicName(host):
		return atHome
	}
	return everywhere
}

// IsPublicName reports whether a name can be in the public DNS, and not only in a local network (RFC 6761, RFC 6762,
// RFC 7686, RFC 8375).
func IsPublicName(name string) bool {
	if _, err := netip.ParseAddr(name); err == nil || !strings.Contains(name, ".") || strings.Contains(name, "[") {
		return false
	}
	for _, private := range []string{"localhost", "localdomain", "local", "lan", "home", "internal", "intranet",
		"invalid", "test", "onion", "home.arpa"} {
		if name == private || strings.HasSuffix(name, "."+private) {
			return false
		}
	}
	return true
}

// organisation returns the registrable domain of a domain, by the public suffix list.
func organisation(domain string) string {
	if org, err := publicsuffix.EffectiveTLDPlusOne(domain); err == nil {
		return org
	}
	return domain
}

// isSuffix reports whether everyone can register names under a domain, such as co.uk.
func isSuffix(domain string) bool {
	suffix, _ := publicsuffix.PublicSuffix(domain)
	return suffix == domain
}

func isPublic(a netip.Addr) bool {
	shared := netip.PrefixFrom(netip.AddrFrom4([4]byte{100, 64, 0, 0}), 10) // RFC 6598
	return a.IsGlobalUnicast() && !a.IsPrivate() && !shared.Contains(a)
}

func publicOnes(list []netip.Addr) (public []netip.Addr) {
	for _, a := range list {
		if isPublic(a) {
			public = append(public, a)
		}
	}
	return public
}

func joined[T interface{ String() string }](list []T) string {
	var text string
	for _, a := range list {
		text = with(text, ", ", a.String())
	}
	return text
}
