package digest

import (
	"net/netip"
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"
)

// MostName is the maximum length of the name of a newsletter or its sender, in characters.
const MostName = 60

// PlainName returns a name as emails to non-members show it: one short line, without anything that mail programs
// would turn into a link.
func PlainName(name string) string {
	return Shortened(OneLine(withoutAddresses(tidyName(name))), MostName)
}

// tidyName returns a name as one line without invisible characters. It keeps those that join letters and emoji.
func tidyName(name string) string {
	return OneLine(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) && !isJoiner(r) {
			return -1
		}
		return r
	}, name))
}

// withoutAddresses breaks addresses in a text into words.
func withoutAddresses(s string) string {
	s = strings.NewReplacer("@", " ", "://", " ").Replace(schemes().ReplaceAllString(s, "$1 "))
	var b strings.Builder
	for s != "" {
		end := strings.IndexFunc(s, func(r rune) bool { return !inHostName(r) })
		switch {
		case end < 0:
			end = len(s)
		case end == 0:
			end = strings.IndexFunc(s, inHostName)
			if end < 0 {
				end = len(s)
			}
		}
		word := s[:end]
		if isHostName(word) {
			word = strings.Map(func(r rune) rune {
				if isDot(r) {
					return ' '
				}
				return r
			}, word)
		}
		b.WriteString(word)
		s = s[end:]
	}
	return b.String()
}

// schemes matches URL schemes that mail programs turn into links without slashes.
func schemes() *regexp.Regexp { return regexp.MustCompile(`(?i)\b(mailto|tel|sms|callto):`) }

func inHostName(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '-' || isJoiner(r) || isDot(r)
}

// isJoiner reports whether a character only joins or separates letters and is invisible itself.
func isJoiner(r rune) bool { return r == '\u200c' || r == '\u200d' }

// isDot reports whether browsers read a character as the dot between the labels of a host (UTS #46).
func isDot(r rune) bool { return strings.ContainsRune(".\u2024\u3002\ufe52\uff0e\uff61", r) }

// isHostName reports whether a word is an IPv4 address, or a host below a top-level domain that exists.
func isHostName(word string) bool {
	word = strings.TrimFunc(word, isDot)
	if !strings.ContainsFunc(word, isDot) {
		return false
	}
	word = strings.Map(func(r rune) rune {
		switch {
		case isJoiner(r):
			return -1
		case isDot(r):
			return '.'
		}
		return r
	}, word)
	if _, err := netip.ParseAddr(word); err == nil {
		return true
	}
	host, err := idna.Lookup.ToASCII(strings.ToLower(word))
	if err != nil {
		host = strings.ToLower(word)
	}
	if strings.HasPrefix(host, "www.") {
		return true
	}
	suffix, official := publicsuffix.PublicSuffix(host)
	return official && suffix != host
}

// WithNames returns a newsletter with its approved names. Other names that its publisher typed wait in WantedName
// and WantedFromName.
func (n Newsletter) WithNames(approved Newsletter) Newsletter {
	n.WantedName, n.WantedFromName = "", ""
	if n.Name != approved.Name {
		n.Name, n.WantedName = approved.Name, n.Name
	}
	if n.FromName != approved.FromName && n.FromName != "" && n.FromName != n.Name {
		n.FromName, n.WantedFromName = approved.FromName, n.FromName
	}
	return n
}

// NamesWait reports whether names of a newsletter wait for approval.
func (n Newsletter) NamesWait() bool { return n.WantedName != "" || n.WantedFromName != "" }

// Wanted returns a newsletter under the names that wait for approval.
func (n Newsletter) Wanted() Newsletter {
	if n.WantedName != "" {
		n.Name = n.WantedName
	}
	if n.WantedFromName != "" {
		n.FromName = n.WantedFromName
	}
	n.WantedName, n.WantedFromName = "", ""
	return n
}

// CheckNames returns an error of the kind Invalid if a name of a newsletter is not plain. It allows the names that the
// newsletter had before, in was.
func (n Newsletter) CheckNames(was Newsletter) error {
	n, was = n.Tidy(), was.Tidy()
	for _, name := range [...]string{n.Name, n.FromName, n.WantedName, n.WantedFromName} {
		if name != was.Name && name != was.FromName && name != PlainName(name) {
			return Refuse(Invalid,
				"a name can have at most %d characters and no @, https:// or site name such as example.org", MostName)
		}
	}
	return nil
}
