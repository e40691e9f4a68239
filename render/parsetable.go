package render

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"digest/internal/catalogue"
)

const (
	maxColumns   = 12
	maxRows      = 300
	maxWebRows   = 2000
	phoneWidth   = 340 // CSS pixels for a table on a phone
	maxCellWords = 400 // bytes; longer text is not data
	maxCells     = 180 // of a table that does not fit on a phone: about 30 rows of 6 columns
	shortCell    = 24  // columns
	briefCell    = 40  // bytes
)

// A tableSize is the width of a character and the padding of a cell, in CSS pixels.
type tableSize struct{ character, padding int }

// smallTable marks a table in small print.
const smallTable = 1

type cell struct {
	line []token
	head bool
}

// table parses a table by its purpose. A table of code and line numbers becomes code. A layout table becomes its
// content in order. A data table stays a table if it fits on a phone, perhaps in small print. Otherwise its rows become
// lines or paragraphs, and a large table becomes a link to the post.
func (p *parser) table(n *html.Node) {
	p.flush()
	rows, captions := rowsOf(n)
	for _, c := range captions {
		p.leaf(c, caption, 0)
	}
	if c := numbered(rows); c != nil {
		p.children(c)
		p.flush()
		return
	}
	columns, data := isData(rows)
	most := maxRows
	if p.browser {
		most = maxWebRows
	}
	brief := hasBriefCells(rows)
	fits := columns <= maxColumns && len(rows) <= most
	if data && brief && !fits {
		p.put(p.tableNote(columns, len(rows)))
		return
	}
	if !data || !fits {
		for _, r := range rows {
			for _, c := range r {
				p.leaf(c, paragraph, 0)
			}
		}
		return
	}
	was := *p
	p.enter(n)
	b := &node{kind: table, lang: p.lang, dir: p.dir, rows: p.cells(rows)}
	switch {
	case len(b.rows) == 0:
	case p.browser || fitsPhone(b.rows, tableSize{8, 16}):
		p.put(b)
	case fitsPhone(b.rows, tableSize{7, 8}):
		b.rank = smallTable
		p.put(b)
	case brief && len(b.rows)*len(b.rows[0]) > maxCells:
		p.put(p.tableNote(len(b.rows[0]), len(b.rows)))
	case isShort(b.rows):
		p.put(&node{kind: paragraph, lang: b.lang, dir: b.dir, line: inLines(b.rows)})
	default:
		p.stack(b)
	}
	p.lang, p.dir = was.lang, was.dir
}

// rowsOf returns the cells of n's own rows, and its captions.
func rowsOf(n *html.Node) (rows [][]*html.Node, captions []*html.Node) {
	for c := range n.ChildNodes() {
		switch c.DataAtom {
		case atom.Thead, atom.Tbody, atom.Tfoot:
			more, _ := rowsOf(c)
			rows = append(rows, more...)
		case atom.Caption:
			captions = append(captions, c)
		case atom.Tr:
			var cells []*html.Node
			for d := range c.ChildNodes() {
				if d.DataAtom == atom.Td || d.DataAtom == atom.Th {
					cells = append(cells, d)
				}
			}
			rows = append(rows, cells)
		}
	}
	return rows, captions
}

// numbered returns the cell with the code if the table consists of code and line numbers, or nil.
func numbered(rows [][]*html.Node) *html.Node {
	if len(rows) != 1 || len(rows[0]) != 2 {
		return nil
	}
	isNumber := func(r rune) bool { return unicode.IsSpace(r) || r >= '0' && r <= '9' }
	if strings.TrimFunc(content(rows[0][0]), isNumber) == "" && has(rows[0][1], atom.Pre) {
		return rows[0][1]
	}
	return nil
}

func has(n *html.Node, names ...atom.Atom) bool {
	for d := range n.Descendants() {
		if slices.Contains(names, d.DataAtom) {
			return true
		}
	}
	return false
}

// tableNote returns the size of a large table as a link to the post.
func (p *parser) tableNote(columns, rows int) *node {
	n, link := &node{kind: paragraph}, address(p.url)
	size := catalogue.Key("Table, %d × %d").With(columns, rows)
	if link != "" && !p.inLink() {
		size = catalogue.Key("Table, %d × %d: see it at the site").With(columns, rows)
		n.line = []token{{kind: opening, name: "a", href: link}, {kind: word, text: p.say(size)}, {kind: closing}}
	} else {
		n.line = []token{{kind: word, text: p.say(size)}}
	}
	l := cmp.Or(p.speaks, catalogue.English())
	n.lang, n.dir = l.Code, string(l.Direction)
	return n
}

// hasBriefCells reports whether the cells of a table are brief on average. Cells with texts are long.
func hasBriefCells(rows [][]*html.Node) bool {
	bytes, cells := 0, 0
	for _, r := range rows {
		for _, c := range r {
			bytes, cells = bytes+len(content(c)), cells+1
		}
	}
	return bytes <= briefCell*cells
}

