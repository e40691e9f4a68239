// Package words says what a word and a phrase are: for the index of posts, for
// what a reader looks for, for the places that a search shows, and for filters.
// A word is a run of letters and digits, without case and accents; a phrase is
// words in a row, whatever signs stand between them. So a filter holds back what
// a search for its words as a phrase finds, and what stands in a post just as the
// filter is written ("C++", "AT&T").
//
// Databases get words that are normalised already, so that all find the same.
// The index has scripts that put no spaces between words as pairs of neighbouring
// characters; filters match them anywhere, and a Korean word also where a
// particle follows it.
//
// The package does no input or output.
package words

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A token is a word with where it stands in the text: bytes from to to.
type token struct {
	word     string
	from, to int
	first    int  // of a pair: where its first character ends; 0: it is none
	last     bool // the single character at the end of a dense run
}

// tokens gives the words of a text as they are indexed, in order.
func tokens(text string) iter.Seq[token] {
	return func(yield func(token) bool) {
		for r := range runs(text) {
			if r.dense {
				if !pairs(text, r, yield) {
					return
				}
				continue
			}
			for word := range r.words(text) {
				if !yield(token{word: bounded(word), from: r.from, to: r.to}) {
					return
				}
			}
		}
	}
}

// phrase writes all words of a text with one space between each two.
func phrase(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	for r := range runs(text) {
		if isASCII(text[r.from:r.to]) {
			b.WriteString(strings.ToLower(text[r.from:r.to])) // as r.words gives it, only faster
			b.WriteByte(' ')
			continue
		}
		for word := range r.words(text) {
			b.WriteString(word)
			b.WriteByte(' ')
		}
	}
	return strings.TrimSuffix(b.String(), " ")
}

// A run is a stretch of characters that belong to words: all of scripts that
// are written without spaces, or all of others.
type run struct {
	from, to int
	dense    bool
}

// runs gives the runs of a text. A mark belongs to the character before it, and
// an invisible character neither ends nor begins a run.
func runs(text string) iter.Seq[run] {
	return func(yield func(run) bool) {
		at := run{from: -1}
		for i, c := range text {
			word, dense := isWord(c), isDense(c)
			if at.from >= 0 {
				if word && dense == at.dense || isMark(c) || isInvisible(c) {
					continue
				}
				at.to = i
				if !yield(at) {
					return
				}
			}
			at = run{from: -1}
			if word {
				at = run{from: i, dense: dense}
			}
		}
		if at.from >= 0 {
			at.to = len(text)
			yield(at)
		}
	}
}

// words gives the words of a run: one, but folding may leave nothing of it or
// take it apart ("½").
func (r run) words(text string) iter.Seq[string] {
	return strings.FieldsFuncSeq(fold(text[r.from:r.to]), func(c rune) bool { return !isWord(c) && !isMark(c) })
}

// pairs gives each two neighbouring characters of a dense run, and at last the
// last alone: then a single character is the beginning of a token wherever it stands.
func pairs(text string, r run, yield func(token) bool) bool {
	var before token
	for i := r.from; i < r.to; {
		_, size := utf8.DecodeRuneInString(text[i:r.to])
		end := i + size
		for end < r.to {
			next, n := utf8.DecodeRuneInString(text[end:r.to])
			if !isMark(next) && !isInvisible(next) {
				break
			}
			end += n
		}
		at := token{word: bounded(fold(text[i:end])), from: i, to: end}
		i = end
		if before.word != "" && !yield(token{word: before.word + at.word, from: before.from, to: at.to,
			first: before.to}) {
			return false
		}
		before = at
	}
	before.last = true
	return before.word == "" || yield(before)
}

// maxRunes is how many characters of a word are looked at.
const maxRunes = 64

// bounded cuts a word that no one types.
func bounded(word string) string {
	if len(word) <= maxRunes {
		return word
	}
	n := 0
	for i := range word {
		if n == maxRunes {
			return word[:i]
		}
		n++
	}
	return word
}

// isWord reports whether a character begins a word or goes on with it. An
// underscore parts words.
func isWord(c rune) bool {
	if c < utf8.RuneSelf {
		return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
	}
	return unicode.IsLetter(c) || unicode.IsNumber(c)
}

// isMark reports whether a character changes the one before it: halfwidth
// katakana has its marks as letters.
func isMark(c rune) bool {
	return c >= 0x300 && unicode.IsMark(c) || c == 'ﾞ' || c == 'ﾟ'
}

// isInvisible reports a character that only says how its neighbours are shown.
func isInvisible(c rune) bool { return c > unicode.MaxASCII && unicode.Is(unicode.Cf, c) }

// isDense reports whether a script puts no spaces between words, or, as Korean
// does, too few to find a word by itself.
func isDense(c rune) bool {
	if c < 0xe00 {
		return false
	}
	return c == 'ー' || c == 'ｰ' || unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}
