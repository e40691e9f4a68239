package web

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"digest/internal/catalogue"
)

// A botPage says to site owners who is asking.
type botPage struct{ Options }

// UserAgent is what the poller says of itself to a feed with three readers.
func (p botPage) UserAgent() string {
	return fmt.Sprintf("digest/%s (+%s/bot; 3 subscribers; feed-id=42)", p.Version, p.BaseURL)
}

// botPage is the page that the User-Agent of the poller leads to.
func (s *site) botPage(w http.ResponseWriter, r *http.Request) error {
	s.cacheForStrangers(w, r)
	return s.show(w, r, http.StatusOK, "about_bot", catalogue.Key("About this feed reader"), botPage{s.Options})
}

// helpPage says how mail works, and how to change, pause and stop it. The
// List-Help field of each mail leads to it (RFC 2369 §3.1).
func (s *site) helpPage(w http.ResponseWriter, r *http.Request) error {
	s.cacheForStrangers(w, r)
	return s.show(w, r, http.StatusOK, "about_help", catalogue.Key("Help"), struct{ Contact string }{s.Contact})
}

// cacheForStrangers lets a browser keep a page for who is not signed in. The frame around it
// knows who is, and each reader has it in their language; not every cache that several share
// reads Vary.
func (s *site) cacheForStrangers(w http.ResponseWriter, r *http.Request) {
	w.Header().Add("Vary", "Cookie")
	if u, _ := s.signedIn(r); u.ID == 0 {
		w.Header().Set("Cache-Control", "private, max-age=3600")
	}
}

// robots keeps crawlers to the pages that speak of the service; all else is personal.
func (s *site) robots(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Cache-Control", "public, max-age=3600")
	return plain(w, http.StatusOK,
		"User-agent: *\nAllow: /$\nAllow: /bot\nAllow: /help\nAllow: /status\nAllow: /static/\nDisallow: /\n")
}

// plain answers with a line or a few of text.
func plain(w http.ResponseWriter, status int, text string) error {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(status)
	_, _ = io.Copy(w, strings.NewReader(text))
	return nil
}
