package page

import (
	"cmp"
	"net/url"
	"strings"

	"digest/internal/weburl"
)

// SharedAddress finds the address in shared data. Most apps use the field url, Android apps the
// text, and some the title. Without an address it returns the data unchanged, so that the reader
// sees it.
func SharedAddress(title, text, address string) string {
	for _, field := range []string{address, text, title} {
		if found := firstAddress(field); found != "" {
			return found
		}
	}
	return cmp.Or(strings.TrimSpace(address), strings.TrimSpace(text), strings.TrimSpace(title))
}

// mostBegun limits how many "http" prefixes of a text are tried.
const mostBegun = 20

// firstAddress returns the first web address in a text, or "".
func firstAddress(text string) string {
	lower := asciiLower(text)
	for at, begun := 0, 0; begun < mostBegun; {
		i := strings.Index(lower[at:], "http")
		if i < 0 {
			return ""
		}
		at += i
		if !strings.HasPrefix(lower[at:], "http://") && !strings.HasPrefix(lower[at:], "https://") {
			at += len("http")
			continue
		}
		begun++
		word := text[at:]
		if end := strings.IndexFunc(word, endsAddress); end >= 0 {
			word = word[:end]
		}
		word = withoutStops(word)
		if u, err := url.Parse(weburl.Escaped(word)); err == nil && u.Hostname() != "" {
			return word
		}
		at += len("http")
	}
	return ""
}

// asciiLower lowers only A to Z, so that byte offsets stay the same.
func asciiLower(text string) string {
	b := []byte(text)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// endsAddress reports whether r ends an address in a text.
func endsAddress(r rune) bool {
	return r <= ' ' || r == 0x7f || r == '<' || r == '>' || r == '"' || r == '\u00a0' || r == '\u2028' ||
		r == '\u2029' || r == '\u3000' || r == '”' || r == '»'
}

// withoutStops removes the punctuation after an address at the end of a sentence, and unbalanced
// closing brackets.
func withoutStops(address string) string {
	round, square := strings.Count(address, ")")-strings.Count(address, "("),
		strings.Count(address, "]")-strings.Count(address, "[")
	for {
		last := len(address) - 1
		if last < 0 {
			return ""
		}
		switch address[last] {
		case '.', ',', ';', ':', '!', '?', '\'', '*':
		case ')':
			if round <= 0 {
				return address
			}
			round--
		case ']':
			if square <= 0 {
				return address
			}
			square--
		default:
			return address
		}
		address = address[:last]
	}
}
