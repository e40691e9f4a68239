package render

import (
	"html"
	"slices"
	"strings"
)

// A mailWriter writes a post's text as HTML and plain text at the same time, so that both can be cut at the same
// positions.
type mailWriter struct {
	markup     // HTML that is not yet in html, which receives complete lines
	html       codedBuilder
	text, refs textBuilder
	cuts       []cutPoint
	numbers    map[string]int    // numbers of links in the plain text
	began      bool              // some plain text is written
	styles     map[string]string // see textStyles
}

// maxWritten limits the written bytes of both versions of a post. It is about three times the limit of an email, so
// readers never see this cut. An unclosed link repeats its address in each further line.
const maxWritten = 300_000

func (w *mailWriter) full() bool {
	return w.html.plain+w.out.Len()+w.text.plain+w.refs.plain > maxWritten
}

// flush encodes the HTML of complete lines.
func (w *mailWriter) flush() {
	w.html.write(w.out.String())
	w.out.Reset()
}

// cutHere records that the post may end here.
func (w *mailWriter) cutHere() {
	w.flush()
	var end strings.Builder
	for i := len(w.closers) - 1; i >= 1; i-- { // the outermost is closed after the link to the rest
		end.WriteString(w.closers[i])
	}
	w.cuts = append(w.cuts, cutPoint{w.html.size(), w.text.size(), w.refs.size(), newPiece(end.String())})
}

func (w *mailWriter) divider(at place) {
	w.out.WriteString(`<p class="by"` + w.styled("divider") + ">* * *</p>\n")
	w.words(at, at.indent, "* * *")
}

func (w *mailWriter) leaf(n *node, at place) {
	w.paragraph(n, at, false)
	if n.kind != heading && n.kind != term { // these belong to the next paragraph
		w.cutHere()
	}
}

func (w *mailWriter) figure(picture, caption *node, at place) {
	w.paragraph(picture, at, true)
	at.tight = false
	w.leaf(caption, at)
}

// paragraph writes a leaf; above means that its caption follows.
func (w *mailWriter) paragraph(n *node, at place, above bool) {
	attrs, inside := n.attrs(at)
	tag, class, style := "p", "", "paragraph"
	switch {
	case n.kind == heading && n.rank > 2:
		tag, class, style = "h4", ` class="hd"`, "minor-heading"
	case n.kind == heading:
		tag, class, style = "h4", ` class="hd"`, "heading"
	case n.kind == caption:
		class, style = ` class="by"`, "caption"
	case n.kind == term:
		style = "term"
	case above:
		style = "above-caption"
	case at.lists > 0:
		style = "further-paragraph"
	}
	w.out.WriteString("<" + tag + class + attrs + w.turned(at, inside, style) + ">")
	w.line(n.line)
	w.out.WriteString("</" + tag + ">\n")
	w.words(at, at.indent, w.lineText(n.line))
}

func (w *mailWriter) turned(around, inside place, style string) string {
	switch {
	case around.dir == inside.dir:
		return w.styled(style)
	case inside.dir == "rtl":
		return w.styled(style, ";text-align:right")
	}
	return w.styled(style, ";text-align:left")
}

func (w *mailWriter) styled(name string, more ...string) string {
	return ` style="` + w.styles[name] + strings.Join(more, "") + `"`
}

// open begins a list, an item or a quotation. A list has one direction, so that all its marks are on one side.
func (w *mailWriter) open(n *node, at place) place {
	if n.kind == item {
		attr, inside := n.langAttr(at)
		w.out.WriteString("<li" + n.value() + attr + w.styled("item") + ">")
		w.push("</li>\n")
		return inside
	}
	attrs, inside := n.attrs(at)
	tag, class, style := "blockquote", ` class="hair"`, "quote"
	switch {
	case n.kind == list:
		var start string
		tag, start = n.listTag()
		attrs, class, style = attrs+start, "", "list"
		if at.lists > 0 {
			style = "inner-list"
		}
	case n.rank == definition:
		tag, class, style = "div", "", "set-in"
	}
	if inside.dir == "rtl" {
		style += "-rtl"
	}
	w.out.WriteString("<" + tag + class + attrs + w.turned(at, inside, style) + ">\n")
	w.push("</" + tag + ">\n")
	if n.kind != list || at.lists == 0 {
		w.gap(at)
	}
	return inside
}

// beside writes an item's first paragraph. If its direction differs from the list, a span isolates it.
func (w *mailWriter) beside(kids []*node, at place, mark string) bool {
	first := strings.TrimSuffix(at.indent, strings.Repeat(" ", len(mark))) + mark
	if len(kids) == 0 || kids[0].kind != paragraph {
		w.out.WriteString("\n")
		w.text.write(strings.TrimRight(first, " ") + "\n")
		return false
	}
	p := kids[0]
	if d := p.direction(at); d != at.dir {
		w.out.WriteString(`<span dir="` + d + `">`)
		w.line(p.line)
		w.out.WriteString("</span>\n")
	} else {
		w.line(p.line)
		w.out.WriteString("\n")
	}
	w.words(at, first, w.lineText(p.line))
	w.cutHere()
	return true
}

// codeChunk is the number of lines of code between two cut points.
const codeChunk = 24

