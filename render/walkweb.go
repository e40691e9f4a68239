package render

import (
	"html"
	"slices"
	"strconv"
	"strings"

	"digest"
	"digest/internal/catalogue"
)

// A WebText is a post's full text for a web page. From the feed its HTML contains only text, names of elements,
// languages, directions and checked addresses. It contains no class, style, id or handler of the feed.
type WebText struct {
	HTML      string // safe for inclusion in a page
	Dir       string // "ltr" or "rtl", of the whole text
	Shortened bool   // the post was too long and is cut
}

func (t WebText) bytes() int { return len(t.HTML) }

type webKey struct {
	level    int
	pictures bool
}

// WebText returns the full text with headings from level on, 2 to 6. It returns false if the text only repeats the
// title. Without pictures it shows their descriptions. sizes are the stored sizes of pictures. The result is cached.
func (p *Post) WebText(level int, pictures bool, sizes map[string]digest.PictureSize) (WebText, bool) {
	key := webKey{max(2, min(level, 6)), pictures}
	if !pictures {
		sizes = nil
	}
	t := cachedSized(p, key, sizes, func() WebText { return p.writeWeb(key, sizes) })
	return t, t.HTML != ""
}

func (p *Post) writeWeb(key webKey, sizes map[string]digest.PictureSize) WebText {
	ps := &parser{images: digest.NoImages, sizes: sizes, url: p.URL, title: p.Title, proxy: p.r.proxy, film: p.Film,
		browser: true,
		speaks:  p.r.lang}
	if key.pictures {
		ps.images = digest.ProxiedImages
	}
	tree := p.beyondTitle(ps.parse(p.content))
	if tree == nil {
		return WebText{}
	}
	w := &webWriter{r: p.r, level: key.level, before: key.level - 1, ranks: ranksOf(tree)}
	at := p.around(tree)
	walk(w, tree, at)
	return WebText{HTML: strings.Clone(w.out.String()), Dir: at.dir, Shortened: ps.shortened || w.full()}
}

// maxWeb limits the written text of a post, in bytes.
const maxWeb = 1 << 20

// A webWriter writes HTML for the style sheet of our pages.
type webWriter struct {
	markup
	r      *Renderer
	level  int // of the highest heading
	before int
	ranks  []int // of the post's headings, highest first
	tables int
}

func (w *webWriter) full() bool { return w.out.Len() > maxWeb }

func ranksOf(tree []*node) []int {
	var ranks []int
	for _, n := range tree {
		if n.kind == heading {
			ranks = append(ranks, n.rank)
		}
		ranks = append(ranks, ranksOf(n.kids)...)
	}
	slices.Sort(ranks)
	return slices.Compact(ranks)
}

// headingLevel returns the level of a heading below the headings of the page. The post's highest rank has the first
// level, and no level is skipped.
func (w *webWriter) headingLevel(rank int) int {
	w.before = min(w.level+slices.Index(w.ranks, rank), w.before+1, 6)
	return w.before
}

func (w *webWriter) divider(place) { w.out.WriteString("<hr>\n") }

func (w *webWriter) leaf(n *node, at place) {
	switch n.kind {
	case heading:
		w.element("h"+strconv.Itoa(w.headingLevel(n.rank)), "", n, at)
	case caption:
		w.element("p", ` class="caption"`, n, at)
	case term:
		w.element("p", ` class="term"`, n, at)
	default:
		w.element("p", "", n, at)
	}
}

func (w *webWriter) element(tag, class string, n *node, at place) {
	attrs, _ := n.attrs(at)
	w.out.WriteString("<" + tag + class + attrs + ">")
	w.line(n.line)
	w.out.WriteString("</" + tag + ">\n")
}

func (w *webWriter) figure(picture, caption *node, at place) {
	w.out.WriteString("<figure>\n")
	w.line(picture.line)
	w.element("figcaption", "", caption, at)
	w.out.WriteString("</figure>\n")
}

