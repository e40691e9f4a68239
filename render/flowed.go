package render

import "strings"

// The text version is flowed (RFC 3676, DelSp=yes): a line of a paragraph that goes on in the next one ends with a space
// that programs take away when they join the two, so that a phone shows paragraphs and no lines of 72 columns. What is
// set in, other than quotations, keeps its lines.

// wrap appends s to b in lines, the first after first and the others after rest,
// which is as long. A word longer than a line stands alone and whole, so that
// links survive; text without spaces is broken where a wide character allows it.
func wrap(b *strings.Builder, s, first, rest string) {
	room := max(textColumns-len(rest), leastColumns)
	flows := rest == "" || rest == quoteMark
	for indent := first; s != ""; indent = rest {
		end, next := lineEnd(s, room)
		line, space := s[:end], s[end:next]
		s = s[next:]
		if indent == "" && strings.HasPrefix(line, ">") {
			b.WriteByte(' ') // or it would be a quotation
		}
		switch {
		case s == "" || !flows:
			line = strings.TrimRight(line, " ")
		case line == "--" && space == "": // with a space it would begin the signature
		default:
			line += space + " "
		}
		b.WriteString(indent + line + "\n")
	}
}

// quoteMark stands before each line of a quotation.
const quoteMark = "> "

// wrapped is s in lines.
func wrapped(s string) string {
	var b strings.Builder
	wrap(&b, s, "", "")
	return b.String()
}

// stuffed is text with a space before each line that begins with one, or with what mail programs may change on the way
// (RFC 3676 §4.4). A line that begins with " >" has one already.
func stuffed(text string) string {
	if !strings.HasPrefix(text, " ") && !strings.Contains(text, "\n ") && !strings.Contains(text, "From ") {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, " ") && !strings.HasPrefix(line, " >") || strings.HasPrefix(line, "From ") {
			b.WriteByte(' ')
		}
		b.WriteString(line)
	}
	return b.String()
}

// newText is a piece of the text version.
func newText(s string) piece { return newPiece(stuffed(s)) }

// A textBuilder builds a piece of the text version.
type textBuilder struct{ codedBuilder }

func (t *textBuilder) write(s string) { t.codedBuilder.write(stuffed(s)) }
