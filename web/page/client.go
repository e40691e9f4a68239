package page

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"digest"
	"digest/internal/allowance"
	"digest/poller"
	"digest/store"
)

// Client returns the address of the client that makes a request. That is the peer of the
// connection, or, if the peer is a trusted proxy, the address that it names in X-Forwarded-For.
// client reads that list from its end, because a client can forge all entries before the one of the
// last trusted proxy. At an invalid entry it stops and returns the proxy that forwarded it. A
// client on the Unix socket has the zero address.
func (s *Site) Client(r *http.Request) netip.Addr {
	at, _ := s.clientSaid(r)
	return at
}

// clientSaid returns the address of the client and reports whether a trusted proxy named it.
func (s *Site) clientSaid(r *http.Request) (at netip.Addr, said bool) {
	at = peer(r)
	list := strings.Join(r.Header.Values("X-Forwarded-For"), ",")
	for list != "" && s.trusts(at) {
		last := strings.LastIndexByte(list, ',')
		next, ok := hop(list[last+1:])
		if !ok {
			break
		}
		at, said, list = next, true, list[:max(last, 0)]
	}
	return at, said
}

// IsHome reports whether the client is in DIGEST_ALLOW_NETWORKS. Only such a client may use
// addresses in these networks. A trusted proxy must have named the client in X-Forwarded-For,
// because a peer in these networks may be a proxy that does not set the header.
func (s *Site) IsHome(r *http.Request, p *poller.Poller) bool {
	at, said := s.clientSaid(r)
	return said && p.IsHome(at)
}

// ClientName returns the client's address for the record of a consent.
func (s *Site) ClientName(r *http.Request) string {
	if a := s.Client(r); a.IsValid() {
		return a.String()
	}
	return "a Unix socket"
}

// A network is a prefix length of addresses, and the part of a limit that one request from such a
// prefix uses. Larger networks have more visitors, so a request costs them less.
type network struct {
	bits int
	cost float64
}

// networksOf returns the networks that share a limit with an address, the smallest first. An IPv6
// client usually has 2^64 addresses, and often 65,536 times as many. An IPv4 client may have the
// addresses of its neighbours.
func networksOf(a netip.Addr) []network {
	if a.Is6() {
		return []network{{64, 1}, {48, 1. / 5}, {32, 1. / 25}}
	}
	return []network{{32, 1}, {24, 1. / 5}}
}

// ClientShares returns the networks of the client, with the cost of a request for each.
func (s *Site) ClientShares(r *http.Request) (all []Share) {
	a := s.Client(r)
	for _, n := range networksOf(a) {
		key := fmt.Sprint("socket/", n.bits)
		if p, err := a.Prefix(n.bits); err == nil && a.IsValid() {
			key = p.String()
		}
		all = append(all, Share{key, n.cost})
	}
	return all
}

// ClientNetwork returns the network that one client may control: a /24 of IPv4, a /48 of IPv6.
func (s *Site) ClientNetwork(r *http.Request) string { return s.ClientShares(r)[1].Key }

// withoutTLS reports whether a trusted proxy received the request without TLS.
func (s *Site) withoutTLS(r *http.Request) bool {
	said := r.Header.Values("X-Forwarded-Proto")
	return len(said) > 0 && strings.EqualFold(said[len(said)-1], "http") && s.trusts(peer(r))
}

func (s *Site) trusts(a netip.Addr) bool { return s.TrustedProxies.Trusts(a) }

// peer returns the remote address of the connection. On a Unix socket it is the zero address.
func peer(r *http.Request) netip.Addr {
	a, _ := netip.ParseAddrPort(r.RemoteAddr)
	return a.Addr().Unmap().WithZone("")
}

// hop parses an entry of X-Forwarded-For. Some proxies include the port.
func hop(s string) (netip.Addr, bool) {
	s = strings.TrimSpace(s)
	if a, err := netip.ParseAddr(s); err == nil {
		return a.Unmap().WithZone(""), true
	}
	a, err := netip.ParseAddrPort(s)
	return a.Addr().Unmap().WithZone(""), err == nil
}

const (
	// noteEvery limits how often the same problem with a proxy or a crowd is logged and stored.
	noteEvery = 6 * time.Hour
	// noteTimeout limits how long a request waits for that.
	noteTimeout = 2 * time.Second
)

// A watch limits how often each kind of problem is reported.
type watch struct {
	mu   sync.Mutex
	last map[string]time.Time
}

// isNew reports whether noteEvery has passed since the last report of this kind.
func (w *watch) isNew(kind string, now time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if last, known := w.last[kind]; known && now.Sub(last) < noteEvery {
		return false
	}
	w.last[kind] = now
	return true
}

// watchProxies checks each request for a proxy that is not configured, or a configured one that
// does not set the required headers.
func (s *Site) watchProxies(r *http.Request) {
	trouble := s.proxyTrouble(r)
	if trouble == "" || s.Store == nil || !s.noticed.isNew(string(trouble), s.Now()) {
		return
	}
	n := digest.ProxyNote{Trouble: trouble, Peer: peer(r), At: s.Now().Truncate(time.Second).UTC()}
	found, todo := n.Words()
	s.Log.WarnContext(r.Context(), found, "todo", todo)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), noteTimeout)
	defer cancel()
	if err := s.Store.Operator.NoteProxy(ctx, n); err != nil {
		s.Log.ErrorContext(ctx, "cannot store a proxy problem", "err", err)
	}
}

// proxyTrouble returns the problem that a request reveals, or "". It ignores paths that programs
// request, because they may connect directly, without the proxy.
func (s *Site) proxyTrouble(r *http.Request) digest.ProxyTrouble {
	from := peer(r)
	switch path := r.URL.Path; {
	case path == "/healthz", path == "/metrics", path == "/bot", path == "/robots.txt":
		return ""
	}
	h := r.Header
	said := h.Get("X-Forwarded-For") != ""
	switch trusted := s.trusts(from); {
	case trusted && !said:
		return digest.ProxySilent
	case trusted && s.IsTLS() && s.withoutTLS(r):
		return digest.ProxyClear
	case trusted || !said && h.Get("X-Forwarded-Proto") == "" && h.Get("X-Real-Ip") == "" && h.Get("Forwarded") == "":
		return ""
	case !from.IsValid() || from.IsPrivate() || from.IsLoopback() || from.IsLinkLocalUnicast():
		return digest.ProxyUnnamed
	}
	return digest.ProxyStranger
}

// NoteCrowd logs and stores that the site rejects letter requests, because strangers have caused
// too many emails.
func (s *Site) NoteCrowd(ctx context.Context, k allowance.Kind, answer store.LetterAnswer, email string,
	now time.Time) {
	n := digest.LetterNote{At: now.Truncate(time.Second).UTC(), SignIn: k == allowance.SignIn}
	switch answer {
	case store.LetterInstanceLimited:
	case store.LetterDomainLimited:
		n.Domain = allowance.Domain(allowance.Mailbox(email))
	default:
		return
	}
	if !s.noticed.isNew(string(answer)+string(k.Share()), now) {
		return
	}
	found, todo := n.Words()
	s.Log.WarnContext(ctx, found, "todo", todo)
	if err := s.Store.Editions.NoteLetters(ctx, n); err != nil {
		s.Log.ErrorContext(ctx, "cannot store that emails are refused", "err", err)
	}
}
