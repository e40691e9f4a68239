package render

import "digest"

// The limits of the HTML: Gmail clips a message at about 102 KB, and it is not
// known of which form. A little is kept back for an encoder other than ours.
const (
	maxPlain = 94_500
	maxCoded = 99_000
)

// A depth is how much of a post is shown.
type depth uint8

const (
	omitted depth = iota
	headline
	short
	full
	whole // the full text, or as much of it as the plan's level says
)

// A plan says how much is shown of each post. Of a site that wants less than all
// it is no more than that.
type plan struct {
	all   depth     // of every post, where each is nil; of a site's rest a headline
	each  [][]depth // by site and post, those of its rest last
	shown int
	index bool // headlines at the top
	below bool // posts below them
	level int  // bytes that a full text may take, quoted-printable
}

// depth is how much is shown of a post.
func (e *press) depth(p *plan, site, post int) depth {
	switch {
	case p.each != nil:
		return p.each[site][post]
	case post >= len(e.Sections[site].Posts):
		return headline
	}
	return min(p.all, e.most(site))
}

// most is how much of a site's posts is shown where there is room.
func (e *press) most(site int) depth {
	if e.mosts == nil {
		return e.deepest
	}
	return e.mosts[site]
}

// setMosts finds how much is shown of each site's posts; most pages show all alike.
func (e *press) setMosts() {
	e.deepest = layoutDepth(e.Layout)
	for i := range e.Sections {
		if e.Sections[i].Display != "" && e.mosts == nil {
			e.mosts = make([]depth, len(e.Sections))
		}
	}
	if e.mosts == nil {
		return
	}
	e.deepest = headline
	for i, s := range e.Sections {
		e.mosts[i] = layoutDepth(e.LayoutOf(s))
		e.deepest = max(e.deepest, e.mosts[i])
	}
}

func layoutDepth(l digest.Layout) depth {
	switch l {
	case digest.Headlines:
		return headline
	case digest.FullText:
		return whole
	}
	return full
}

// sets reports whether a site's posts, or some of them, stand below the index.
func (e *press) sets(p *plan, site int) bool {
	return p.below && e.depth(p, site, 0) >= short
}

// indexes is how many posts of a site are in the index: all but a rest that is
// listed below its posts.
func (e *press) indexes(p *plan, site int) int {
	s := &e.Sections[site]
	if p.each == nil && e.sets(p, site) {
		return len(s.Posts)
	}
	return s.posts()
}

// rows reports whether the headlines of a site have bylines: in a paper of
// headlines, where nothing of them stands below.
func (e *press) rows(p *plan, site int) bool {
	return e.Layout == digest.Headlines && p.each == nil && !e.sets(p, site)
}

// fit decides how much is shown, the most that is within the limits.
func (e *press) fit() plan {
	room := size{plain: maxPlain, coded: maxCoded}
	frame := e.frame.total
	for _, p := range e.plans() {
		if frame.plus(e.measure(&p)).within(room) {
			if p.all == whole {
				e.raise(&p, frame, room)
			}
			return p
		}
	}
	p := plan{index: true, each: make([][]depth, len(e.Sections))}
	for i := range e.Sections {
		p.each[i] = make([]depth, e.Sections[i].posts())
	}
	used := e.headlines(&p, frame.plus(newPiece(e.moreHTML(e.posts)).size()), room)
	if p.shown == e.posts && e.deepest > headline {
		e.excerpts(&p, used, room)
	}
	return p
}

// plans are those in which all posts are shown alike, as far as their sites want
// it, the best first.
func (e *press) plans() []plan {
	p := plan{shown: e.posts, below: e.posts > 0 && e.deepest > headline}
	p.index = e.posts > 1 || e.posts == 1 && !p.below
	deep := func(d depth) plan { p.all = d; return p }
	switch {
	case e.posts == 0:
		return []plan{p}
	case e.deepest == headline:
		return []plan{deep(headline)}
	}
	return []plan{deep(e.deepest), deep(short)}
}

// measure is the size of all sites and posts at one depth.
func (e *press) measure(p *plan) size {
	var n size
	for i := range e.Sections {
		s := &e.Sections[i]
		if p.index {
			n = n.plus(e.measureIndex(p, i))
		}
		if !e.sets(p, i) {
			continue
		}
		n = n.plus(s.parts.head.size())
		d := e.depth(p, i, 0)
		for j, b := range s.Posts {
			n = n.plus(e.below(b, p, d)).plus(s.late(j).head.size())
		}
		if len(s.Rest) > 0 {
			n = n.plus(e.measureRest(s))
		}
	}
	return n
}

func (e *press) measureIndex(p *plan, site int) size {
	s := &e.Sections[site]
	n := s.top().size()
	if e.sets(p, site) {
		n = s.parts.label.size()
	}
	rows := e.rows(p, site)
	for j := range e.indexes(p, site) {
		n = n.plus(s.block(j).indexed(rows).html.size()).plus(s.late(j).line.size())
	}
	return n
}

func (e *press) measureRest(s *Section) size {
	n := s.restOpen().size().plus(restClosePiece.size())
	for _, b := range s.Rest {
		n = n.plus(b.line.size())
	}
	return n
}

// headlines gives a headline to each post, or to as many as there is room for:
// the first of every site, then the second of every site, and so on.
func (e *press) headlines(p *plan, used, room size) size {
	e.rounds(func(site, post int) bool {
		s := &e.Sections[site]
		need := s.block(post).line.size().plus(s.late(post).line.size())
		if post == 0 {
			need = need.plus(s.top().size()) // a little more than the label
		}
		if !used.plus(need).within(room) {
			return false
		}
		used = used.plus(need)
		p.each[site][post] = headline
		p.shown++
		return true
	})
	return used
}

// excerpts turns headlines into short posts in the same order while there is
// room, but for those of which no more is wanted.
func (e *press) excerpts(p *plan, used, room size) {
	e.rounds(func(site, post int) bool {
		s := &e.Sections[site]
		if post >= len(s.Posts) || e.most(site) == headline {
			return true
		}
		need := s.Posts[post].short().html.size().plus(s.late(post).head.size())
		if post == 0 {
			need = need.plus(s.parts.head.size())
		}
		if !used.plus(need).within(room) {
			return false
		}
		used = used.plus(need)
		p.each[site][post] = short
		p.below = true
		return true
	})
}

// rounds calls f for the first post of every site, then the second of every
// site, until f says no.
func (e *press) rounds(f func(site, post int) bool) {
	for post := 0; ; post++ {
		more := false
		for site := range e.Sections {
			if post >= e.Sections[site].posts() {
				continue
			}
			more = true
			if !f(site, post) {
				return
			}
		}
		if !more {
			return
		}
	}
}