// isData reports whether a table contains data, and is not a layout table, and returns its number of columns.
func isData(rows [][]*html.Node) (columns int, data bool) {
	most := 0
	for _, r := range rows {
		most = max(most, len(r))
		for _, c := range r {
			if has(c, atom.Table, atom.Pre, atom.Ul, atom.Ol, atom.Blockquote, atom.Img, atom.H1, atom.H2, atom.H3,
				atom.H4) ||
				len(content(c)) > maxCellWords {
				return 0, false
			}
		}
	}
	return most, len(rows) > 1 && most > 1
}

// cells converts rows to a grid. Empty cells follow a cell that spans. It drops empty rows and empty columns at the
// end.
func (p *parser) cells(rows [][]*html.Node) [][]cell {
	var grid [][]cell
	taken := [maxColumns]int{} // number of rows into which a cell from above still extends
	columns := 0
	for _, r := range rows {
		var line [maxColumns]cell
		at := 0
		for _, n := range r {
			for at < maxColumns && taken[at] > 0 {
				at++
			}
			if at >= maxColumns {
				break
			}
			line[at] = cell{p.cell(n), n.DataAtom == atom.Th}
			if line[at].line != nil {
				columns = max(columns, at+1)
			}
			for range span(n, "colspan") {
				if at < maxColumns {
					taken[at] = max(taken[at], span(n, "rowspan"))
					at++
				}
			}
		}
		for i := range taken {
			taken[i] = max(0, taken[i]-1)
		}
		if slices.ContainsFunc(line[:], func(c cell) bool { return c.line != nil }) {
			grid = append(grid, slices.Clone(line[:]))
		}
	}
	for i := range grid {
		grid[i] = grid[i][:columns]
	}
	return grid
}

func span(n *html.Node, name string) int {
	v, err := strconv.Atoi(attribute(n, name))
	if err != nil {
		return 1
	}
	return min(max(v, 1), maxColumns)
}

func (p *parser) cell(n *html.Node) []token {
	var nodes []*node
	inner := &parser{images: p.images, proxy: p.proxy, sizes: p.sizes, title: p.title, speaks: p.speaks, into: &nodes,
		depth: p.depth}
	inner.children(n)
	inner.flush()
	var line []token
	for _, b := range nodes {
		if len(line) > 0 && len(b.line) > 0 {
			line = append(line, token{kind: breaking})
		}
		line = append(line, b.line...)
	}
	return line
}

// fitsPhone reports whether the longest words of all columns fit next to each other.
func fitsPhone(rows [][]cell, size tableSize) bool {
	need := 0
	for i := range rows[0] {
		longest := 1
		for _, r := range rows {
			longest = max(longest, longestWord(plainText(r[i].line)))
		}
		need += longest*size.character + size.padding
	}
	return need <= phoneWidth
}

func longestWord(s string) int {
	longest := 0
	for w := range strings.FieldsSeq(s) {
		n := widthOf(w)
		if strings.ContainsFunc(w, wide) {
			n = min(n, 4) // it may break anywhere
		}
		longest = max(longest, n)
	}
	return longest
}

// isShort reports whether a table has no head row, and only cells that are short enough for one line together.
func isShort(rows [][]cell) bool {
	for _, c := range rows[0] {
		if c.head {
			return false
		}
	}
	for _, r := range rows {
		width := 0
		for _, c := range r {
			cellWidth := widthOf(plainText(c.line))
			if cellWidth > shortCell || slices.ContainsFunc(c.line, func(t token) bool { return t.kind == breaking }) {
				return false
			}
			width += cellWidth
		}
		if width > textColumns {
			return false
		}
	}
	return true
}

// inLines returns each row of a table as a line.
func inLines(rows [][]cell) (line []token) {
	for i, r := range rows {
		if i > 0 {
			line = append(line, token{kind: breaking})
		}
		some := false
		for _, c := range r {
			if len(c.line) == 0 {
				continue
			}
			if some {
				line = append(line, token{kind: word, text: " · "})
			}
			line, some = append(line, c.line...), true
		}
	}
	return line
}

// stack converts a table that is too wide for a phone: each row becomes a paragraph, and each cell gets the name of its
// column.
func (p *parser) stack(b *node) {
	rows, heads := b.rows, []cell(nil)
	if len(rows) > 1 && !slices.ContainsFunc(rows[0], func(c cell) bool { return !c.head }) {
		rows, heads = rows[1:], rows[0]
	}
	for _, r := range rows {
		var line []token
		for i, c := range r {
			if len(c.line) == 0 {
				continue
			}
			if len(line) > 0 {
				line = append(line, token{kind: breaking})
			}
			switch {
			case heads != nil && len(heads[i].line) > 0 && i > 0:
				line = append(append(line, heads[i].line...), token{kind: word, text: ": "})
				line = append(line, c.line...)
			case i == 0 || c.head:
				line = append(append(line, token{kind: opening, name: "strong"}), c.line...)
				line = append(line, token{kind: closing})
			default:
				line = append(line, c.line...)
			}
		}
		p.put(&node{kind: paragraph, lang: b.lang, dir: b.dir, line: line})
	}
}

func isFigure(line []token) bool {
	s := strings.TrimSpace(plainText(line))
	if s == "" || utf8.RuneCountInString(s) > 16 || !strings.ContainsFunc(s, unicode.IsDigit) {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool {
		return !unicode.IsDigit(r) && !strings.ContainsRune(".,+-−%$€£ \u00a0\u202f×", r)
	})
}
