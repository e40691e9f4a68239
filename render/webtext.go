package render

import (
	"html"
	"slices"
	"strconv"
	"strings"

	"digest"
)

// A WebText is a post's full text for a page in a browser. Nothing of its HTML
// is the feed's but text, the names of elements, languages and directions, and
// addresses that were looked at: no class, style, id or handler.
type WebText struct {
	HTML      string // may stand in a page as it is
	Dir       string // "ltr" or "rtl", of the whole
	Shortened bool   // the post is too long to be shown whole
}

// WebText sets the full text with its headings from level on, 2 to 6; false if
// there is no more to it than its title. Without pictures their descriptions
// stand in their place. What a block once set for one level is kept for
// whoever asks for that level again.
func (b *Post) WebText(level int, pictures bool) (WebText, bool) {
	if b.content == "" {
		return WebText{}, false
	}
	key := webKey{max(2, min(level, 6)), pictures}
	if kept, ok := b.web.Load(key); ok {
		t := kept.(WebText)
		return t, t.HTML != ""
	}
	t := b.setWeb(key)
	if _, had := b.web.LoadOrStore(key, t); !had {
		b.grown.Add(int64(len(t.HTML)))
	}
	return t, t.HTML != ""
}

// webKey is what a block is set for.
type webKey struct {
	level    int
	pictures bool
}

func (b *Post) setWeb(key webKey) WebText {
	g := &grower{images: digest.NoImages, proxy: b.proxy, browser: true}
	if key.pictures {
		g.images = digest.ProxiedImages
	}
	tree := b.beyondTitle(g.grow(b.content))
	if tree == nil {
		return WebText{}
	}
	s := &webSetter{level: key.level, before: key.level - 1, ranks: ranksOf(tree)}
	at := b.around(tree)
	s.blocks(tree, at)
	return WebText{HTML: s.w.String(), Dir: at.dir, Shortened: g.shortened || s.full()}
}

// maxWeb is how much of a post is set, in bytes.
const maxWeb = 1 << 20

// A webSetter sets a tree as HTML for our style sheet.
type webSetter struct {
	w      strings.Builder
	level  int   // of the highest heading
	before int   // level of the heading before
	ranks  []int // that headings have, highest first
	tables int
}

func (s *webSetter) full() bool { return s.w.Len() > maxWeb }

// ranksOf gives the ranks of all headings of a tree, each once, in order.
func ranksOf(tree []*block) []int {
	var ranks []int
	for _, b := range tree {
		if b.kind == heading {
			ranks = append(ranks, b.rank)
		}
		ranks = append(ranks, ranksOf(b.kids)...)
	}
	slices.Sort(ranks)
	return slices.Compact(ranks)
}

func (s *webSetter) blocks(blocks []*block, at where) {
	for i := 0; i < len(blocks) && !s.full(); i++ {
		b := blocks[i]
		if b.kind == paragraph && i+1 < len(blocks) && blocks[i+1].kind == caption && onlyPicture(b.line) {
			s.figure(b, blocks[i+1], at)
			i++
			continue
		}
		s.block(b, at)
	}
}

func (s *webSetter) block(b *block, at where) {
	switch b.kind {
	case divider:
		s.w.WriteString("<hr>\n")
	case code:
		s.w.WriteString(`<pre dir="ltr"><code>`)
		for i, l := range lines(b.line) {
			if i > 0 {
				s.w.WriteString("\n")
			}
			s.inline(l, at)
		}
		s.w.WriteString("</code></pre>\n")
	case table:
		s.table(b, at)
	case list:
		s.list(b, at)
	case item: // outside of a list there is none
		s.blocks(b.kids, at)
	case quotation:
		tag, class := "blockquote", ""
		if b.rank == definition {
			tag, class = "div", ` class="set-in"`
		}
		s.around(tag, class, b, at)
	case heading:
		s.leaf("h"+strconv.Itoa(s.headingLevel(b.rank)), "", b, at)
	case caption:
		s.leaf("p", ` class="caption"`, b, at)
	case term:
		s.leaf("p", ` class="term"`, b, at)
	default:
		s.leaf("p", "", b, at)
	}
}

// headingLevel puts a post's heading below the page's own: the highest that the
// post has comes first, and none is skipped on the way down.
func (s *webSetter) headingLevel(rank int) int {
	s.before = min(s.level+slices.Index(s.ranks, rank), s.before+1, 6)
	return s.before
}

func (s *webSetter) leaf(tag, class string, b *block, at where) {
	attrs, inside := b.attrs(at)
	s.w.WriteString("<" + tag + class + attrs + ">")
	s.inline(b.line, inside)
	s.w.WriteString("</" + tag + ">\n")
}

