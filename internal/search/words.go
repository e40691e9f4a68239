package search

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// A token is a word with where it stands in the text: bytes from to to.
type token struct {
	word     string
	from, to int
	first    int  // of a pair: where its first character ends; 0: it is none
	last     bool // the single character at the end of a dense run
}

// tokens gives the words of a text in order.
func tokens(text string) iter.Seq[token] {
	return func(yield func(token) bool) {
		for r := range runs(text) {
			if r.dense && !pairs(text, r, yield) || !r.dense && !spaced(text, r, yield) {
				return
			}
		}
	}
}

// A run is a stretch of characters that belong to words: all of scripts that
// are written without spaces, or all of others.
type run struct {
	from, to int
	dense    bool
}

// runs gives the runs of a text. A mark belongs to the character before it, and
// what is not seen is in nobody's way.
func runs(text string) iter.Seq[run] {
	return func(yield func(run) bool) {
		at := run{from: -1}
		for i, c := range text {
			switch {
			case at.from >= 0 && (isMark(c) || unicode.Is(unicode.Cf, c)):
				continue
			case at.from >= 0 && isWord(c) && isDense(c) == at.dense:
				continue
			}
			if at.from >= 0 {
				at.to = i
				if !yield(at) {
					return
				}
			}
			at = run{from: -1}
			if isWord(c) {
				at = run{from: i, dense: isDense(c)}
			}
		}
		if at.from >= 0 {
			at.to = len(text)
			yield(at)
		}
	}
}

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

// isDense reports whether a script puts no spaces between words, or, as Korean
// does, too few to find a word by itself.
func isDense(c rune) bool {
	if c < 0xe00 {
		return false
	}
	return c == 'ー' || c == 'ｰ' || unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// spaced gives the word that a run is. Folding may leave nothing of it, or
// take it apart ("½").
func spaced(text string, r run, yield func(token) bool) bool {
	whole := fold(text[r.from:r.to])
	for word := range strings.FieldsFuncSeq(whole, func(c rune) bool { return !isWord(c) && !isMark(c) }) {
		if !yield(token{word: bounded(word), from: r.from, to: r.to}) {
			return false
		}
	}
	return true
}

// pairs gives each two neighbouring characters of a run, and at last the last
// alone: then a single character is the beginning of a token wherever it stands.
func pairs(text string, r run, yield func(token) bool) bool {
	var before token
	for i := r.from; i < r.to; {
		_, size := utf8.DecodeRuneInString(text[i:r.to])
		end := i + size
		for end < r.to {
			next, n := utf8.DecodeRuneInString(text[end:r.to])
			if !isMark(next) && !unicode.Is(unicode.Cf, next) {
				break
			}
			end += n
		}
		at := token{word: bounded(fold(text[i:end])), from: i, to: end}
		i = end
		if before.word != "" && !yield(token{word: before.word + at.word, from: before.from, to: at.to, first: before.to}) {
			return false
		}
		before = at
	}
	before.last = true
	return before.word == "" || yield(before)
}

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

// fold takes case and accents from a text, and what is not seen.
func fold(text string) string {
	if folded, ok := foldASCII(text); ok {
		return folded
	}
	var b strings.Builder
	for _, c := range norm.NFKD.String(text) {
		switch plain, ok := strokes(c); {
		case ok:
			b.WriteString(plain)
		case !unicode.Is(unicode.Cf, c) && !isAccent(c):
			b.WriteRune(c)
		}
	}
	return norm.NFC.String(cases.Fold().String(b.String()))
}

func foldASCII(text string) (string, bool) {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return "", false
		}
	}
	return strings.ToLower(text), true
}

// isAccent reports whether a mark may be left out when a word is typed. Those
// of Indic and Thai letters are vowels; those of kana make another syllable.
func isAccent(c rune) bool {
	if c < 0x300 || !unicode.Is(unicode.Mn, c) || c == 0x3099 || c == 0x309A {
		return false
	}
	return unicode.In(c, unicode.Inherited, unicode.Hebrew, unicode.Arabic, unicode.Cyrillic, unicode.Greek, unicode.Latin)
}

// strokes gives the plain letters of one whose accent Unicode does not part from it.
func strokes(c rune) (string, bool) {
	switch c {
	case 'ø', 'Ø':
		return "o", true
	case 'ł', 'Ł':
		return "l", true
	case 'đ', 'Đ', 'ð', 'Ð':
		return "d", true
	case 'ħ', 'Ħ':
		return "h", true
	case 'ŧ', 'Ŧ':
		return "t", true
	case 'ı':
		return "i", true
	case 'æ', 'Æ':
		return "ae", true
	case 'œ', 'Œ':
		return "oe", true
	case 'þ', 'Þ':
		return "th", true
	}
	return "", false
}
