package render

import (
	"strconv"
	"strings"
)

// text is the plain text of the same plan.
func (m *mail) text(p plan) *pieces {
	text := &pieces{list: make([]element, 0, 8+2*p.shown+3*len(m.Sections))}
	text.add(newPiece(m.textTop()))
	if p.index {
		m.indexText(text, &p)
	}
	if p.below {
		m.postsText(text, &p)
	}
	text.add(newPiece(m.textBottom()))
	return text
}

func (m *mail) textTop() string {
	var w strings.Builder
	wrap(&w, m.Name, "", "")
	w.WriteString(m.date)
	if m.Number > 0 {
		w.WriteString(" · No. " + strconv.Itoa(m.Number))
	}
	w.WriteString("\n" + upperFirst(m.deck) + "\n\n")
	if m.Note != "" {
		wrap(&w, m.Note, "", "")
		w.WriteByte('\n')
	}
	if m.posts == 0 && m.notes.all == 0 {
		w.WriteString("Nothing new has come in.\n\n")
	}
	return w.String()
}

func (m *mail) indexText(to *pieces, p *plan) {
	for i := range m.Sections {
		s := &m.Sections[i]
		if m.depth(p, i, 0) == omitted {
			continue
		}
		to.add(s.parts.textLabel)
		rows := m.rows(p, i)
		for j := range m.indexes(p, i) {
			b, d := s.post(j), m.depth(p, i, j)
			if s.firstLate(j) && d > omitted {
				to.add(m.r.lateMarks(s, j).textLabel)
			}
			switch {
			case rows:
				to.add(b.row().text)
			case d >= short:
				to.add(b.headline.text)
			case d == headline:
				to.add(b.linked)
			}
		}
		to.add(emptyLine())
	}
	if n := m.posts - p.shown; n > 0 {
		to.add(newPiece("… and " + strconv.Itoa(n) + " more in the web edition:\n" + m.moreURL() + "\n\n"))
	}
}

func (m *mail) postsText(to *pieces, p *plan) {
	for i := range m.Sections {
		if !m.sets(p, i) {
			continue
		}
		s := &m.Sections[i]
		to.add(s.parts.textHead)
		for j, b := range s.Posts {
			d := m.depth(p, i, j)
			if s.firstLate(j) && d >= short {
				to.add(m.r.lateMarks(s, j).textHead)
			}
			if d >= short {
				m.postText(to, b, p, d)
			}
		}
		if len(s.Rest) > 0 && p.each == nil {
			s.writeRestText(to)
		}
	}
}

const ruleText = "------------------------------------------------------------------------\n"

func (m *mail) textBottom() string {
	var w strings.Builder
	m.notesText(&w)
	w.WriteString(ruleText)
	wrap(&w, m.reason(), "", "")
	for _, l := range [...][2]string{{"Read in the browser", m.WebURL}, {"Your editions", m.HomeURL}, {"Unsubscribe", m.UnsubscribeURL}} {
		if l[1] != "" {
			w.WriteString("\n" + l[0] + ":\n" + l[1] + "\n")
		}
	}
	if m.PostalAddress != "" {
		w.WriteByte('\n')
		wrap(&w, m.PostalAddress, "", "")
	}
	return w.String()
}

func headlineText(p *Post, linked bool) string {
	var w strings.Builder
	wrap(&w, p.Title, "  * ", "    ")
	if linked && p.URL != "" {
		w.WriteString("    " + p.URL + "\n")
	}
	return w.String()
}

// rowText is a post in an edition of headlines.
func rowText(p *Post) string {
	var w strings.Builder
	wrap(&w, p.Title, "  * ", "    ")
	if p.Byline != "" {
		wrap(&w, p.Byline, "    ", "    ")
	}
	if p.URL != "" {
		w.WriteString("    " + p.URL + "\n")
	}
	return w.String()
}

// postTopText is a post's headline and byline.
func postTopText(p *Post) string {
	var w strings.Builder
	wrap(&w, p.Title, "", "")
	if p.Byline != "" {
		wrap(&w, p.Byline, "", "")
	}
	return w.String()
}

func postText(p *Post, excerpt string) string {
	var w strings.Builder
	w.WriteString(postTopText(p))
	if excerpt != "" {
		w.WriteByte('\n')
		wrap(&w, excerpt, "", "")
	}
	if p.URL != "" {
		if excerpt != "" {
			w.WriteByte('\n')
		}
		w.WriteString(p.URL + "\n")
	}
	w.WriteString("\n\n")
	return w.String()
}
