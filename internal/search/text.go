package search

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Text gives the words of sanitised HTML as plain text.
func Text(source string) string {
	if !strings.ContainsAny(source, "<&") {
		return source
	}
	var b strings.Builder
	z := html.NewTokenizer(strings.NewReader(source))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return b.String()
		case html.TextToken:
			b.Write(z.Text())
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			if name, _ := z.TagName(); !isInline(atom.Lookup(name)) {
				b.WriteByte(' ')
			}
		}
	}
}

// isInline reports whether words run on through an element's borders.
func isInline(tag atom.Atom) bool {
	switch tag {
	case atom.A, atom.Abbr, atom.B, atom.Bdi, atom.Bdo, atom.Cite, atom.Code, atom.Dfn, atom.Em, atom.I, atom.Kbd, atom.Mark,
		atom.Q, atom.S, atom.Samp, atom.Small, atom.Span, atom.Strong, atom.Sub, atom.Sup, atom.U, atom.Var, atom.Wbr, atom.Del, atom.Ins:
		return true
	}
	return false
}
