package render

import (
	"strconv"
	"strings"
)

// leastColumns is what a line of text keeps however far it is set in.
const leastColumns = 24

// gap parts what comes from what is above it, unless it is to follow close.
func (s *setter) gap(at where) {
	if !at.tight || !s.began {
		s.text.write(strings.TrimRight(quoted(at.indent), " ") + "\n")
	}
	s.began = true
}

// quoted is an indent without the marks of lists, which stand on first lines only.
func quoted(indent string) string {
	if i := strings.LastIndexByte(indent, '>'); i >= 0 {
		return indent[:i+1]
	}
	return ""
}

// words sets one paragraph of text.
func (s *setter) words(at where, text string) {
	s.gap(at)
	var w strings.Builder
	for line := range strings.SplitSeq(text, "\n") {
		at.indent = hang(&w, line, at.indent)
	}
	s.text.write(w.String())
}

// hang appends text in lines after indent, whose marks of a list only the first
// line has. It gives the indent of the lines after it.
func hang(w *strings.Builder, text, indent string) string {
	rest := indent
	if i := len(quoted(indent)); strings.TrimSpace(indent[i:]) != "" {
		rest = indent[:i] + strings.Repeat(" ", len(indent)-i)
	}
	room := max(textColumns-len(indent), leastColumns)
	if text == "" {
		w.WriteString(strings.TrimRight(indent, " ") + "\n")
	}
	for first := true; text != ""; first = false {
		end, next := lineEnd(text, room)
		if first {
			w.WriteString(indent)
		} else {
			w.WriteString(rest)
		}
		w.WriteString(text[:end])
		w.WriteByte('\n')
		text = text[next:]
	}
	return rest
}

func (s *setter) leafText(b *block, at where) { s.words(at, s.inlineText(b.line)) }

// inlineText is a line as text. A link has the number of its address behind it.
func (s *setter) inlineText(line []token) string {
	var w strings.Builder
	for i, t := range line {
		switch t.kind {
		case word:
			w.WriteString(t.text)
		case breaking:
			w.WriteByte('\n')
		case pictured:
			w.WriteString(t.pic.said())
			if t.pic.linked != "" {
				w.WriteString(" " + s.number(t.pic.linked))
			}
		case opening:
			if t.name == "sup" && i > 0 {
				w.WriteByte('^')
			}
		case closing:
			if from := opens(line, i); line[from].href != "" {
				w.WriteString(s.reference(line[from].href, plainText(line[from:i])))
			}
		}
	}
	return w.String()
}

// opens is the place of the opening that belongs to the closing at i.
func opens(line []token, i int) int {
	depth := 0
	for ; i > 0; i-- {
		switch line[i].kind {
		case closing:
			depth++
		case opening:
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return i
}

// reference is what stands behind the words of a link.
func (s *setter) reference(href, words string) string {
	if href == words || href == "mailto:"+words {
		return ""
	}
	return " " + s.number(href)
}

// number is the mark of an address, which is listed below the post.
func (s *setter) number(href string) string {
	n, known := s.numbers[href]
	if !known {
		n = len(s.numbers) + 1
		s.numbers[href] = n
		s.refs.write("[" + strconv.Itoa(n) + "] " + href + "\n")
	}
	return "[" + strconv.Itoa(n) + "]"
}

// codeText sets one line of code, however long it is.
func (s *setter) codeText(line []token, at where) {
	text := strings.TrimRight(s.inlineText(line), " ")
	s.text.write(strings.TrimRight(at.after()+"    "+text, " ") + "\n")
}

// after is the indent of lines that are not the first of an item.
func (at where) after() string {
	i := len(quoted(at.indent))
	return at.indent[:i] + strings.Repeat(" ", len(at.indent)-i)
}

// tableText sets a table in columns if there is room, else a row a line.
func (s *setter) tableText(b *block, at where) {
	texts := make([][]string, len(b.rows))
	widths := make([]int, len(b.rows[0]))
	total := 0
	for i, r := range b.rows {
		texts[i] = make([]string, len(r))
		for k, c := range r {
			texts[i][k] = strings.ReplaceAll(s.inlineText(c.line), "\n", " ")
			widths[k] = max(widths[k], width(texts[i][k]))
		}
	}
	for _, w := range widths {
		total += w + 2
	}
	s.gap(at)
	figures := figureColumns(b.rows)
	var w strings.Builder
	for i, r := range texts {
		if total > textColumns-len(at.indent) {
			at.indent = hang(&w, strings.Join(filled(r), " | "), at.indent)
			continue
		}
		w.WriteString(strings.TrimRight(at.indent+inColumns(r, widths, figures), " ") + "\n")
		at.indent = at.after()
		if i == 0 && b.rows[0][0].head && len(texts) > 1 {
			w.WriteString(at.indent + strings.Repeat("-", total-2) + "\n")
		}
	}
	s.text.write(w.String())
}

func inColumns(texts []string, widths []int, figures []bool) string {
	var w strings.Builder
	for k, t := range texts {
		fill := strings.Repeat(" ", widths[k]-width(t))
		if figures[k] {
			w.WriteString(fill + t + "  ")
		} else {
			w.WriteString(t + fill + "  ")
		}
	}
	return w.String()
}

func filled(texts []string) []string {
	var out []string
	for _, t := range texts {
		if t != "" {
			out = append(out, t)
		}
	}
	return out
}

func onwardText(b *Post) string {
	if b.URL == "" {
		return "\n" + leftOut + "\n"
	}
	return "\n" + continueLabel(b) + ":\n" + b.URL + "\n"
}

func teaserText(b *Post) string {
	var w strings.Builder
	w.WriteString(postTopText(b))
	if b.Excerpt != "" {
		w.WriteByte('\n')
		wrap(&w, b.Excerpt, "", textColumns)
	}
	return w.String() + onwardText(b) + "\n\n"
}
