package render

import (
	"strconv"
	"strings"
)

func (m *mail) textTop() string {
	top := wrapped(m.Name) + m.date
	if m.Number > 0 {
		top += " · No. " + strconv.Itoa(m.Number)
	}
	top += "\n"
	if m.Header != "" {
		top += "\n" + wrapped(m.Header) + "\n"
	}
	top += upperFirst(m.deck) + "\n\n"
	if m.Note != "" {
		top += wrapped(m.Note) + "\n"
	}
	if m.posts == 0 && m.notes.all == 0 {
		top += "Nothing new has come in.\n\n"
	}
	return top
}

const ruleText = "------------------------------------------------------------------------\n"

func (m *mail) textBottom() string {
	end := m.notesText() + ruleText
	if m.Footer != "" {
		end += wrapped(m.Footer) + "\n"
	}
	end += wrapped(m.reason())
	for _, l := range [...][2]string{{"Read in the browser", m.WebURL}, {m.homeWords(), m.HomeURL}, {"Unsubscribe", m.UnsubscribeURL}} {
		if l[1] != "" {
			end += "\n" + l[0] + ":\n" + l[1] + "\n"
		}
	}
	if m.PostalAddress != "" {
		end += "\n" + wrapped(m.PostalAddress)
	}
	return end
}

// itemText is a post in a list: its headline, and of its byline and address what is
// not empty.
func itemText(p *Post, byline, url string) string {
	var w strings.Builder
	wrap(&w, p.Title, "  * ", "    ")
	wrap(&w, byline, "    ", "    ")
	if url != "" {
		w.WriteString("    " + url + "\n")
	}
	return w.String()
}

// postTopText is a post's headline, byline and files.
func postTopText(p *Post) string { return wrapped(p.Title) + wrapped(p.Byline) + filesText(p, "") }

// postText is a post with so much of its excerpt, and what leads to the rest.
func postText(p *Post, excerpt, end string) string {
	if excerpt != "" {
		excerpt = "\n" + wrapped(excerpt)
	}
	return postTopText(p) + excerpt + end + "\n\n"
}
