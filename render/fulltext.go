package render

import (
	"net/url"
	"slices"
	"sort"
	"strings"

	"digest"
)

// A body is the full text of a post as mail has it, written once for one way of
// showing pictures and shared by all its readers. It may be cut where its cuts are.
type body struct {
	html, text piece      // all of the post, with its headline
	refs       piece      // text: the addresses of its links, by number
	cuts       []cutPoint // in the order of the text
	onward     pair       // the way to the rest
	teaser     pair       // the post as its excerpt with that way on
}

// A cutPoint is a place after which nothing more of a body need be shown.
type cutPoint struct {
	html, text, refs size
	close            string // HTML: the ends of what is open there
}

// body is the post's full text; nil if it has none.
func (p *Post) body(images digest.Images) *body {
	if p.content == "" {
		return nil
	}
	l := &p.plainBody
	switch images {
	case digest.LinkedImages:
		l = &p.linkedBody
	case digest.ProxiedImages:
		l = &p.proxiedBody
	default:
		images = digest.NoImages
	}
	return l.get(func() *body { return p.writeBody(images) })
}

func (p *Post) writeBody(images digest.Images) *body {
	tree := p.beyondTitle(parseTree(p.content, images, p.r.proxy))
	if tree == nil {
		return nil
	}
	w := &mailWriter{numbers: map[string]int{}}
	at := p.around(tree)
	w.html.writePiece(p.r.top.piece(p.data()))
	w.out.WriteString(`<div class="tx" dir="` + at.dir + `"` + htmlAttr("style", textStyle(at, tree)) + ">\n")
	w.push("</div>\n")
	w.text.write(postTopText(p))
	walk(w, tree, at)
	w.close()
	w.out.WriteString("</div>\n")
	w.flush()
	d := p.data()
	d.Continue = continueLabel(p)
	y := &body{html: w.html.piece(), text: w.text.piece(), refs: w.refs.piece(), cuts: w.cuts}
	y.onward = pair{p.r.onward.piece(d), newPiece(onwardText(p))}
	d.Teaser = true
	y.teaser = pair{p.r.teaser.piece(d), newPiece(teaserText(p))}
	p.grown.Add(int64(y.bytes()))
	return y
}

// beyondTitle is tree without the headline once more; nil if there is nothing else.
func (p *Post) beyondTitle(tree []*node) []*node {
	saysTitle := func(n *node) bool { return clean(plainText(n.line), titleColumns) == p.Title }
	if len(tree) > 0 && tree[0].kind == heading && saysTitle(tree[0]) {
		tree = tree[1:]
	}
	if len(tree) == 0 || len(tree) == 1 && saysTitle(tree[0]) {
		return nil
	}
	return tree
}

// around is in what direction and language the whole text is set.
func (p *Post) around(tree []*node) place {
	all := (&node{kids: tree}).counted()
	at := place{dir: "ltr", lang: p.Language}
	if all.rtl > all.ltr || all.rtl > 0 && rtlLanguage(p.Language) {
		at.dir = "rtl"
	}
	return at
}

func (y *body) bytes() int {
	return 256 + 112*len(y.cuts) + y.html.bytes() + y.text.bytes() + y.refs.bytes() + y.onward.bytes() + y.teaser.bytes()
}

// continueLabel says where the rest of a post is.
func continueLabel(p *Post) string {
	if p.URL == "" {
		return leftOut
	}
	if host := p.Host(); host != "" {
		return "Continue reading at " + host
	}
	return "Continue reading"
}

// Host is the name of the site that the author's page is on; empty if there is none.
func (p *Post) Host() string {
	u, err := url.Parse(p.URL)
	if err != nil {
		return ""
	}
	return clean(strings.TrimPrefix(u.Hostname(), "www."), 60)
}

// leftOut is said of a post that has no page of its own.
const leftOut = "The rest of this post is too long for a mail."

// An extent is how much of a post's full text is shown.
type extent struct {
	body *body // nil: it has none
	cuts int   // all of it, its excerpt, or up to that cut, counted from 1
}

// The extents that are no cut.
const (
	allOfIt   = -1
	asExcerpt = 0
)

// textEnd closes a text that was cut, and its post.
func textEnd() piece { return piece{"</div>\n</div>\n", "</div>\r\n</div>\r\n"} }

