package words

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// fold takes case and accents from a text, and what is not seen. The index holds
// words as it gives them: to change what it gives, index all posts anew.
func fold(text string) string {
	if isASCII(text) {
		return strings.ToLower(text)
	}
	return norm.NFC.String(foldLetters(norm.NFKD.String(text)))
}

// iotaSubscript is a mark below a Greek letter. A search leaves it out, as most
// who type do; others write the letter iota for it.
const iotaSubscript = "\u0345"

// foldWritten folds a text for filters, which see its signs too: quotes and
// dashes that typographers vary are alike, and each run of spaces is one. Where
// there is an iota subscript it gives a second form, with the letter.
func foldWritten(text string) []string {
	if isASCII(text) {
		return []string{oneSpace(strings.ToLower(text))}
	}
	text = norm.NFKD.String(strings.ToValidUTF8(text, "\uFFFD"))
	forms := []string{text}
	if strings.Contains(text, iotaSubscript) {
		forms = append(forms, strings.ReplaceAll(text, iotaSubscript, "ι"))
	}
	for i, form := range forms {
		folded := strings.ToLower(foldLetters(strings.Map(plainSign, form))) // to fold small Cherokee letters makes them large
		forms[i] = norm.NFC.String(oneSpace(folded))
	}
	return forms
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// foldLetters takes case, accents and what is not seen from a decomposed text.
func foldLetters(decomposed string) string {
	var b strings.Builder
	b.Grow(len(decomposed))
	for _, c := range decomposed {
		switch letters := plainLetters(c); {
		case letters != "":
			b.WriteString(letters)
		case !isInvisible(c) && !isAccent(c):
			b.WriteRune(c)
		}
	}
	return cases.Fold().String(b.String())
}

// isAccent reports whether a mark may be left out when a word is typed. Those
// of Indic and Thai letters are vowels; those of kana make another syllable.
func isAccent(c rune) bool {
	const voiced, halfVoiced = 0x3099, 0x309A
	if c < 0x300 || !unicode.Is(unicode.Mn, c) || c == voiced || c == halfVoiced {
		return false
	}
	return unicode.In(c, unicode.Inherited, unicode.Hebrew, unicode.Arabic, unicode.Cyrillic, unicode.Greek, unicode.Latin)
}

// plainLetters gives the plain letters of one whose stroke or ligature Unicode
// does not take apart; none for others.
func plainLetters(c rune) string {
	switch c {
	case 'ø', 'Ø':
		return "o"
	case 'ł', 'Ł':
		return "l"
	case 'đ', 'Đ', 'ð', 'Ð':
		return "d"
	case 'ħ', 'Ħ':
		return "h"
	case 'ŧ', 'Ŧ':
		return "t"
	case 'ı':
		return "i"
	case 'æ', 'Æ':
		return "ae"
	case 'œ', 'Œ':
		return "oe"
	case 'þ', 'Þ':
		return "th"
	}
	return ""
}

// plainSign gives the sign of a keyboard for one of a typographer; -1 for none.
func plainSign(c rune) rune {
	switch c {
	case '‘', '’', '‚', '‛', 'ʼ', '′':
		return '\''
	case '“', '”', '„', '‟', '«', '»', '″':
		return '"'
	case '‐', '‑', '‒', '–', '—', '―', '−':
		return '-'
	case 'ـ': // tatweel, which only makes a word longer to look at
		return -1
	}
	return c
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
