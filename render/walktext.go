package render

import (
	"slices"
	"strconv"
	"strings"
)

// gap writes an empty line before a block, unless it is tight.
func (w *mailWriter) gap(at place) {
	if !at.tight || !w.began {
		w.text.write(strings.TrimRight(at.indent, " ") + "\n")
	}
	w.began = true
}

// words writes a paragraph of text. first comes before its first line.
func (w *mailWriter) words(at place, first, text string) {
	w.gap(at)
	var b strings.Builder
	for line := range strings.SplitSeq(text, "\n") {
		if line == "" {
			b.WriteString(strings.TrimRight(first, " ") + "\n")
		}
		wrap(&b, line, first, at.indent)
		first = at.indent
	}
	w.text.write(b.String())
}

// lineText returns a line as text. The number of its address follows a link, and struck words become ~~words~~.
func (w *mailWriter) lineText(line []token) string {
	var b strings.Builder
	var open []int // indexes of open elements
	for i, t := range line {
		switch t.kind {
		case word:
			b.WriteString(t.text)
		case breaking:
			b.WriteByte('\n')
		case pictured:
			b.WriteString(t.pic.said())
			if t.pic.linked != "" {
				b.WriteString(" " + w.number(t.pic.linked))
			}
		case opening:
			open = append(open, i)
			switch {
			case t.name == "sup" && i > 0 && !isOrdinal(plainText(line[i:closes(line, i)])):
				b.WriteByte('^')
			case t.name == struck:
				b.WriteString("~~")
			}
		case closing:
			from := open[len(open)-1]
			open = open[:len(open)-1]
			if href := line[from].href; href != "" {
				b.WriteString(w.reference(href, plainText(line[from:i])))
			}
			if line[from].name == struck {
				b.WriteString("~~")
			}
		}
	}
	return b.String()
}

// isOrdinal reports whether superscript is neither a power nor a note: 1st, 2e, TM.
func isOrdinal(words string) bool {
	switch strings.ToLower(words) {
	case "st", "nd", "rd", "th", "er", "re", "e", "ère", "ème", "eme", "ª", "º", "tm", "sm", "™", "®":
		return true
	}
	return false
}

func (w *mailWriter) reference(href, words string) string {
	if href == words || href == "mailto:"+words {
		return ""
	}
	return " " + w.number(href)
}

func (w *mailWriter) number(href string) string {
	n, known := w.numbers[href]
	if !known {
		n = len(w.numbers) + 1
		w.numbers[href] = n
		if n == 1 {
			w.refs.write("\n")
		}
		w.refs.write("[" + strconv.Itoa(n) + "] " + href + "\n")
	}
	return "[" + strconv.Itoa(n) + "]"
}

// codeText writes a line of code and never wraps it.
func (w *mailWriter) codeText(line []token, at place) {
	text := strings.TrimRight(w.lineText(line), " ")
	w.text.write(strings.TrimRight(at.indent+"    "+text, " ") + "\n")
}

// tableText writes a table in columns if there is room, or otherwise one line per row.
func (w *mailWriter) tableText(n *node, figures []bool, at place) {
	texts := make([][]string, len(n.rows))
	widths := make([]int, len(n.rows[0]))
	total := 0
	for i, r := range n.rows {
		texts[i] = make([]string, len(r))
		for k, c := range r {
			texts[i][k] = strings.ReplaceAll(w.lineText(c.line), "\n", " ")
			widths[k] = max(widths[k], widthOf(texts[i][k]))
		}
	}
	for _, width := range widths {
		total += width + 2
	}
	w.gap(at)
	var b strings.Builder
	for i, r := range texts {
		if total > textColumns-len(at.indent) {
			wrap(&b, strings.Join(filled(r), " | "), at.indent, at.indent)
			continue
		}
		b.WriteString(strings.TrimRight(at.indent+inColumns(r, widths, figures), " ") + "\n")
		if i == 0 && n.rows[0][0].head && len(texts) > 1 {
			b.WriteString(at.indent + strings.Repeat("-", total-2) + "\n")
		}
	}
	w.text.write(b.String())
}

func inColumns(texts []string, widths []int, figures []bool) string {
	var w strings.Builder
	for k, t := range texts {
		fill := strings.Repeat(" ", widths[k]-widthOf(t))
		if figures[k] {
			w.WriteString(fill + t + "  ")
		} else {
			w.WriteString(t + fill + "  ")
		}
	}
	return w.String()
}

func filled(texts []string) []string {
	return slices.DeleteFunc(slices.Clone(texts), func(t string) bool { return t == "" })
}

func onwardText(p *Post) string {
	if p.URL == "" {
		return "\n" + wrapped(p.r.Say(leftOut()))
	}
	return "\n" + p.r.label(continueLabel(p)) + "\n" + p.URL + "\n"
}
