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

// textEndHTML closes a text that was cut, and its post.
var textEndPiece = newPiece("</div>\n</div>\n")

// extent is the most of b that takes at most level bytes, or its excerpt.
func (e *press) extent(b *Post, level int) extent {
	y := b.body(e.Images)
	if y == nil {
		return extent{nil, asExcerpt}
	}
	if len(y.html.coded) <= max(level, len(y.teaser.html.coded)) {
		return extent{y, allOfIt}
	}
	room := level - len(y.onward.html.coded) - len(textEndPiece.coded)
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
func (e *press) below(b *Post, p *plan, d depth) size {
	if d != whole {
		return b.excerpted(d).html.size()
	}
	x := e.extent(b, p.level)
	switch {
	case x.body == nil:
		return b.full.size()
	case x.cuts == allOfIt:
		return x.body.html.size()
	case x.cuts == asExcerpt:
		return x.body.teaser.html.size()
	}
	c := x.body.cuts[x.cuts-1]
	return c.html.plus(closeSize(c)).plus(x.body.onward.html.size()).plus(textEndPiece.size())
}

// raise finds the level at which all full texts together take the room there
// is: short ones are whole, and long ones are cut at about the same length, so
// that none pushes out others.
func (e *press) raise(p *plan, frame, room size) {
	blocks := e.blocks()
	fixed := frame.plus(e.measure(p))
	for _, b := range blocks {
		fixed = fixed.minus(e.below(b, p, whole))
	}
	fits := func(level int) bool {
		at := plan{level: level}
		n := fixed
		for _, b := range blocks {
			if n = n.plus(e.below(b, &at, whole)); !n.within(room) {
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

// blocks are all posts that are shown whole, those with the longest texts first: they say soonest
// that a level is too high.
func (e *press) blocks() []*Post {
	var all []*Post
	for i, s := range e.Sections {
		if e.most(i) == whole {
			all = append(all, s.Posts...)
		}
	}
	slices.SortStableFunc(all, func(a, b *Post) int { return len(b.content) - len(a.content) })
	return all
}

// postHTML sets a post below the index.
func (e *press) postHTML(s *sheet, b *Post, p *plan, d depth) {
	if d != whole {
		s.add(b.excerpted(d).html)
		return
	}
	x := e.extent(b, p.level)
	switch {
	case x.body == nil:
		s.add(b.full)
	case x.cuts == allOfIt:
		s.add(x.body.html)
	case x.cuts == asExcerpt:
		s.add(x.body.teaser.html)
	default:
		c := x.body.cuts[x.cuts-1]
		s.add(x.body.html.upTo(c.html))
		s.write(c.close)
		s.add(x.body.onward.html)
		s.add(textEndPiece)
	}
}

// postText sets the same as text.
func (e *press) postText(s *sheet, b *Post, p *plan, d depth) {
	if d != whole {
		s.add(b.excerpted(d).text)
		return
	}
	x := e.extent(b, p.level)
	switch {
	case x.body == nil:
		s.add(b.entry)
	case x.cuts == allOfIt:
		s.add(x.body.text)
		s.refs(x.body.refs)
		if b.URL != "" {
			s.add(newPiece("\n" + b.URL + "\n"))
		}
		s.add(gapPiece)
	case x.cuts == asExcerpt:
		s.add(x.body.teaser.text)
	default:
		c := x.body.cuts[x.cuts-1]
		s.add(x.body.text.upTo(c.text))
		s.refs(x.body.refs.upTo(c.refs))
		s.add(x.body.onward.text)
		s.add(gapPiece)
	}
}

var gapPiece = newPiece("\n\n")

// refs adds the addresses of a post's links.
func (s *sheet) refs(p piece) {
	if p.plain != "" {
		s.add(blankPiece)
		s.add(p)
	}
}
