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
	refs       piece      // text: the addresses of its links, by number, below an empty line
	address    piece      // text: its own
	cuts       []cutPoint // in the order of the text
	onward     pair       // the way to the rest
	teaser     pair       // the post as its excerpt with that way on
}

// A cutPoint is a place after which nothing more of a body need be shown.
type cutPoint struct {
	html, text, refs size
	close            piece // HTML: the ends of what is open there
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
	y := &body{html: w.html.piece(), text: w.text.piece(), refs: w.refs.piece(), cuts: w.cuts}
	if p.URL != "" {
		y.address = newPiece("\n" + p.URL + "\n")
	}
	d := p.data()
	d.Continue = continueLabel(p)
	y.onward = pair{p.r.onward.piece(d), newPiece(onwardText(p))}
	d.Teaser = true
	y.teaser = pair{p.r.teaser.piece(d), newPiece(teaserText(p))}
	p.grown.Add(int64(y.bytes()))
	return y
}

// beyondTitle is tree without the headline once more; nil if there is nothing else.
func (p *Post) beyondTitle(tree []*node) []*node {
	saysTitle := func(n *node) bool { return clean(n.text(), titleColumns) == p.Title }
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
	return 256 + 144*len(y.cuts) + y.html.bytes() + y.text.bytes() + y.refs.bytes() + y.address.bytes() + y.onward.bytes() + y.teaser.bytes()
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

// textEnd closes a text that was cut, and its post.
func textEnd() piece { return piece{"</div>\n</div>\n", "</div>\r\n</div>\r\n"} }

// An extent is how much of a post's full text is shown, as HTML and as text: up
// to so many pieces each.
type extent struct {
	html [4]piece
	text [4]piece
}

// extent is the most of p's full text that takes at most level bytes, or its
// excerpt.
func (m *mail) extent(p *Post, level int) extent {
	y := p.body(m.Images)
	switch {
	case y == nil:
		return extent{[4]piece{p.excerpt.html}, [4]piece{p.excerpt.text}}
	case len(y.html.coded) <= max(level, len(y.teaser.html.coded)):
		return extent{[4]piece{y.html}, [4]piece{y.text, y.refs, y.address, textGap()}}
	}
	room := level - len(y.onward.html.coded) - len(textEnd().coded)
	n := sort.Search(len(y.cuts), func(i int) bool { return y.cuts[i].html.coded > room })
	for n > 0 && y.cuts[n-1].html.coded+len(y.cuts[n-1].close.coded) > room {
		n--
	}
	if n == 0 || y.cuts[n-1].html.plain <= len(y.teaser.html.plain) {
		return extent{[4]piece{y.teaser.html}, [4]piece{y.teaser.text}}
	}
	c := &y.cuts[n-1]
	return extent{
		[4]piece{y.html.upTo(c.html), c.close, y.onward.html, textEnd()},
		[4]piece{y.text.upTo(c.text), y.refs.upTo(c.refs), y.onward.text, textGap()},
	}
}

// sizeBelow is the size of a post below the index.
func (m *mail) sizeBelow(p *Post, level int, d depth) size {
	if d != whole {
		return p.excerpted(d).html.size()
	}
	x := m.extent(p, level)
	return x.size()
}

// size is that of the HTML.
func (x *extent) size() size {
	var n size
	for i := range x.html {
		n = n.plus(x.html[i].size())
	}
	return n
}

func (b *both) addExtent(x extent) {
	for _, p := range x.html {
		if p.plain != "" {
			b.html.add(p)
		}
	}
	for _, p := range x.text {
		if p.plain != "" {
			b.text.add(p)
		}
	}
}

// raise finds the level at which all full texts together take the room there
// is: short ones are whole, and long ones are cut at about the same length, so
// that none pushes out others.
func (m *mail) raise(p *plan, frame, room size) {
	posts := m.wholePosts()
	fixed := frame.plus(m.measure(p))
	for _, b := range posts {
		fixed = fixed.minus(m.sizeBelow(b, p.level, whole))
	}
	fits := func(level int) bool {
		n := fixed
		for _, b := range posts {
			if n = n.plus(m.sizeBelow(b, level, whole)); !n.within(room) {
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
