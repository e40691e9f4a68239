package rank

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"digest/internal/catalogue"
)

// IsHeadline reports whether a title says what its post is about. A bare address, one word, a word with a number, a
// date, and a title in capitals do not. A title with a hashtag is a status, and a title with a price is an offer.
func IsHeadline(title string) bool {
	words, upper, lower, dated := 0, 0, 0, true
	for _, word := range strings.Fields(title) {
		if strings.Contains(word, "://") || strings.HasPrefix(word, "www.") {
			continue
		}
		if isHashtag(word) || isPrice(word) {
			return false
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

// longTitle is the number of words of a title from which it may be the text of a note.
const longTitle = 12

// IsNote reports whether a long title is the whole text of a post of some words.
func IsNote(title string, words int) bool {
	n := len(strings.Fields(title))
	return n >= longTitle && 0 < words && words <= n
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

// isHashtag reports whether a word is a hashtag, such as #harbour. #12 is a number.
func isHashtag(word string) bool {
	tag, is := strings.CutPrefix(word, "#")
	first, _ := utf8.DecodeRuneInString(tag)
	return is && unicode.IsLetter(first)
}

// isPrice reports whether a word is a price of an offer: an amount of money with cents, or for a time, as in $5/month.
// News names larger amounts, such as $2.5M.
func isPrice(word string) bool {
	if !strings.ContainsFunc(word, func(r rune) bool { return unicode.Is(unicode.Sc, r) }) {
		return false
	}
	amount, _, perTime := strings.Cut(word, "/")
	amount = strings.TrimFunc(amount, func(r rune) bool { return !unicode.IsDigit(r) })
	cents := strings.LastIndexAny(amount, ".,")
	return amount != "" && (perTime || cents > 0 && cents == len(amount)-len(".00"))
}

const openingWords = 6

// Openings returns the openings of titles, each once. Each title is a line.
func Openings(titles string) (all []string) {
	for title := range strings.Lines(titles) {
		if opening := Opening(title); opening != "" {
			all = append(all, opening)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Opening returns the part of a title that the posts of a series share: the letters before a number, a colon, a dash or
// a closing bracket in its first words. The opening of a title without these is the title.
func Opening(title string) string {
	var letters strings.Builder
	words, space := 0, true
	for _, r := range title {
		switch {
		case unicode.IsLetter(r):
			if space {
				words++
			}
			letters.WriteRune(unicode.ToLower(r))
		case words > openingWords:
		case unicode.IsDigit(r) && letters.Len() > 0, strings.ContainsRune(":：|]】", r), space &&
			unicode.Is(unicode.Pd, r):
			letters.WriteByte(':')
			return letters.String()
		}
		space = !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}
	return letters.String()
}
