package digest

import (
	"fmt"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// How much is shown of a host by itself, of one within an address, and of what
// follows it there, in characters.
const (
	mostHostShown   = 56
	mostHostInside  = 255
	mostPathShown   = 100
	mostScriptShown = 30 // of a host that is not ASCII; its letters may be wide
)

// HostShown is the host of an address as a sentence names it, with its port if
// it is not the usual one. An internationalised name is shown in its own letters
// where nobody can take them for other ones, else by its A-labels. Of one that is
// too long the end remains: the end says whose it is.
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
	ascii := hostOf(u)
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

// AddressShown is an address as it stands beside such a sentence: all of it in
// ASCII, without name and password. Only what follows the host is cut, or the
// beginning of a host that no DNS could hold.
func AddressShown(address string) string {
	bare := AddressWithoutCredentials(address)
	u, err := url.Parse(bare)
	if err != nil || u.Host == "" {
		return Shortened(asciiOnly(OneLine(bare)), mostPathShown)
	}
	host := endOf(hostOf(u), mostHostInside)
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

// hostOf is the host of an address in ASCII, that of an IPv6 address in brackets.
func hostOf(u *url.URL) string {
	host := u.Hostname()
	if strings.Contains(host, ":") {
		return "[" + asciiOnly(host) + "]"
	}
	if ascii, err := ASCIIHost(host); err == nil {
		return asciiOnly(ascii)
	}
	return asciiOnly(strings.ToLower(host))
}

// endOf gives the last n characters of an ASCII text, and says with "…" that
// there were more.
func endOf(s string, n int) string {
	if len(s) > n {
		return "…" + s[len(s)-n:]
	}
	return s
}

// asciiOnly writes every byte that is no visible ASCII as a link would.
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

// accented are the letters beyond ASCII that nobody takes for a plain one, of the
// languages that write hosts with them. "í" and "ı" are not among them.
const accented = "äöüßàâçèéêëñòôœùûåæø"

// unmistakable reports whether a host can be shown in its own letters: each of
// its labels is of one script, of which no letter looks like a Latin one. Cyrillic
// and Greek have many that do, so they are shown only beneath a top-level domain of
// theirs. Scripts that run from right to left are not shown: the labels would change
// places.
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

// ofOneScript reports whether all letters of a label are of one script that looks
// like no other. Japanese is written in three at a time.
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

// ofOne reports whether a label consists of letters that are in a set, digits and
// hyphens.
func ofOne(label string, in func(rune) bool) bool {
	return strings.IndexFunc(label, func(r rune) bool { return !in(r) && r != '-' && (r < '0' || r > '9') }) < 0
}
