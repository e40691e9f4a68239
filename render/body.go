package render

import (
	"strings"

	"digest"
)

// A body is the full text of a post, set once for one way of showing pictures
// and shared by all its readers. It may be cut where its stops are.
type body struct {
	html, text piece  // all of the post, with its headline
	refs       piece  // text: the addresses of its links, by number
	stops      []stop // in the order of the text
	onward     pair   // the way to the rest
	teaser     pair   // the post as its excerpt with that way on
}

// A stop is a place after which nothing more of a body need be shown.
type stop struct {
	html, text, refs size
	close            string // HTML: the ends of what is open there
}

// body is the post's full text; nil if it has none.
func (b *Post) body(images digest.Images) *body {
	if b.content == "" {
		return nil
	}
	l := &b.plainBody
	switch images {
	case digest.LinkedImages:
		l = &b.linkedBody
	case digest.ProxiedImages:
		l = &b.proxiedBody
	default:
		images = digest.NoImages
	}
	return l.get(func() *body { return b.setBody(images) })
}

func (b *Post) setBody(images digest.Images) *body {
	tree := b.beyondTitle(grow(b.content, images, b.proxy))
	if tree == nil {
		return nil
	}
	s := &setter{numbers: map[string]int{}}
	s.top(b, tree)
	s.blocks(tree, s.base)
	s.bottom(b)
	b.grown.Add(int64(s.body.bytes()))
	return &s.body
}

// beyondTitle is tree without the headline once more; nil if there is nothing else.
func (b *Post) beyondTitle(tree []*block) []*block {
	if len(tree) > 0 && tree[0].kind == heading && clean(plainText(tree[0].line), titleColumns) == b.Title {
		tree = tree[1:]
	}
	if len(tree) == 0 || len(tree) == 1 && clean(plainText(tree[0].line), titleColumns) == b.Title {
		return nil
	}
	return tree
}

func (y *body) bytes() int {
	n := 256 + 112*len(y.stops)
	for _, p := range [...]piece{y.html, y.text, y.refs, y.onward.html, y.onward.text, y.teaser.html, y.teaser.text} {
		n += len(p.plain) + len(p.coded)
	}
	return n
}

// A twin is a text in the making, as it is and quoted-printable.
type twin struct {
	plain, coded strings.Builder
}

// write adds text, which ends with a line feed or is empty.
func (t *twin) write(s string) {
	t.plain.WriteString(s)
	quote(&t.coded, s)
}

func (t *twin) size() size   { return size{t.plain.Len(), t.coded.Len()} }
func (t *twin) piece() piece { return piece{t.plain.String(), t.coded.String()} }

func (p piece) upTo(s size) piece { return piece{p.plain[:s.plain], p.coded[:s.coded]} }

// A setter sets a tree as HTML and as text in one walk, so that both can be cut
// at the same places.
type setter struct {
	body             body
	html, text, refs twin
	w                strings.Builder // HTML not yet in html: it goes there a line at a time
	closers          []string
	base             where
	numbers          map[string]int // of the links in the text
	began            bool           // some text is set
}

// where says what is around a block.
type where struct {
	dir, lang string
	indent    string // text: before each line
	tight     bool   // text: no empty line before it
	listed    int    // lists around it
}

// top writes the headline, and decides in what direction the whole is set.
func (s *setter) top(b *Post, tree []*block) {
	s.base = b.around(tree)
	s.w.WriteString(postTopHTML(b))
	s.w.WriteString(`<div class="tx" dir="` + s.base.dir + `"` + align(s.base.dir, textStyle(s.base, tree)) + ">\n")
	s.push("</div>\n")
	s.text.write(postTopText(b))
}

// around is in what direction and language the whole text is set.
func (b *Post) around(tree []*block) where {
	at := where{dir: "ltr", lang: b.Language}
	if rtl, ltr := countBlocks(tree); rtl > ltr || rtl > 0 && rtlLanguage(b.Language) {
		at.dir = "rtl"
	}
	return at
}

// bottom ends the post, and writes the way on for those who get it cut.
func (s *setter) bottom(b *Post) {
	s.pop()
	s.w.WriteString("</div>\n")
	s.line()
	s.body.html, s.body.text, s.body.refs = s.html.piece(), s.text.piece(), s.refs.piece()
	s.body.onward = pair{newPiece(onwardHTML(b, onwardStyle)), newPiece(onwardText(b))}
	s.body.teaser = pair{newPiece(teaserHTML(b)), newPiece(teaserText(b))}
}

// maxSet is how much of a post is set, in bytes of both versions: some three
// times what a mail can show, so that what is cut off here never shows. A long
// address that is never closed stands again in each line after it.
const maxSet = 300_000

func (s *setter) full() bool {
	return s.html.plain.Len()+s.w.Len()+s.text.plain.Len()+s.refs.plain.Len() > maxSet
}

func (s *setter) push(end string) { s.closers = append(s.closers, end) }

func (s *setter) pop() {
	n := len(s.closers) - 1
	s.w.WriteString(s.closers[n])
	s.closers = s.closers[:n]
}

// line moves the HTML of whole lines to where it is counted.
func (s *setter) line() {
	s.html.write(s.w.String())
	s.w.Reset()
}

// mark notes that the post may be cut here.
func (s *setter) mark() {
	s.line()
	var end strings.Builder
	for i := len(s.closers) - 1; i >= 1; i-- { // the outermost is closed after the way on
		end.WriteString(s.closers[i])
	}
	s.body.stops = append(s.body.stops, stop{s.html.size(), s.text.size(), s.refs.size(), end.String()})
}

// countBlocks counts the letters of blocks by their direction.
func countBlocks(blocks []*block) (rtl, ltr int) {
	for _, b := range blocks {
		r, l := b.count()
		rtl, ltr = rtl+r, ltr+l
	}
	return rtl, ltr
}

// count counts the letters of a block by their direction; code has none.
func (b *block) count() (rtl, ltr int) {
	if b.kind == code {
		return 0, 0
	}
	rtl, ltr = countBlocks(b.kids)
	add := func(line []token) {
		for _, t := range line {
			r, l := countLetters(t.text)
			rtl, ltr = rtl+r, ltr+l
		}
	}
	add(b.line)
	for _, r := range b.rows {
		for _, c := range r {
			add(c.line)
		}
	}
	return rtl, ltr
}

// direction is the block's own, else its letters', else that of what is around it.
func (b *block) direction(around where) string {
	if b.dir != "" {
		return b.dir
	}
	if b.kind == code {
		return "ltr"
	}
	rtl, ltr := b.count()
	switch {
	case rtl == 0 && ltr == 0:
		return around.dir
	case rtl > ltr, rtl > 0 && rtlLanguage(around.lang):
		return "rtl"
	}
	return "ltr"
}
