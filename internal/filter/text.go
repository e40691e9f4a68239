package filter

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"

	"digest"
)

// How much of a post is looked at, in bytes. A phrase that begins later than
// that is not found.
const (
	maxTitle   = 4 << 10
	maxAuthor  = 1 << 10
	maxSummary = 8 << 10
	maxText    = 32 << 10  // of the content, without its tags
	maxContent = 256 << 10 // of the content, with them
)

// gramBytes and gramBits are the length of a piece of text, and the bits of
// the set in which a Text remembers which pieces it has.
const (
	gramBytes = 3
	gramBits  = 15
)

// A Text is what filters see of a post, made ready for many of them.
type Text struct {
	folded string
	grams  [1 << gramBits / 64]uint64
}

// Read makes a post ready to be matched.
func Read(p digest.Post) *Text {
	parts := []string{cut(p.Title, maxTitle), cut(p.Author, maxAuthor), cut(p.Summary, maxSummary), textOf(cut(p.Content, maxContent))}
	var t Text
	for i, part := range parts {
		parts[i] = fold(part)
	}
	t.folded = strings.Join(parts, "\n") // no phrase holds one
	for i := 0; i+gramBytes <= len(t.folded); i++ {
		g := gram(t.folded[i:])
		t.grams[g/64] |= 1 << (g % 64)
	}
	return &t
}

// mayHold reports whether the text has all pieces of a pattern: without them
// it does not hold it.
func (t *Text) mayHold(grams []uint16) bool {
	for _, g := range grams {
		if t.grams[g/64]&(1<<(g%64)) == 0 {
			return false
		}
	}
	return true
}

// gram hashes the first bytes of s.
func gram(s string) uint16 {
	n := uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16
	return uint16(n * 2654435761 >> (32 - gramBits)) // Knuth's multiplier
}

// cut gives the beginning of a text, whole runes.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most]
}

// textOf is what a reader sees of a content, maxText bytes of it at most. Tags
// that begin something new end a word; others, such as <b>, do not.
func textOf(content string) string {
	if !strings.ContainsAny(content, "<&") {
		return cut(content, maxText)
	}
	var b strings.Builder
	z := html.NewTokenizer(strings.NewReader(content))
	for b.Len() < maxText {
		switch z.Next() {
		case html.ErrorToken:
			return cut(b.String(), maxText)
		case html.TextToken:
			b.Write(z.Text())
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			if name, _ := z.TagName(); !withinWords(string(name)) {
				b.WriteByte(' ')
			}
		}
	}
	return cut(b.String(), maxText)
}

// withinWords reports whether a tag may stand in the middle of a word.
func withinWords(tag string) bool {
	switch tag {
	case "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "del", "dfn", "em", "font", "i", "ins", "kbd", "mark",
		"s", "samp", "small", "span", "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr":
		return true
	}
	return false
}
