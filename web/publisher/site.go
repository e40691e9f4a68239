// Package publisher has the pages of the people who publish newsletters, under /newsletters. The page
// /newsletters/SLUG/logo has its handler in logo.go and its template in templates/logo.html. routes.go has the routes,
// publisher.go admits the owner and the editors of a newsletter. Package api does the same for programs.
package publisher

import (
	"embed"

	"digest/web/page"
)

//go:embed templates/*.html
var templateFiles embed.FS

// A Site has what the pages of publishers and the API share.
type Site struct {
	*page.Site
	joining page.Places      // limits parallel imports of members
	drawing page.Places      // limits parallel conversions of logos
	lists   page.ReaderLocks // publishers whose list of members is being read: a small file may unpack to a large one
}

// New returns a site for publishers.
func New(s *page.Site) *Site {
	return &Site{Site: s, joining: make(page.Places, 2), drawing: make(page.Places, 1)}
}

// Parts returns the pages and their routes.
func (s *Site) Parts() []page.Part {
	return []page.Part{{Name: "publisher", Routes: s.routes(), Templates: templateFiles},
		{Name: "publisher", Routes: s.readerRoutes()}}
}
