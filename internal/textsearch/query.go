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
	minPrefix = 3 // minimum letters before a star
)

// A Term is one word, or several adjacent words.
type Term struct {
	Words   []string // normalised, at least one
	Prefix  bool     // words that begin with the last word match too
	Exclude bool
}

// same reports whether two terms are equal. A repeated term costs time and changes nothing.
func (t Term) same(other Term) bool {
	return t.Prefix == other.Prefix && t.Exclude == other.Exclude && slices.Equal(t.Words, other.Words)
}

// A Query matches posts with all terms that do not exclude, and without the others.
type Query struct{ Terms []Term }

// Parse parses a search. Quotes mark phrases, a minus before a word excludes it, and a star after a word finds all words
// that begin with it. Errors are digest.Invalid and say what to do.
func Parse(typed string) (Query, error) {
	if utf8.RuneCountInString(typed) > maxTyped {
		return Query{}, digest.Refuse(digest.Invalid,
			"This search is too long; use at most %d characters. A few words from the post are enough.", maxTyped)
	}
	var q Query
	typedTerms, wanted := 0, 0
	for _, part := range split(typed) {
		if word, ok := starred(part.text); ok && utf8.RuneCountInString(word) < minPrefix && isSpacedWord(word) {
			return Query{}, digest.Refuse(digest.Invalid, "Enter at least three letters before the star (*).")
		}
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
	case strings.HasSuffix(p.text[end.to:], "*") && len(p.text) == end.to+1:
		t.Prefix = true
	}
	for _, tok := range all {
		t.Words = append(t.Words, tok.word)
	}
	return t, true
}

// starred returns the last word of a text that ends with a star.
func starred(text string) (word string, ok bool) {
	text, ok = strings.CutSuffix(text, "*")
	for tok := range tokens(text) {
		word = text[tok.from:tok.to]
	}
	return word, ok && word != "" && strings.HasSuffix(text, word)
}

// isSpacedWord reports whether a word is of a script with spaces between words. Only such words need a star.
func isSpacedWord(word string) bool {
	c, _ := utf8.DecodeLastRuneInString(word)
	return isSpaced(c)
}

// Beginning returns a search with a star after its last plain word, and that word. The search is "" if it has no such
// word, or only a short one.
func Beginning(typed string) (search, word string) {
	parts := joined(split(typed))
	for i := len(parts) - 1; i >= 0; i-- {
		p := &parts[i]
		if p.key != "" || p.quoted || p.exclude {
			continue
		}
		p.text += "*"
		word, ok := starred(p.text)
		if !ok || utf8.RuneCountInString(word) < minPrefix || !isSpacedWord(word) {
			return "", ""
		}
		var all []string
		for _, p := range parts {
			all = append(all, p.source())
		}
		return strings.Join(all, " "), word
	}
	return "", ""
}
