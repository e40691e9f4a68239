package filter

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// fold makes texts alike that differ in case, accents, width, or in what
// typographers do with quotes and dashes. Each run of spaces becomes one.
func fold(s string) string {
	if isASCII(s) {
		return oneSpace(strings.ToLower(s))
	}
	s = cases.Fold().String(norm.NFKD.String(strings.ToValidUTF8(s, "\uFFFD")))
	return norm.NFC.String(oneSpace(strings.Map(plain, s)))
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// plain gives the rune that stands for a decomposed one; -1: none.
func plain(r rune) rune {
	if r < utf8.RuneSelf {
		return r
	}
	switch r {
	case 'ø':
		return 'o'
	case 'ł':
		return 'l'
	case 'đ', 'ð':
		return 'd'
	case 'ħ':
		return 'h'
	case 'ŧ':
		return 't'
	case 'ı':
		return 'i'
	case '‘', '’', '‚', '‛', 'ʼ', '`', '´', '′':
		return '\''
	case '“', '”', '„', '‟', '«', '»', '″':
		return '"'
	case '‐', '‑', '‒', '–', '—', '―', '−':
		return '-'
	case 'ـ': // tatweel
		return -1
	}
	if isAccent(r) || unicode.Is(unicode.Cf, r) {
		return -1
	}
	return unicode.ToLower(r) // cases turns small Cherokee letters into large ones, and the reverse
}

// isAccent reports a mark without which the letter below it is still read as
// that letter. Elsewhere marks are vowels or make another letter: は is not ば.
func isAccent(r rune) bool {
	const voiced, halfVoiced = '\u3099', '\u309A'
	return unicode.Is(unicode.Mn, r) && r != voiced && r != halfVoiced &&
		unicode.In(r, unicode.Inherited, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Arabic, unicode.Hebrew)
}

// oneSpace makes one space of each run of white space.
func oneSpace(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	space := false
	for _, r := range s {
		if unicode.IsSpace(r) {
			if !space {
				b.WriteByte(' ')
			}
			space = true
			continue
		}
		space = false
		b.WriteRune(r)
	}
	return b.String()
}
