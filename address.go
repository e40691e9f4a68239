package digest

import (
	"fmt"
	"io"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// The maximum number of characters of a host or path to show.
const (
	mostHostShown  = 56
	mostHostInside = 255
	mostPathShown  = 100
	// A host in its own letters is shorter, because its letters may be wide.
	mostScriptShown = 30
)

// HostShown returns the host of an address for use in a sentence, with its port unless that is the scheme's default. It
// shows an internationalised name in its own letters if no reader can confuse them with others, and as A-labels
// otherwise. It shortens a long host at the beginning, because the end says who owns it.
func HostShown(address string) string {
	u, err := url.Parse(AddressWithoutCredentials(address))
	if err != nil || u.Host == "" {
		return endOf(asciiOnly(OneLine(AddressWithoutCredentials(address))), mostHostShown)
	}
	port := u.Port()
	if port == "80" && u.Scheme == "http" || port == "443" && u.Scheme == "https" {
		port = ""
	}
	if port != "" {
		port = ":" + port
	}
	ascii := asciiHost(u)
	if len(ascii) > MostHost {
		return endOf(ascii, mostHostShown) + port
	}
	if name, err := idna.Lookup.ToUnicode(ascii); err == nil && utf8.RuneCountInString(name) <= mostScriptShown &&
		unmistakable(name) {
		if again, err := ASCIIHost(name); err == nil && again == ascii {
			return name + port
		}
	}
	return endOf(ascii, mostHostShown) + port
}

// AddressShown returns an address in ASCII without name and password. It shortens the path, and only those hosts that
// are too long for the DNS.
func AddressShown(address string) string {
	bare := AddressWithoutCredentials(address)
	u, err := url.Parse(bare)
	if err != nil || u.Host == "" {
		return Shortened(asciiOnly(OneLine(bare)), mostPathShown)
	}
	host := endOf(asciiHost(u), mostHostInside)
	if p := u.Port(); p != "" {
		host += ":" + p
	}
	_, rest, _ := strings.Cut(bare, "://")
	path := ""
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		path = rest[i:]
	}
	return strings.ToLower(u.Scheme) + "://" + host + Shortened(asciiOnly(path), mostPathShown)
}

// asciiHost returns the host of an address in ASCII, and puts an IPv6 address in brackets.
func asciiHost(u *url.URL) string {
	host := u.Hostname()
	if strings.Contains(host, ":") {
		return "[" + asciiOnly(host) + "]"
	}
	if ascii, err := ASCIIHost(host); err == nil {
		return asciiOnly(ascii)
	}
	return asciiOnly(strings.ToLower(host))
}

// HostOf returns the host of a web address in lower case and without its port, or "" if the address has none.
func HostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Hostname())
}

// endOf returns the last n characters of an ASCII text, after "…" if it dropped some.
func endOf(s string, n int) string {
	if len(s) > n {
		return "…" + s[len(s)-n:]
	}
	return s
}

func asciiOnly(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c >= 0x7f {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// accented lists the letters beyond ASCII that European languages use in hosts and that readers do not confuse with a
// plain letter. It omits "í" and "ı".
const accented = "äöüßàâçèéêëñòôœùûåæø"

// unmistakable reports whether a host can be shown in its own letters. Each label must use one script that has no
// letters like Latin ones. Cyrillic and Greek have many, so they also need a top-level domain in the same script.
// Scripts from right to left are excluded, because they would reorder the labels.
func unmistakable(host string) bool {
	alike := []*unicode.RangeTable{unicode.Cyrillic, unicode.Greek}
	labels := strings.Split(host, ".")
	last := labels[len(labels)-1]
	for _, label := range labels {
		ok := ofOne(label, func(r rune) bool { return r >= 'a' && r <= 'z' || strings.ContainsRune(accented, r) }) ||
			ofOneScript(label)
		for _, script := range alike {
			in := func(r rune) bool { return unicode.Is(script, r) }
			ok = ok || ofOne(label, in) && strings.IndexFunc(last, in) >= 0 && ofOne(last, in)
		}
		if !ok {
			return false
		}
	}
	return true
}

// ofOneScript reports whether all letters of a label are of one script that looks like no other. Japanese mixes three
// scripts.
func ofOneScript(label string) bool {
	for _, script := range [][]*unicode.RangeTable{
		{unicode.Han, unicode.Hiragana, unicode.Katakana}, {unicode.Hangul}, {unicode.Thai}, {unicode.Devanagari},
		{unicode.Bengali}, {unicode.Tamil}, {unicode.Telugu}, {unicode.Gujarati}, {unicode.Gurmukhi}, {unicode.Sinhala},
	} {
		if ofOne(label, func(r rune) bool { return unicode.In(r, script...) || r == 'ー' }) {
			return true
		}
	}
	return false
}

func ofOne(label string, in func(rune) bool) bool {
	return strings.IndexFunc(label, func(r rune) bool { return !in(r) && r != '-' && (r < '0' || r > '9') }) < 0
}

// A HostRule is a rule of the operator, or of a host's owner, for a host and its subdomains.
type HostRule struct {
	Host      string        // lower case, without port, with A-labels
	ByOwner   bool          // made by the owner; false: by the operator
	Blocked   bool          // no requests to it
	Interval  time.Duration // minimum time between two polls of a feed; 0 for a block
	CreatedAt time.Time
}

// Covers reports whether the rule applies to a host that a person or a document names.
func (r HostRule) Covers(host string) bool {
	host = strings.TrimRight(host, ".")
	if a, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		host = a.Unmap().WithZone("").String()
	} else if ascii, err := ASCIIHost(host); err == nil {
		host = ascii
	}
	return host == r.Host || strings.HasSuffix(host, "."+r.Host)
}

// BlockedBy returns the rule that blocks a host, an owner's rule before an operator's. A block of a domain also holds
// for subdomains with rules of their own.
func BlockedBy(rules []HostRule, host string) (block HostRule, blocked bool) {
	for _, r := range rules {
		if r.Blocked && r.Covers(host) && (!blocked || r.ByOwner && !block.ByOwner) {
			block, blocked = r, true
		}
	}
	return block, blocked
}

// Refusal returns the reason for a block, as a clause for readers.
func (r HostRule) Refusal() string { return r.Why().Message }

// Why returns the reason as an error that can be translated.
func (r HostRule) Why() *Error {
	if r.ByOwner {
		return Refuse(Unavailable, "the owner of %s asked us not to read the site", HostShown("//"+r.Host))
	}
	return Refuse(Unavailable, "the operator has blocked %s", HostShown("//"+r.Host))
}

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
				"%s sends the headers of a proxy but is not trusted: all its visitors seem to have the same address",
				peer),
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

