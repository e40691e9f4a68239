// Package weburl parses http and https addresses as browsers do (URL Standard, https://url.spec.whatwg.org). Real
// links, pictures, feeds and redirects contain spaces, backslashes, unescaped letters and a % that begins no escape.
// The package differs from the standard in two points. It keeps an IPv4 address in any notation other than four decimal
// numbers, and it keeps invalid UTF-8.
package weburl

import (
	"net/url"
	"strings"

	"digest"
)

type address struct {
	scheme, user, host string // user includes its @
	path               string // begins with a slash
	query, fragment    string // each with its first character
}

// Resolve returns the address that a browser reads in ref on a page at base, and false if it is not an http or https
// address. base may be empty, and matters only if ref is relative.
func Resolve(base, ref string) (string, bool) {
	a, ok := read(base, ref)
	if !ok {
		return "", false
	}
	return a.scheme + "://" + a.user + a.host + a.path + a.query + a.fragment, true
}

// Parse parses an address so that http requests it exactly as a browser does: its RequestURI has the same bytes. It
// keeps the host as written. If net/url would change the path, Opaque contains it, and String is not usable.
func Parse(of string) (*url.URL, error) {
	u, err := url.Parse(Escaped(of))
	if err != nil {
		return nil, err
	}
	a, ok := read("", of)
	if !ok {
		return u, nil
	}
	u.RawQuery = strings.TrimPrefix(a.query, "?")
	if u.EscapedPath() != a.path && !strings.HasPrefix(a.path, "//") { // net/url would parse a host in it
		u.Opaque = a.path
	}
	return u, nil
}

// Escaped returns an address that net/url can parse. It turns backslashes before the query into slashes, and escapes
// each % that begins no escape.
func Escaped(of string) string {
	of = WithSlashes(of)
	if !HasBarePercent(of) {
		return of
	}
	var b strings.Builder
	for i := range len(of) {
		b.WriteByte(of[i])
		if of[i] == '%' && !isEscape(of[i:]) {
			b.WriteString("25")
		}
	}
	return b.String()
}

// WithSlashes turns the backslashes of an address into slashes, up to its query.
func WithSlashes(of string) string {
	end := len(of)
	if i := strings.IndexAny(of, "?#"); i >= 0 {
		end = i
	}
	if strings.IndexByte(of[:end], '\\') < 0 {
		return of
	}
	return strings.ReplaceAll(of[:end], `\`, "/") + of[end:]
}

// HasBarePercent reports whether an address has a % that begins no escape.
func HasBarePercent(of string) bool {
	for i := strings.IndexByte(of, '%'); i >= 0; {
		if !isEscape(of[i:]) {
			return true
		}
		next := strings.IndexByte(of[i+1:], '%')
		if next < 0 {
			return false
		}
		i += 1 + next
	}
	return false
}

func isEscape(s string) bool { return len(s) > 2 && isHex(s[1]) && isHex(s[2]) }

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

func isSlash(c byte) bool { return c == '/' || c == '\\' }

// read parses an address (URL Standard section 4.4).
func read(base, ref string) (a address, ok bool) {
	ref = strings.TrimFunc(ref, func(r rune) bool { return r <= ' ' })
	if strings.ContainsAny(ref, "\t\n\r") {
		ref = strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(ref)
	}
	scheme, rest, has := cutScheme(ref)
	switch {
	case has && scheme != "http" && scheme != "https":
		return a, false
	case has && (strings.HasPrefix(rest, "//") || base == ""):
		return readAfterScheme(scheme, strings.TrimLeft(rest, `/\`))
	case base == "":
		return a, false
	}
	from, ok := read("", base)
	switch {
	case has && (!ok || from.scheme != scheme):
		return readAfterScheme(scheme, strings.TrimLeft(rest, `/\`))
	case !ok:
		return a, false
	}
	return from.relative(rest)
}

// cutScheme splits an address after its scheme, which it returns in lower case. Without a scheme the rest is the whole
// address.
func cutScheme(s string) (scheme, rest string, has bool) {
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
		case i > 0 && (c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.'):
		case i > 0 && c == ':':
			return strings.ToLower(s[:i]), s[i+1:], true
		default:
			return "", s, false
		}
	}
	return "", s, false
}

// relative parses an address without a scheme, on a page at a.
func (a address) relative(s string) (address, bool) {
	switch {
	case len(s) > 1 && isSlash(s[0]) && isSlash(s[1]):
		return readAfterScheme(a.scheme, strings.TrimLeft(s, `/\`))
	case s == "", s[0] == '#':
		a.fragment = escape(s, inFragment)
		return a, true
	case s[0] == '?':
		s, a.fragment = cutFragment(s)
		a.query = escape(s, inQuery)
		return a, true
	case !isSlash(s[0]):
		s = a.path[:strings.LastIndexByte(a.path, '/')+1] + s
	}
	a.readPath(s)
	return a, true
}

// readAfterScheme parses an address from its host, or the name and password before that.
func readAfterScheme(scheme, s string) (a address, ok bool) {
	end := len(s)
	if i := strings.IndexAny(s, `/\?#`); i >= 0 {
		end = i
	}
	host := s[:end]
	a.scheme = scheme
	if at := strings.LastIndexByte(host, '@'); at >= 0 {
		name, password, has := strings.Cut(host[:at], ":")
		a.user, host = escape(name, inUser), host[at+1:]
		if has && password != "" {
			a.user += ":" + escape(password, inUser)
		}
		if a.user != "" {
			a.user += "@"
		}
	}
	if a.host, ok = readHost(host, scheme); !ok {
		return a, false
	}
	a.readPath(s[end:])
	return a, true
}

