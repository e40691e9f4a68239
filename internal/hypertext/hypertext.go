// Package hypertext reads the HTML of strangers for work in proportion to its bytes.
//
// The parser of x/net/html is exact, and not linear: attributes of each <html> are
// merged into a table of all of them, elements that style text and are never closed
// are made again in each paragraph, and every end looks through all open elements.
// So each text is reckoned before it is parsed. A scanner goes through its tags as
// the tokenizer of x/net/html would, and a reckoner keeps an upper bound of what the
// parser will do with them. A text above the bound is not parsed at all: its
// readers show its words without markup. The bounds count steps, never time, so that
// a slow machine stores what a fast one does.
//
// The package does no input or output.
package hypertext

import (
	"errors"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// The bounds of a text. What people write stays below a fifth of them.
const (
	// maxAttributes is how many attributes a tag may have.
	maxAttributes = 500

	// A text may cost its parser stepsFree, and stepsPerByte for each of its bytes.
	stepsFree    = 250_000
	stepsPerByte = 16
)

// ErrCostly says that a text would cost its parser too much.
var ErrCostly = errors.New("its markup takes too long to read")

// Fragment parses a text as the inside of a body, without scripting. The error is
// ErrCostly, or what x/net/html says of what is nested too deeply for it.
func Fragment(s string) ([]*html.Node, error) {
	if !Affordable(s) {
		return nil, ErrCostly
	}
	body := &html.Node{Type: html.ElementNode, DataAtom: atom.Body, Data: "body"}
	return html.ParseFragmentWithOptions(strings.NewReader(s), body, html.ParseOptionEnableScripting(false))
}

// Document parses a text as a whole page, without scripting. The errors are Fragment's.
func Document(s string) (*html.Node, error) {
	if !Affordable(s) {
		return nil, ErrCostly
	}
	return html.ParseWithOptions(strings.NewReader(s), html.ParseOptionEnableScripting(false))
}

// Affordable reports whether a text costs its parser no more than it may.
func Affordable(s string) bool {
	return steps(s) <= stepsFree+stepsPerByte*len(s)
}

// Tokenizer gives a tokenizer of what Bounded leaves of a text.
func Tokenizer(s string) *html.Tokenizer { return html.NewTokenizer(strings.NewReader(Bounded(s))) }

// Bounded leaves tags with too many attributes out of a text: after one of them every
// other tag would cost the tokenizer as much.
func Bounded(s string) string {
	var b strings.Builder
	kept := 0
	z := scanner{text: s, plain: true}
	for z.next() && !z.doubt {
		if z.tag.attributes > maxAttributes {
			b.WriteString(s[kept:z.tag.from])
			kept = z.tag.to
		}
	}
	if z.doubt { // nobody can tell what follows from what a script hides
		s = s[:z.tag.from]
	}
	if kept == 0 {
		return s
	}
	b.WriteString(s[kept:])
	return b.String()
}

// Words gives the text of what cannot be parsed, without its tags.
func Words(s string) string {
	var b strings.Builder
	for z := Tokenizer(s); ; {
		switch z.Next() {
		case html.ErrorToken:
			return b.String()
		case html.TextToken:
			b.Write(z.Text())
			b.WriteByte(' ')
		}
	}
}