// code writes lines of code on their own background and keeps their spaces. It does not use pre, because some mail
// clients do not wrap its long lines and so widen the page on a phone. Every second space is a no-break space.
func (w *mailWriter) code(lines [][]token, at place) {
	w.out.WriteString(
		`<table role="presentation" class="cd" dir="ltr" width="100%" cellpadding="0" cellspacing="0" border="0"` +
			w.styled("code-table") + `><tbody><tr><td class="cd"` + w.styled("code-cell") +
			"><code" + w.styled("code") + ">\n")
	w.push("</code></td></tr></tbody></table>\n")
	w.gap(at)
	for i, l := range lines {
		last := i == len(lines)-1 || w.full()
		w.line(solid(l))
		if !last {
			w.out.WriteString("<br>")
		}
		w.out.WriteString("\n")
		w.codeText(l, at)
		if last {
			break
		}
		if (i+1)%codeChunk == 0 {
			w.cutHere()
		}
	}
	w.close()
	w.cutHere()
}

// solid replaces spaces of a line of code by no-break spaces: every second one, and all of the indentation, so that it
// stays with the first word.
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

func (w *mailWriter) table(n *node, figures []bool, at place) {
	attrs, inside := n.attrs(at)
	style, cellStyle := "table", "cell"
	if n.rank == smallTable {
		style, cellStyle = "small-table", "small-cell"
	}
	if !slices.ContainsFunc(n.rows, func(r []cell) bool {
		return slices.ContainsFunc(r,
			func(c cell) bool { return c.head })
	}) {
		attrs += ` role="presentation"` // a table of data would need headings
	}
	w.out.WriteString("<table" + attrs + ` cellpadding="0" cellspacing="0" border="0"` + w.turned(at, inside, style) +
		">\n<tbody>\n")
	w.push("</tbody>\n</table>\n")
	w.tableText(n, figures, at)
	for i, r := range n.rows {
		if w.full() {
			break
		}
		w.out.WriteString("<tr>\n")
		for k, c := range r {
			tag, weight, align := "td", "", ";text-align:left"
			if c.head {
				tag, weight = "th", ";font-weight:700"
			}
			if figures[k] && i+k > 0 || inside.dir == "rtl" {
				align = ";text-align:right"
			}
			w.out.WriteString("<" + tag + ` class="hair"` + scope(c, i) + w.styled(cellStyle, weight, align) + ">")
			w.line(c.line)
			w.out.WriteString("</" + tag + ">\n")
		}
		w.out.WriteString("</tr>\n")
	}
	w.close()
	w.cutHere()
}

func (w *mailWriter) line(line []token) { writeLine(&w.out, line, w.opening, w.picture) }

func (w *mailWriter) opening(t token, inside []token) (tag, attrs string) {
	switch t.name {
	case "a":
		return "a", htmlAttr("href", t.href) + w.styled("link")
	case "em":
		if !hasItalics(plainText(inside)) {
			return "em", w.styled("upright")
		}
	case "code":
		return "code", w.styled("inline-code")
	case "sub", "sup":
		return t.name, w.styled("raised")
	case "small":
		return "small", w.styled("small")
	case "mark":
		return "span", ` class="mk"` + w.styled("mark")
	}
	return t.name, ""
}

// emojiSide is the width of an emoji of unknown size, in CSS pixels.
const emojiSide = 20

func (w *mailWriter) picture(p *picture) string {
	style, width := "picture", p.width
	switch {
	case p.shown == "" && p.linked != "":
		return "<a" + htmlAttr("href", p.linked) + w.styled("link") + ">" + html.EscapeString(p.said()) + "</a>"
	case p.shown == "":
		return `<span class="by"` + w.styled("absent-picture") + ">" + html.EscapeString(p.said()) + "</span>"
	case p.small:
		style = "icon"
		if p.width == 0 && p.height == 0 {
			width = emojiSide
		}
	case p.width == 0: // Outlook ignores max-width
		style, width = "unsized-picture", Width
	}
	return "<img" + htmlAttr("src", p.shown) + htmlAttr("alt", p.words) + numberAttr("width",
		width) + numberAttr("height", p.height) +
		w.styled(style) + ">"
}

// textStyle returns the style of the whole text by its script. Scripts without word spaces, or with marks above and
// below the letters, need a larger line height.
func textStyle(at place, tree []*node, styles map[string]string) string {
	style := styles["text"]
	if at.dir == "rtl" {
		style = "text-align:right;" + style
	}
	switch {
	case at.dir == "rtl" && mostly(tree, arabic):
		return style + ";" + styles["text-arabic"]
	case mostly(tree, wide):
		return style + ";" + styles["text-wide"]
	}
	return style
}

func arabic(r rune) bool { return r >= 0x600 && r <= 0x8ff || r >= 0xfb50 && r <= 0xfeff }

// mostly reports whether more than half of the first characters satisfy such.
func mostly(tree []*node, such func(rune) bool) bool {
	yes, no := 0, 0
	var count func(nodes []*node)
	count = func(nodes []*node) {
		for _, n := range nodes {
			if yes+no > 400 {
				return
			}
			for _, r := range n.text() {
				switch {
				case such(r):
					yes++
				case r > ' ':
					no++
				}
			}
			count(n.kids)
		}
	}
	count(tree)
	return yes > no
}
