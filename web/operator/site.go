// Package operator has the pages of operators, under /operator. The page /operator/readers has its handler in
// readers.go and its template in templates/readers.html. routes.go has the routes.
package operator

import (
	"embed"

	"digest/web/page"
)

//go:embed templates/*.html
var templateFiles embed.FS

type site struct {
	*page.Site
	feedCounter feedCounter
}

// New returns the pages of operators, with their routes.
func New(s *page.Site) page.Part {
	return page.Part{Name: "operator", Routes: (&site{Site: s}).routes(), Templates: templateFiles}
}
