package feed

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"

	"digest"
	"digest/internal/weburl"
)

// maxAddress limits URLs and GUIDs, in bytes.
const maxAddress = 2048

// resolve makes ref absolute against base. It reads ref like a browser where resolveAsWritten would differ.
func resolve(base, ref string) string {
	if isMisread(ref) && len(base) <= maxAddress {
		if address, ok := weburl.Resolve(base, cleanAddress(ref)); ok {
			return address
		}
	}
	return resolveAsWritten(base, ref)
}

// isMisread reports whether resolveAsWritten and browsers resolve ref differently. They do if it contains backslashes
// for slashes. They also do if ref is relative and has a % without an escape, or a character that only net/url
// escapes. The poller and the pages escape everything else that browsers escape.
func isMisread(ref string) bool {
	before := ref
	if i := strings.IndexAny(ref, "?#"); i >= 0 {
		before = ref[:i]
	}
	if !strings.ContainsAny(ref, `\%|[]`) {
		return false
	}
	return strings.IndexByte(before, '\\') >= 0 ||
		(strings.ContainsAny(before, "|[]") || weburl.HasBarePercent(ref)) && !isAbsolute(strings.TrimSpace(ref))
}

// browsed makes an address in HTML absolute like a browser. It escapes a % without an escape, and characters that
// net/url would rewrite, because the policy of sanitise parses the address.
func browsed(base, ref string) string {
	if ref = cleanAddress(ref); ref == "" {
		return ""
	}
	if lacksScheme(base, ref) {
		ref = schemeOf(base) + "://" + ref
	}
	if len(base) > maxAddress {
		base = ""
	}
	address, ok := weburl.Resolve(base, ref)
	if !ok {
		return strings.ReplaceAll(resolveAsWritten(base, ref), " ", "%20")
	}
	if strings.ContainsAny(address, "|^[]{}`") || weburl.HasBarePercent(address) {
		if u, err := url.Parse(weburl.Escaped(address)); err == nil {
			return u.String()
		}
	}
	return address
}

// mended replaces backslashes with slashes in an absolute address.
func mended(address string) string {
	if isMisread(address) {
		return resolve("", address)
	}
	return address
}

// resolveAsWritten makes ref absolute against base. An absolute or unresolvable ref stays byte for byte. A ref that
// lacks only its scheme gets the scheme of base, or https. It ignores a base longer than maxAddress, because every
// short link would grow by its length. The GUIDs of stored posts depend on this function: do not change its results.
func resolveAsWritten(base, ref string) string {
	ref = cleanAddress(ref)
	switch {
	case ref == "":
		return ""
	case strings.HasPrefix(ref, "//") && len(ref) > 2:
		return schemeOf(base) + ":" + ref
	case lacksScheme(base, ref):
		return schemeOf(base) + "://" + ref
	case base == "" || len(base) > maxAddress || isAbsolute(ref):
		return ref
	}
	b, err := url.Parse(base)
	if err != nil || b.Scheme == "" {
		return ref
	}
	r, err := b.Parse(ref)
	if err == nil && b.Opaque == "" {
		setASCIIHost(r)
		return r.String()
	}
	if strings.HasPrefix(ref, "/") && b.Host != "" {
		return b.Scheme + "://" + b.Host + ref
	}
	return ref
}

// asBase converts the host of an address to ASCII once, so that resolve does not convert it for each link.
func asBase(address string) string {
	if isASCII(address) || len(address) > maxAddress {
		return address
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return address
	}
	setASCIIHost(u)
	return u.String()
}

// basesOf returns the addresses as base URLs, in the same order.
func basesOf(addresses ...string) []string {
	for i, address := range addresses {
		addresses[i] = asBase(address)
	}
	return addresses
}

