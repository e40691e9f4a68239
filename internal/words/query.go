package words

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"digest"
)

// Bounds of what can be looked for at once.
const (
	maxTyped  = 300 // characters
	maxTerms  = 16
	minPrefix = 3 // letters from which the last word may be the beginning of one
)

// A Term is one word, or several in a row.
type Term struct {
	Words   []string // normalised, at least one
	Prefix  bool     // the last word may be the beginning of one
	Exclude bool
}

// same reports whether another term says the same: to look for it again costs
// as much and finds nothing else.
func (t Term) same(other Term) bool {
	return t.Prefix == other.Prefix && t.Exclude == other.Exclude && slices.Equal(t.Words, other.Words)
}

// A Query is what somebody looks for: all terms, but none that excludes.
type Query struct{ Terms []Term }

// Parse reads what somebody typed. Quotes are phrases, a minus before a word
// excludes it, and the last word may be a beginning; all else is words and what
// stands between them. The errors, digest.Invalid, say what to do.
func Parse(typed string) (Query, error) {
	if utf8.RuneCountInString(typed) > maxTyped {
		return Query{}, digest.Refuse(digest.Invalid,
			"This search is too long; use at most %d characters. A few words from the post are enough.", maxTyped)
	}
	var q Query
	typedTerms, wanted := 0, 0
	for _, part := range split(typed) {
		term, ok := part.term()
		if !ok {
			continue
		}
		if typedTerms++; slices.ContainsFunc(q.Terms, term.same) {
			continue
		}
		q.Terms = append(q.Terms, term)
		if !term.Exclude {
			wanted++
		}
	}
	switch {
	case len(q.Terms) == 0:
		return Query{}, digest.Refuse(digest.Invalid, "Enter a word from the post, with letters or digits.")
	case wanted == 0:
		return Query{}, digest.Refuse(digest.Invalid, "This search only excludes words. Add a word to search for.")
	case typedTerms > maxTerms:
		return Query{}, digest.Refuse(digest.Invalid,
			"This search has too many words; use at most %d. Rare words work best.", maxTerms)
	}
	return q, nil
}

// A part is a piece of what was typed, between spaces or quotes.
type part struct {
	text            string
	key             string // that stood before its text; "": it is words
	quoted, exclude bool
	final           bool // the last of all
}

// split takes apart what was typed. A quote that is not closed ends with it.
func split(typed string) []part {
	var parts []part
	rest := strings.Map(straight, typed)
	for {
		rest = strings.TrimLeft(rest, " ")
		if rest == "" {
			break
		}
		var p part
		if rest[0] == '-' {
			p.exclude, rest = true, rest[1:]
		}
		if strings.HasPrefix(rest, `"`) {
			p.quoted = true
			p.text, rest, _ = strings.Cut(rest[1:], `"`)
		} else {
			end := strings.IndexAny(rest, ` "`)
			if end < 0 {
				end = len(rest)
			}
			p.text, rest = rest[:end], rest[end:]
		}
		parts = append(parts, p)
	}
	if n := len(parts); n > 0 {
		parts[n-1].final = true
	}
	return parts
}

// straight makes one quote of all, one space of all, and one minus.
func straight(c rune) rune {
	switch c {
	case '“', '”', '„', '‟', '«', '»', '＂', '「', '」', '『', '』':
		return '"'
	case '−', '－':
		return '-'
	}
	if unicode.IsSpace(c) {
		return ' '
	}
	return c
}

// term makes a term of a part; false if there is no word in it. Of a dense run
// at its end the pairs alone are meant, so that it may stand within a longer one.
func (p part) term() (Term, bool) {
	t := Term{Exclude: p.exclude}
	var all []token
	for tok := range tokens(p.text) {
		all = append(all, tok)
	}
	n := len(all)
	if n == 0 {
		return t, false
	}
	switch end := all[n-1]; {
	case end.last && n > 1 && all[n-2].to == end.to: // a pair holds it already
		all = all[:n-1]
	case end.last:
		t.Prefix = true
	case p.final && !p.quoted && !p.exclude && utf8.RuneCountInString(end.word) >= minPrefix:
		t.Prefix = true
	}
	for _, tok := range all {
		t.Words = append(t.Words, tok.word)
	}
	return t, true
}
