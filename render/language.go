package render

import (
	"strings"
	"unicode"

	"golang.org/x/text/language"

	"digest"
)

// Language is tag as a lang attribute may carry it: a tag of BCP 47 whose
// subtags are registered, or the language alone where the rest of the tag is
// nonsense; empty for what names no language, such as "English".
func Language(tag string) string {
	tag = strings.ReplaceAll(strings.TrimSpace(tag), "_", "-")
	primary, _, _ := strings.Cut(tag, "-")
	// "root" is CLDR's, and only the library knows it
	if tag == "" || len(tag) > maxLanguage || strings.EqualFold(primary, "root") {
		return ""
	}
	if _, err := language.Parse(tag); err == nil {
		return tag
	}
	if _, err := language.ParseBase(primary); err == nil {
		return primary
	}
	return ""
}

// maxLanguage is the longest tag that must be understood, in bytes (RFC 5646
// section 4.4.1).
const maxLanguage = 35

// guessLanguage names the language of text whose script belongs to one
// language, "" otherwise. A wrong guess would choose wrong glyphs; none at all
// would have Japanese set as if it were English.
func guessLanguage(text string) string {
	han := false
	for _, r := range text {
		switch {
		case r < 0x370:
		case unicode.In(r, unicode.Hiragana, unicode.Katakana):
			return "ja"
		case unicode.Is(unicode.Hangul, r):
			return "ko"
		case unicode.Is(unicode.Han, r):
			han = true
		case unicode.Is(unicode.Hebrew, r):
			return "he"
		case unicode.Is(unicode.Thai, r):
			return "th"
		case unicode.Is(unicode.Greek, r) && !han:
			return "el"
		}
	}
	if han {
		return "zh"
	}
	return ""
}

// direction gives "rtl" for text that runs from right to left, else "auto",
// which leaves the first letter to decide. "rtl" is said outright because some
// clients know no "auto", and because a Hebrew title may begin with a Latin name.
func direction(text, language string) string {
	if rtl, ltr := countLetters(text); runsLeft(rtl, ltr, language) {
		return "rtl"
	}
	return "auto"
}

// Marks that keep the direction of what stands between them to itself
// (Unicode Standard Annex 9).
const (
	isolate    = '\u2068' // FIRST STRONG ISOLATE
	endIsolate = '\u2069' // POP DIRECTIONAL ISOLATE
)

// isolated has a piece of a line keep its direction to itself: pieces of two directions would be torn and change places.
func isolated(s string) string { return string(isolate) + s + string(endIsolate) }

// isolatedIf is isolated where a line has pieces of two directions, or runs from right to left.
func isolatedIf(mixed bool, s string) string {
	if mixed {
		return isolated(s)
	}
	return s
}

// lineMark is the mark of a direction, for the beginning of a line whose pieces stand apart: plain text takes its direction
// from the first character that has one, and they count for none.
func lineMark(rtl bool) string {
	if rtl {
		return "\u200f"
	}
	return "\u200e"
}

// isRTL reports whether what the program says itself runs from right to left.
func (r *Renderer) isRTL() bool { return r.lang.Direction == digest.RightToLeft }

// runsLeft reports whether text of so many letters of each direction runs from right
// to left: most do, or some do in a language that is written so.
func runsLeft(rtl, ltr int, language string) bool {
	return rtl > ltr || rtl > 0 && rtlLanguage(language)
}

// countLetters counts the letters of text by the direction they run in.
func countLetters(text string) (rtl, ltr int) {
	for _, r := range text {
		switch {
		case rightToLeft(r):
			rtl++
		case unicode.IsLetter(r):
			ltr++
		}
	}
	return rtl, ltr
}

func rightToLeft(r rune) bool {
	switch {
	case r < 0x590:
		return false
	case r <= 0x8ff, r >= 0xfb1d && r <= 0xfdff, r >= 0xfe70 && r <= 0xfeff:
		return unicode.IsLetter(r)
	case r >= 0x10800 && r <= 0x10fff, r >= 0x1e800 && r <= 0x1efff:
		return unicode.IsLetter(r)
	}
	return false
}

func rtlLanguage(tag string) bool {
	primary, _, _ := strings.Cut(strings.ToLower(tag), "-")
	switch primary {
	case "ar", "ckb", "dv", "fa", "he", "iw", "ji", "ps", "sd", "ug", "ur", "yi":
		return true
	}
	return false
}
