package render

import (
	"net/url"
	"slices"
	"sort"
	"strings"

	"digest"
	"digest/internal/catalogue"
	"digest/internal/weburl"
)

// A body is the full text of a post as mail has it, written once for one way of
// showing pictures and shared by all its readers. It may be cut where its cuts are.
type body struct {
	all    pair       // what stands below the byline
	refs   piece      // text: the addresses of its links, by number, below an empty line
	end    piece      // text: its own address
	cuts   []cutPoint // in the order of the text
	onward pair       // the way to the rest
	teaser pair       // the post as its excerpt with that way on
	size   int        // bytes of memory that it takes
}

// A cutPoint is a place after which nothing more of a body need be shown.
type cutPoint struct {
	html, text, refs size
	close            piece // HTML: the ends of what is open there
}

// body is the post's full text, its pictures in the sizes that were learned; of a post that has none it is its excerpt.
func (p *Post) body(images digest.Images, sizes map[string]digest.PictureSize) *body {
	if images != digest.ProxiedImages {
		sizes = nil
	}
	return cachedSized(p, images, sizes, func() *body { return p.writeBody(images, sizes) })
}

func (p *Post) writeBody(images digest.Images, sizes map[string]digest.PictureSize) *body {
	ps := &parser{images: images, sizes: sizes, title: p.Title, proxy: p.r.proxy, film: p.Film, speaks: p.r.lang}
	tree := p.beyondTitle(ps.parse(p.content))
	if tree == nil {
		all := p.rest
		if p.Untitled { // whose rest has no end
			all.html = p.r.rest.piece(p.data())
		}
		return &body{all: all, teaser: all, size: bodyBytes + len(all.html.coded)}
	}
	w := &mailWriter{numbers: map[string]int{}, styles: p.r.styles}
	at := p.around(tree)
	w.out.WriteString(`<div class="tx" dir="` + at.dir + `"` + htmlAttr("style", textStyle(at, tree, w.styles)) + ">\n")
	w.push("</div>\n")
	walk(w, tree, at)
	w.close()
	w.out.WriteString("</div>\n")
	w.flush()
	y := &body{all: pair{w.html.piece(), w.text.piece()}, refs: w.refs.piece(), cuts: w.cuts}
	if p.URL != "" {
		y.end = newText("\n" + p.URL + "\n")
	}
	d := p.data()
	d.Continue = continueLabel(p)
	y.onward = pair{p.r.onward.piece(d), newText(onwardText(p))}
	d.Teaser = true
	y.teaser = pair{p.r.teaser.piece(d), newText(excerptText(p.Excerpt) + onwardText(p))}
	y.pack()
	return y
}

// pack makes one string of the body.
func (y *body) pack() {
	all := []*string{&y.all.html.coded, &y.all.text.coded, &y.refs.coded, &y.end.coded,
		&y.onward.html.coded, &y.onward.text.coded, &y.teaser.html.coded, &y.teaser.text.coded}
	y.cuts = slices.Clip(slices.Clone(y.cuts))
	for i := range y.cuts {
		all = append(all, &y.cuts[i].close.coded)
	}
	y.size = bodyBytes + pack(all...) + pointBytes*len(y.cuts)
}

// The memory of a body and of a cutPoint beside their strings, in bytes.
const (
	bodyBytes  = 256
	pointBytes = 72
)

// maxLeftover is the width in columns of the longest end of a program.
const maxLeftover = 700

// beyondTitle is tree without the headline once more, and without where it appeared first; nil if there is nothing else.
func (p *Post) beyondTitle(tree []*node) []*node {
	if !p.Untitled {
		tree = withoutHeads(tree, p.isHead)
	}
	if last := len(tree) - 1; last > 0 && tree[last].kind == paragraph {
		if words := clean(tree[last].text(), maxLeftover); appearedFrom(words, p.Title) == 0 {
			tree = tree[:last]
		}
	}
	if len(tree) == 0 || len(tree) == 1 && clean(tree[0].text(), maxLeftover) == p.Title {
		return nil
	}
	return tree
}

// isHead reports whether a heading or paragraph only says the title. One that leads elsewhere than the headline says
// where, too: to another site, or of a paragraph to another page.
func (p *Post) isHead(n *node) bool {
	elsewhere := func(t token) bool {
		page, _, _ := strings.Cut(t.href, "#")
		return page != "" && page != p.URL && (n.kind == paragraph || hostOf(page) != hostOf(p.URL))
	}
	if n.kind != heading && n.kind != paragraph || slices.ContainsFunc(n.line, elsewhere) {
		return false
	}
	return repeats(clean(n.text(), maxLeftover), p.Title)
}

