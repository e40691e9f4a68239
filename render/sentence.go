package render

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf8"
)

// shorten returns the beginning of untrusted text as one line of at most cols columns, and whether something is missing.
// It ends at a sentence if one ends in the second half, and otherwise with "…". A text that its feed has cut ends at a
// sentence too.
func shorten(s string, cols int) (text string, short bool) {
	if !tidy(s) {
		s = scrub(s, dropped)
	}
	fits := widthOf(s) <= cols
	whole, short := withoutEllipsis(s)
	if fits && !short {
		return s, false
	}
	used, most := 0, len(whole)
	for i, r := range whole {
		if used += columns(r); used > cols {
			most = i
			break
		}
	}
	if end := lastSentence(whole, most); end > most/2 {
		return whole[:end], true
	}
	if fits {
		return s, true
	}
	return cut(s, cols), true
}

// longer returns the excerpt with the sentences that follow it in the content, or "" if the content is not known to
// begin like the excerpt.
func longer(content, excerpt string) string {
	const mostBytes = 8 << 10
	if len(content) > mostBytes {
		content = content[:mostBytes]
	}
	var b strings.Builder
	for r := range letters(content) {
		b.WriteRune(r)
	}
	text := strings.Join(strings.Fields(html.UnescapeString(b.String())), " ")
	whole, _ := withoutEllipsis(excerpt)
	at := strings.Index(text, whole)
	if whole == "" || at < 0 {
		return ""
	}
	text, _ = shorten(text[at:], longerColumns)
	if last := text[strings.LastIndexByte(text, ' ')+1:]; strings.Trim(last, "0123456789.") == "" {
		text = strings.TrimSpace(strings.TrimSuffix(text, last)) // the number of an item in a list
	}
	if len(text) <= len(excerpt) || strings.HasSuffix(text, "…") {
		return ""
	}
	return text
}

// lastSentence returns the end of the last sentence within most bytes of a text, or 0.
func lastSentence(s string, most int) (end int) {
	for i, r := range s[:most] {
		if !strings.ContainsRune(".!?。！？؟۔।", r) {
			continue
		}
		rest := s[i+utf8.RuneLen(r):]
		after := strings.TrimLeft(rest, "\"'”’»)]」』）")
		at := len(s) - len(after)
		next, _ := utf8.DecodeRuneInString(strings.TrimLeft(after, " "))
		if at <= most && (after == "" || wide(r) || after[0] == ' ' && !unicode.IsLower(next) &&
			!isAbbreviated(s[:i])) {
			end = at
		}
	}
	return end
}

// isAbbreviated reports whether the word at the end of a text is so short that its full stop ends no sentence, as in
// "J. Doe", "St. Ives" and "Nov. 3".
func isAbbreviated(s string) bool {
	word := s[strings.LastIndexAny(s, " .(")+1:]
	return utf8.RuneCountInString(word) <= 3 && strings.ContainsFunc(word, unicode.IsUpper)
}
