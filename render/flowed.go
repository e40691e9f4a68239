package render

import "strings"

// The text version is flowed (RFC 3676, DelSp=yes): a line that continues in the next one ends with a space. Mail
// programs remove that space and join the lines, so phones show paragraphs. Indented lines other than quotations keep
// their breaks.

// wrap appends s to b in lines. It writes first before the first line and rest, of equal width, before the others. A
// long word has its own line and stays whole, so that links work. Text without spaces breaks at wide characters.
func wrap(b *strings.Builder, s, first, rest string) {
	room := max(textColumns-len(rest), leastColumns)
	flows := rest == "" || rest == quoteMark
	for indent := first; s != ""; indent = rest {
		end, next := lineEnd(s, room)
		line, space := s[:end], s[end:next]
		s = s[next:]
		if indent == "" && strings.HasPrefix(line, ">") {
			b.WriteByte(' ') // otherwise it would be a quotation
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

const quoteMark = "> "

func wrapped(s string) string {
	var b strings.Builder
	wrap(&b, s, "", "")
	return b.String()
}

// stuffed adds a space before each line that begins with a space, or with "From ", which mail servers may change (RFC
// 3676 §4.4). A line that begins with " >" already has one.
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

func newText(s string) piece { return newPiece(stuffed(s)) }

type textBuilder struct{ codedBuilder }

func (t *textBuilder) write(s string) { t.codedBuilder.write(stuffed(s)) }