// withoutHeads is tree without the heads at its beginning, however many; pictures may stand before and between them.
func withoutHeads(tree []*node, isHead func(*node) bool) []*node {
	kept := make([]*node, 0, len(tree))
	for i, n := range tree {
		switch {
		case isHead(n):
		case n.kind == divider, n.kind == caption, n.kind == paragraph && onlyPicture(n.line):
			kept = append(kept, n)
		default:
			return trimRules(append(kept, tree[i:]...))
		}
	}
	return trimRules(kept)
}

// around is in what direction and language the whole text is set.
func (p *Post) around(tree []*node) place {
	all := (&node{kids: tree}).counted()
	at := place{dir: "ltr", lang: p.Language}
	if runsLeft(all.rtl, all.ltr, p.Language) {
		at.dir = "rtl"
	}
	return at
}

func (y *body) bytes() int { return y.size }

// continueLabel says where the rest of a post is.
func continueLabel(p *Post) string {
	if p.URL == "" {
		return p.r.Say(leftOut())
	}
	if host := p.Host(); host != "" {
		return p.r.Say(catalogue.Key("Continue reading at %s").With(host))
	}
	return p.r.Say(catalogue.Key("Continue reading"))
}

// Host is the name of the site that the author's page is on; empty if there is none.
func (p *Post) Host() string {
	u, err := url.Parse(weburl.Escaped(p.URL))
	if err != nil {
		return ""
	}
	return clean(strings.TrimPrefix(u.Hostname(), "www."), 60)
}

// leftOut is said of a post that has no page of its own.
func leftOut() catalogue.Sayable {
	return catalogue.Key("The rest of this post is too long for an email.")
}

// textEnd closes a text that was cut, and its post.
func textEnd() piece { return piece{"</div>\r\n</div>\r\n", len("</div>\n</div>\n")} }

// An extent is how much of a post's full text is shown: up to so many pieces.
type extent [4]pair

// extent is the most of the full text that takes at most level bytes, or the
// excerpt.
func (y *body) extent(level int) extent {
	html := y.all.html
	if len(html.coded) <= max(level, len(y.teaser.html.coded)) {
		return extent{y.all, {text: y.refs}, {text: y.end}}
	}
	room := level - len(y.onward.html.coded) - len(textEnd().coded)
	n := sort.Search(len(y.cuts), func(i int) bool { return y.cuts[i].html.coded > room })
	for n > 0 && y.cuts[n-1].html.coded+len(y.cuts[n-1].close.coded) > room {
		n--
	}
	if n == 0 || y.cuts[n-1].html.plain <= y.teaser.html.plain {
		return extent{y.teaser}
	}
	c := &y.cuts[n-1]
	return extent{{html.upTo(c.html), y.all.text.upTo(c.text)}, {c.close, y.refs.upTo(c.refs)}, y.onward,
		{html: textEnd()}}
}

// size is that of the HTML.
func (x *extent) size() size {
	var n size
	for i := range x {
		n = n.plus(x[i].html.size())
	}
	return n
}

func (b *both) addExtent(x extent) {
	for _, p := range x {
		b.add(p)
	}
}

// raise finds the level at which all full texts together take the room there
// is: short ones are whole, and long ones are cut at about the same length, so
// that none pushes out others. used is what is taken at the plan's level.
func (m *mail) raise(p *plan, used, room size) {
	texts := m.fullTexts(p)
	if len(texts) == 0 {
		return
	}
	fixed := used
	for _, y := range texts {
		fixed = fixed.minus(y.sizeAt(p.level))
	}
	fits := func(level int) bool {
		n := fixed
		for _, y := range texts {
			if n = n.plus(y.sizeAt(level)); !n.within(room) {
				return false
			}
		}
		return true
	}
	if fits(maxCoded) {
		p.level = maxCoded
		return
	}
	p.level = max(0, sort.Search(maxCoded, func(level int) bool { return !fits(level) })-1)
}

// A fullText is the full text of a post in a mail.
type fullText struct {
	*body
	lead size // of the picture above the excerpt that may stand in its place
}

// sizeAt is the size of the most of it that takes at most level bytes.
func (y fullText) sizeAt(level int) size {
	x := y.extent(level)
	if y.isTeaser(x) {
		return x.size().plus(y.lead)
	}
	return x.size()
}

// isTeaser reports whether an extent is the excerpt in place of the text.
func (y *body) isTeaser(x extent) bool { return x == extent{y.teaser} }

// fullTexts are those of all posts that are shown whole, the longest first: they
// say soonest that a level is too high.
func (m *mail) fullTexts(p *plan) []fullText {
	var all []fullText
	for i, s := range m.Sections {
		for j, post := range s.Posts {
			if m.depth(p, i, j) == whole {
				var lead pieces
				m.addPicture(&lead, &s, j, full)
				all = append(all, fullText{post.body(m.Images, m.PictureSizes), lead.size()})
			}
		}
	}
	slices.SortFunc(all, func(a, b fullText) int { return len(b.all.html.coded) - len(a.all.html.coded) })
	return all
}
