package render

import (
	"digest"
	"digest/internal/catalogue"
)

// These functions add the links of a single reader to content that all readers share.
func (m *mail) saveWord() string   { return m.r.Say(catalogue.Key("Save")) }
func (m *mail) changeWord() string { return m.r.Say(catalogue.Key("Site settings")) }

type ownData struct {
	URL, Words string
	Heads      bool // follows the name of a site
	Listed     bool // follows a headline in a list
}

// saveURL returns the page that saves a post for the reader, or "".
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

// addSiteLink adds the link to a site's settings after its name. If mixed is set, it isolates the text.
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
