package words

import (
	"math"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"digest/internal/hypertext"
)

// Bounds of what is indexed of a text. PostgreSQL counts positions up to 16,383,
// keeps 255 of one word, and takes a megabyte in all; what lies beyond is left out
// for both databases.
const (
	maxWords  = 16_000 // of a document
	maxRepeat = 255    // of one word in it
	maxBytes  = 1 << 19
)

// Filler stands for a word of a document that is not indexed. Nobody can look
// for it: it is no letter.
const Filler = "\uE000"

// Document gives the words of a text's fields, in order. Between fields stands
// a Filler, so that no phrase reaches from one into the next.
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

// Text gives what a reader sees of sanitised HTML as plain text. Tags that begin
// something new end a word; others, such as <b>, do not.
func Text(markup string) string { return textOf(markup, math.MaxInt) }

// textOf gives the first bytes of the markup's text, most of them at most.
func textOf(markup string, most int) string {
	if !strings.ContainsAny(markup, "<&") {
		return cut(markup, most)
	}
	var b strings.Builder
	z := hypertext.Tokenizer(markup)
	for b.Len() < most {
		switch z.Next() {
		case html.ErrorToken:
			return cut(b.String(), most)
		case html.TextToken:
			b.Write(z.Text())
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			if name, _ := z.TagName(); !withinWords(atom.Lookup(name)) {
				b.WriteByte(' ')
			}
		}
	}
	return cut(b.String(), most)
}

// withinWords reports whether a tag may stand in the middle of a word.
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

// cut gives at most n bytes of a text, whole characters.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}
