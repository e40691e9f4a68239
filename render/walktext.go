package render

import (
	"slices"
	"strconv"
	"strings"
)

// gap parts what comes from what is above it, unless it is to follow close.
func (w *mailWriter) gap(at place) {
	if !at.tight || !w.began {
		w.text.write(strings.TrimRight(quoted(at.indent), " ") + "\n")
	}
	w.began = true
}

// quoted is an indent without the marks of lists, which stand on first lines only.
func quoted(indent string) string {
	if i := strings.LastIndexByte(indent, '>'); i >= 0 {
		return indent[:i+1]
	}
	return ""
}

// words writes one paragraph of text.
func (w *mailWriter) words(at place, text string) {
	w.gap(at)
	var b strings.Builder
	for line := range strings.SplitSeq(text, "\n") {
		at.indent = hang(&b, line, at.indent)
	}
	w.text.write(b.String())
}

// hang appends text in lines after indent, whose marks of a list only the first
// line has. It gives the indent of the lines after it.
func hang(w *strings.Builder, text, indent string) string {
	rest := indent
	if i := len(quoted(indent)); strings.TrimSpace(indent[i:]) != "" {
		rest = indent[:i] + strings.Repeat(" ", len(indent)-i)
	}
	if text == "" {
		w.WriteString(strings.TrimRight(indent, " ") + "\n")
	}
	wrap(w, text, indent, rest)
	return rest
}

// lineText is a line as text. A link has the number of its address behind it.
func (w *mailWriter) lineText(line []token) string {
	var b strings.Builder
	var open []int // where the elements begin that are open
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
			if t.name == "sup" && i > 0 {
				b.WriteByte('^')
			}
		case closing:
			from := open[len(open)-1]
			open = open[:len(open)-1]
			if href := line[from].href; href != "" {
				b.WriteString(w.reference(href, plainText(line[from:i])))
			}
		}
	}
	return b.String()
}

// reference is what stands behind the words of a link.
func (w *mailWriter) reference(href, words string) string {
	if href == words || href == "mailto:"+words {
		return ""
	}
	return " " + w.number(href)
}

// number is the mark of an address, which is listed below the post.
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

// codeText writes one line of code, however long it is.
func (w *mailWriter) codeText(line []token, at place) {
	text := strings.TrimRight(w.lineText(line), " ")
	w.text.write(strings.TrimRight(at.after()+"    "+text, " ") + "\n")
}

// after is the indent of lines that are not the first of an item.
func (at place) after() string {
	i := len(quoted(at.indent))
	return at.indent[:i] + strings.Repeat(" ", len(at.indent)-i)
}

// tableText writes a table in columns if there is room, else a row a line.
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
			at.indent = hang(&b, strings.Join(filled(r), " | "), at.indent)
			continue
		}
		b.WriteString(strings.TrimRight(at.indent+inColumns(r, widths, figures), " ") + "\n")
		at.indent = at.after()
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
		return "\n" + leftOut + "\n"
	}
	return "\n" + continueLabel(p) + ":\n" + p.URL + "\n"
}
