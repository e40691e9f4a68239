package digest

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Proxies are the trusted proxies, whose forwarding headers the web view believes.
type Proxies struct {
	Networks []netip.Prefix
	Socket   bool // trusts requests through the Unix socket
}

// None reports whether no proxy is trusted.
func (p Proxies) None() bool { return len(p.Networks) == 0 && !p.Socket }

// Trusts reports whether a peer is a trusted proxy. The zero address is a peer at the Unix socket.
func (p Proxies) Trusts(peer netip.Addr) bool {
	if !peer.IsValid() {
		return p.Socket
	}
	return slices.ContainsFunc(p.Networks, func(n netip.Prefix) bool { return n.Contains(peer) })
}

// Words returns the proxies as in the setting. A network of one address has no prefix length.
func (p Proxies) Words() (list []string) {
	for _, n := range p.Networks {
		list = append(list, strings.TrimSuffix(n.String(), "/"+strconv.Itoa(n.Addr().BitLen())))
	}
	if p.Socket {
		list = append(list, ProxySocket)
	}
	return list
}

// ProxySocket is the name of the Unix socket in DIGEST_TRUSTED_PROXIES.
const ProxySocket = "unix"

// A ProxyTrouble is a problem between the web view and a proxy in front of it.
type ProxyTrouble string

const (
	ProxyUnnamed  ProxyTrouble = "unnamed"  // an untrusted neighbour sends forwarding headers
	ProxyStranger ProxyTrouble = "stranger" // the same, from a public address
	ProxySilent   ProxyTrouble = "silent"   // a trusted proxy sends no forwarding headers
	ProxyClear    ProxyTrouble = "clear"    // a trusted proxy forwards requests without TLS
)

// A ProxyNote is a problem that the web view noticed.
type ProxyNote struct {
	Trouble ProxyTrouble
	Peer    netip.Addr // sender of the request; zero: the Unix socket
	At      time.Time
}

// Words returns the problem and the remedy, for the operator.
func (n ProxyNote) Words() (found, todo string) {
	peer, named := n.Peer.String(), n.Peer.String()
	if !n.Peer.IsValid() {
		peer, named = "the Unix socket", ProxySocket
	}
	switch n.Trouble {
	case ProxyUnnamed:
		return fmt.Sprintf(
				"%s sends the headers of a proxy but is not trusted: all its visitors seem to have the same address", peer),
			fmt.Sprintf("if that is your proxy, set DIGEST_TRUSTED_PROXIES=%s", named)
	case ProxyStranger:
		return fmt.Sprintf("%s sends the headers of a proxy but is not trusted", peer),
			fmt.Sprintf("if that is your proxy, set DIGEST_TRUSTED_PROXIES=%s; if not, someone connects to DIGEST_LISTEN without the proxy and forges an address", named)
	case ProxySilent:
		return fmt.Sprintf(
				"the trusted proxy at %s does not send X-Forwarded-For: all its visitors seem to have the same address",
				peer),
			"configure the proxy to send X-Forwarded-For, as the samples in docs/proxy do"
	case ProxyClear:
		return fmt.Sprintf("the trusted proxy at %s forwards requests that were sent without TLS", peer),
			"configure the proxy to redirect http to https and to send X-Forwarded-Proto, as the samples in docs/proxy do"
	}
	return "", ""
}