func (w *webWriter) code(lines [][]token, _ place) {
	w.out.WriteString(`<pre dir="ltr"><code>`)
	for i, l := range lines {
		if i > 0 {
			w.out.WriteString("\n")
		}
		w.line(l)
	}
	w.out.WriteString("</code></pre>\n")
}

func (w *webWriter) open(n *node, at place) place {
	attrs, inside := n.attrs(at)
	tag, more, end := "blockquote", "", "\n"
	switch {
	case n.kind == list:
		tag, more = n.listTag()
	case n.kind == item:
		tag, more, end = "li", n.value(), "" // its first paragraph is on the same line as its mark
	case n.rank == definition:
		tag, more = "div", ` class="set-in"`
	}
	if n.kind == list {
		attrs, more = attrs+more, ""
	}
	w.out.WriteString("<" + tag + more + attrs + ">" + end)
	w.push("</" + tag + ">\n")
	return inside
}

func (w *webWriter) beside(kids []*node, _ place, _ string) bool {
	written := len(kids) > 0 && kids[0].kind == paragraph && !(len(kids) > 1 && kids[1].kind == caption)
	if written {
		w.line(kids[0].line)
		kids = kids[1:]
	}
	if len(kids) > 0 {
		w.out.WriteString("\n")
	}
	return written
}

// table writes a table in a container that scrolls on narrow pages and can be focused by keyboard.
func (w *webWriter) table(n *node, figures []bool, at place) {
	attrs, _ := n.attrs(at)
	w.tables++
	w.out.WriteString(`<div class="scroll" role="group" tabindex="0" aria-label="` +
		html.EscapeString(w.r.Say(catalogue.Key("Table %d").With(w.tables))) + `"><table` + attrs + ">\n")
	for i, r := range n.rows {
		if w.full() {
			break
		}
		w.out.WriteString("<tr>")
		for k, c := range r {
			tag, class := "td", ""
			if c.head && len(c.line) > 0 {
				tag, class = "th", scope(c, i)
			}
			if figures[k] && i+k > 0 {
				class += ` class="number"`
			}
			w.out.WriteString("<" + tag + class + ">")
			w.line(c.line)
			w.out.WriteString("</" + tag + ">")
		}
		w.out.WriteString("</tr>\n")
	}
	w.out.WriteString("</table></div>\n")
}

func (w *webWriter) line(line []token) { writeLine(&w.out, line, webOpening, webPicture) }

func webOpening(t token, inside []token) (tag, attrs string) {
	switch {
	case t.name == "a":
		attrs = htmlAttr("href", t.href) + ` rel="noopener noreferrer"`
		if slices.ContainsFunc(inside, func(t token) bool { return t.pic != nil && t.pic.film }) {
			attrs += ` class="film"`
		}
	case t.name == "em" && !hasItalics(plainText(inside)):
		attrs = ` class="upright"`
	}
	return t.name, attrs
}

// webPicture returns the HTML of a picture. The class of a picture of unknown size reserves space, so that the page
// does not move when it loads. A picture almost as wide as the column fills it.
func webPicture(p *picture) string {
	if p.shown == "" {
		return `<span class="absent">` + html.EscapeString(p.said()) + "</span>"
	}
	size := ` class="unsized"`
	switch {
	case p.width > 0 && p.height > 0:
		size = numberAttr("width", p.width) + numberAttr("height", p.height)
		if p.width >= leastFilling && p.height <= p.width*5/4 {
			size = ` class="wide"` + size
		}
	case p.small:
		size = ` class="small"`
	}
	return "<img" + htmlAttr("src", local(p.shown)) + htmlAttr("alt",
		p.words) + size + ` loading="lazy" decoding="async">`
}

// leastFilling is the width in CSS pixels from which a picture fills the column of a page. Tall pictures keep their
// size, because they would fill the screen.
const leastFilling = 360

// local returns the path of an address on this instance, because readers may use another host name.
func local(address string) string {
	_, rest, _ := strings.Cut(address, "://")
	if i := strings.IndexByte(rest, '/'); i >= 0 {
		return rest[i:]
	}
	return "/"
}
