package textsearch

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"digest"
)

// Clean returns the words of a filter for storage: trimmed, with single spaces.
func Clean(words string) string {
	return oneSpace(strings.ToValidUTF8(words, "\uFFFD"))
}

// FilterKey returns a key that is the same for equal filters: "CAFÉ" and "cafe" have the same. It is empty for words
// that cannot match, such as a comma.
func FilterKey(words string) string {
	forms := foldWritten(words)
	key := forms[len(forms)-1]
	if strings.IndexFunc(key, isMeant) < 0 {
		return ""
	}
	return key
}

// isMeant reports whether a character alone is enough for a filter.
func isMeant(c rune) bool { return unicode.IsLetter(c) || unicode.IsNumber(c) || unicode.IsSymbol(c) }

// A Matcher matches posts with the filters of a reader. It is safe for concurrent use.
type Matcher struct{ patterns []pattern }

// joinedBytes limits the words of several filters that a post is held for.
const joinedBytes = 500

type pattern struct {
	filter      digest.Filter
	text        string
	grams       []uint16 // of the text, as in a Post
	first, last rune
	begins      bool // longer words match too
}

// NewMatcher returns a Matcher. It drops filters that cannot match.
func NewMatcher(filters []digest.Filter) *Matcher {
	m := &Matcher{patterns: make([]pattern, 0, len(filters))}
	for _, f := range filters {
		if f.Kind == digest.HideShorts {
			m.patterns = append(m.patterns, pattern{filter: f})
			continue
		}
		words, begins := f.Words, false
		if word, ok := starred(words); ok && utf8.RuneCountInString(word) >= minPrefix {
			words, begins = strings.TrimSuffix(words, "*"), true
		}
		for _, text := range forms(words) {
			p := pattern{filter: f, text: text, begins: begins}
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

// forms returns the forms of a filter's words to search for: as written, and as a phrase if they contain no signs.
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

// isSign reports whether a character is between words but not a space.
func isSign(c rune) bool { return !isWord(c) && !isMark(c) && !isInvisible(c) && !unicode.IsSpace(c) }

// Match returns the first filter that hides a post of a feed. If the feed has filters of kind OnlyWords and the post
// matches no such filter, Match returns one filter with their joined words.
func (m *Matcher) Match(post *Post, feed digest.FeedID) (digest.Filter, bool) {
	var missing []pattern
	wanted := false
	for _, p := range m.patterns {
		if p.filter.FeedID != 0 && p.filter.FeedID != feed {
			continue
		}
		found := p.matches(post)
		switch {
		case p.filter.Kind == digest.OnlyWords:
			missing, wanted = append(missing, p), wanted || found
		case found:
			return p.filter, true
		}
	}
	if wanted || len(missing) == 0 {
		return digest.Filter{}, false
	}
	return oneOf(missing), true
}

// oneOf returns the filter of the first pattern, with the words of all.
func oneOf(all []pattern) digest.Filter {
	var words []string
	for _, p := range all {
		if !slices.Contains(words, p.filter.Words) {
			words = append(words, p.filter.Words)
		}
	}
	f := all[0].filter
	f.Words = digest.FirstBytes(strings.Join(words, ", "), joinedBytes)
	return f
}

func (p pattern) matches(post *Post) bool {
	if p.filter.Kind == digest.HideShorts {
		return post.short
	}
	return post.mayHold(p.grams) && p.in(post.text)
}

// in reports whether the text contains the pattern as whole words, or as the beginning of one.
func (p pattern) in(text string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], p.text)
		if i < 0 {
			return false
		}
		start, end := from+i, from+i+len(p.text)
		before, _ := utf8.DecodeLastRuneInString(text[:start])
		after, _ := utf8.DecodeRuneInString(text[end:])
		if (start == 0 || !oneWord(before, p.first)) && (end == len(text) || p.begins || !p.goesOn(after)) {
			return true
		}
		from = nextWord(text, start)
	}
}

// goesOn reports whether a character continues the last word of the pattern.
func (p pattern) goesOn(after rune) bool {
	korean := unicode.Is(unicode.Hangul, p.last) && unicode.Is(unicode.Hangul, after)
	return !korean && oneWord(p.last, after)
}

// nextWord returns the beginning of the word after the one at start. No match begins earlier, so a long run of letters
// is read once.
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

// oneWord reports whether two adjacent characters belong to one word. In scripts without spaces between words they
// never do, so a filter matches anywhere.
func oneWord(a, b rune) bool {
	if unicode.IsMark(b) {
		return !unicode.IsSpace(a)
	}
	return isSpaced(a) && isSpaced(b) && unicode.Is(unicode.Hangul, a) == unicode.Is(unicode.Hangul, b)
}

// isSpaced reports whether a character is of a script with spaces between words. Tibetan separates syllables. They are
// words in the index, but filters match inside of them.
func isSpaced(c rune) bool {
	return (isWord(c) || isMark(c)) && (!isDense(c) || unicode.Is(unicode.Hangul, c)) && !unicode.Is(unicode.Tibetan, c)
}

// The maximum bytes of a post that filters read. A phrase that begins later is not found.
const (
	maxTitle   = 4 << 10
	maxAuthor  = 1 << 10
	maxSummary = 8 << 10
	maxText    = 32 << 10  // of the content, without tags
	maxContent = 256 << 10 // of the content, with tags
)

// gramBytes is the length of a gram in bytes. gramBits is the size of its hash in bits, for the set of grams in a Post.
const (
	gramBytes = 3
	gramBits  = 15
)

// A Post is a post prepared for matching: its fields as written and as phrases, one for each line.
type Post struct {
	text  string
	short bool // of YouTube
	grams [1 << gramBits / 64]uint64
}

// Read prepares a post for matching.
func Read(p digest.Post) *Post {
	var lines []string
	for _, field := range []string{
		digest.FirstBytes(p.Title, maxTitle), digest.FirstBytes(p.Author, maxAuthor),
		digest.FirstBytes(p.Summary, maxSummary),
		textOf(digest.FirstBytes(p.Content, maxContent), maxText),
	} {
		lines = append(append(lines, foldWritten(field)...), phrase(field))
	}
	post := Post{text: strings.Join(lines, "\n"), short: digest.IsShort(p.URL)} // patterns contain no line breaks
	for i := 0; i+gramBytes <= len(post.text); i++ {
		g := gram(post.text[i:])
		post.grams[g/64] |= 1 << (g % 64)
	}
	return &post
}

// mayHold reports whether the post has all grams of a pattern. If one is missing, the post does not contain the
// pattern.
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
