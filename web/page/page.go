// Package page has what all pages of the web view share. A Site has the store, the templates, the limits and the clock.
// A package of pages embeds a Site, and adds its routes and its templates as a Part.
//
// A Handler serves one route, or returns an error; problem.go turns errors into pages, and Site.Show renders a page.
// ForReader admits signed-in readers, AsReader gives their requests to a page with forms as a Visit: request, session,
// language, error and status (visit.go). The handler describes the fields of its form (field.go), which parses a POST;
// the template shows each field with its label. form.go has the code for other forms, session.go the sessions,
// limits.go the limits of requests, middleware.go the code around all handlers, and client.go the client's address.
//
// Pages are rendered to a buffer first, so that no incomplete page is sent. No page needs JavaScript.
package page

import (
	"io/fs"
	"log/slog"
	"net/http"
	"strings"
	"time"
)

// A Site is the web view as all pages see it. Only limits, counters and locks change after Handler.
type Site struct {
	Options
	Assets  Assets
	Limits  limits
	Forms   ReaderLocks // readers whose long form is being received
	mux     *http.ServeMux
	pages   pageSet
	noticed watch
	long    longForms // all long forms together
}

// A Part is one package's part of the web view.
type Part struct {
	Name      string             // of the package, before a slash in the names of its templates; "": package web
	Routes    map[string]Handler // by pattern
	Templates fs.FS              // with a folder "templates"; nil: none
}

// Routes returns routes whose handlers admit makes of their own kind of handlers.
func Routes[H any](admit func(H) Handler, routes map[string]H) map[string]Handler {
	made := make(map[string]Handler, len(routes))
	for pattern, h := range routes {
		made[pattern] = admit(h)
	}
	return made
}

// New returns a site without pages.
func New(o Options) *Site {
	o.BaseURL = strings.TrimSuffix(o.BaseURL, "/")
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Search == nil && o.Store != nil {
		o.Search = o.Store.Posts
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Spread.Gap == 0 {
		o.Spread.Gap = time.Hour
	}
	if o.HostGap == 0 {
		o.HostGap = 2 * time.Second
	}
	return &Site{Options: o, Assets: loadAssets(), Limits: newLimits(),
		noticed: watch{last: make(map[string]time.Time)}}
}

// Handler returns the handler of the site with these parts. Browsers may post forms of other sites to the routes in
// fromAnywhere. It panics if an embedded template is broken, which no input can cause.
func (s *Site) Handler(fromAnywhere []string, parts ...Part) http.Handler {
	s.mux = http.NewServeMux()
	for _, part := range parts {
		for pattern, h := range part.Routes {
			s.mux.Handle(pattern, s.Handle(h))
		}
	}
	s.pages = loadPages(s.Assets, append(parts, Part{Templates: templateFiles}))
	return s.guard(s.mux, fromAnywhere)
}
