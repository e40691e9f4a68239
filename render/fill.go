package render

import (
	"cmp"
	"slices"

	"digest"
	"digest/rank"
)

// fill shows as many headlines as fit in an edition that is too large, below them the names of the sites whose posts
// are only on the web. If all headlines fit, it uses what is left for excerpts. The most prominent posts keep theirs.
func (m *mail) fill(frame, room size) *plan {
	p := &plan{bare: true}
	prominent := func(section, post int) depth {
		if post == 0 && m.Sections[section].isProminent(0) {
			return min(short, m.wanted(section, post))
		}
		return omitted
	}
	frame = frame.plus(m.around(&both{}).html.size())
	var used, more size
	for range 8 { // the names need room that other names then need
		m.setEach(p, omitted)
		used, _ = m.deepen(p, prominent, frame.plus(more), room)
		used, _ = m.deepen(p, func(int, int) depth { return headline }, used, room)
		p.shown = m.countShown(p)
		if used = used.minus(more); p.shown == m.posts && m.left == 0 {
			break
		}
		reserved := more
		if more = more.most(m.more(p).html.size()); used.plus(more).within(room) || more == reserved {
			break
		}
	}
	if used = used.plus(more); p.shown == m.posts {
		used, _ = m.deepen(p, func(section, post int) depth { return min(short, m.wanted(section, post)) }, used, room)
		m.deepen(p, func(section, post int) depth { return min(full, m.wanted(section, post)) }, used, room)
	}
	p.posts = m.write(p)
	return p
}

func (m *mail) countShown(p *plan) (n int) {
	for _, depths := range p.each {
		for _, d := range depths {
			if d != omitted {
				n++
			}
		}
	}
	return n
}

// deepen shows more of posts, as to returns, while there is room: first of the first post of every section, then of the
// second, and so on. It returns the used size and the number of changed posts.
func (m *mail) deepen(p *plan, to func(section, post int) depth, used, room size) (size, int) {
	n := 0
	for post := 0; ; post++ {
		turn := m.turn(p, post)
		if len(turn) == 0 {
			return used, n
		}
		for _, section := range turn {
			d, before := to(section, post), p.each[section][post]
			if d <= before {
				continue
			}
			more := used.plus(m.change(p, section, post, d))
			if !more.within(room) {
				p.each[section][post] = before
				return used, n
			}
			used, n = more, n+1
		}
	}
}

// turn returns the sections with an i-th post, in the order in which these posts get room. Prominent posts come first,
// then posts of the sites with the fewest posts. Equal sites are in the order of turnOf, so that each site has its turn.
// The number of posts does not matter to the first headline of a site.
func (m *mail) turn(p *plan, i int) (turn []int) {
	for k := range m.Sections {
		if m.Sections[k].count() > i {
			turn = append(turn, k)
		}
	}
	first := i == 0 && slices.ContainsFunc(turn, func(k int) bool { return p.each[k][0] == omitted })
	slices.SortStableFunc(turn, func(a, b int) int {
		s, t := &m.Sections[a], &m.Sections[b]
		if prominent := s.isProminent(i); prominent != t.isProminent(i) {
			return map[bool]int{true: -1, false: 1}[prominent]
		}
		if !first && s.count() != t.count() {
			return s.count() - t.count()
		}
		return cmp.Compare(turnOf(s.Feed, m.Date), turnOf(t.Feed, m.Date))
	})
	return turn
}

// turnOf returns a number that is spread evenly over the feeds, and moves by about two fifths of its range every day.
func turnOf(feed digest.FeedID, date digest.Date) uint32 {
	const golden, rootOfTwo = 0x9e3779b9, 0x6a09e667
	return uint32(feed)*golden + uint32(digest.Date{Year: 2000, Month: 1, Day: 1}.Until(date))*rootOfTwo
}

// isProminent reports whether the i-th post has a large headline.
func (s *Section) isProminent(i int) bool {
	r := s.Place(i).Rank
	return r == rank.Lead || r == rank.Second
}

// change sets the depth of a post, and returns how much larger the email becomes.
func (m *mail) change(p *plan, section, post int, to depth) size {
	before := m.sizeAround(p, section).plus(m.sizeAt(section, post, p.each[section][post]))
	p.each[section][post] = to
	return m.sizeAround(p, section).plus(m.sizeAt(section, post, to)).minus(before)
}

// sizeAt returns the size of a post at a depth. Of a full text it counts the beginning.
func (m *mail) sizeAt(section, post int, d depth) size {
	var b both
	switch s := &m.Sections[section]; {
	case d >= short:
		m.addPost(&b, s, post, d, 0)
	case d == headline:
		m.addLine(&b, s.post(post), s.isLate(post))
	}
	return b.html.size()
}

// sizeAround returns the size of everything in a section but its posts, and of the head of the next section, which
// depends on it.
func (m *mail) sizeAround(p *plan, section int) size {
	var b both
	s, last := &m.Sections[section], m.shownBefore(p, section)
	if p.isShown(section) {
		m.addHead(&b, p, s, last)
		last = s
		lines := 0
		for _, d := range p.each[section] {
			if d == headline {
				lines++
			}
		}
		if above := m.below(p, section); lines > 0 {
			m.addList(&b, p, s, above > 0, lines, &both{})
		}
		m.addBeyond(&b, s)
	}
	for next := section + 1; next < len(m.Sections); next++ {
		if p.isShown(next) {
			m.addHead(&b, p, &m.Sections[next], last)
			break
		}
	}
	return b.html.size()
}

func (p *plan) isShown(section int) bool {
	return slices.ContainsFunc(p.each[section], func(d depth) bool { return d != omitted })
}

// shownBefore returns the last section before another that is in the email, or nil.
func (m *mail) shownBefore(p *plan, section int) *Section {
	for i := section - 1; i >= 0; i-- {
		if p.isShown(i) {
			return &m.Sections[i]
		}
	}
	return nil
}
