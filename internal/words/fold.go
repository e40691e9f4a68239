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
		// to fold small Cherokee letters makes them large
		folded := strings.ToLower(foldLetters(strings.Map(plainSign, form)))
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
	return cases.Fold().String(strings.Map(func(c rune) rune {
		if isInvisible(c) || isAccent(c) {
			return -1
		}
		return c
	}, plainLetters.Replace(decomposed)))
}

// isAccent reports whether a mark may be left out when a word is typed. Those
// of Indic and Thai letters are vowels; those of kana make another syllable.
func isAccent(c rune) bool {
	const voiced, halfVoiced = 0x3099, 0x309A
	if c < 0x300 || !unicode.Is(unicode.Mn, c) || c == voiced || c == halfVoiced {
		return false
	}
	return unicode.In(c, unicode.Inherited, unicode.Hebrew, unicode.Arabic, unicode.Cyrillic, unicode.Greek,
		unicode.Latin)
}

// plainLetters are those of letters whose stroke or ligature Unicode does not take apart.
var plainLetters = strings.NewReplacer("ø", "o", "Ø", "o", "ł", "l", "Ł", "l", "đ", "d", "Đ", "d", "ð", "d",
	"Ð", "d", "ħ", "h", "Ħ", "h",
	"ŧ", "t", "Ŧ", "t", "ı", "i", "æ", "ae", "Æ", "ae", "œ", "oe", "Œ", "oe", "þ", "th", "Þ", "th")

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

// oneSpace makes one space of each run of white space, and none of those at the ends.
func oneSpace(s string) string { return strings.Join(strings.Fields(s), " ") }

// Fold is a text as it is compared where any part of it may be looked for: without case and accents.
func Fold(text string) string { return fold(text) }
