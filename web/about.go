package web

import (
	"fmt"
	"net/http"

	"digest/internal/catalogue"
	"digest/web/page"
)

type botPage struct{ page.Options }

// UserAgent returns the poller's User-Agent for a feed with three readers, as an example.
func (p botPage) UserAgent() string {
	return fmt.Sprintf("digest/%s (+%s/bot; 3 subscribers; feed-id=42)", p.Version, p.BaseURL)
}

// botPage shows the page that the poller's User-Agent links to.
func (s *site) botPage(w http.ResponseWriter, r *http.Request) error {
	s.cacheForStrangers(w, r)
	return s.Show(w, r, http.StatusOK, "about_bot", catalogue.Key("About this feed reader"), botPage{s.Options})
}

// helpPage explains email delivery: how to change it, pause it and stop it. The List-Help field of
// each email links here (RFC 2369 §3.1).
func (s *site) helpPage(w http.ResponseWriter, r *http.Request) error {
	s.cacheForStrangers(w, r)
	return s.Show(w, r, http.StatusOK, "about_help", catalogue.Key("Help"), struct{ Contact string }{s.Contact})
}

// cacheForStrangers lets a browser cache the page for an hour, unless the reader is signed in. The
// response is private, because pages differ by language and not every shared cache honours Vary.
func (s *site) cacheForStrangers(w http.ResponseWriter, r *http.Request) {
	w.Header().Add("Vary", "Cookie")
	if u, _ := s.SignedIn(r); u.ID == 0 {
		w.Header().Set("Cache-Control", "private, max-age=3600")
	}
}

// robots allows crawlers the pages about the service. All other pages are personal.
func (s *site) robots(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Cache-Control", "public, max-age=3600")
	return page.Plain(w, http.StatusOK,
		"User-agent: *\nAllow: /$\nAllow: /bot\nAllow: /help\nAllow: /status\nAllow: /static/\nDisallow: /\n")
}
