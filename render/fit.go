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

// A plan says how much is shown of each post. Of a section that wants less than all
// it is no more than that.
type plan struct {
	all   depth     // of every post, where each is nil; of a section's rest a headline
	each  [][]depth // by section and post, those of its rest last
	shown int
	index bool // headlines at the top
	below bool // posts below them
	level int  // bytes that a full text may take, quoted-printable

	top, posts *both // the index and the posts, as they are written
}

// size is that of the HTML that is written.
func (p *plan) size() size { return p.top.html.size().plus(p.posts.html.size()) }

// depth is how much is shown of a post.
func (m *mail) depth(p *plan, section, post int) depth {
	if p.each != nil {
		return p.each[section][post]
	}
	return min(p.all, m.wanted(section, post))
}

// wanted is how much is shown of a post where there is room.
func (m *mail) wanted(section, post int) depth {
	if post >= len(m.Sections[section].Posts) {
		return headline
	}
	return m.most[section]
}

// setMost finds how much is shown of each section's posts where there is room.
func (m *mail) setMost() {
	m.deepest = headline
	m.most = make([]depth, len(m.Sections))
	for i, s := range m.Sections {
		m.most[i] = layoutDepth(m.LayoutOf(s))
		m.deepest = max(m.deepest, m.most[i])
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

// sets reports whether a section's posts, or some of them, stand below the index.
func (m *mail) sets(p *plan, section int) bool {
	return p.below && m.depth(p, section, 0) >= short
}

// indexes is how many posts of a section are in the index: all but a rest that is
// listed below its posts.
func (m *mail) indexes(p *plan, section int) int {
	s := &m.Sections[section]
	if p.each == nil && m.sets(p, section) {
		return len(s.Posts)
	}
	return s.count()
}

// rows reports whether the headlines of a section have bylines: in an edition of
// headlines, where nothing of them stands below.
func (m *mail) rows(p *plan, section int) bool {
	return m.Layout == digest.Headlines && p.each == nil && !m.sets(p, section)
}

// fit decides how much is shown, the most that is within the limits, and writes it.
func (m *mail) fit() *plan {
	room := size{plain: maxPlain, coded: maxCoded}
	frame := m.frame.size()
	below := m.posts > 0 && m.deepest > headline
	p := &plan{shown: m.posts, below: below, index: m.posts > 1 || m.posts == 1 && !below}
	alike := []depth{m.deepest, short} // all posts, as far as their sections want it
	if !below {
		alike = alike[:1]
	}
	for _, p.all = range alike {
		m.write(p)
		if used := frame.plus(p.size()); used.within(room) {
			if p.all == whole {
				m.raise(p, used, room)
				m.write(p)
			}
			return p
		}
	}
	p = &plan{index: true, each: make([][]depth, len(m.Sections))}
	for i := range m.Sections {
		p.each[i] = make([]depth, m.Sections[i].count())
	}
	used, shown := m.deepen(p, headline, m.headlineSize, frame.plus(m.more(m.posts+m.left).html.size()), room)
	if p.shown = shown; shown == m.posts {
		_, excerpts := m.deepen(p, short, m.excerptSize, used, room)
		p.below = excerpts > 0
	}
	m.write(p)
	return p
}

// write writes what a plan shows.
func (m *mail) write(p *plan) { p.top, p.posts = m.index(p), m.below(p) }

// deepen shows posts at a depth, as many of those that want it as there is room for:
// the first of every section, then the second of every section, and so on. It gives
// what is used after that, and how many they are.
func (m *mail) deepen(p *plan, d depth, need func(s *Section, post int) size, used, room size) (size, int) {
	n := 0
	m.rounds(func(section, post int) bool {
		if m.wanted(section, post) < d {
			return true
		}
		more := used.plus(need(&m.Sections[section], post))
		if !more.within(room) {
			return false
		}
		used, n = more, n+1
		p.each[section][post] = d
		return true
	})
	return used, n
}

// headlineSize is that of a headline, with what stands above it.
func (m *mail) headlineSize(s *Section, post int) size {
	n := s.post(post).headline.html.size().plus(m.r.lateMarks(s, post).label.html.size())
	if post == 0 {
		n = n.plus(s.parts.alone().size()) // a little more than the label
	}
	return n
}

// excerptSize is that of a short post, with what stands above it.
func (m *mail) excerptSize(s *Section, post int) size {
	n := s.Posts[post].short().html.size().plus(m.r.lateMarks(s, post).head.html.size())
	if post == 0 {
		n = n.plus(s.parts.head.html.size())
	}
	return n
}

// rounds calls f for the first post of every section, then the second of every
// section, until f says no.
func (m *mail) rounds(f func(section, post int) bool) {
	for post := 0; ; post++ {
		more := false
		for section := range m.Sections {
			if post >= m.Sections[section].count() {
				continue
			}
			more = true
			if !f(section, post) {
				return
			}
		}
		if !more {
			return
		}
	}
}
