package digest

import (
	"errors"
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

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

// PlainLines makes text of several lines from elsewhere safe for a page and a terminal: it keeps lines and spaces,
// other control characters become spaces, what turns the direction of a text (WithoutTurns) goes, and what is
// not UTF-8 becomes U+FFFD.
func PlainLines(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && unicode.IsControl(r) || r == 0x2028 || r == 0x2029 {
			return ' '
		}
		return r
	}, WithoutTurns(strings.ToValidUTF8(strings.ReplaceAll(s, "\r\n", "\n"), "\uFFFD")))
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

// A Span is a piece of a text: an address that it names, or what stands between two.
type Span struct {
	Text string
	URL  string // the address; "" for what is none
}

// Spans finds the addresses that a text names, so that they can be made links. One begins with
// https:// where a word begins, and is plain ASCII, so that what is read is where it leads; the punctuation
// after it is not part of it.
func Spans(s string) (all []Span) {
	const scheme = "https://"
	done := 0
	for at := 0; at < len(s); {
		i := strings.Index(s[at:], scheme)
		if i < 0 {
			break
		}
		from := at + i
		to := from + addressEnd(s[from:])
		at = to
		if before, _ := utf8.DecodeLastRuneInString(s[:from]); unicode.IsLetter(before) || unicode.IsDigit(before) ||
			!isPlainURL(s[from:to]) {
			continue
		}
		if from > done {
			all = append(all, Span{Text: s[done:from]})
		}
		all, done = append(all, Span{s[from:to], s[from:to]}), to
	}
	if done < len(s) {
		all = append(all, Span{Text: s[done:]})
	}
	return all
}

// addressEnd is where the address with which s begins ends. A bracket at its end is
// part of it where the address has opened one.
func addressEnd(s string) int {
	if i := strings.IndexFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) ||
			strings.ContainsRune(`<>"“”‘’«»`, r)
	}); i >= 0 {
		s = s[:i]
	}
	for {
		short := strings.TrimRight(s, ".,;:!?'…")
		if strings.HasSuffix(short, ")") && !strings.Contains(short, "(") {
			short = short[:len(short)-1]
		}
		if short == s {
			return len(s)
		}
		s = short
	}
}

func isPlainURL(s string) bool {
	if strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune("\\^`{|}", r) }) {
		return false
	}
	u, err := url.Parse(s)
	return err == nil && u.Host != "" && u.User == nil
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

// MostHost is the number of characters of the longest host that the DNS can hold (RFC 1035 section 2.3.4).
const MostHost = 253

// ASCIIHost returns a host as mail and the DNS write it: in lower case, with internationalised labels as A-labels
// (RFC 5890 section 2.3.2.1). A host that is not ASCII and has more than MostHost characters is an error, because
// the time to convert it grows with the square of its length.
func ASCIIHost(host string) (string, error) {
	if strings.IndexFunc(host, func(r rune) bool { return r > unicode.MaxASCII }) < 0 {
		return strings.ToLower(host), nil
	}
	if utf8.RuneCountInString(host) > MostHost {
		return "", errLongHost
	}
	return idna.Lookup.ToASCII(host)
}

var errLongHost = errors.New("no host has more than 253 characters")
