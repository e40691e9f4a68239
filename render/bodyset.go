package render

import (
	"strconv"
	"strings"
)

// codeChunk is how many lines of code stay together where a post is cut.
const codeChunk = 24

// blocks sets blocks one after the other.
func (s *setter) blocks(blocks []*block, at where) {
	for i, b := range blocks {
		if s.full() {
			return
		}
		var next *block
		if i+1 < len(blocks) {
			next = blocks[i+1]
		}
		s.block(b, next, at)
		at.tight = false
	}
}

func (s *setter) block(b, next *block, at where) {
	switch b.kind {
	case divider:
		s.w.WriteString(`<p class="by" style="` + dividerStyle + `">* * *</p>` + "\n")
		s.words(at, "* * *")
	case code:
		s.code(b, at)
	case table:
		s.table(b, at)
	case list:
		s.list(b, at)
	case item: // outside of a list there is none
		s.blocks(b.kids, at)
	case quotation:
		s.quote(b, at)
	default:
		captioned := next != nil && next.kind == caption && onlyPicture(b.line)
		s.leafHTML(b, at, captioned)
		s.leafText(b, at)
		if b.kind != heading && b.kind != term && !captioned { // these belong to what comes after
			s.mark()
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

func (s *setter) quote(b *block, at where) {
	attrs, inside := b.attrs(at)
	tag, class, ltr, rtl, indent := "blockquote", ` class="hair"`, quoteStyle, quoteStyleRTL, "> "
	if b.rank == definition {
		tag, class, ltr, rtl, indent = "div", "", setInStyle, setInStyleRTL, "    "
	}
	if inside.dir == "rtl" {
		ltr = rtl
	}
	s.w.WriteString("<" + tag + class + attrs + turned(at, inside, ltr) + ">\n")
	s.push("</" + tag + ">\n")
	s.gap(at)
	inside.indent = at.indent + indent
	inside.tight = true
	s.blocks(b.kids, inside)
	s.pop()
}

// list sets a list. It runs in one direction, so that its marks stand on one side.
func (s *setter) list(b *block, at where) {
	attrs, inside := b.attrs(at)
	tag := "ul"
	if b.ordered {
		tag = "ol"
		if b.start != 1 {
			attrs += ` start="` + strconv.Itoa(b.start) + `"`
		}
	}
	style := listStyle
	switch {
	case at.listed > 0 && inside.dir == "rtl":
		style = innerStyleRTL
	case at.listed > 0:
		style = innerListStyle
	case inside.dir == "rtl":
		style = listStyleRTL
	}
	s.w.WriteString("<" + tag + attrs + turned(at, inside, style) + ">\n")
	s.push("</" + tag + ">\n")
	if at.listed == 0 {
		s.gap(at)
	}
	inside.listed++
	for i, k := range b.kids {
		if s.full() {
			break
		}
		mark := "* "
		if b.ordered {
			mark = strconv.Itoa(b.start+i) + ". "
		}
		s.item(k, inside, mark)
	}
	s.pop()
}

// item sets an entry. Its first line follows its mark.
func (s *setter) item(b *block, at where, mark string) {
	attrs, inside := "", at
	if b.lang != "" && !strings.EqualFold(b.lang, at.lang) {
		attrs, inside.lang = ` lang="`+b.lang+`"`, b.lang
	}
	s.w.WriteString("<li" + attrs + ` style="` + itemStyle + `">`)
	s.push("</li>\n")
	inside.indent = at.indent + "  " + mark
	inside.tight = true
	kids := b.kids
	if len(kids) > 0 && kids[0].kind == paragraph {
		s.entry(kids[0], inside)
		kids = kids[1:]
	} else {
		s.w.WriteString("\n")
		s.text.write(strings.TrimRight(inside.indent, " ") + "\n")
	}
	inside.indent = at.indent + strings.Repeat(" ", 2+len(mark))
	for i, k := range kids {
		inside.tight = k.kind == list || i == 0 && len(kids) == len(b.kids)
		s.block(k, nil, inside)
	}
	s.pop()
}

// entry sets the first paragraph of an item. One that runs against its list
// keeps its own order within the line.
func (s *setter) entry(p *block, at where) {
	if d := p.direction(at); d != at.dir {
		s.w.WriteString(`<span dir="` + d + `">`)
		s.inlineHTML(p.line, at)
		s.w.WriteString("</span>\n")
	} else {
		s.inlineHTML(p.line, at)
		s.w.WriteString("\n")
	}
	s.leafText(p, at)
	s.mark()
}

// code sets lines whose spaces count, on a ground of their own. They are not
// pre, whose long lines would widen a phone's page in clients that do not know
// how to wrap them: every second space is one that does not collapse.
func (s *setter) code(b *block, at where) {
	all := lines(b.line)
	s.w.WriteString(`<table role="presentation" class="cd" dir="ltr" width="100%" cellpadding="0" cellspacing="0" border="0" style="` +
		codeTableStyle + `"><tbody><tr><td class="cd" style="` + codeCellStyle + `"><code style="` + codeStyle + `">` + "\n")
	s.push("</code></td></tr></tbody></table>\n")
	s.gap(at)
	for i, l := range all {
		last := i == len(all)-1 || s.full()
		s.inlineHTML(solid(l), at)
		if !last {
			s.w.WriteString("<br>")
		}
		s.w.WriteString("\n")
		s.codeText(l, at)
		if last {
			break
		}
		if (i+1)%codeChunk == 0 {
			s.mark()
		}
	}
	s.pop()
	s.mark()
}

// solid keeps the spaces of a line of code from collapsing, and what it is set
// in by from being left alone on a line.
func solid(line []token) []token {
	out := make([]token, 0, len(line)+1)
	begun, space := false, true
	for _, t := range line {
		if t.kind == word {
			var b strings.Builder
			for _, r := range t.text {
				begun = begun || r != ' '
				if r == ' ' && (space || !begun) {
					r = '\u00a0'
				}
				space = r == ' '
				b.WriteRune(r)
			}
			t.text = b.String()
		}
		out = append(out, t)
	}
	return out
}

// table sets data in rows and columns, figures flush with their last digit.
func (s *setter) table(b *block, at where) {
	attrs, inside := b.attrs(at)
	s.w.WriteString("<table" + attrs + ` cellpadding="0" cellspacing="0" border="0"` + turned(at, inside, tableStyle) + ">\n<tbody>\n")
	s.push("</tbody>\n</table>\n")
	s.tableText(b, at)
	figures := figureColumns(b.rows)
	for i, r := range b.rows {
		if s.full() {
			break
		}
		s.w.WriteString("<tr>\n")
		for k, c := range r {
			tag, style := "td", cellStyle
			if c.head {
				tag = "th"
				style += ";font-weight:700"
			}
			switch {
			case figures[k] && i+k > 0:
				style += ";text-align:right"
			case inside.dir == "rtl":
				style += ";text-align:right"
			default:
				style += ";text-align:left"
			}
			s.w.WriteString("<" + tag + ` class="hair"` + scope(c, i) + ` style="` + style + `">`)
			s.inlineHTML(c.line, inside)
			s.w.WriteString("</" + tag + ">\n")
		}
		s.w.WriteString("</tr>\n")
	}
	s.pop()
	s.mark()
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

// figureColumns tells which columns hold figures, but for their heads.
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
