package render

import (
	"strings"
	"unicode"

	"golang.org/x/text/language"

	"digest"
)

// Language returns tag as a valid lang attribute: a BCP 47 tag with registered subtags. If only the primary language is
// valid, it returns that. It returns "" for other values, such as "English".
func Language(tag string) string {
	tag = strings.ReplaceAll(strings.TrimSpace(tag), "_", "-")
	primary, _, _ := strings.Cut(tag, "-")
	// "root" is a CLDR tag that only the library accepts
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

// maxLanguage is the length of the longest tag that programs must support, in bytes (RFC 5646 section 4.4.1).
const maxLanguage = 35

// guessLanguage returns the language of a text whose script belongs to one language, and "" otherwise. Without a guess,
// browsers would display Japanese with the glyphs of another language.
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

// direction returns "rtl" for text from right to left, and otherwise "auto", which lets the first letter decide. It
// does not use "auto" for all text, because some mail programs do not support it, and a Hebrew title may begin with a
// Latin name.
func direction(text, language string) string {
	if rtl, ltr := countLetters(text); runsLeft(rtl, ltr, language) {
		return "rtl"
	}
	return "auto"
}

// ExcerptDir returns the direction of the excerpt if it differs from the direction of the post, otherwise "".
func (p *Post) ExcerptDir() string {
	rtl, ltr := countLetters(p.Excerpt)
	switch left := runsLeft(rtl, ltr, p.Language); {
	case rtl+ltr == 0 || left == (p.Dir == "rtl"):
		return ""
	case left:
		return "rtl"
	}
	return "ltr"
}

// Marks that isolate the direction of the text between them (Unicode Standard Annex 9).
const (
	isolate    = '\u2068' // FIRST STRONG ISOLATE
	endIsolate = '\u2069' // POP DIRECTIONAL ISOLATE
)

// isolated isolates the direction of a piece of a line. Without that, pieces of two directions change places.
func isolated(s string) string { return string(isolate) + s + string(endIsolate) }

// isolatedIf isolates s if mixed: if a line has pieces of two directions, or runs from right to left.
func isolatedIf(mixed bool, s string) string {
	if mixed {
		return isolated(s)
	}
	return s
}

// lineMark returns the direction mark for a line of isolated pieces. Plain text gets its direction from the first
// character with a direction, and isolated ones do not count.
func lineMark(rtl bool) string {
	if rtl {
		return "\u200f"
	}
	return "\u200e"
}

// isRTL reports whether the renderer's language is written from right to left.
func (r *Renderer) isRTL() bool { return r.lang.Direction == digest.RightToLeft }

// runsLeft reports whether text with these numbers of letters runs from right to left: if most letters do, or if any do
// and the language is written that way.
func runsLeft(rtl, ltr int, language string) bool {
	return rtl > ltr || rtl > 0 && rtlLanguage(language)
}

// countLetters counts the letters of text by direction.
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
