package web

import (
	"html/template"
	"net/http"
	"strings"

	"digest/internal/catalogue"
	"digest/web/page"
)

// A finder is the form for the address of a site.
type finder struct {
	Label catalogue.Key
	Asked string // initial value of the address
	First bool   // the form is on the page before the first edition
	Plain bool   // the button is not the page's main one
}

func (p feedsPage) Finder() finder {
	f := finder{Label: catalogue.Key("Add a site")}
	if p.Seeks() {
		f.Label = catalogue.Key("Address")
	}
	return f
}

func (p homeFirstPage) Finder() finder {
	f := finder{Label: catalogue.Key("Site address"), First: true}
	if p.Feeds > 0 {
		f.Label = catalogue.Key("Add another site")
	}
	return f
}

// A feedsAddPage asks for the address of a site. The bookmarklet or a sharing app may fill it in.
// Opening the page changes nothing: the form's button starts the search.
type feedsAddPage struct {
	Finder finder
	Mark   template.URL // bookmarklet
}

const mostAddress = 2048

// feedsAddPage is the target of the bookmarklet. Its query contains the address of the page in the
// reader's browser.
func (s *site) feedsAddPage(w http.ResponseWriter, r *http.Request, me page.Reader) error {
	return s.showAdd(w, r, r.URL.Query().Get("url"))
}

// feedsSharePage receives what other apps share (Web Share Target).
func (s *site) feedsSharePage(w http.ResponseWriter, r *http.Request, me page.Reader) error {
	q := r.URL.Query()
	return s.showAdd(w, r, page.SharedAddress(q.Get("title"), q.Get("text"), q.Get("url")))
}

func (s *site) showAdd(w http.ResponseWriter, r *http.Request, address string) error {
	p := feedsAddPage{Finder: finder{Label: catalogue.Key("Site address")}, Mark: s.bookmarklet()}
	p.Finder.Asked = page.FirstRunes(strings.TrimSpace(address), mostAddress)
	return s.Show(w, r, http.StatusOK, "feeds_add", catalogue.Key("Add a site"), p)
}

// bookmarklet returns a bookmark that opens the form with the address of the current page. It reads
// nothing else of that page.
func (s *site) bookmarklet() template.URL {
	return template.URL("javascript:location.href='" + template.JSEscapeString(s.BaseURL) +
		"/feeds/add?url='+encodeURIComponent(location.href)")
}