// A Credential is the credential for polls of a private feed. It is unencrypted only on its way from the reader to
// package seal, and from there into a request. Formatting or encoding one shows nothing of it.
type Credential struct {
	Reader  DigestID // who entered it, and the only reader of the feed
	Address string   // of the feed, in normal form
	Hidden  bool     // the address itself is secret

	User, Password string // HTTP Basic (RFC 7617)
	Token          string // bearer token (RFC 6750)
}

// Format implements fmt.Formatter and hides the credential for every verb.
func (Credential) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, "(credential)") }

// MarshalText implements encoding.TextMarshaler and hides the credential.
func (Credential) MarshalText() ([]byte, error) { return []byte("(credential)"), nil }

// IsEmpty reports whether a credential has no secret.
func (c Credential) IsEmpty() bool {
	return !c.Hidden && c.User == "" && c.Password == "" && c.Token == ""
}

// WithUser returns the address of the feed with name and password, for a list of feeds.
func (c Credential) WithUser() string {
	if c.User == "" && c.Password == "" {
		return c.Address
	}
	scheme, rest, _ := strings.Cut(c.Address, "://")
	return scheme + "://" + url.UserPassword(c.User, c.Password).String() + "@" + rest
}

// hiddenPath replaces a secret path and query.
const hiddenPath = "/…"

// privateMark separates the shown address of a private feed from its name. Other addresses in normal form have no
// fragment, so they never contain it.
const privateMark = "#private-"

// PrivateAddress returns the address under which a private feed is stored. It has no secret, and the name makes it
// unique.
func (c Credential) PrivateAddress(name string) string { return c.Shown() + privateMark + name }

// Shown returns the address of the feed without its secret parts.
func (c Credential) Shown() string {
	if c.Hidden {
		return Site(c.Address) + hiddenPath
	}
	return c.Address
}

// IsPrivate reports whether an address belongs to a private feed, which needs a credential and has one reader.
func IsPrivate(address string) bool { return strings.Contains(address, privateMark) }

// IsHidden reports whether an address belongs to a private feed with a secret address.
func IsHidden(address string) bool {
	return IsPrivate(address) && PublicAddress(address) == Site(address)+hiddenPath
}

// PublicAddress returns the address of a feed for pages and exports, without the name of a private feed, and without
// user name and password.
func PublicAddress(address string) string {
	address, _, _ = strings.Cut(address, privateMark)
	return WithoutCredentials(address)
}

// Site returns the scheme and host of an address, with its port if it has one.
func Site(address string) string {
	u, err := url.Parse(withoutPath(address))
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// withoutPath returns an address without its path, because net/url rejects a % there that begins no escape.
func withoutPath(address string) string {
	scheme, rest, found := strings.Cut(address, "://")
	end := strings.IndexAny(rest, "/?#")
	if !found || end < 0 {
		return address
	}
	return scheme + "://" + rest[:end]
}

// SplitCredential removes name and password from an address in normal form and returns them as a Credential.
func SplitCredential(address string) (bare string, c Credential) {
	u, err := url.Parse(withoutPath(address))
	if err != nil || u.User == nil {
		return address, Credential{}
	}
	c.User = u.User.Username()
	c.Password, _ = u.User.Password()
	scheme, rest, _ := strings.Cut(address, "://")
	authority, path := rest, ""
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		authority, path = rest[:end], rest[end:]
	}
	return scheme + "://" + authority[strings.LastIndexByte(authority, '@')+1:] + path, c
}
