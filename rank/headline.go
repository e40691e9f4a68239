package rank

import (
	"strings"
	"sync"
	"unicode"

	"digest/internal/catalogue"
)

// IsHeadline reports whether a title says what its post is about. A bare address, one word, a word with a number, a
// date, and a title in capitals do not.
func IsHeadline(title string) bool {
	words, upper, lower, dated := 0, 0, 0, true
	for _, word := range strings.Fields(title) {
		if strings.Contains(word, "://") || strings.HasPrefix(word, "www.") {
			continue
		}
		word = strings.ToLower(strings.TrimFunc(word, func(r rune) bool { return !unicode.IsLetter(r) }))
		if word == "" {
			continue
		}
		dated = dated && dateWords()[word]
		words += max(1, ideographs(word)/2)
	}
	for _, r := range title {
		switch {
		case unicode.IsUpper(r):
			upper++
		case unicode.IsLower(r):
			lower++
		}
	}
	return words > 1 && !dated && (lower > 0 || upper == 0)
}

// ideographs counts the characters of languages that do not separate words. It ignores the characters of dates.
func ideographs(word string) (n int) {
	for _, r := range word {
		if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer) &&
			!strings.ContainsRune("年月日曜時分号第", r) {
			n++
		}
	}
	return n
}

// dateWords returns the words of dates: months and weekdays in the languages of the program, and the words between
// them.
var dateWords = sync.OnceValue(func() map[string]bool {
	words := map[string]bool{"de": true, "of": true, "du": true, "the": true, "le": true, "st": true, "nd": true,
		"rd": true, "th": true, "er": true}
	for _, l := range catalogue.All() {
		for _, name := range l.DateNames() {
			words[strings.ToLower(strings.Trim(name, "."))] = true
		}
	}
	return words
})
