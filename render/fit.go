package render

import (
	"slices"

	"digest"
)

// The limits of the HTML: Gmail clips a message at about 102 KB, and it is not
// known of which form. A little is kept back for an encoder other than ours.
const (
	maxPlain = 94_500
	maxCoded = 99_000
)

// maxChanges is of how many sites an edition that is too large for one mail keeps the link that changes how the site
// comes; each takes the room of a headline.
const maxChanges = 20

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
	level int  // bytes that a full text may take, quoted-printable
	bare  bool // headlines stand in lists, without bylines

	posts *both // as they are written
}

// size is that of the HTML that is written.
func (p *plan) size() size { return p.posts.html.size() }

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

// below is how many posts of a section are shown with more than a headline: the others are listed after them.
func (m *mail) below(p *plan, section int) (n int) {
	for n < len(m.Sections[section].Posts) && m.depth(p, section, n) >= short {
		n++
	}
	return n
}

// rows reports whether headlines have bylines: in an edition of headlines.
func (m *mail) rows(p *plan, section int) bool {
	return m.Layout == digest.Headlines && !p.bare && m.most[section] == headline
}

// fit decides how much is shown, the most that is within the limits, and writes it.
func (m *mail) fit() *plan {
	room := size{plain: maxPlain, coded: maxCoded}
	if m.Room > 0 {
		room.coded = min(room.coded, m.Room)
	}
	frame := m.frame.size()
	p := &plan{shown: m.posts}
	for _, try := range m.tries() {
		p.all, m.saveLines = try.depth, try.saves
		p.posts = m.write(p)
		if used := frame.plus(p.size()); used.within(room) {
			m.spend(p, used, room)
			return p
		}
	}
	m.SaveURL, m.saveLines = nil, false // posts come first; the web edition can save them, too
	m.keepChanges()
	p = &plan{bare: true}
	m.setEach(p, omitted)
	to := func(d depth) func(section, post int) depth {
		return func(section, post int) depth {
			if m.wanted(section, post) < d {
				return omitted
			}
			return d
		}
	}
	used, shown := m.deepen(p, to(headline), m.lineSize, frame.plus(m.more(m.posts+m.left).html.size()), room)
	if p.shown = shown; shown == m.posts {
		m.deepen(p, to(short), m.excerptSize, used, room)
	}
	p.posts = m.write(p)
	return p
}

// setEach has each post shown at a depth, as far as it is wanted.
func (m *mail) setEach(p *plan, d depth) {
	p.each = make([][]depth, len(m.Sections))
	for i := range m.Sections {
		p.each[i] = make([]depth, m.Sections[i].count())
		for j := range p.each[i] {
			p.each[i][j] = min(d, m.wanted(i, j))
		}
	}
}

// spend gives what room is left to posts that are shown with less than their reader wants: to the first of every site, then
// to the second of every site. Full texts then share the rest.
func (m *mail) spend(p *plan, used, room size) {
	if p.all != short && p.all != whole {
		return // all are shown as they are wanted
	}
	if p.all == short {
		m.setEach(p, short)
		used, _ = m.deepen(p, func(section, post int) depth {
			if wanted := m.wanted(section, post); wanted > short {
				return wanted
			}
			return omitted
		}, m.fullerSize, used, room)
	}
	m.raise(p, used, room)
	p.posts = m.write(p)
}

// fullerSize is what a post takes more than as a short one where it is shown as its reader wants it, of a full text the beginning.
func (m *mail) fullerSize(s *Section, post int) size {
	var fuller, less both
	m.addPost(&fuller, s, post, layoutDepth(m.LayoutOf(*s)), 0)
	m.addPost(&less, s, post, short, 0)
	return fuller.html.size().minus(less.html.size())
}

// keepChanges leaves the links that change how a site comes to the sites with the most posts: they make the next edition
// smaller.
func (m *mail) keepChanges() {
	if m.SiteURL == nil || len(m.Sections) <= maxChanges {
		return
	}
	most := slices.Clone(m.Sections)
	slices.SortStableFunc(most, func(a, b Section) int { return b.count() - a.count() })
	kept, url := map[digest.FeedID]bool{}, m.SiteURL
	for _, s := range most[:maxChanges] {
		kept[s.Feed] = true
	}
	m.SiteURL = func(id digest.FeedID) string {
		if !kept[id] {
			return ""
		}
		return url(id)
	}
}

// A try is one way to show all posts alike, as far as their sections want it.
type try struct {
	depth depth
	saves bool // posts in lists can be saved too
}

// tries are the ways in which all posts are shown alike, the fullest first.
func (m *mail) tries() []try {
	all := []try{{m.deepest, true}, {m.deepest, false}, {short, false}}
	if m.SaveURL == nil {
		all = all[1:]
	}
	if m.deepest == headline {
		all = all[:len(all)-1]
	}
	return all
}

// deepen shows posts at the depth that to gives for each, omitted for one that stays as it is; as many as there is room for:
// the first of every section, then the second of every section, and so on. It gives
// what is used after that, and how many they are.
func (m *mail) deepen(p *plan, to func(section, post int) depth, need func(s *Section, post int) size, used,
	room size) (size, int) {
	n := 0
	m.rounds(func(section, post int) bool {
		d := to(section, post)
		if d == omitted {
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

// lineSize is that of a headline in a list, with what stands around the list.
func (m *mail) lineSize(s *Section, post int) size {
	var line both
	m.addLine(&line, s.post(post), s.isLate(post))
	if post == 0 {
		m.addHead(&line, s, nil)
		m.addList(&line, s.post(post), s.count(), &both{})
		m.addBeyond(&line, s)
	}
	return line.html.size()
}

// excerptSize is that of a short post: its headline is in no list then.
func (m *mail) excerptSize(s *Section, post int) size {
	var excerpt, line both
	m.addPost(&excerpt, s, post, short, 0)
	m.addLine(&line, s.Posts[post], s.isLate(post))
	return excerpt.html.size().minus(line.html.size())
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