// readHost returns a host in ASCII and lower case, with its port unless that is the scheme's default.
func readHost(s, scheme string) (string, bool) {
	name, port := s, ""
	if i := strings.LastIndexByte(s, ':'); i > strings.LastIndexByte(s, ']') {
		name, port = s[:i], strings.TrimLeft(s[i+1:], "0")
		if port == "" && s[i+1:] != "" {
			port = "0"
		}
	}
	if strings.Trim(port, "0123456789") != "" || len(port) > len("65535") ||
		len(port) == len("65535") && port > "65535" {
		return "", false
	}
	if scheme == "http" && port == "80" || scheme == "https" && port == "443" {
		port = ""
	}
	if port != "" {
		port = ":" + port
	}
	if strings.HasPrefix(name, "[") {
		inside, closed := strings.CutSuffix(name[1:], "]")
		return strings.ToLower(name) + port, closed && strings.Trim(inside, "0123456789abcdefABCDEF:.") == "" &&
			strings.Contains(inside, ":")
	}
	if strings.IndexByte(name, '%') >= 0 {
		var err error
		if name, err = url.PathUnescape(name); err != nil {
			return "", false
		}
	}
	if strings.IndexFunc(name, func(r rune) bool { return r >= 0x80 }) >= 0 {
		ascii, err := digest.ASCIIHost(name)
		if err != nil {
			return "", false
		}
		name = ascii
	}
	name = strings.ToLower(name)
	isBad := func(r rune) bool { return r <= ' ' || r >= 0x7f || strings.ContainsRune("\"#%/:<>?@[\\]^`{|}", r) }
	return name + port, name != "" && strings.IndexFunc(name, isBad) < 0
}

// readPath parses the path, without its segments "." and "..", the query and the fragment.
func (a *address) readPath(s string) {
	s, a.fragment = cutFragment(s)
	path, query, has := strings.Cut(s, "?")
	a.query = ""
	if has {
		a.query = "?" + escape(query, inQuery)
	}
	if a.path = escape(strings.ReplaceAll(path, `\`, "/"), inPath); !strings.HasPrefix(a.path, "/") {
		a.path = "/" + a.path
	}
	if strings.Contains(a.path, "/.") || strings.Contains(a.path, "/%2") {
		a.path = WithoutDots(a.path)
	}
}

func cutFragment(s string) (before, fragment string) {
	i := strings.IndexByte(s, '#')
	if i < 0 {
		return s, ""
	}
	return s[:i], escape(s[i:], inFragment)
}

// WithoutDots removes the segments "." and ".." from a path, also with escaped dots. The path begins with a slash.
func WithoutDots(path string) string {
	dots := strings.NewReplacer("%2e", ".", "%2E", ".")
	segments := strings.Split(path[1:], "/")
	kept := segments[:0]
	for i, segment := range segments {
		name := segment
		if len(segment) <= len("%2e%2e") {
			name = dots.Replace(segment)
		}
		isLast := i == len(segments)-1
		if name != "." && name != ".." {
			kept = append(kept, segment)
			continue
		}
		if name == ".." && len(kept) > 0 {
			kept = kept[:len(kept)-1]
		}
		if isLast {
			kept = append(kept, "")
		}
	}
	return "/" + strings.Join(kept, "/")
}

// The characters that escape replaces in each part, besides controls and letters beyond ASCII (URL Standard section
// 1.3).
const (
	inFragment = " \"<>`"
	inQuery    = " \"#<>'"
	inPath     = " \"#<>?^`{}"
	inUser     = inPath + "/:;=@[\\]|"
)

// escape escapes the unsafe bytes of a part. It leaves each % unchanged.
func escape(s, unsafe string) string {
	isUnsafe := func(c byte) bool { return c < ' ' || c >= 0x7f || strings.IndexByte(unsafe, c) >= 0 }
	from := 0
	for from < len(s) && !isUnsafe(s[from]) {
		from++
	}
	if from == len(s) {
		return s
	}
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	b.WriteString(s[:from])
	for i := from; i < len(s); i++ {
		if c := s[i]; isUnsafe(c) {
			b.WriteString("%" + hex[c>>4:c>>4+1] + hex[c&15:c&15+1])
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
