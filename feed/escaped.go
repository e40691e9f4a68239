package feed

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"digest/internal/hypertext"
)

// escapedTwice decodes HTML that was escaped twice: "&lt;p&gt;A page&lt;/p&gt;". It is certain if the text has no
// elements, and a second decoding yields only text within matching elements. A text about HTML has words around its
// tags.
func escapedTwice(value string) (again string, certain bool) {
	value = strings.TrimSpace(value)
	if !strings.HasPrefix(value, "&") || !strings.HasSuffix(value, ";") || hasTags(value) {
		return "", false
	}
	again = strings.TrimSpace(decodeEntities(value))
	if !strings.HasPrefix(again, "<") || !strings.HasSuffix(again, ">") || !matches(again) {
		return "", false
	}
	return again, true
}

// matches reports whether s has only known elements, each with its end tag.
func matches(s string) bool {
	z := hypertext.Tokenizer(s)
	var open []atom.Atom
	for elements := 0; ; {
		switch z.Next() {
		case html.ErrorToken:
			return len(open) == 0 && elements > 0
		case html.StartTagToken, html.SelfClosingTagToken:
			name, _ := z.TagName()
			a := atom.Lookup(name)
			if a == 0 || len(open) > 200 {
				return false
			}
			if elements++; !void[a] {
				open = append(open, a)
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			a := atom.Lookup(name)
			for len(open) > 0 && open[len(open)-1] != a && endsByItself(open[len(open)-1]) {
				open = open[:len(open)-1]
			}
			if void[a] || a == atom.P && len(open) == 0 {
				continue
			}
			if len(open) == 0 || open[len(open)-1] != a {
				return false
			}
			open = open[:len(open)-1]
		case html.TextToken:
			if len(open) == 0 && len(strings.TrimSpace(string(z.Text()))) > 0 {
				return false
			}
		}
	}
}

// endsByItself reports whether an element needs no end tag.
func endsByItself(a atom.Atom) bool {
	return a == atom.P || a == atom.Li || a == atom.Dt || a == atom.Dd || a == atom.Td || a == atom.Th || a == atom.Tr
}
