package render

import (
	"strconv"
	"strings"
)

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