// setASCIIHost converts the host of u to ASCII. A host that is too long or cannot be converted stays; String escapes
// it.
func setASCIIHost(u *url.URL) {
	if isASCII(u.Host) || utf8.RuneCountInString(u.Host) > digest.MostHost {
		return
	}
	if host, err := idna.ToASCII(u.Host); err == nil {
		u.Host = host
	}
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

// schemeOf returns the scheme of an address; https if it has none.
func schemeOf(base string) string {
	if i := strings.IndexByte(base, ':'); i > 0 && isAbsolute(base[:i+1]) {
		return strings.ToLower(base[:i])
	}
	return "https"
}

// lacksScheme reports whether ref is not a path but begins with a host: one with www, the host of base, or a host in
// a top-level domain that is no file extension.
func lacksScheme(base, ref string) bool {
	end := 0
	for end < len(ref) && (isLetter(ref[end]) || ref[end] >= '0' && ref[end] <= '9' || ref[end] == '-' ||
		ref[end] == '.') {
		end++
	}
	if end < 4 || end < len(ref) && strings.IndexByte("/?#:", ref[end]) < 0 {
		return false
	}
	host := strings.ToLower(ref[:end])
	bare, www := strings.CutPrefix(host, "www.")
	if www || strings.IndexByte(bare, '.') <= 0 {
		return www && strings.IndexByte(bare, '.') > 0
	}
	switch bare[strings.LastIndexByte(bare, '.'):] {
	case ".com", ".net", ".org":
		return true
	}
	_, site, _ := strings.Cut(base, "://")
	site, found := strings.CutPrefix(strings.TrimPrefix(strings.ToLower(site[:min(len(site), maxAddress)]), "www."),
		bare)
	return found && (site == "" || site[0] == '/')
}

// cleanAddress removes characters that no URL contains: white space around it, line breaks and tabs within it (URL
// Standard, basic URL parser), and other control characters, which could drive a terminal.
func cleanAddress(s string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return -1
		}
		return r
	}, s))
}

func isAbsolute(s string) bool {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case isLetter(c):
		case i > 0 && (c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.'):
		case c == ':':
			return i > 1
		default:
			return false
		}
	}
	return false
}

// isWeb reports whether s is an absolute http or https URL of at most maxAddress bytes.
func isWeb(s string) bool {
	if len(s) > maxAddress || len(s) < 8 {
		return false
	}
	scheme, rest, found := strings.Cut(s, "://")
	return found && rest != "" && rest[0] != '/' &&
		(strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"))
}

// NormalURL returns the form of a feed's address that the store keeps and compares. It adds https if the scheme is
// missing, and "/" for an empty path. It converts scheme and host to lower case and ASCII. It removes a default port,
// a fragment and the white space before it. Path and query stay byte for byte. It unwraps feed: addresses.
func NormalURL(raw string) (string, error) {
	s := withScheme(weburl.WithSlashes(cleanAddress(raw)))
	if len(s) > maxAddress {
		return "", notAddress(raw, nil)
	}
	if before, fragment, found := strings.Cut(s, "#"); found {
		s = strings.TrimSpace(before) + "#" + fragment
	}
	u, err := url.Parse(weburl.Escaped(s))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", notAddress(raw, err)
	}
	if strings.HasSuffix(u.Host, ":") && u.Path == "" && strings.Contains(s, "@") {
		return "", notAddress(raw, nil) // http://ann:#secret@host: the rest of the password contains the host
	}
	host, ok := normalHost(u)
	if !ok {
		return "", notAddress(raw, nil)
	}
	if p := u.Port(); p != "" && (u.Scheme != "http" || p != "80") && (u.Scheme != "https" || p != "443") {
		host += ":" + p
	}
	if u.User != nil {
		host = u.User.String() + "@" + host
	}
	path, query, has := strings.Cut(afterHost(s), "?")
	if strings.Contains(path, "/.") {
		path = weburl.WithoutDots(path)
	}
	if has {
		path += "?" + query
	}
	return u.Scheme + "://" + host + path, nil
}

