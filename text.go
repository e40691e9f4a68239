package digest

import (
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/net/idna"
)

// OneLine makes text from elsewhere safe for a header, a log and a table: control
// characters and runs of white space become single spaces, what is not UTF-8
// becomes U+FFFD.
func OneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	return strings.Join(strings.Fields(s), " ")
}

// Counted says a number of things: "0 posts", "1 post", "2 posts".
func Counted(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return strconv.Itoa(n) + " " + what
}

// Shortened gives at most n characters of a text, and says with "…" that there were more.
func Shortened(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i] + "…"
		}
		n--
	}
	return s
}

// WithoutTurns takes out of a text the characters that embed, override or isolate
// a direction: they would turn what stands beside it.
func WithoutTurns(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			return -1
		}
		return r
	}, s)
}

// ASCIIHost is how mail and the DNS write a host: in lower case, an
// internationalised name by its A-labels (RFC 5890 section 2.3.2.1).
func ASCIIHost(host string) (string, error) {
	if strings.IndexFunc(host, func(r rune) bool { return r > unicode.MaxASCII }) < 0 {
		return strings.ToLower(host), nil
	}
	return idna.Lookup.ToASCII(host)
}
