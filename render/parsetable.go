package render

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

const (
	maxColumns   = 12
	maxRows      = 300
	phoneWidth   = 340 // CSS pixels for a table on a phone
	columnWidth  = 8   // width of a character in a table
	cellPadding  = 16
	maxCellWords = 400 // bytes; longer text is not data
)

type cell struct {
	line []token
	head bool
}

// table parses a table by its purpose. A table of code and line numbers becomes code. A layout table becomes its
// content in order. A data table stays a table if it fits on a phone; otherwise every row becomes a paragraph.
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
	if !isData(rows) {
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
	case p.browser || fitsPhone(b.rows):
		p.put(b)
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

// isData reports whether a table contains data, and is not a layout table.
func isData(rows [][]*html.Node) bool {
	most := 0
	for _, r := range rows {
		most = max(most, len(r))
		for _, c := range r {
			if has(c, atom.Table, atom.Pre, atom.Ul, atom.Ol, atom.Blockquote, atom.Img, atom.H1, atom.H2, atom.H3,
				atom.H4) ||
				len(content(c)) > maxCellWords {
				return false
			}
		}
	}
	return len(rows) > 1 && most > 1 && most <= maxColumns && len(rows) <= maxRows
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
func fitsPhone(rows [][]cell) bool {
	need := 0
	for i := range rows[0] {
		longest := 1
		for _, r := range rows {
			longest = max(longest, longestWord(plainText(r[i].line)))
		}
		need += longest*columnWidth + cellPadding
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
