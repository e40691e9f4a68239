package render

import (
	"net"
	"net/url"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/publicsuffix"
)

// A link never seems to lead elsewhere than it does. Its writer may have meant
// no harm ("Example.com buys it", which leads to a newspaper), but filters count
// it as fraud: what begins like another address is set in quotation marks, and
// where it is nothing but such an address, the true one is shown instead.

// named matches an address, or the name of a host, that text begins with.
var named = regexp.MustCompile(`^(?i)(https?://)?((?:[a-z0-9][a-z0-9-]*\.)+[a-z0-9-]+)(?:[/:?#]\S*)?`)

// A mention is an address or the name of a host within a text.
type mention struct {
	host     string
	from, to int  // where it stands
	outright bool // with its scheme
	known    bool // a host of the web could have this name
}

// mentioned is what text begins with, if that is an address.
func mentioned(text string) (m mention, ok bool) {
	m.from = len(text) - len(strings.TrimLeft(text, " "))
	if first, _, _ := strings.Cut(text[m.from:], " "); strings.IndexByte(first, '.') <= 0 {
		return m, false // as most words: no need to look closer
	}
	at := named.FindStringSubmatchIndex(text[m.from:])
	if at == nil {
		return m, false
	}
	m.to, m.outright = m.from+at[1], at[2] >= 0
	m.host = strings.ToLower(text[m.from+at[4] : m.from+at[5]])
	m.known = registered(m.host)
	return m, m.known || m.outright // not 3.5 or Node.js
}

// registered reports whether a name could be that of a host on the web.
func registered(host string) bool {
	suffix, official := publicsuffix.PublicSuffix(host)
	return suffix != host && (official || strings.Contains(suffix, "."))
}

// pretends gives what the words of a link begin with if it is an address of
// another domain than the one they lead to.
func pretends(words, href string) (mention, bool) {
	m, ok := mentioned(words)
	if !ok {
		return m, false
	}
	u, err := url.Parse(href)
	return m, err != nil || u.Host != "" && domain(m.host) != domain(strings.ToLower(u.Hostname()))
}

// domain is what somebody registered.
func domain(host string) string {
	if d, err := publicsuffix.EffectiveTLDPlusOne(host); err == nil {
		return d
	}
	return host
}

// candid is a headline that leads to href.
func candid(title, href string) string {
	if m, ok := pretends(title, href); ok {
		return title[:m.from] + "“" + title[m.from:m.to] + "”" + title[m.to:]
	}
	return title
}

// honest makes the links of a line candid.
func honest(line []token) []token {
	for i, t := range line {
		if t.kind != opening || t.name != "a" {
			continue
		}
		words := line[i:closes(line, i)]
		shown := plainText(words)
		m, ok := pretends(shown, t.href)
		switch {
		case !ok:
		case m.outright && strings.TrimSpace(shown[m.to:]) == "":
			words[1] = token{kind: word, text: shownAddress(t.href)}
			for k := 2; k < len(words); k++ {
				words[k] = token{kind: word}
			}
		default:
			insert(words, m.to, "”")
			insert(words, m.from, "“")
		}
	}
	return line
}

// insert puts a mark into words, so many bytes into their text.
func insert(words []token, at int, mark string) {
	for i := range words {
		w := &words[i].text
		if words[i].kind == word && at <= len(*w) {
			*w = (*w)[:at] + mark + (*w)[at:]
			return
		}
		at -= len(*w)
	}
}

func shownAddress(href string) string {
	_, rest, _ := strings.Cut(href, ":")
	return cut(strings.TrimSuffix(strings.TrimPrefix(rest, "//"), "/"), 60)
}

// addressesIn counts the addresses in a stretch of either version as filters of
// spam do: where links lead, and what is named in the text around them.
func addressesIn(s string) int {
	n, linked := 0, false
	for s != "" {
		start := tagIn(s)
		if !linked {
			n += mentions(s[:start])
		}
		s = s[start:]
		end := strings.IndexByte(s, '>') + 1
		if end == 0 {
			end = len(s)
		}
		tag := s[:end]
		s = s[end:]
		switch {
		case strings.HasPrefix(tag, "<img "):
			n += strings.Count(tag, `="http`)
		case strings.HasPrefix(tag, "<a "):
			linked = true
			n += strings.Count(tag, `="http`)
			n += shownIn(tag, s[:tagIn(s)])
		case tag == "</a>":
			linked = false
		}
	}
	return n
}

// shownIn is what the words of a link add: one if they are the host that it
// leads to, and one less if they are another address, which then does not count
// in the text either.
func shownIn(tag, words string) int {
	m, ok := mentioned(words)
	same := ok && (strings.Contains(tag, `"`+words+`"`) || strings.Contains(tag, `"http://`+words+`"`))
	switch {
	case same && !m.counts():
		return 1
	case m.counts() && !same:
		return -1
	}
	return 0
}

// counts reports whether a mention is an address to filters wherever it stands.
func (m mention) counts() bool {
	return m.known && (m.outright || strings.HasPrefix(m.host, "www.")) || m.outright && numeric(m.host)
}

// tagIn is where the first tag of s begins, or its end.
func tagIn(s string) int {
	for i := 0; ; i++ {
		next := strings.IndexByte(s[i:], '<')
		if next < 0 || i+next+1 == len(s) {
			return len(s)
		}
		i += next
		if c := s[i+1] | 0x20; c >= 'a' && c <= 'z' || c == '/' {
			return i
		}
	}
}

// mentions counts the addresses in text.
func mentions(text string) int {
	n := 0
	for _, sign := range [...]string{"http://", "https://", "www."} {
		for from := 0; ; {
			i := strings.Index(text[from:], sign)
			if i < 0 {
				break
			}
			start := from + i
			from = start + len(sign)
			if before, _ := utf8.DecodeLastRuneInString(text[:start]); start > 0 && !parts(before) {
				continue // within another
			}
			rest := text[from:]
			if end := strings.IndexFunc(rest, parts); end >= 0 {
				rest = rest[:end]
			}
			if host := hostIn(rest); registered(host) || numeric(host) {
				n++
				if strings.Contains(rest, "=http") { // and where that leads in turn
					n++
				}
			}
		}
	}
	return n
}

// numeric reports whether host is an address of IPv4.
func numeric(host string) bool {
	return host != "" && host[len(host)-1] <= '9' && net.ParseIP(host) != nil
}

// hostIn is what stands before the path of an address.
func hostIn(address string) string {
	if end := strings.IndexAny(address, "/:?#"); end >= 0 {
		return address[:end]
	}
	return address
}

// parts reports whether r ends an address.
func parts(r rune) bool {
	switch r {
	case '"', '\'', '“', '”', '‘', '’', '(', ')', '[', ']', '<', '>', ',', ';', '|', '`':
		return true
	}
	return r <= ' '
}
