package render

import (
	"slices"
	"strings"

	"digest/internal/catalogue"
)

const (
	// contentsFrom is the number of posts from which an edition has a list of its sites.
	contentsFrom = 12
	// contentsColumns limits the total width of the names in the list: about seven lines on a phone, so that the first
	// headline appears on the first screen.
	contentsColumns = 330
)

// hasContents reports whether the edition has a list of its sites above the posts.
func (m *mail) hasContents() bool { return m.posts >= contentsFrom && len(m.sites()) > 1 }

// contentsHTML returns the sites in order, each as a link to its posts within the email, or nil if there is no list.
func (m *mail) contentsHTML() *pieces {
	if !m.hasContents() {
		return nil
	}
	all := &pieces{}
	m.linked = map[*sectionParts]bool{}
	for i, s := range m.sites()[:m.entries()] {
		m.linked[s.parts] = true
		if i > 0 {
			all.add(m.r.small[bylineKind{}].dot)
		}
		all.add(s.parts.entry())
	}
	if words := m.unlisted(); words != "" {
		all.add(newPiece(words + "\n"))
	}
	return all
}

// contentsText returns the list for the text version, without links.
func (m *mail) contentsText() string {
	var names []string
	for _, s := range m.sites()[:m.entries()] {
		names = append(names, s.Title)
	}
	return wrapped(m.r.dotted(names)+m.unlisted()) + "\n"
}

// dotted joins names in the direction of the reader's language. Lines break only after a dot, unless a name is longer.
func (r *Renderer) dotted(names []string) string {
	const space = "\u00a0" // without a break
	mixed := r.isRTL() || slices.ContainsFunc(names,
		func(s string) bool { return strings.ContainsFunc(s, rightToLeft) })
	for i, name := range names {
		if widthOf(name) < textColumns/2 {
			name = strings.ReplaceAll(name, " ", space)
		}
		names[i] = isolatedIf(mixed, name)
		if mixed && (i == 0 || r.isRTL()) { // each may begin a line
			names[i] = lineMark(r.isRTL()) + names[i]
		}
	}
	return strings.Join(names, space+"· ")
}

func (m *mail) entries() int {
	used := 0
	sites := m.sites()
	for i, s := range sites {
		if used += widthOf(s.Title) + len(" · "); used > contentsColumns && i > 0 {
			return i
		}
	}
	return len(sites)
}

// unlisted returns the number of sites that are not in the list, in words, or "".
func (m *mail) unlisted() string {
	if n := len(m.sites()) - m.entries(); n > 0 {
		return " " + m.r.Say(catalogue.Key("and %d more sites").With(n))
	}
	return ""
}
