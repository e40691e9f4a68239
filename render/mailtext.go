package render

import (
	"strings"

	"digest/internal/catalogue"
)

func (m *mail) textTop() string {
	top := wrapped(m.Name) + m.date
	if m.Number > 0 {
		top += " · " + m.numberWords()
	}
	top += " · " + m.deck + "\n\n"
	if m.Header != "" {
		top += wrapped(m.Header) + "\n"
	}
	if m.Note != "" {
		top += wrapped(m.Note) + "\n"
	}
	if m.posts == 0 && m.notes.all == 0 {
		top += wrapped(m.r.Say(catalogue.Key("No new posts."))) + "\n"
	}
	if m.hasContents() {
		top += m.contentsText()
	}
	return top
}

const doubleRuleText = "========================================================================\n"

const ruleText = "------------------------------------------------------------------------\n"

func (m *mail) textBottom() string {
	end := m.notesText() + ruleText
	if m.Footer != "" {
		end += wrapped(m.Footer) + "\n"
	}
	end += wrapped(m.reason())
	for _, l := range [...][2]string{
		{m.r.Say(catalogue.Key("Read on the web")), m.WebURL}, {m.homeWords(), m.HomeURL},
		{m.r.Say(catalogue.Key("Your sites")), m.SitesURL}, {m.r.Say(catalogue.Key("Settings")), m.SettingsURL},
		{m.r.Say(catalogue.Key("Pause")), m.PauseURL}, {m.r.Say(catalogue.Key("Unsubscribe")), m.UnsubscribeURL},
	} {
		if l[1] != "" {
			end += "\n" + m.r.label(l[0]) + "\n" + l[1] + "\n"
		}
	}
	if m.PostalAddress != "" {
		end += "\n" + wrapped(m.PostalAddress)
	}
	return end
}

// itemText returns a headline in a list, with its address if it has one.
func itemText(title, url string) string {
	var w strings.Builder
	wrap(&w, title, "  * ", "    ")
	if url != "" {
		w.WriteString("    " + url + "\n")
	}
	return w.String()
}

func (p *Post) titleText() string {
	if p.Untitled {
		return ""
	}
	return wrapped(p.Title)
}

// bylineText returns a post's byline after a mark, which may be empty. If named is false, it omits the author.
func (p *Post) bylineText(mark string, named bool) string {
	by := p.Byline
	if !named {
		by = p.besides
	}
	if mark != "" && p.mixed {
		mark = lineMark(p.Dir == "rtl") + isolated(mark)
	}
	return strings.Join(filled([]string{mark, by}), " · ")
}

func (p *Post) rowText(mark string, named bool) string {
	var w strings.Builder
	wrap(&w, p.Line(), "  * ", "    ")
	wrap(&w, p.bylineText(mark, named), "    ", "    ")
	if p.URL != "" {
		w.WriteString("    " + p.URL + "\n")
	}
	return w.String() + filesText(p, "    ")
}

func excerptText(excerpt string) string {
	if excerpt == "" {
		return ""
	}
	return "\n" + wrapped(excerpt)
}
