package render

import (
	"html"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A writer writes the parts of a post's text in the order of the walk. The place describes the surroundings of a node.
type writer interface {
	// full reports whether enough is written. The walk then ends.
	full() bool
	leaf(n *node, at place)
	figure(picture, caption *node, at place)
	divider(at place)
	// code writes lines and keeps their spaces.
	code(lines [][]token, at place)
	// table writes a table; figures marks the columns with numbers.
	table(n *node, figures []bool, at place)
	// open begins a list, an item or a quotation, and returns the place of its kids.
	open(n *node, at place) place
	// beside writes the first kid of an item next to its mark, if it is a paragraph, and reports whether it did.
	beside(kids []*node, at place, mark string) bool
	// close ends the last opened node.
	close()
}

type markup struct {
	out     strings.Builder
	closers []string // the end tags of open elements
}

func (m *markup) push(end string) { m.closers = append(m.closers, end) }

func (m *markup) close() {
	last := len(m.closers) - 1
	m.out.WriteString(m.closers[last])
	m.closers = m.closers[:last]
}

// place describes the surroundings of a node.
type place struct {
	dir, lang string
	lists     int    // number of lists around it
	indent    string // plain text: the beginning of each line; an item's mark replaces its end on the first line
	tight     bool   // plain text: no empty line before it
}

func walk(w writer, nodes []*node, at place) {
	for i := 0; i < len(nodes) && !w.full(); i++ {
		if captioned(nodes[i:]) {
			saidOnce(nodes[i].line, plainText(nodes[i+1].line))
			w.figure(nodes[i], nodes[i+1], at)
			i++
		} else {
			walkNode(w, nodes[i], at)
		}
		at.tight = false
	}
}

func walkNode(w writer, n *node, at place) {
	switch n.kind {
	case divider:
		w.divider(at)
	case code:
		w.code(n.lines, at)
	case table:
		w.table(n, figureColumns(n.rows), at)
	case list:
		inside := w.open(n, at)
		inside.lists++
		for i := 0; i < len(n.kids) && !w.full(); i++ {
			walkItem(w, n.kids[i], inside, n.mark(i))
		}
		w.close()
	case item: // an item outside of a list has no mark
		walk(w, n.kids, at)
	case quotation:
		inside := w.open(n, at)
		inside.indent, inside.tight = at.indent+n.mark(0), true
		walk(w, n.kids, inside)
		w.close()
	default:
		w.leaf(n, at)
	}
}

func walkItem(w writer, n *node, at place, mark string) {
	inside := w.open(n, at)
	inside.indent, inside.tight = at.indent+strings.Repeat(" ", 2+len(mark)), true
	kids := n.kids
	if w.beside(kids, inside, mark) {
		kids, inside.tight = kids[1:], false
	}
	walk(w, kids, inside)
	w.close()
}

// mark returns the plain text before the i-th kid of a node.
func (n *node) mark(i int) string {
	switch {
	case n.kind == quotation && n.rank == definition:
		return "    "
	case n.kind == quotation:
		return quoteMark
	case n.ordered:
		return n.numeral(n.kids[i].number) + ". "
	}
	return "* "
}

func captioned(nodes []*node) bool {
	return len(nodes) > 1 && nodes[0].kind == paragraph && nodes[1].kind == caption && onlyPicture(nodes[0].line)
}

// saidOnce removes the description of a picture whose caption repeats it.
func saidOnce(line []token, caption string) {
	for _, t := range line {
		if t.kind == pictured && strings.TrimSpace(caption) == t.pic.words {
			t.pic.words = ""
		}
	}
}

func onlyPicture(line []token) bool {
	for _, t := range line {
		if t.kind == word && strings.TrimSpace(t.text) != "" {
			return false
		}
	}
	return true
}

// direction returns the node's own direction, or else the direction of its letters, or of its surroundings.
func (n *node) direction(around place) string {
	switch {
	case n.dir != "":
		return n.dir
	case n.kind == code:
		return "ltr"
	case n.rtl == 0 && n.ltr == 0:
		return around.dir
	case runsLeft(n.rtl, n.ltr, around.lang):
		return "rtl"
	}
	return "ltr"
}

// attrs returns the attributes for the language and direction of a node that differ from its surroundings, and the
// place of its content.
func (n *node) attrs(around place) (attrs string, inside place) {
	inside = around
	if inside.dir = n.direction(around); inside.dir != around.dir {
		attrs = ` dir="` + inside.dir + `"`
	}
	lang, inside := n.langAttr(inside)
	return attrs + lang, inside
}

// langAttr is like attrs, without the direction.
func (n *node) langAttr(around place) (attr string, inside place) {
	inside = around
	if n.lang != "" && !strings.EqualFold(n.lang, around.lang) {
		attr, inside.lang = ` lang="`+n.lang+`"`, n.lang
	}
	return attr, inside
}

// writeLine writes a line as HTML. opens returns the tag and attributes of an element, and picture the HTML of a
// picture.
func writeLine(w *strings.Builder, line []token, opens func(t token, inside []token) (tag, attrs string),
	picture func(*picture) string) {
	var ends []string
	for i, t := range line {
		switch t.kind {
		case word:
			w.WriteString(escape(t.text))
		case breaking:
			w.WriteString("<br>\n")
		case pictured:
			w.WriteString(picture(t.pic))
		case opening:
			tag, attrs := opens(t, line[i:closes(line, i)])
			w.WriteString("<" + tag + t.attrs() + attrs + ">")
			ends = append(ends, "</"+tag+">")
		case closing:
			w.WriteString(ends[len(ends)-1])
			ends = ends[:len(ends)-1]
		}
	}
}

// attrs returns the attributes for the language and direction of an inline element.
func (t token) attrs() (attrs string) {
	if t.lang != "" {
		attrs += ` lang="` + t.lang + `"`
	}
	if t.name == "code" && t.dir == "" {
		t.dir = "ltr"
	}
	if t.dir != "" {
		attrs += ` dir="` + t.dir + `"`
	}
	return attrs
}

// escape escapes text for HTML outside of attributes, and keeps quotes.
func escape(s string) string {
	if !strings.ContainsAny(s, "&<>") {
		return s
	}
	s = strings.ReplaceAll(s, "&", "&amp;")
	return strings.ReplaceAll(strings.ReplaceAll(s, "<", "&lt;"), ">", "&gt;")
}

func htmlAttr(name, value string) string { return " " + name + `="` + html.EscapeString(value) + `"` }

// numberAttr returns a numeric attribute, or "" for 0.
func numberAttr(name string, n int) string {
	if n == 0 {
		return ""
	}
	return " " + name + `="` + strconv.Itoa(n) + `"`
}

// hasItalics reports whether the script of a text has italics.
func hasItalics(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf && (wide(r) || rightToLeft(r)) })
}

func scope(c cell, row int) string {
	switch {
	case !c.head:
		return ""
	case row == 0:
		return ` scope="col"`
	}
	return ` scope="row"`
}

// figureColumns reports which columns contain numbers, ignoring their headers.
func figureColumns(rows [][]cell) []bool {
	out := make([]bool, len(rows[0]))
	for k := range out {
		figures := 0
		for i, r := range rows {
			switch {
			case isFigure(r[k].line):
				figures++
			case len(r[k].line) > 0 && !(i == 0 && r[k].head):
				figures = -len(rows)
			}
		}
		out[k] = figures > 0
	}
	return out
}
