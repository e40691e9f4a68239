package digest

import (
	"fmt"
	"net/url"
	"strings"
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
