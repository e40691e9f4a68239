package digest

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Proxies are those that are believed when they say for whom they ask.
type Proxies struct {
	Networks []netip.Prefix
	Socket   bool // whoever asks by the Unix socket
}

// None reports whether nobody is believed.
func (p Proxies) None() bool { return len(p.Networks) == 0 && !p.Socket }

// Trusts reports whether a peer is one of them. The zero address is whoever asks by the
// Unix socket.
func (p Proxies) Trusts(peer netip.Addr) bool {
	if !peer.IsValid() {
		return p.Socket
	}
	return slices.ContainsFunc(p.Networks, func(n netip.Prefix) bool { return n.Contains(peer) })
}

// Words writes them as the setting has them; a network of one address stands without its length.
func (p Proxies) Words() (list []string) {
	for _, n := range p.Networks {
		list = append(list, strings.TrimSuffix(n.String(), "/"+strconv.Itoa(n.Addr().BitLen())))
	}
	if p.Socket {
		list = append(list, ProxySocket)
	}
	return list
}

// ProxySocket stands for the Unix socket among the networks of DIGEST_TRUSTED_PROXIES.
const ProxySocket = "unix"

// A ProxyTrouble is what can be wrong between the web view and a proxy in front of it.
type ProxyTrouble string

// The troubles with proxies.
const (
	ProxyUnnamed  ProxyTrouble = "unnamed"  // a neighbour that is not named says for whom it asks
	ProxyStranger ProxyTrouble = "stranger" // the same, from a public address
	ProxySilent   ProxyTrouble = "silent"   // a named proxy does not say for whom it asks
	ProxyClear    ProxyTrouble = "clear"    // a named proxy lets readers in without TLS
)

// A ProxyNote is what the web view noticed of a proxy.
type ProxyNote struct {
	Trouble ProxyTrouble
	Peer    netip.Addr // who made the request; the zero address: it came by the Unix socket
	At      time.Time
}

// Words says what is wrong and what to do about it, for the operator.
func (n ProxyNote) Words() (found, todo string) {
	peer, named := n.Peer.String(), n.Peer.String()
	if !n.Peer.IsValid() {
		peer, named = "the Unix socket", ProxySocket
	}
	switch n.Trouble {
	case ProxyUnnamed:
		return fmt.Sprintf("%s sends the headers of a proxy but is not trusted: all its visitors seem to have the same address", peer),
			fmt.Sprintf("if that is your proxy, set DIGEST_TRUSTED_PROXIES=%s", named)
	case ProxyStranger:
		return fmt.Sprintf("%s sends the headers of a proxy but is not trusted", peer),
			fmt.Sprintf("if that is your proxy, set DIGEST_TRUSTED_PROXIES=%s; if not, someone connects to DIGEST_LISTEN without the proxy and forges an address", named)
	case ProxySilent:
		return fmt.Sprintf("the trusted proxy at %s does not send X-Forwarded-For: all its visitors seem to have the same address", peer),
			"configure the proxy to send X-Forwarded-For, as the samples in docs/proxy do"
	case ProxyClear:
		return fmt.Sprintf("the trusted proxy at %s forwards requests that were sent without TLS", peer),
			"configure the proxy to redirect http to https and to send X-Forwarded-Proto, as the samples in docs/proxy do"
	}
	return "", ""
}
