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

// A body is the full text of a post for email. It is written once for each display of pictures, and all readers share
// it. It can be cut at its cut points.
type body struct {
	all    pair  // the text below the byline
	refs   piece // text: the addresses of its links, numbered, after an empty line
	end    piece // text: the address of the post
	cuts   []cutPoint
	onward pair // the link to the rest
	teaser pair // the excerpt with that link
	size   int
}

type cutPoint struct {
	html, text, refs size
	close            piece // HTML: the end tags of open elements
}

// body returns the post's full text with the stored sizes of its pictures. For a post without content it returns the
// excerpt.
func (p *Post) body(images digest.Images, sizes map[string]digest.PictureSize) *body {
	if images != digest.ProxiedImages {
		sizes = nil
	}
	return cachedSized(p, images, sizes, func() *body { return p.writeBody(images, sizes) })
}

func (p *Post) writeBody(images digest.Images, sizes map[string]digest.PictureSize) *body {
	ps := &parser{images: images, sizes: sizes, url: p.URL, title: p.Title, proxy: p.r.proxy, film: p.Film,
		speaks: p.r.lang}
	tree := p.beyondTitle(ps.parse(p.content))
	if tree == nil {
		all := p.rest
		if p.Untitled { // an untitled post has no ending
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

func (y *body) pack() {
	all := []*string{&y.all.html.coded, &y.all.text.coded, &y.refs.coded, &y.end.coded,
		&y.onward.html.coded, &y.onward.text.coded, &y.teaser.html.coded, &y.teaser.text.coded}
	y.cuts = slices.Clip(slices.Clone(y.cuts))
	for i := range y.cuts {
		all = append(all, &y.cuts[i].close.coded)
	}
	y.size = bodyBytes + pack(all...) + pointBytes*len(y.cuts)
}

// Bytes of memory of a body and of a cutPoint without their strings.
const (
	bodyBytes  = 256
	pointBytes = 72
)

const maxLeftover = 700

// beyondTitle returns tree without repetitions of the headline and without a final paragraph that names the first place
// of publication. It returns nil if nothing is left.
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

// isHead reports whether a heading or paragraph contains only the title. A heading with a link to another site is no
// head, and neither is a paragraph with a link to another page.
func (p *Post) isHead(n *node) bool {
	elsewhere := func(t token) bool {
		page, _, _ := strings.Cut(t.href, "#")
		return page != "" && page != p.URL && (n.kind == paragraph || hostAndPort(page) != hostAndPort(p.URL))
	}
	if n.kind != heading && n.kind != paragraph || slices.ContainsFunc(n.line, elsewhere) {
		return false
	}
	return repeats(clean(n.text(), maxLeftover), p.Title)
}

// withoutHeads returns tree without the heads at its beginning. Pictures may come before and between them.
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

func (p *Post) around(tree []*node) place {
	all := (&node{kids: tree}).counted()
	at := place{dir: "ltr", lang: p.Language}
	if runsLeft(all.rtl, all.ltr, p.Language) {
		at.dir = "rtl"
	}
	return at
}

func (y *body) bytes() int { return y.size }

// continueLabel returns the text of the link to the rest of a post.
func continueLabel(p *Post) string {
	if p.URL == "" {
		return p.r.Say(leftOut())
	}
	if host := p.Host(); host != "" {
		return p.r.Say(catalogue.Key("Continue reading at %s").With(host))
	}
	return p.r.Say(catalogue.Key("Continue reading"))
}

// Host returns the host of the author's page without "www.", or "".
func (p *Post) Host() string {
	u, err := url.Parse(weburl.Escaped(p.URL))
	if err != nil {
		return ""
	}
	return clean(strings.TrimPrefix(u.Hostname(), "www."), 60)
}

// leftOut returns the notice for a cut post without a page of its own.
func leftOut() catalogue.Sayable {
	return catalogue.Key("The rest of this post is too long for an email.")
}

// textEnd closes a cut text and its post.
func textEnd() piece { return piece{"</div>\r\n</div>\r\n", len("</div>\n</div>\n")} }

// An extent is the part of a post's full text that is shown.
type extent [4]pair

// extent returns the longest extent of at most level bytes, or the excerpt.
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

// raise sets the level so that all full texts together use the available room. Short texts stay whole, and long ones
// are cut at about the same length, so that none displaces others. used is the size at the plan's current level.
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

type fullText struct {
	*body
	lead size // size of the picture above the excerpt
}

// sizeAt returns the size of its longest extent of at most level bytes.
func (y fullText) sizeAt(level int) size {
	x := y.extent(level)
	if y.isTeaser(x) {
		return x.size().plus(y.lead)
	}
	return x.size()
}

func (y *body) isTeaser(x extent) bool { return x == extent{y.teaser} }

// fullTexts returns the full texts of all posts that are shown whole. The longest come first, because they show soonest
// that a level is too high.
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
