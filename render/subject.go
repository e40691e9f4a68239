package render

import (
	"slices"
	"strings"

	"digest"
	"digest/internal/catalogue"
	"digest/rank"
)

// The limits of a subject: mail programs on phones show about 40 columns of it, others about 80.
const (
	maxSubject      = 240 // bytes
	headlineColumns = 80
	namesColumns    = 50 // of the sites after the headline
	shortNameWidth  = 24
	mostNamed       = 2 // sites that a subject names
)

// subjectOr returns the subject of a message. title has the date and the number of posts.
func (m *mail) subjectOr(title string) string {
	switch {
	case m.Threaded:
		return cutBytes(m.Name, maxSubject)
	case m.Newsletter:
		return m.letterSubject()
	}
	p := m.subjectPost()
	if p == nil {
		return title
	}
	subject := cut(p.Line(), headlineColumns)
	if others := m.others(p); len(others) > 0 {
		subject += " · " + others.In(m.r.lang)
	}
	return cutBytes(subject, maxSubject)
}

// subjectPost returns the post whose headline is in the subject: the lead, or else the first second, or else the first
// post with a headline. If a newsletter's issue has no headlines, it returns the first post. It returns nil if the
// subject has no headline.
func (m *mail) subjectPost() (found *Post) {
	best := 0
	switch {
	case m.Threaded, m.DateSubject && !m.Newsletter, m.Newsletter && !strings.Contains(m.SubjectPattern, "{title}"):
		return nil
	case m.Newsletter:
		best = -1
	}
	m.rounds(func(section, post int) bool {
		s := &m.Sections[section]
		p, fits := s.post(post), 0
		switch {
		case p.ID == m.Lead && p.ID != 0:
			fits = 3
		case s.Place(post).Rank == rank.Second:
			fits = 2
		case p.Headline:
			fits = 1
		}
		if fits > best {
			best, found = fits, p
		}
		return best < 3
	})
	return found
}

// others returns the names of the other sites of the edition, as many as fit, and the number of the rest. The sites of
// seconds come first.
func (m *mail) others(p *Post) (names catalogue.List) {
	var sites []*Section
	for _, s := range m.sites() {
		led := func(t Section) bool { return t.Feed == s.Feed && s.Feed != 0 && t.has(p) }
		if !s.has(p) && !slices.ContainsFunc(m.Sections, led) {
			sites = append(sites, s)
		}
	}
	slices.SortStableFunc(sites, func(a, b *Section) int { return a.seconds() - b.seconds() })
	width := 0
	for i, s := range sites {
		name := cut(s.Title, shortNameWidth)
		if width += widthOf(name); i == mostNamed || width > namesColumns {
			return append(names, catalogue.Key("%d more").With(len(sites)-i))
		}
		names = append(names, catalogue.Text(name))
	}
	return names
}

func (s *Section) has(p *Post) bool { return slices.Contains(s.Posts, p) || slices.Contains(s.Rest, p) }

// seconds returns -1 for a section with a second, and 0 for others.
func (s *Section) seconds() int {
	if slices.ContainsFunc(s.Places, func(p rank.Place) bool { return p.Rank == rank.Second }) {
		return -1
	}
	return 0
}

// ShortName returns a long title of a site without what follows its name: a description of several words, or the name
// again.
func ShortName(title string) string {
	const several, long = 5, 30 // words, columns
	if widthOf(title) < long {
		return title
	}
	for _, mark := range []string{" – ", " — ", " | ", " - ", " · ", " : ", ": "} {
		name, rest, ok := strings.Cut(title, mark)
		if ok && len(name) > 1 && (len(strings.Fields(rest)) >= several || strings.Contains(rest, name)) &&
			!isGeneric(name) {
			return strings.TrimSpace(name)
		}
	}
	return title
}

// isGeneric reports whether a word before the name of a site says only what kind of page it is.
func isGeneric(word string) bool {
	switch strings.ToLower(strings.TrimSpace(word)) {
	case "home", "blog", "news", "posts", "articles", "feed", "rss", "comments on", "latest", "latest posts", "all":
		return true
	}
	return false
}

// letterSubject returns the subject of a newsletter's issue: the filled pattern of its publisher, or the usual one. If
// the issue has one post, the usual subject contains its headline, because the publisher wrote it.
func (m *mail) letterSubject() string {
	title := ""
	if p := m.subjectPost(); p != nil {
		title = cut(p.Line(), headlineColumns)
	}
	day := catalogue.Day("2 January", m.Date)
	if filled := digest.FillSubject(m.SubjectPattern, title, day.In(catalogue.Of(m.SubjectLanguage)),
		m.Name); filled != "" {
		return cutBytes(filled, maxSubject)
	}
	if m.posts == 1 && m.left == 0 {
		for _, s := range m.Sections {
			for _, p := range append(s.Posts, s.Rest...) {
				return cutBytes(m.Name+": "+p.Title, maxSubject)
			}
		}
	}
	return cutBytes(m.r.Say(catalogue.Key("%s, %s: %s").With(m.Name, day, m.deck)), maxSubject)
}
