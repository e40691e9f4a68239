// Package api lets programs of publishers manage a newsletter. A request needs a token of that newsletter and sends no
// cookie, so that no page can act in a reader's name. Requests and responses are JSON, errors are problems (RFC 9457).
// openapi.json describes the API, and a test in package web compares each response with it.
package api

import (
	"digest/web/page"
	"digest/web/publisher"
)

type site struct{ *publisher.Site }

// New returns the routes of the API.
func New(s *publisher.Site) page.Part {
	routes := (&site{s}).routes()
	routes["GET /api/openapi.json"] = document
	return page.Part{Name: "api", Routes: routes}
}