// badInHost lists characters that no host contains.
const badInHost = " <>\"'`{}|\\^%"

func normalHost(u *url.URL) (string, bool) {
	host := strings.ToLower(u.Hostname())
	if strings.Contains(u.Host, "[") {
		return "[" + host + "]", !strings.ContainsAny(host, badInHost)
	}
	if ascii, err := digest.ASCIIHost(strings.TrimSuffix(host, ".")); err == nil {
		host = ascii
	}
	host = strings.TrimRight(host, ".") // ASCIIHost converts other full stops to dots
	return host, host != "" && !strings.ContainsAny(host, badInHost)
}

// withScheme adds https:// to an address without a scheme, and unwraps addresses such as feed:https://... and
// pcast://...
func withScheme(s string) string {
	s = withoutFeedScheme(s)
	if strings.HasPrefix(s, "//") {
		return "https:" + s
	}
	if i := strings.Index(s, "://"); i > 0 {
		return strings.ToLower(s[:i]) + s[i:]
	}
	if host, _, _ := strings.Cut(s, "/"); strings.Contains(host, ".") || strings.HasPrefix(host, "localhost") {
		if scheme, _, found := strings.Cut(host, ":"); !found || strings.ContainsAny(scheme, ".") ||
			scheme == "localhost" {
			return "https://" + s
		}
	}
	return s
}

func afterHost(s string) string {
	rest := s[strings.Index(s, "://")+3:]
	rest, _, _ = strings.Cut(rest, "#")
	i := strings.IndexAny(rest, "/?")
	switch {
	case i < 0:
		return "/"
	case rest[i] == '?':
		return "/" + rest[i:]
	}
	return rest[i:]
}

func notAddress(raw string, err error) error {
	if strings.TrimSpace(raw) == "" {
		return digest.Refuse(digest.Invalid, "the address is missing; enter one like https://example.org/feed.xml")
	}
	if shown := digest.AddressWithoutCredentials(raw); shown != raw {
		raw, err = shown, nil // it may contain a part of the password
	}
	if len(raw) > 100 {
		raw = raw[:100] + "..."
	}
	wrong := digest.Refuse(digest.Invalid, "%s is not a web address; enter one like https://example.org/feed.xml",
		strconv.Quote(raw))
	wrong.Err = err
	return wrong
}

// Host returns the lower-case host name of a URL without its port; "": it has none.
func Host(rawURL string) string {
	u, err := url.Parse(weburl.Escaped(cleanAddress(rawURL)))
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Hostname())
}

// SameAddress reports whether two normal addresses are equal, ignoring the scheme, a leading "www." and a final
// slash.
func SameAddress(a, b string) bool { return bareAddress(a) == bareAddress(b) }

func bareAddress(address string) string {
	_, bare, _ := strings.Cut(address, "://")
	return strings.TrimSuffix(strings.TrimPrefix(bare, "www."), "/")
}

// SameSite reports whether two addresses have the same registrable domain. Hosts without one, such as IP addresses,
// must be equal including the port.
func SameSite(a, b string) bool { return siteOf(a) == siteOf(b) }

func siteOf(address string) string {
	u, err := url.Parse(weburl.Escaped(address))
	if err != nil {
		return address
	}
	host := strings.ToLower(u.Hostname())
	if _, err := netip.ParseAddr(host); err == nil || !strings.Contains(host, ".") {
		return strings.ToLower(u.Host)
	}
	return Domain(host)
}

// absolute resolves ref against the first base that makes it absolute.
func absolute(ref string, bases []string) string { return absoluteBy(resolve, ref, bases) }

func absoluteBy(resolve func(base, ref string) string, ref string, bases []string) string {
	for _, base := range bases {
		if !isWeb(base) {
			continue
		}
		if r := resolve(base, ref); isAbsolute(r) {
			return r
		}
	}
	return cleanAddress(ref)
}
