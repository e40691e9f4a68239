package digest

import (
	"fmt"
	"net/netip"
	"time"
)

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
	Peer    netip.Addr // who made the request
	At      time.Time
}

// Words says what is wrong and what to do about it, for the operator.
func (n ProxyNote) Words() (found, todo string) {
	switch n.Trouble {
	case ProxyUnnamed:
		return fmt.Sprintf("requests come from %s with the headers of a proxy, and it is no trusted proxy: all its visitors count as one", n.Peer),
			fmt.Sprintf("if that is your proxy, set DIGEST_TRUSTED_PROXIES=%s", n.Peer)
	case ProxyStranger:
		return fmt.Sprintf("requests come from %s with the headers of a proxy, which are not believed", n.Peer),
			fmt.Sprintf("if that is your proxy, set DIGEST_TRUSTED_PROXIES=%s; if not, somebody reaches DIGEST_LISTEN past your proxy and says to be another", n.Peer)
	case ProxySilent:
		return fmt.Sprintf("requests come from the trusted proxy %s without X-Forwarded-For: all its visitors count as one", n.Peer),
			"let the proxy send X-Forwarded-For, as the samples in docs/proxy do"
	case ProxyClear:
		return fmt.Sprintf("the trusted proxy %s passes on requests that readers sent without TLS", n.Peer),
			"let the proxy redirect http to https, as the samples in docs/proxy do, and send X-Forwarded-Proto"
	}
	return "", ""
}
