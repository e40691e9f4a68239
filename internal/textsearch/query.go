package textsearch

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"digest"
)

// The limits of a search.
const (
	maxTyped  = 300 // in characters
	maxTerms  = 16
	minPrefix = 3 // minimum letters of a last word that may be a prefix
)

// A Term is one word, or several adjacent words.
type Term struct {
	Words   []string // normalised, at least one
	Prefix  bool     // the last word may be a prefix
	Exclude bool
}

// same reports whether two terms are equal. A repeated term costs time and changes nothing.
func (t Term) same(other Term) bool {
	return t.Prefix == other.Prefix && t.Exclude == other.Exclude && slices.Equal(t.Words, other.Words)
}

// A Query matches posts with all terms that do not exclude, and without the others.
type Query struct{ Terms []Term }

// Parse parses a search. Quotes mark phrases, a minus before a word excludes it, and the last word may be a prefix.
// Errors are digest.Invalid and say what to do.
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

type part struct {
	text            string
	key             string // before its text; "": words
	quoted, exclude bool
	final           bool // the last part
}

// split splits a typed search into parts. An unclosed quote ends at its end.
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

// straight replaces all quotes, spaces and minus signs by plain ones.
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

// term converts a part to a term, or returns false if it has no words. A dense run at its end is searched only by
// pairs, so that it also matches inside a longer run.
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
	case end.last && n > 1 && all[n-2].to == end.to: // a pair has it already
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
