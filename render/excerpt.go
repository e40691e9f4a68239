package render

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// told is a post's title and excerpt without saying anything twice: an excerpt that begins with the title loses it,
// one that is only the beginning of the title is none, and a title that was cut from the beginning of the text is none.
func told(title, summary string) (string, string) {
	title, summary = scrub(title, dropped), scrub(summary, dropped)
	if title != "" {
		summary = without(summary, title)
	}
	if title == "" || summary == "" {
		return title, summary
	}
	head, cutShort := withoutEllipsis(title)
	if rest, ok := after(summary, head); ok {
		switch {
		case cutShort && rest != "":
			return "", summary
		case endsThere(rest) || wordsOf(head) >= fewestWords && !lowerFirst(rest):
			return title, strings.TrimLeftFunc(rest, betweenSentences)
		}
		return title, summary
	}
	if begun, cutShort := withoutEllipsis(summary); cutShort {
		if _, ok := after(title, begun); ok {
			return title, ""
		}
	}
	return title, summary
}

// fewestWords are those of a title that no sentence begins with by chance.
const fewestWords = 3

// withoutEllipsis is s without the dots that say it was cut, and whether it has any.
func withoutEllipsis(s string) (string, bool) {
	for _, end := range [...]string{"…", "...", "[…]", "[...]"} {
		if rest, ok := strings.CutSuffix(s, end); ok {
			rest, _ = withoutEllipsis(strings.TrimRight(rest, " ["))
			return rest, true
		}
	}
	return s, false
}

// after is what comes after the letters and digits of prefix in s, whatever stands between those and in whatever case;
// false if s does not begin with them, or goes on in the middle of a word.
func after(s, prefix string) (string, bool) {
	rest, some := s, false
	for _, want := range prefix {
		if !inWord(want) {
			continue
		}
		rest = strings.TrimLeftFunc(rest, func(r rune) bool { return !inWord(r) })
		got, n := utf8.DecodeRuneInString(rest)
		if n == 0 || unicode.ToLower(got) != unicode.ToLower(want) {
			return s, false
		}
		rest, some = rest[n:], true
	}
	next, _ := utf8.DecodeRuneInString(rest)
	return rest, some && (rest == "" || !inWord(next) || wide(next))
}

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

// endsThere reports whether a title that rest follows is a sentence by itself.
func endsThere(rest string) bool {
	next, _ := utf8.DecodeRuneInString(strings.TrimLeft(rest, " »”’\"')"))
	return rest == "" || strings.ContainsRune(".:!?…|–—-。：！？؟۔", next)
}

func lowerFirst(s string) bool {
	r, _ := utf8.DecodeRuneInString(strings.TrimLeftFunc(s, betweenSentences))
	return unicode.IsLower(r)
}

func betweenSentences(r rune) bool {
	return unicode.IsSpace(r) || strings.ContainsRune(".:!?…|–—-。：！？؟۔»”’\"')", r)
}

func wordsOf(s string) int { return len(strings.Fields(s)) }
