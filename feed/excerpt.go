package feed

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// excerpt gives the first n characters, about, of the text of HTML on one
// line, cut at a word. Captions are not part of what the text says, and
// entities that were escaped twice are decoded.
func excerpt(s string, n int) string {
	var b strings.Builder
	z := html.NewTokenizer(strings.NewReader(s))
	hidden := 0
	for b.Len() < 6*n {
		switch z.Next() {
		case html.ErrorToken:
			return shorten(oneLine(decodeEntities(b.String())), n)
		case html.TextToken:
			if hidden == 0 {
				b.Write(z.Text())
			}
		case html.StartTagToken:
			name, _ := z.TagName()
			hidden += skipped(name)
			b.WriteString(gap(name))
		case html.EndTagToken:
			name, _ := z.TagName()
			hidden = max(0, hidden-skipped(name))
			b.WriteString(gap(name))
		case html.SelfClosingTagToken:
			name, _ := z.TagName()
			b.WriteString(gap(name))
		}
	}
	return shorten(oneLine(decodeEntities(b.String())), n)
}

func skipped(tag []byte) int {
	if atom.Lookup(tag) == atom.Figcaption {
		return 1
	}
	return hides(tag)
}
