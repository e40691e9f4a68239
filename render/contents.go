package render

import (
	"strings"

	"digest/internal/catalogue"
)

const (
	// contentsFrom is the least number of posts with which an edition has a list of what is in it.
	contentsFrom = 12
	// contentsColumns is how wide the names in that list are together at most: some seven lines on a phone, so that the
	// first headline stands on its first screen.
	contentsColumns = 330
)

// hasContents reports whether a list of the sites stands above the posts.
func (m *mail) hasContents() bool { return m.posts >= contentsFrom && len(m.Sections) > 1 }

// contentsHTML is the sites in their order, each a link to its posts within the mail; nil for none.
func (m *mail) contentsHTML() *pieces {
	if !m.hasContents() {
		return nil
	}
	all := &pieces{}
	for i := range m.Sections[:m.entries()] {
		if i > 0 {
			all.add(m.r.small[bylineKind{}].dot)
		}
		all.add(m.Sections[i].parts.entry())
	}
	if words := m.unlisted(); words != "" {
		all.add(newPiece(words + "\n"))
	}
	return all
}

// contentsText is the same for the text version, which has no links within.
func (m *mail) contentsText() string {
	var names []string
	for i := range m.Sections[:m.entries()] {
		names = append(names, m.Sections[i].Title)
	}
	return wrapped(strings.Join(names, " · ")+m.unlisted()) + "\n"
}

// entries is how many sites the contents name.
func (m *mail) entries() int {
	used := 0
	for i := range m.Sections {
		if used += widthOf(m.Sections[i].Title) + len(" · "); used > contentsColumns && i > 0 {
			return i
		}
	}
	return len(m.Sections)
}

// unlisted says how many sites the contents do not name; nothing if they name all.
func (m *mail) unlisted() string {
	if n := len(m.Sections) - m.entries(); n > 0 {
		return " " + m.r.Say(catalogue.Key("and %d more").With(n))
	}
	return ""
}
