package textsearch

import (
	"math"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"digest"
	"digest/internal/hypertext"
)

// The limits of an indexed text. PostgreSQL counts positions up to 16,383, stores 255 of one word, and at most a
// megabyte in all. The limits are the same for both databases.
const (
	maxWords  = 16_000 // of a document
	maxRepeat = 255    // of one word in it
	maxBytes  = 1 << 19
)

// Filler replaces a word of a document that is not indexed. It is not a letter, so nobody can search for it.
const Filler = "\uE000"

// Document returns the words of a text's fields in order. A Filler between fields prevents phrases across them.
func Document(fields ...string) []string {
	var words []string
	seen, size := make(map[string]int), 0
	for i, field := range fields {
		if i > 0 {
			words = append(words, Filler)
		}
		for t := range tokens(field) {
			size += len(t.word)
			if len(words) >= maxWords || size > maxBytes {
				return words
			}
			seen[t.word]++
			if seen[t.word] > maxRepeat {
				t.word = Filler
			}
			words = append(words, t.word)
		}
	}
	return words
}

// Text returns sanitised HTML as plain text. Tags such as <p> end a word; inline tags such as <b> do not.
func Text(markup string) string { return textOf(markup, math.MaxInt) }

// textOf returns at most most bytes of the markup's text.
func textOf(markup string, most int) string {
	if !strings.ContainsAny(markup, "<&") {
		return digest.FirstBytes(markup, most)
	}
	var b strings.Builder
	z := hypertext.Tokenizer(markup)
	for b.Len() < most {
		switch z.Next() {
		case html.ErrorToken:
			return digest.FirstBytes(b.String(), most)
		case html.TextToken:
			b.Write(z.Text())
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			if name, _ := z.TagName(); !withinWords(atom.Lookup(name)) {
				b.WriteByte(' ')
			}
		}
	}
	return digest.FirstBytes(b.String(), most)
}

// withinWords reports whether a tag may be inside a word.
func withinWords(tag atom.Atom) bool {
	switch tag {
	case atom.A, atom.Abbr, atom.Acronym, atom.B, atom.Bdi, atom.Bdo, atom.Big, atom.Cite, atom.Code, atom.Del,
		atom.Dfn, atom.Em,
		atom.Font, atom.I, atom.Ins, atom.Kbd, atom.Mark, atom.S, atom.Samp, atom.Small, atom.Span, atom.Strike,
		atom.Strong,
		atom.Sub, atom.Sup, atom.Time, atom.Tt, atom.U, atom.Var, atom.Wbr:
		return true
	}
	return false
}
