package render

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// told returns a post's title and excerpt without repetition. It removes the title from the beginning of the excerpt.
// It drops an excerpt that is only the beginning of the title, and a title that was cut from the beginning of the text.
func told(title, summary string) (string, string) {
	title, summary = scrub(title, dropped), scrub(summary, dropped)
	if isPlaceholder(title) {
		title = ""
	}
	if title != "" {
		summary = without(summary, title)
	}
	if title == "" || summary == "" {
		return title, summary
	}
	head, cutShort := withoutEllipsis(title)
	if rest, ok := after(summary, head); ok {
		if cutShort && rest != "" {
			return "", summary
		}
		for range mostRepeats {
			if !ok || !endsThere(rest) && !again(rest, head) && (wordsOf(head) < fewestWords || lowerFirst(rest)) {
				break
			}
			summary = nextSentence(rest)
			rest, ok = after(summary, head)
		}
		return title, summary
	}
	// the title was cut within a word
	if rest, begun := past(summary, head); begun && cutShort && rest != "" && wordsOf(head) >= fewestWords {
		return "", summary
	}
	if begun, cutShort := withoutEllipsis(summary); cutShort {
		if _, ok := after(title, begun); ok {
			return title, ""
		}
	}
	return title, summary
}

// mostRepeats limits how often told removes the title.
const mostRepeats = 3

// beyondHeads removes the title from a summary if the content begins with paragraphs or headings that contain only the
// title. The summary must continue in the words of the content. Then even a very short title is no coincidence.
func beyondHeads(title, summary, content string) string {
	heads, next := headsOf(content, title)
	rest, ok := summary, len(heads) > 0
	for _, head := range heads {
		if rest, ok = behind(rest, head); !ok {
			return summary
		}
	}
	const enough = 100 // bytes to compare
	if _, same := behind(rest, strings.ToValidUTF8(next[:min(len(next), enough)], "")); !ok || rest != "" && !same {
		return summary
	}
	return strings.TrimSpace(rest)
}

// behind returns the rest of s after a text, ignoring spaces in both.
func behind(s, text string) (string, bool) {
	for _, want := range text {
		if unicode.IsSpace(want) {
			continue
		}
		s = strings.TrimLeftFunc(s, unicode.IsSpace)
		got, n := utf8.DecodeRuneInString(s)
		if n == 0 || got != want {
			return s, false
		}
		s = s[n:]
	}
	return s, true
}

// repeats reports whether words contain the title and nothing else. Signs with a meaning are something else, as in C#
// and C, or 10 % and 10. So is text that a cut title does not contain.
func repeats(words, title string) bool {
	words, title = bared(words), bared(title)
	return words == title && words != ""
}

// bared returns a line in lower case without punctuation around it, and without the sign of a link to itself.
func bared(s string) string {
	s = strings.NewReplacer("’", "'", "‘", "'").Replace(strings.ToLower(strings.Join(strings.Fields(s), " ")))
	s = strings.TrimRight(strings.TrimSuffix(s, " #"), "¶§ ")
	return strings.TrimFunc(s, func(r rune) bool {
		return betweenSentences(r) ||
			strings.ContainsRune("“‘«([]\u00a0", r)
	})
}

// headsOf returns the text of the paragraphs and headings at the beginning of the content that only repeat the title,
// and the text of the next one.
func headsOf(content, title string) (heads []string, next string) {
	const most = 4000 // bytes to search
	content = content[:min(len(content), most)]
	for content != "" {
		var line strings.Builder
		for ended := false; !ended && content != ""; {
			text, after, tagged := strings.Cut(content, "<")
			line.WriteString(text)
			content = after
			if tagged {
				var tag string
				tag, content, _ = strings.Cut(content, ">")
				ended = !goesOnWithin(tag)
			}
		}
		next = strings.TrimSpace(html.UnescapeString(line.String()))
		switch {
		case next == "":
		case repeats(next, title):
			heads = append(heads, next)
		default:
			return heads, next
		}
	}
	return heads, ""
}

// goesOnWithin reports whether a tag does not end a line. tag is the text between its brackets.
func goesOnWithin(tag string) bool {
	name, _, _ := strings.Cut(strings.TrimPrefix(tag, "/"), " ")
	switch atom.Lookup([]byte(strings.ToLower(strings.TrimSuffix(name, "/")))) {
	case atom.A, atom.Abbr, atom.B, atom.Bdi, atom.Bdo, atom.Cite, atom.Code, atom.Em, atom.Font, atom.I, atom.Mark,
		atom.Q, atom.S, atom.Small,
		atom.Span, atom.Strong, atom.Sub, atom.Sup, atom.Time, atom.U, atom.Wbr:
		return true
	}
	return false
}

// again reports whether rest begins with the title again. A title of one word may be part of a name such as Duran
// Duran.
func again(rest, title string) bool {
	_, same := after(rest, title)
	return same && wordsOf(title) > 1
}

// isPlaceholder reports whether a program wrote the title in place of a missing one.
func isPlaceholder(title string) bool {
	switch strings.ToLower(strings.Trim(title, " ()[]")) {
	case "untitled", "no title", "untitled post":
		return true
	}
	return false
}

// fewestWords is the number of words from which no sentence begins with the title by chance.
const fewestWords = 3

// withoutEllipsis returns s without the ellipsis at its end, and whether it had one.
func withoutEllipsis(s string) (string, bool) {
	for _, end := range [...]string{"…", "...", "[…]", "[...]"} {
		if rest, ok := strings.CutSuffix(s, end); ok {
			rest, _ = withoutEllipsis(strings.TrimRight(rest, " ["))
			return rest, true
		}
	}
	return s, false
}

// after returns the rest of s after the letters and digits of prefix. It ignores case and all other characters. It
// returns false if s does not begin with them, or if the word continues.
func after(s, prefix string) (string, bool) {
	rest, begun := past(s, prefix)
	next, _ := utf8.DecodeRuneInString(rest)
	return rest, begun && (rest == "" || !inWord(next) || wide(next))
}

// past is like after, but the word may continue.
func past(s, prefix string) (string, bool) {
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
	return rest, some
}

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

// endsThere reports whether a title before rest is a complete sentence.
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

// nextSentence returns s without the marks that end the title before it. It keeps the marks that begin the next word:
// ".NET", "-5 °C", an opening quotation mark.
func nextSentence(s string) string {
	text := strings.TrimLeftFunc(s, betweenSentences)
	between := s[:len(s)-len(text)]
	if i := strings.LastIndexByte(between, ' '); i >= 0 && text != "" {
		return s[i+1:]
	}
	return text
}

func wordsOf(s string) int { return len(strings.Fields(s)) }
