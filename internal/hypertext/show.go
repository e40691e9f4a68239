package hypertext

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// The maximum cost of displaying a text is showFree steps, plus showPerByte for each byte. Ordinary texts cost half a
// step for a byte.
const (
	showFree    = 2_000
	showPerByte = 4
)

// Note tells a reader that the markup of a text was dropped. Noted writes it into stored texts; pages and emails show
// it in the reader's language.
const Note = "The layout of this post is too complex to show. Here is its text."

// Showable reports whether a text can be displayed in time proportional to its size. Formatting elements are written
// again in each line that they extend to.
func Showable(s string) bool {
	z := html.NewTokenizer(strings.NewReader(s))
	most := showFree + showPerByte*len(s)
	for open, cost := 0, 0; cost <= most; cost += 1 + open {
		kind := z.Next()
		if kind == html.ErrorToken {
			return true
		}
		switch name, _ := z.TagName(); {
		case kind == html.StartTagToken && goesOn(atom.Lookup(name)):
			open++
		case kind == html.EndTagToken && goesOn(atom.Lookup(name)):
			open = max(0, open-1)
		}
	}
	return false
}

// goesOn reports whether an element is inline and ends only at its end tag; 0 is an element that HTML does not know.
func goesOn(a atom.Atom) bool {
	switch a {
	case 0, atom.A, atom.Abbr, atom.Acronym, atom.B, atom.Bdi, atom.Bdo, atom.Big, atom.Cite, atom.Code, atom.Dfn,
		atom.Del,
		atom.Em, atom.Font, atom.I, atom.Ins, atom.Kbd, atom.Label, atom.Mark, atom.Nobr, atom.Q, atom.S, atom.Samp,
		atom.Small, atom.Span, atom.Strike, atom.Strong, atom.Sub, atom.Sup, atom.Time, atom.Tt, atom.U, atom.Var:
		return true
	}
	return false
}

// noted is the beginning of a stored text whose markup was dropped.
const noted = "<p><em>" + Note + "</em></p>"

// Noted returns a text after the note.
func Noted(s string) string { return noted + s }

// Shown parses a text for display, without the note. dropped reports whether only its words are left because its markup
// cost too much. That happens here, or, according to the note, before it was stored.
func Shown(s string) (nodes []*html.Node, dropped bool) {
	s, dropped = strings.CutPrefix(s, noted)
	if s = Bounded(s); Showable(s) {
		if nodes, err := Fragment(s); err == nil {
			return nodes, dropped
		}
	}
	return []*html.Node{{Type: html.TextNode, Data: Words(s)}}, true
}
