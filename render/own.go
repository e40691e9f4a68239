package render

import (
	"digest"
	"digest/internal/catalogue"
	"digest/rank"
)

// These functions add the links of a single reader to content that all readers share.
func (m *mail) saveWord() string   { return m.r.Say(catalogue.Key("Save")) }
func (m *mail) changeWord() string { return m.r.Say(catalogue.Key("Site settings")) }

type ownData struct {
	URL, Words string
	Heads      bool // follows the name of a site; without a URL it is no link
}

// saveURL returns the page that saves one of the most prominent posts for the reader, or "". The web edition saves the
// others.
func (m *mail) saveURL(s *Section, i int) string {
	if r := s.Place(i).Rank; m.SaveURL == nil || r != rank.Lead && r != rank.Second {
		return ""
	}
	return address(m.SaveURL(s.post(i).ID))
}

// addSiteLink adds the link to a site's settings after its name. If mixed is set, it isolates the text.
func (m *mail) addSiteLink(to *pieces, feed digest.FeedID, mixed bool) {
	if m.SiteURL == nil || feed == 0 {
		return
	}
	url := address(m.SiteURL(feed))
	if url == "" {
		return
	}
	m.r.own.write(to, ownData{URL: url, Words: "· " + isolatedIf(mixed, m.changeWord()), Heads: true})
}