// extent is the most of b that takes at most level bytes, or its excerpt.
func (m *mail) extent(p *Post, level int) extent {
	y := p.body(m.Images)
	if y == nil {
		return extent{nil, asExcerpt}
	}
	if len(y.html.coded) <= max(level, len(y.teaser.html.coded)) {
		return extent{y, allOfIt}
	}
	room := level - len(y.onward.html.coded) - textEnd().size().coded
	n := sort.Search(len(y.cuts), func(i int) bool { return y.cuts[i].html.coded > room })
	for n > 0 && y.cuts[n-1].html.coded+closeSize(y.cuts[n-1]).coded > room {
		n--
	}
	if n > 0 && y.cuts[n-1].html.plain > len(y.teaser.html.plain) {
		return extent{y, n}
	}
	return extent{y, asExcerpt}
}

// closeSize is the size of a cut's end tags, which are a line each.
func closeSize(c cutPoint) size {
	tags := 0
	for i := range len(c.close) {
		if c.close[i] == '\n' {
			tags++
		}
	}
	return size{plain: len(c.close), coded: len(c.close) + tags}
}

// below is the size of a post below the index.
func (m *mail) below(p *Post, at *plan, d depth) size {
	if d != whole {
		return p.excerpted(d).html.size()
	}
	x := m.extent(p, at.level)
	switch {
	case x.body == nil:
		return p.excerpt.html.size()
	case x.cuts == allOfIt:
		return x.body.html.size()
	case x.cuts == asExcerpt:
		return x.body.teaser.html.size()
	}
	c := x.body.cuts[x.cuts-1]
	return c.html.plus(closeSize(c)).plus(x.body.onward.html.size()).plus(textEnd().size())
}

// raise finds the level at which all full texts together take the room there
// is: short ones are whole, and long ones are cut at about the same length, so
// that none pushes out others.
func (m *mail) raise(p *plan, frame, room size) {
	posts := m.wholePosts()
	fixed := frame.plus(m.measure(p))
	for _, b := range posts {
		fixed = fixed.minus(m.below(b, p, whole))
	}
	fits := func(level int) bool {
		at := plan{level: level}
		n := fixed
		for _, b := range posts {
			if n = n.plus(m.below(b, &at, whole)); !n.within(room) {
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

// wholePosts are all posts that are shown whole, those with the longest texts
// first: they say soonest that a level is too high.
func (m *mail) wholePosts() []*Post {
	var all []*Post
	for i, s := range m.Sections {
		if m.most(i) == whole {
			all = append(all, s.Posts...)
		}
	}
	slices.SortStableFunc(all, func(a, b *Post) int { return len(b.content) - len(a.content) })
	return all
}

// postHTML adds a post below the index.
func (m *mail) postHTML(to *pieces, p *Post, at *plan, d depth) {
	if d != whole {
		to.add(p.excerpted(d).html)
		return
	}
	x := m.extent(p, at.level)
	switch {
	case x.body == nil:
		to.add(p.excerpt.html)
	case x.cuts == allOfIt:
		to.add(x.body.html)
	case x.cuts == asExcerpt:
		to.add(x.body.teaser.html)
	default:
		c := x.body.cuts[x.cuts-1]
		to.add(x.body.html.upTo(c.html))
		to.add(newPiece(c.close))
		to.add(x.body.onward.html)
		to.add(textEnd())
	}
}

// postText adds the same as text.
func (m *mail) postText(to *pieces, p *Post, at *plan, d depth) {
	if d != whole {
		to.add(p.excerpted(d).text)
		return
	}
	x := m.extent(p, at.level)
	refs, end := piece{}, piece{}
	switch {
	case x.body == nil:
		to.add(p.excerpt.text)
		return
	case x.cuts == asExcerpt:
		to.add(x.body.teaser.text)
		return
	case x.cuts == allOfIt:
		to.add(x.body.text)
		refs = x.body.refs
		if p.URL != "" {
			end = newPiece("\n" + p.URL + "\n")
		}
	default:
		c := x.body.cuts[x.cuts-1]
		to.add(x.body.text.upTo(c.text))
		refs, end = x.body.refs.upTo(c.refs), x.body.onward.text
	}
	if refs.plain != "" { // the addresses of its links
		to.add(emptyLine())
		to.add(refs)
	}
	to.add(end)
	to.add(emptyLine())
	to.add(emptyLine())
}