func (s *webSetter) around(tag, class string, b *block, at where) {
	attrs, inside := b.attrs(at)
	s.w.WriteString("<" + tag + class + attrs + ">\n")
	s.blocks(b.kids, inside)
	s.w.WriteString("</" + tag + ">\n")
}

func (s *webSetter) figure(picture, words *block, at where) {
	s.w.WriteString("<figure>\n")
	s.inline(picture.line, at)
	s.leaf("figcaption", "", words, at)
	s.w.WriteString("</figure>\n")
}

// list sets a list; the first paragraph of an entry stands beside its mark.
func (s *webSetter) list(b *block, at where) {
	attrs, inside := b.attrs(at)
	tag := "ul"
	if b.ordered {
		tag = "ol"
		if b.start != 1 {
			attrs += ` start="` + strconv.Itoa(b.start) + `"`
		}
	}
	s.w.WriteString("<" + tag + attrs + ">\n")
	for _, k := range b.kids {
		if s.full() {
			break
		}
		s.item(k, inside)
	}
	s.w.WriteString("</" + tag + ">\n")
}

func (s *webSetter) item(b *block, at where) {
	attrs, inside := b.attrs(at)
	s.w.WriteString("<li" + attrs + ">")
	kids := b.kids
	if len(kids) > 0 && kids[0].kind == paragraph && !(len(kids) > 1 && kids[1].kind == caption) {
		s.inline(kids[0].line, inside)
		kids = kids[1:]
	}
	if len(kids) > 0 {
		s.w.WriteString("\n")
		s.blocks(kids, inside)
	}
	s.w.WriteString("</li>\n")
}

// table sets data in a frame of its own that scrolls where the page is narrow,
// and which can be reached and moved by keyboard.
func (s *webSetter) table(b *block, at where) {
	attrs, inside := b.attrs(at)
	s.tables++
	s.w.WriteString(`<div class="scroll" role="region" tabindex="0" aria-label="Table ` + strconv.Itoa(s.tables) + `"><table` + attrs + ">\n")
	figures := figureColumns(b.rows)
	for i, r := range b.rows {
		if s.full() {
			break
		}
		s.w.WriteString("<tr>")
		for k, c := range r {
			tag, class := "td", ""
			if c.head && len(c.line) > 0 {
				tag = "th"
				class = scope(c, i)
			}
			if figures[k] && i+k > 0 {
				class += ` class="number"`
			}
			s.w.WriteString("<" + tag + class + ">")
			s.inline(c.line, inside)
			s.w.WriteString("</" + tag + ">")
		}
		s.w.WriteString("</tr>\n")
	}
	s.w.WriteString("</table></div>\n")
}

func (s *webSetter) inline(line []token, at where) {
	var ends []string
	for i, t := range line {
		switch t.kind {
		case word:
			s.w.WriteString(escape(t.text))
		case breaking:
			s.w.WriteString("<br>\n")
		case pictured:
			s.picture(t.pic)
		case opening:
			tag, attrs := webOpening(t, line[i:closes(line, i)])
			s.w.WriteString("<" + tag + attrs + ">")
			ends = append(ends, "</"+tag+">")
		case closing:
			s.w.WriteString(ends[len(ends)-1])
			ends = ends[:len(ends)-1]
		}
	}
}

func webOpening(t token, inside []token) (tag, attrs string) {
	if t.lang != "" {
		attrs += ` lang="` + t.lang + `"`
	}
	if t.dir != "" {
		attrs += ` dir="` + t.dir + `"`
	}
	switch t.name {
	case "a":
		attrs += ` href="` + html.EscapeString(t.href) + `" rel="noopener noreferrer"`
	case "em":
		if !hasItalics(plainText(inside)) {
			attrs += ` class="upright"`
		}
	case "code":
		if t.dir == "" {
			attrs += ` dir="ltr"`
		}
	}
	return t.name, attrs
}

// picture sets a picture. One whose size is not known gets a frame by its
// class, so that nothing moves when it arrives.
func (s *webSetter) picture(p *picture) {
	if p.shown == "" {
		s.w.WriteString(`<span class="absent">` + html.EscapeString(p.said()) + "</span>")
		return
	}
	class := ""
	switch {
	case p.width > 0 && p.height > 0:
		class = ` width="` + strconv.Itoa(p.width) + `" height="` + strconv.Itoa(p.height) + `"`
	case p.small:
		class = ` class="small"`
	default:
		class = ` class="unsized"`
	}
	s.w.WriteString(`<img src="` + html.EscapeString(local(p.shown)) + `" alt="` + html.EscapeString(p.words) + `"` + class + ` loading="lazy" decoding="async">`)
}

// local is the path of an address on this instance, under whatever name the
// page was reached.
func local(address string) string {
	_, rest, _ := strings.Cut(address, "://")
	if i := strings.IndexByte(rest, '/'); i >= 0 {
		return rest[i:]
	}
	return "/"
}
