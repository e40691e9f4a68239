package render

import (
	"digest"
	"digest/internal/catalogue"
)

// What a reader can do from a mail: links of their own, which stand among what is shared by all.
func (m *mail) saveWord() string   { return m.r.Say(catalogue.Key("Save")) }
func (m *mail) changeWord() string { return m.r.Say(catalogue.Key("Site settings")) }

// ownData is what the template of such a link is filled with.
type ownData struct {
	URL, Words string
	Heads      bool // it stands behind the name of a site
	Listed     bool // it stands behind a headline in a list
}

// saveURL is the page on which the reader saves a post; empty if there is none.
func (m *mail) saveURL(p *Post) string {
	if m.SaveURL == nil || p.ID == 0 {
		return ""
	}
	return address(m.SaveURL(p.ID))
}

func (m *mail) addSaveText(to *pieces, p *Post, indent string) {
	if url := m.saveURL(p); url != "" {
		to.add(newText(indent + m.r.label(m.saveWord()) + " " + url + "\n"))
	}
}

// addSiteLink adds the link behind the name of a site, to the page on which it is changed how it comes. mixed: the name
// stands apart.
func (m *mail) addSiteLink(to *both, feed digest.FeedID, mixed bool) {
	if m.SiteURL == nil || feed == 0 {
		return
	}
	url := address(m.SiteURL(feed))
	if url == "" {
		return
	}
	m.r.own.write(&to.html, ownData{URL: url, Words: "· " + isolatedIf(mixed, m.changeWord()), Heads: true})
	to.text.add(newText(m.r.label(m.changeWord()) + " " + url + "\n"))
}
