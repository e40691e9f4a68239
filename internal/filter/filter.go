// Package filter finds the words of filters in posts: whole words or phrases,
// in any case, with any accents, in the title, the author's name, the summary
// and the text. It is pure.
//
// Where a word ends is a matter of Unicode: a letter, mark or digit beside it
// makes another word. Scripts that are written without spaces between words
// (Chinese, Japanese, Thai and others) match anywhere, and a Korean word also
// where a particle follows it.
package filter

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"digest"
)

// Clean gives words as they are kept: without what cannot be seen around them,
// each run of spaces one space.
func Clean(words string) string {
	return strings.Join(strings.Fields(strings.ToValidUTF8(words, "\uFFFD")), " ")
}

// Key is what makes two filters the same: "CAFÉ" is "cafe". It is empty for
// words that can match nothing, such as a comma.
func Key(words string) string {
	key := strings.TrimSpace(fold(words))
	if strings.IndexFunc(key, meant) < 0 {
		return ""
	}
	return key
}

// meant reports whether a rune alone may be what somebody does not want to read.
func meant(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsSymbol(r) }

// A Matcher holds the filters of one reader. It is safe for concurrent use.
type Matcher struct{ patterns []pattern }

type pattern struct {
	filter      digest.Filter
	key         string
	grams       []uint16 // of the key, as a Text has them
	first, last rune
}

// New makes a Matcher; filters that can match nothing are left out.
func New(filters []digest.Filter) *Matcher {
	m := &Matcher{patterns: make([]pattern, 0, len(filters))}
	for _, f := range filters {
		key := Key(f.Words)
		if key == "" {
			continue
		}
		p := pattern{filter: f, key: key}
		p.first, _ = utf8.DecodeRuneInString(key)
		p.last, _ = utf8.DecodeLastRuneInString(key)
		for i := 0; i+gramBytes <= len(key); i++ {
			p.grams = append(p.grams, gram(key[i:]))
		}
		m.patterns = append(m.patterns, p)
	}
	return m
}

// Match gives the first of the filters that holds a post of a feed back.
func (m *Matcher) Match(t *Text, feed digest.FeedID) (digest.Filter, bool) {
	for _, p := range m.patterns {
		if p.filter.FeedID != 0 && p.filter.FeedID != feed {
			continue
		}
		if t.mayHold(p.grams) && p.in(t.folded) {
			return p.filter, true
		}
	}
	return digest.Filter{}, false
}

// in reports whether the pattern stands in a text as words of its own.
func (p pattern) in(text string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], p.key)
		if i < 0 {
			return false
		}
		start, end := from+i, from+i+len(p.key)
		before, _ := utf8.DecodeLastRuneInString(text[:start])
		after, _ := utf8.DecodeRuneInString(text[end:])
		if (start == 0 || !oneWord(before, p.first)) && (end == len(text) || !p.goesOn(after)) {
			return true
		}
		from = nextWord(text, start)
	}
}

// goesOn reports whether the last word of the pattern goes on with a rune.
func (p pattern) goesOn(after rune) bool {
	korean := unicode.Is(unicode.Hangul, p.last) && unicode.Is(unicode.Hangul, after)
	return !korean && oneWord(p.last, after)
}

// nextWord is where the first word after the one at start begins: there is no
// other match before. So a long run of letters is looked at once.
func nextWord(text string, start int) int {
	r, size := utf8.DecodeRuneInString(text[start:])
	for at := start + size; at < len(text); at += size {
		var next rune
		next, size = utf8.DecodeRuneInString(text[at:])
		if !oneWord(r, next) {
			return at
		}
		r = next
	}
	return len(text)
}

// oneWord reports whether two neighbours belong to one word.
func oneWord(a, b rune) bool {
	if unicode.IsMark(b) {
		return !unicode.IsSpace(a)
	}
	return ofWord(a) && ofWord(b) && !unspaced(a) && !unspaced(b)
}

func ofWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) || r == '_'
}

// prolonged lengthens the vowel before it, in Japanese; it belongs to no script.
const prolonged = 'ー'

// unspaced reports whether a rune is of a script without spaces between words.
func unspaced(r rune) bool {
	return r > unicode.MaxLatin1 && (r == prolonged || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan))
}
