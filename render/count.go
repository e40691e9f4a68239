package render

import (
	"net"
	"net/url"
	"strings"
)

// Filters of spam take it as a sign if the number of addresses in a mail of two
// versions is odd. They are counted here as rspamd 3.4 counts them, once for each
// piece. Where that depends on other pieces, what is added is as odd as what
// would be: the sum of both versions is even when theirs is.

// addressesIn counts the addresses in a stretch of HTML: where links and pictures
// lead, and what is named in the text.
func addressesIn(s string) int {
	n, from := 0, 0 // what is named before from is counted already
	for s != "" {
		start := tagIn(s)
		if from <= start {
			n += mentions(s[from:start])
		}
		s, from = s[start:], 0
		end := strings.IndexByte(s, '>') + 1
		if end == 0 {
			end = len(s)
		}
		tag := s[:end]
		s = s[end:]
		switch {
		case strings.HasPrefix(tag, "<img "):
			n += hrefs(tag)
		case strings.HasPrefix(tag, "<a "):
			var shown int
			shown, from = shownIn(tag, s[:tagIn(s)], s[tagIn(s):])
			n += hrefs(tag) + shown
		}
	}
	return n
}

// hrefs counts the addresses that a tag has.
func hrefs(tag string) int {
	n := 0
	for {
		_, rest, found := strings.Cut(tag, `="http`)
		if !found {
			return n
		}
		address, rest, _ := strings.Cut(rest, `"`)
		if !elsewhere(address) {
			n++
		}
		tag = rest
	}
}

// elsewhere reports whether filters read an address in text otherwise than in a
// link: they end it at a bracket or an apostrophe. What is only in a link is not
// counted, but for such as have something more to them.
func elsewhere(address string) bool {
	if !strings.ContainsAny(address, ")]") && !strings.Contains(address, "&#39;") {
		return false
	}
	_, rest, _ := strings.Cut(address, "://")
	host, path, _ := strings.Cut(rest, "/")
	path, _, _ = strings.Cut(strings.ReplaceAll(path, "&#", ""), "#")
	more := strings.Contains(path, "%") || strings.Contains("/"+path, "//") || strings.Contains(path, "./")
	return !more && !strings.Contains(host, ":") && registered(strings.ToLower(host))
}

// shownIn is what the beginning of a link's words adds, and where it ends: one
// if that is the name of the host that it leads to, and one less if it is another
// address, which then does not count in the text either, unless what comes after
// the link would make it a longer one.
func shownIn(tag, words, after string) (n, to int) {
	m, ok := mentioned(words)
	if !ok || !m.known {
		return 0, 0
	}
	tag = strings.ToLower(tag)
	said := strings.ToLower(words[m.from:m.to])
	same := strings.Contains(tag, `="`+said+`"`) || strings.Contains(tag, `="http://`+said+`"`)
	switch {
	case same && !m.plain():
		return 1, m.to
	case !same && m.plain() && !(m.to == len(words) && longer(said, after)):
		return -1, m.to
	}
	return 0, m.to
}

// longer reports whether an address that ends a link goes on behind it, to those
// who see no links.
func longer(address, after string) bool {
	for _, tag := range [...]string{"</a>", "</strong>", "</em>", "</span>", "</small>"} {
		after = strings.TrimPrefix(after, tag)
	}
	if after == "" {
		return false
	}
	_, rest, _ := strings.Cut(address, "://")
	if rest == "" {
		rest = address
	}
	return after[0] == '.' || strings.Contains(rest, "/") && strings.IndexByte(",:;!?", after[0]) >= 0
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

// mentions counts the addresses that are named in text, and where they lead in turn.
func mentions(text string) int {
	n := 0
	for {
		word, rest, found := named(text)
		if !found {
			return n
		}
		if isAddress(word) {
			n++
			if leadsOn(word) {
				n++
			}
		}
		text = rest
	}
}

// named is the first word of text that begins like an address, and what is
// behind it.
func named(text string) (word, rest string, found bool) {
	for from := 0; ; {
		scheme, www := strings.Index(text[from:], "://"), strings.Index(text[from:], "www.")
		var start int
		switch {
		case scheme < 0 && www < 0:
			return "", "", false
		case www < 0 || scheme >= 0 && scheme < www:
			start = schemeStart(text, from+scheme)
			from += scheme + len("://")
		default:
			start = wwwStart(text, from+www)
			from += www + len("www.")
		}
		if start < 0 {
			continue
		}
		word, rest = text[start:], ""
		if end := strings.IndexFunc(word, func(r rune) bool { return r <= ' ' || r == '<' || r == '>' }); end >= 0 {
			word, rest = word[:end], word[end:]
		}
		return word, rest, true
	}
}

// schemeStart is where the scheme before text[i:] begins; -1 if it is none of
// the web, or within another word.
func schemeStart(text string, i int) int {
	for _, scheme := range [...]string{"http", "https"} {
		k := i - len(scheme)
		if k >= 0 && strings.EqualFold(text[k:i], scheme) && (k == 0 || !alphanumeric(text[k-1])) {
			return k
		}
	}
	return -1
}

// wwwStart is i if a host can begin there, else -1.
func wwwStart(text string, i int) int {
	if i == 0 || text[i-1] <= ' ' || text[i-1] >= 0x80 || strings.IndexByte("([{'", text[i-1]) >= 0 {
		return i
	}
	return -1
}

// isAddress reports whether a word that begins like one is an address of the web.
func isAddress(word string) bool {
	if _, rest, found := strings.Cut(word, "://"); found && !strings.HasPrefix(word, "www.") {
		word = rest
	}
	end := 0
	for end < len(word) && (alphanumeric(word[end]) || word[end] == '-' || word[end] == '_' || word[end] == '.') {
		end++
	}
	host := strings.ToLower(strings.TrimRight(word[:end], "."))
	m := mention{host: host, outright: true}
	return host != "" && m.ends(word[end:]) && (registered(host) || numeric(host))
}

// numeric reports whether host is an address of IPv4.
func numeric(host string) bool {
	return host[len(host)-1] <= '9' && net.ParseIP(host) != nil
}

func alphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// leadsOn reports whether an address has another one in its query.
func leadsOn(address string) bool {
	_, query, _ := strings.Cut(address, "?")
	if !strings.Contains(query, "http") {
		return false
	}
	if plain, err := url.PathUnescape(query); err == nil {
		query = plain
	}
	for _, scheme := range [...]string{"http://", "https://"} {
		if i := strings.Index(query, scheme); i >= 0 && (i == 0 || !alphanumeric(query[i-1])) {
			return true
		}
	}
	return false
}
