// Package textsearch defines words and phrases for the index of posts, for searches, for snippets and for filters. A word is
// a run of letters and digits, without case and accents. A phrase is adjacent words with any signs between them. So a
// filter matches what a search for its words as a phrase finds, and also its exact text in a post ("C++", "AT&T").
//
// Both databases get normalised words, so that they find the same posts. The index stores scripts without spaces
// between words as pairs of adjacent characters. Filters match such scripts anywhere, and match a Korean word even if a
// particle follows it.
//
// The package does no input or output.
package textsearch

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A token is a word with its place in the text: bytes from to to.
type token struct {
	word     string
	from, to int
	first    int  // of a pair: the end of its first character; 0: not a pair
	last     bool // the single character at the end of a dense run
}

// tokens returns the words of a text for the index, in order.
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

// phrase returns all words of a text, joined with single spaces.
func phrase(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	for r := range runs(text) {
		if isASCII(text[r.from:r.to]) {
			b.WriteString(strings.ToLower(text[r.from:r.to])) // faster than r.words with the same result
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

// A run is a range of adjacent characters of words, either all of scripts without spaces (dense), or all of others.
type run struct {
	from, to int
	dense    bool
}

// runs returns the runs of a text. A mark belongs to the character before it. An invisible character neither ends nor
// begins a run.
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

// words returns the words of a run. That is usually one, but folding may leave none or several ("½").
func (r run) words(text string) iter.Seq[string] {
	return strings.FieldsFuncSeq(Fold(text[r.from:r.to]), func(c rune) bool { return !isWord(c) && !isMark(c) })
}

// pairs yields each pair of adjacent characters of a dense run, and then the last character alone. So each single
// character begins a token.
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
		at := token{word: bounded(Fold(text[i:end])), from: i, to: end}
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

// maxRunes is the maximum length of an indexed word in characters.
const maxRunes = 64

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

// isWord reports whether a character is part of a word. An underscore separates words.
func isWord(c rune) bool {
	if c < utf8.RuneSelf {
		return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
	}
	return unicode.IsLetter(c) || unicode.IsNumber(c)
}

// isMark reports whether a character modifies the one before it. Halfwidth katakana has its marks as letters.
func isMark(c rune) bool {
	return c >= 0x300 && unicode.IsMark(c) || c == 'ﾞ' || c == 'ﾟ'
}

// isInvisible reports whether a character only affects how its neighbours are displayed.
func isInvisible(c rune) bool { return c > unicode.MaxASCII && unicode.Is(unicode.Cf, c) }

// isDense reports whether a script has no spaces between words, or, as Korean, too few to separate all words.
func isDense(c rune) bool {
	if c < 0xe00 {
		return false
	}
	return c == 'ー' || c == 'ｰ' || unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}
