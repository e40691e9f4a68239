package render

import (
	"slices"

	"digest"
	"digest/rank"
)

// The limits of the HTML in bytes. Gmail clips a message at about 102 KB; whether decoded or encoded is unknown. A
// margin remains for other encoders.
const (
	maxPlain = 94_500
	maxCoded = 99_000
)

// maxChanges is the number of sites with a link to their settings, besides the sites of prominent posts.
const maxChanges = 5

// A depth is how much of a post is shown.
type depth uint8

const (
	omitted depth = iota
	headline
	short
	full
	whole // the full text, or as much of it as the plan's level allows
)

// A plan states how much of each post is shown. A section never shows more than its display allows.
type plan struct {
	all   depth     // depth of every post if each is nil; a section's rest shows headlines
	each  [][]depth // by section and post; the posts of the rest come last
	shown int
	level int  // maximum size of a full text in bytes, quoted-printable
	bare  bool // headlines are in lists, without bylines

	posts *both
}

func (p *plan) size() size { return p.posts.html.size() }

func (m *mail) depth(p *plan, section, post int) depth {
	if p.each != nil {
		return p.each[section][post]
	}
	return min(p.all, m.wanted(section, post))
}

// wanted returns how much of a post is shown if there is room.
func (m *mail) wanted(section, post int) depth {
	if s := &m.Sections[section]; post >= len(s.Posts) || s.Place(post).Rank == rank.Brief {
		return headline
	}
	return m.most[section]
}

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

// below returns how many posts of a section show more than a headline. The others are listed after them.
func (m *mail) below(p *plan, section int) (n int) {
	for n < len(m.Sections[section].Posts) && m.depth(p, section, n) >= short {
		n++
	}
	return n
}

// rows reports whether headlines have bylines, as in an edition of headlines.
func (m *mail) rows(p *plan, section int) bool {
	return m.Layout == digest.Headlines && !p.bare && m.most[section] == headline
}

// fit chooses the largest plan within the limits, and writes it.
func (m *mail) fit() *plan {
	room := size{plain: maxPlain, coded: maxCoded}
	if m.Room > 0 {
		room.coded = min(room.coded, m.Room)
	}
	frame := m.frame.size()
	m.keepChanges()
	p := &plan{shown: m.posts}
	for _, p.all = range m.tries() {
		p.posts = m.write(p)
		if used := frame.plus(p.size()); used.within(room) {
			m.spend(p, used, room)
			return p
		}
	}
	m.SaveURL = nil // posts have priority
	return m.fill(frame, room)
}

// setEach sets the depth of each post to d, or to its wanted depth if that is less.
func (m *mail) setEach(p *plan, d depth) {
	p.each = make([][]depth, len(m.Sections))
	for i := range m.Sections {
		p.each[i] = make([]depth, m.Sections[i].count())
		for j := range p.each[i] {
			p.each[i][j] = min(d, m.wanted(i, j))
		}
	}
}

// spend uses the remaining room for posts that show less than wanted: the first post of every site, then the second
// post of every site. Full texts share what is left after that.
func (m *mail) spend(p *plan, used, room size) {
	if p.all != short && p.all != whole {
		return // all posts have their wanted depth
	}
	if p.all == short {
		m.setEach(p, short)
		used, _ = m.deepen(p, m.wanted, used, room)
	}
	m.raise(p, used, room)
	p.posts = m.write(p)
}

// keepChanges keeps the links to change a site's display only for the sites of prominent posts and for those with the
// most posts, because those changes make the next edition smaller.
func (m *mail) keepChanges() {
	if m.SiteURL == nil || len(m.Sections) <= maxChanges {
		return
	}
	most := slices.Clone(m.Sections)
	slices.SortStableFunc(most, func(a, b Section) int { return b.count() - a.count() })
	kept, url := map[digest.FeedID]bool{}, m.SiteURL
	for i, s := range most {
		if i < maxChanges || s.isProminent(0) {
			kept[s.Feed] = true
		}
	}
	m.SiteURL = func(id digest.FeedID) string {
		if !kept[id] {
			return ""
		}
		return url(id)
	}
}

// tries returns the depths to try for all posts, deepest first.
func (m *mail) tries() []depth {
	if m.deepest == headline {
		return []depth{headline}
	}
	return []depth{m.deepest, short}
}

// rounds calls f for the first post of every section, then for the second, and so on, until f returns false.
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
