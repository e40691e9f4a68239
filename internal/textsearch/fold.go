package textsearch

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Fold removes case, accents and invisible characters. The index contains its output, so a change needs a new index of
// all posts.
func Fold(text string) string {
	if isASCII(text) {
		return strings.ToLower(text)
	}
	return norm.NFC.String(foldLetters(norm.NFKD.String(text)))
}

// iotaSubscript is a mark below a Greek letter. Searches ignore it, as most people do when they type; others write the
// letter iota instead.
const iotaSubscript = "\u0345"

// foldWritten folds a text for filters, which also compare signs. Typographic quotes and dashes become plain ones, and
// runs of spaces single spaces. A text with an iota subscript gets a second form with the letter.
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
		// Folding turns small Cherokee letters into capitals.
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

// foldLetters removes case, accents and invisible characters from a decomposed text.
func foldLetters(decomposed string) string {
	return cases.Fold().String(strings.Map(func(c rune) rune {
		if isInvisible(c) || isAccent(c) {
			return -1
		}
		return c
	}, plainLetters.Replace(decomposed)))
}

// isAccent reports whether people may omit a mark when they type a word. Marks of Indic and Thai letters are vowels,
// and marks of kana make another syllable.
func isAccent(c rune) bool {
	const voiced, halfVoiced = 0x3099, 0x309A
	if c < 0x300 || !unicode.Is(unicode.Mn, c) || c == voiced || c == halfVoiced {
		return false
	}
	return unicode.In(c, unicode.Inherited, unicode.Hebrew, unicode.Arabic, unicode.Cyrillic, unicode.Greek,
		unicode.Latin)
}

// plainLetters replaces letters with a stroke or ligature that Unicode does not decompose.
var plainLetters = strings.NewReplacer("ø", "o", "Ø", "o", "ł", "l", "Ł", "l", "đ", "d", "Đ", "d", "ð", "d",
	"Ð", "d", "ħ", "h", "Ħ", "h",
	"ŧ", "t", "Ŧ", "t", "ı", "i", "æ", "ae", "Æ", "ae", "œ", "oe", "Œ", "oe", "þ", "th", "Þ", "th")

// plainSign returns the keyboard's sign for a typographic one, or -1 to drop it.
func plainSign(c rune) rune {
	switch c {
	case '‘', '’', '‚', '‛', 'ʼ', '′':
		return '\''
	case '“', '”', '„', '‟', '«', '»', '″':
		return '"'
	case '‐', '‑', '‒', '–', '—', '―', '−':
		return '-'
	case 'ـ': // tatweel, which only stretches a word
		return -1
	}
	return c
}

// oneSpace trims a text and replaces runs of white space by single spaces.
func oneSpace(s string) string { return strings.Join(strings.Fields(s), " ") }
