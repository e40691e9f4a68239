package words

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"digest"
)

// Clean gives the words of a filter as they are stored: without white space
// around them, each run of spaces one space.
func Clean(words string) string {
	return oneSpace(strings.ToValidUTF8(words, "\uFFFD"))
}

// FilterKey is what makes two filters the same: "CAFÉ" is "cafe". It is empty
// for words that can match nothing, such as a comma.
func FilterKey(words string) string {
	forms := foldWritten(words)
	key := forms[len(forms)-1]
	if strings.IndexFunc(key, isMeant) < 0 {
		return ""
	}
	return key
}

// isMeant reports whether a character alone may be what somebody does not want to read.
func isMeant(c rune) bool { return unicode.IsLetter(c) || unicode.IsNumber(c) || unicode.IsSymbol(c) }

// A Matcher holds the filters of one reader. It is safe for concurrent use.
type Matcher struct{ patterns []pattern }

// A pattern is one form in which a filter's words may stand in a post.
type pattern struct {
	filter      digest.Filter
	text        string
	grams       []uint16 // of the text, as a Post has them
	first, last rune
}

// NewMatcher makes a Matcher; filters that can match nothing are left out.
func NewMatcher(filters []digest.Filter) *Matcher {
	m := &Matcher{patterns: make([]pattern, 0, len(filters))}
	for _, f := range filters {
		for _, text := range forms(f.Words) {
			p := pattern{filter: f, text: text}
			p.first, _ = utf8.DecodeRuneInString(text)
			p.last, _ = utf8.DecodeLastRuneInString(text)
			for i := 0; i+gramBytes <= len(text); i++ {
				p.grams = append(p.grams, gram(text[i:]))
			}
			m.patterns = append(m.patterns, p)
		}
	}
	return m
}

// forms gives the forms in which a filter's words are looked for: as they are
// written, and, if there is no sign in them that must stand there, as a phrase.
func forms(words string) []string {
	if FilterKey(words) == "" {
		return nil
	}
	forms := foldWritten(words)
	if strings.IndexFunc(words, isSign) < 0 {
		forms = append(forms, phrase(words))
	}
	slices.Sort(forms)
	return slices.DeleteFunc(slices.Compact(forms), func(form string) bool { return form == "" })
}

// isSign reports whether a character stands between words but is no space.
func isSign(c rune) bool { return !isWord(c) && !isMark(c) && !isInvisible(c) && !unicode.IsSpace(c) }

// Match gives the first of the filters that holds a post of a feed back.
func (m *Matcher) Match(post *Post, feed digest.FeedID) (digest.Filter, bool) {
	for _, p := range m.patterns {
		if p.filter.FeedID != 0 && p.filter.FeedID != feed {
			continue
		}
		if post.mayHold(p.grams) && p.in(post.text) {
			return p.filter, true
		}
	}
	return digest.Filter{}, false
}

// in reports whether the pattern stands in a text as words of its own.
func (p pattern) in(text string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], p.text)
		if i < 0 {
			return false
		}
		start, end := from+i, from+i+len(p.text)
		before, _ := utf8.DecodeLastRuneInString(text[:start])
		after, _ := utf8.DecodeRuneInString(text[end:])
		if (start == 0 || !oneWord(before, p.first)) && (end == len(text) || !p.goesOn(after)) {
			return true
		}
		from = nextWord(text, start)
	}
}

// goesOn reports whether the last word of the pattern goes on with a character.
func (p pattern) goesOn(after rune) bool {
	korean := unicode.Is(unicode.Hangul, p.last) && unicode.Is(unicode.Hangul, after)
	return !korean && oneWord(p.last, after)
}

// nextWord is where the first word after the one at start begins: there is no
// other match before. So a long run of letters is looked at once.
func nextWord(text string, start int) int {
	c, size := utf8.DecodeRuneInString(text[start:])
	for at := start + size; at < len(text); at += size {
		var next rune
		next, size = utf8.DecodeRuneInString(text[at:])
		if !oneWord(c, next) {
			return at
		}
		c = next
	}
	return len(text)
}

// oneWord reports whether two neighbours belong to one word. In scripts without
// spaces between words no two do: there a filter matches anywhere.
func oneWord(a, b rune) bool {
	if unicode.IsMark(b) {
		return !unicode.IsSpace(a)
	}
	return isSpaced(a) && isSpaced(b) && unicode.Is(unicode.Hangul, a) == unicode.Is(unicode.Hangul, b)
}

// isSpaced reports whether a character is of a script that puts spaces between
// words. Tibetan parts syllables: they are its words in the index, but filters
// match within them.
func isSpaced(c rune) bool {
	return (isWord(c) || isMark(c)) && (!isDense(c) || unicode.Is(unicode.Hangul, c)) && !unicode.Is(unicode.Tibetan, c)
}

// How much of a post filters look at, in bytes. A phrase that begins later than
// that is not found.
const (
	maxTitle   = 4 << 10
	maxAuthor  = 1 << 10
	maxSummary = 8 << 10
	maxText    = 32 << 10  // of the content, without its tags
	maxContent = 256 << 10 // of the content, with them
)

// gramBytes and gramBits are the length of a piece of text, and the bits of
// the set in which a Post remembers which pieces it has.
const (
	gramBytes = 3
	gramBits  = 15
)

// A Post is what filters see of a post, made ready for many of them: its fields
// as they are written and as phrases, one a line.
type Post struct {
	text  string
	grams [1 << gramBits / 64]uint64
}

// Read makes a post ready to be matched.
func Read(p digest.Post) *Post {
	var lines []string
	for _, field := range []string{
		cut(p.Title, maxTitle), cut(p.Author, maxAuthor), cut(p.Summary, maxSummary),
		textOf(cut(p.Content, maxContent), maxText),
	} {
		lines = append(append(lines, foldWritten(field)...), phrase(field))
	}
	post := Post{text: strings.Join(lines, "\n")} // no pattern holds a new line
	for i := 0; i+gramBytes <= len(post.text); i++ {
		g := gram(post.text[i:])
		post.grams[g/64] |= 1 << (g % 64)
	}
	return &post
}

// mayHold reports whether the post has all pieces of a pattern: without them
// it does not hold it.
func (post *Post) mayHold(grams []uint16) bool {
	for _, g := range grams {
		if post.grams[g/64]&(1<<(g%64)) == 0 {
			return false
		}
	}
	return true
}

// gram hashes the first bytes of s.
func gram(s string) uint16 {
	n := uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16
	return uint16(n * 2654435761 >> (32 - gramBits)) // Knuth's multiplier
}
