package textsearch

import (
	"slices"
	"strings"
	"unicode/utf8"

	"digest"
)

// A Piece is a part of a text. Found marks a match.
type Piece struct {
	Text  string
	Found bool
}

// The size of a snippet in bytes: before the first match, and in all.
const (
	leadBytes    = 80
	snippetBytes = 280
	maxScanned   = 200_000 // maximum bytes to search
)

type place struct{ from, to int }

// Mark returns the whole of a short text with its matches.
func Mark(text string, q Query) []Piece { return pieces(text, 0, len(text), q.find(text)) }

// Snippet returns the part of a plain text with the most matches, or its beginning without matches.
func Snippet(text string, q Query) []Piece {
	text = oneSpace(digest.FirstBytes(text, maxScanned))
	found := q.find(text)
	from := 0
	if len(found) > 0 {
		from = sentenceStart(text, found[best(found)].from)
	}
	to := len(text)
	if to-from > snippetBytes {
		to = wordEnd(text, from, from+snippetBytes)
	}
	shown := pieces(text, from, to, found)
	if from > 0 {
		shown = slices.Insert(shown, 0, Piece{Text: "… "})
	}
	if to < len(text) {
		shown = append(shown, Piece{Text: " …"})
	}
	return shown
}

// best returns the index of the match after which most others follow within a snippet.
func best(found []place) int {
	most, which, end := 0, 0, 0
	for i := range found {
		for end < len(found) && found[end].to <= found[i].from+snippetBytes-leadBytes {
			end++
		}
		if end-i > most {
			most, which = end-i, i
		}
	}
	return which
}

// pieces splits text[from:to] at the matches.
func pieces(text string, from, to int, found []place) []Piece {
	var all []Piece
	for _, f := range found {
		if f.to <= from || f.from >= to {
			continue
		}
		start, end := max(f.from, from), min(f.to, to)
		if start > from {
			all = append(all, Piece{Text: text[from:start]})
		}
		all = append(all, Piece{Text: text[start:end], Found: true})
		from = end
	}
	if from < to {
		all = append(all, Piece{Text: text[from:to]})
	}
	return all
}

// find returns the places of the wanted terms in a text, in order and without overlaps.
func (q Query) find(text string) []place {
	all := slices.Collect(tokens(text))
	var found []place
	for i := range all {
		for _, t := range q.Terms {
			if !t.Exclude && t.at(all[i:]) {
				found = append(found, place{all[i].from, t.end(all[i+len(t.Words)-1])})
			}
		}
	}
	var apart []place
	for _, f := range found {
		if n := len(apart); n > 0 && f.from < apart[n-1].to {
			apart[n-1].to = max(apart[n-1].to, f.to)
		} else {
			apart = append(apart, f)
		}
	}
	return apart
}

// at reports whether a list of tokens begins with the term's words.
func (t Term) at(list []token) bool {
	if len(list) < len(t.Words) {
		return false
	}
	for i, word := range t.Words {
		got := list[i].word
		if got != word && !(t.Prefix && i == len(t.Words)-1 && strings.HasPrefix(got, word)) {
			return false
		}
	}
	return true
}

// end returns the end of a match whose last token is last. A single character matches the first half of a pair.
func (t Term) end(last token) int {
	if last.first > 0 && last.word != t.Words[len(t.Words)-1] {
		return last.first
	}
	return last.to
}

// sentenceStart returns the beginning of the sentence of a match, or of a word before the match if that is far away.
func sentenceStart(text string, match int) int {
	if match <= leadBytes {
		return 0
	}
	begin, start := max(match-2*leadBytes, 0), -1
	for _, end := range []string{". ", "! ", "? ", "… ", "؟ ", "。", "！", "？"} {
		if i := strings.LastIndex(text[begin:match], end); i >= 0 {
			start = max(start, begin+i+len(end))
		}
	}
	if start >= 0 {
		return start
	}
	return wordStart(text, max(match-leadBytes, 0))
}

// wordStart returns the beginning of the next word after i, if one is near.
func wordStart(text string, i int) int {
	if i == 0 {
		return 0
	}
	if next := strings.IndexByte(text[i:min(i+leadBytes/2, len(text))], ' '); next >= 0 {
		return i + next + 1
	}
	for i < len(text) && !utf8.RuneStart(text[i]) {
		i++
	}
	return i
}

// wordEnd returns the end of the previous word before i, if one is near.
func wordEnd(text string, from, i int) int {
	if before := strings.LastIndexByte(text[max(from, i-leadBytes/2):i], ' '); before >= 0 {
		return max(from, i-leadBytes/2) + before
	}
	return len(digest.FirstBytes(text, i))
}
