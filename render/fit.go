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

// A plan says how much is shown of each post.
type plan struct {
	all   depth     // of every post, where each is nil
	each  [][]depth // by site and post
	shown int
	index bool // headlines at the top
	rows  bool // they have bylines
	below bool // posts below them
	level int  // bytes that a full text may take, quoted-printable
}

func (p *plan) of(site, post int) depth {
	if p.each == nil {
		return p.all
	}
	return p.each[site][post]
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
	p := plan{index: true, each: make([][]depth, len(e.Sites))}
	for i, s := range e.Sites {
		p.each[i] = make([]depth, len(s.Blocks))
	}
	used := e.headlines(&p, frame.plus(newPiece(e.moreHTML(e.posts)).size()), room)
	if p.shown == e.posts && e.Layout != digest.Headlines {
		e.excerpts(&p, used, room)
	}
	return p
}

// plans are those in which all posts are shown alike, the best first.
func (e *press) plans() []plan {
	p := plan{shown: e.posts, index: e.posts > 1, below: e.posts > 0}
	deep := func(d depth) plan { p.all = d; return p }
	switch {
	case e.posts == 0:
		return []plan{p}
	case e.Layout == digest.Headlines:
		return []plan{{all: headline, shown: e.posts, index: true, rows: true}}
	case e.Layout == digest.FullText:
		return []plan{deep(whole), deep(short)}
	}
	return []plan{deep(full), deep(short)}
}

// measure is the size of all sites and posts at one depth.
func (e *press) measure(p *plan) size {
	var n size
	for i := range e.Sites {
		s := &e.Sites[i]
		if p.below {
			n = n.plus(s.parts.head.size())
		}
		if p.index && p.below {
			n = n.plus(s.parts.label.size())
		} else if p.index {
			n = n.plus(s.top().size())
		}
		for j, b := range s.Blocks {
			if p.index {
				n = n.plus(b.indexed(p).html.size()).plus(s.late(j).line.size())
			}
			if p.below {
				n = n.plus(e.below(b, p, p.all)).plus(s.late(j).head.size())
			}
		}
	}
	return n
}

// headlines gives a headline to each post, or to as many as there is room for:
// the first of every site, then the second of every site, and so on.
func (e *press) headlines(p *plan, used, room size) size {
	e.rounds(func(site, post int) bool {
		s := &e.Sites[site]
		need := s.Blocks[post].line.size().plus(s.late(post).line.size())
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

// excerpts turns headlines into short posts in the same order while there is room.
func (e *press) excerpts(p *plan, used, room size) {
	e.rounds(func(site, post int) bool {
		s := &e.Sites[site]
		need := s.Blocks[post].short().html.size().plus(s.late(post).head.size())
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
		for site := range e.Sites {
			if post >= len(e.Sites[site].Blocks) {
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
