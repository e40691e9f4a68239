package render

import (
	"slices"
	"sort"
)

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
func (m *mail) extent(b *Post, level int) extent {
	y := b.body(m.Images)
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
func (m *mail) below(b *Post, p *plan, d depth) size {
	if d != whole {
		return b.excerpted(d).html.size()
	}
	x := m.extent(b, p.level)
	switch {
	case x.body == nil:
		return b.excerpt.html.size()
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
func (m *mail) postHTML(to *pieces, b *Post, p *plan, d depth) {
	if d != whole {
		to.add(b.excerpted(d).html)
		return
	}
	x := m.extent(b, p.level)
	switch {
	case x.body == nil:
		to.add(b.excerpt.html)
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
func (m *mail) postText(to *pieces, b *Post, p *plan, d depth) {
	if d != whole {
		to.add(b.excerpted(d).text)
		return
	}
	x := m.extent(b, p.level)
	refs, end := piece{}, piece{}
	switch {
	case x.body == nil:
		to.add(b.excerpt.text)
		return
	case x.cuts == asExcerpt:
		to.add(x.body.teaser.text)
		return
	case x.cuts == allOfIt:
		to.add(x.body.text)
		refs = x.body.refs
		if b.URL != "" {
			end = newPiece("\n" + b.URL + "\n")
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
