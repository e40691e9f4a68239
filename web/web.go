// Package web serves the pages of digest: editions, sign-in, settings, newsletters, and the public pages for visitors
// and programs.
//
// Package page has what all pages share. This package has the pages of readers and visitors: the page /settings/zone
// has its handler in settings_zone.go and its template in templates/settings_zone.html. routes.go has the routes. A
// handler reads the request, queries the store, if possible once, and shows a page or returns an error. The pages of
// publishers and operators, and what programs request, have their own packages in this folder.
package web

import (
	"embed"
	"net/http"
	"time"

	"digest/web/page"

	"github.com/go-webauthn/webauthn/webauthn"
)

//go:embed templates/*.html
var templateFiles embed.FS

// The settings of the web view.
type (
	Options    = page.Options
	SignUp     = page.SignUp
	Publishing = page.Publishing
)

// A site is the web view, with the data that handlers of this package share.
type site struct {
	*page.Site
	clicked *clickLog // clicks on links in emails in this hour

	relying *webauthn.WebAuthn // nil: this address does not support passkeys
	opened  time.Time

	importing page.Places // limits parallel imports of feeds
	searches  page.ReaderLocks
}

// New returns the handler of the web view. It panics if an embedded template is broken, which no input can cause.
func New(o Options) http.Handler {
	s := newSite(o)
	return s.Handler([]string{
		oneClick,  // the token in the path authorizes the request, without a cookie
		joinRoute, // it only sends a confirmation email, without a cookie
	}, s.parts()...)
}

func newSite(o Options) *site {
	s := page.New(o)
	return &site{
		Site: s, clicked: newClickLog(), opened: s.Now(), relying: newRelying(s.BaseURL), importing: make(page.Places,
			1),
	}
}
