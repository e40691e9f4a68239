// Package search says what a word is: for what is indexed, for what a reader
// types, and for the places in a text that are shown to them. Databases get
// words that are normalised already, so that both find the same.
//
// Words are runs of letters and digits, without case and accents. Scripts that
// put no spaces between words are indexed as pairs of neighbouring characters.
//
// It does no input or output.
package search

// Bounds of what is indexed of a text. PostgreSQL counts positions up to 16,383,
// keeps 255 of one word, and takes a megabyte in all; what lies beyond is left out
// for both databases.
const (
	maxWords  = 16_000 // of a document
	maxRepeat = 255    // of one word in it
	maxBytes  = 1 << 19
	maxRunes  = 64 // of a word
)

// Filler stands for a word of a document that is not indexed. Nobody can look
// for it: it is no letter.
const Filler = "\uE000"

// Document gives the words of a text's fields, in order. Between fields stands
// a Filler, so that no phrase reaches from one into the next.
func Document(fields ...string) []string {
	var words []string
	seen, size := make(map[string]int), 0
	for i, field := range fields {
		if i > 0 {
			words = append(words, Filler)
		}
		for t := range tokens(field) {
			size += len(t.word)
			if len(words) >= maxWords || size > maxBytes {
				return words
			}
			seen[t.word]++
			if seen[t.word] > maxRepeat {
				t.word = Filler
			}
			words = append(words, t.word)
		}
	}
	return words
}
