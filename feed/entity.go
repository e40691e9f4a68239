package feed

import (
	"html"
	"strings"
	"unicode/utf8"
)

// maxEntity limits the length of an entity with its delimiters. The longest entity of HTML has 33 bytes.
const maxEntity = 40

// decodeEntities decodes the entities of XML and HTML and numeric references once. Other ampersands stay. It removes
// references to characters that no text may contain. References to C1 controls mean windows-1252, as in HTML.
func decodeEntities(s string) string {
	i := strings.IndexByte(s, '&')
	if i < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for i >= 0 {
		b.WriteString(s[:i])
		s = s[i:]
		text, n := entity(s)
		b.WriteString(text)
		s = s[n:]
		i = strings.IndexByte(s, '&')
	}
	b.WriteString(s)
	return b.String()
}

// entity decodes the entity at the beginning of s and returns its length; for a bare ampersand "&" and 1.
func entity(s string) (string, int) {
	window := s[:min(len(s), maxEntity)]
	end := strings.IndexByte(window, ';')
	if end < 2 {
		return "&", 1
	}
	switch s[1:end] {
	case "amp", "AMP":
		return "&", end + 1
	case "lt":
		return "<", end + 1
	case "gt":
		return ">", end + 1
	case "quot":
		return `"`, end + 1
	case "apos":
		return "'", end + 1
	}
	if s[1] != '#' && strings.ContainsFunc(s[1:end], func(r rune) bool {
		return r >= 0x80 || !isLetter(byte(r)) &&
			(r < '0' || r > '9')
	}) {
		return "&", 1
	}
	// html decodes prefixes too (&copyright;) and leaves the semicolon.
	text := html.UnescapeString(s[:end+1])
	if strings.HasSuffix(text, ";") && text != ";" {
		return "&", 1
	}
	if r, n := utf8.DecodeRuneInString(text); s[1] == '#' && n == len(text) && (r == utf8.RuneError || !isTextRune(r)) {
		return "", end + 1
	}
	return text, end + 1
}

// isTextRune reports whether XML 1.0 allows r in a document (§2.2).
func isTextRune(r rune) bool {
	switch {
	case r < 0x20:
		return r == '\t' || r == '\n' || r == '\r'
	case r >= 0xD800 && r < 0xE000, r == 0xFFFE, r == 0xFFFF, r > utf8.MaxRune:
		return false
	}
	return true
}

// escaper escapes text for an element or a quoted attribute.
var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;")

func join(b []byte, parts ...string) []byte {
	for _, part := range parts {
		b = append(b, part...)
	}
	return b
}
