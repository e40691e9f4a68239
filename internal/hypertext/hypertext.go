// Package hypertext parses foreign HTML in time proportional to its size.
//
// The parser of x/net/html is exact, but not linear. It merges the attributes of each <html> into a table of all of
// them. It reopens unclosed formatting elements in each paragraph. Every end tag searches all open elements. So the
// package estimates the cost of each text before parsing. A scanner finds the tags as the tokenizer of x/net/html does,
// and a reckoner computes an upper bound of the parser's steps for them. A text above the limit is not parsed at all,
// and its readers see its words without markup. The limits count steps and not time, so that slow and fast machines
// store the same.
//
// The package does no input or output.
package hypertext

import (
	"errors"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// The limits of a text. Ordinary texts stay below a fifth of them.
const (
	// maxAttributes is the maximum number of attributes of a tag.
	maxAttributes = 500

	// The maximum number of parser steps is stepsFree plus stepsPerByte for each byte.
	stepsFree    = 250_000
	stepsPerByte = 16
)

// ErrCostly says that parsing a text would take too many steps.
var ErrCostly = errors.New("its markup takes too long to read")

// Fragment parses a text as the content of a body, without scripting. The error is ErrCostly, or the error of
// x/net/html for elements that are nested too deeply.
func Fragment(s string) ([]*html.Node, error) {
	if !Affordable(s) {
		return nil, ErrCostly
	}
	body := &html.Node{Type: html.ElementNode, DataAtom: atom.Body, Data: "body"}
	return html.ParseFragmentWithOptions(strings.NewReader(s), body, html.ParseOptionEnableScripting(false))
}

// Document parses a text as a whole page, without scripting. It has the errors of Fragment.
func Document(s string) (*html.Node, error) {
	if !Affordable(s) {
		return nil, ErrCostly
	}
	return html.ParseWithOptions(strings.NewReader(s), html.ParseOptionEnableScripting(false))
}

// Affordable reports whether a text is below the limit of steps.
func Affordable(s string) bool {
	return steps(s) <= stepsFree+stepsPerByte*len(s)
}

// Tokenizer returns a tokenizer for the bounded text.
func Tokenizer(s string) *html.Tokenizer { return html.NewTokenizer(strings.NewReader(Bounded(s))) }

// Bounded removes tags with too many attributes, because after one of them every other tag would cost the tokenizer as
// much.
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
	if z.doubt { // a script may hide the rest
		s = s[:z.tag.from]
	}
	if kept == 0 {
		return s
	}
	b.WriteString(s[kept:])
	return b.String()
}

// Words returns the text of HTML without its tags.
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
