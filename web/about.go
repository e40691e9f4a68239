package web

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// A botPage says to site owners who is asking.
type botPage struct {
	UserAgent string
	BaseURL   string
	Contact   string
	Gap       time.Duration // between two polls of one feed
	HostGap   time.Duration // between two requests to one host
	Window    time.Duration // over which the polls of one midnight are spread
	Addresses []string
	Pings     bool
	Pictures  bool // are shown in mail, fetched here
}

// botPage is the page that the User-Agent of the poller leads to.
func (s *site) botPage(w http.ResponseWriter, r *http.Request) error {
	s.cacheForStrangers(w, r)
	return s.show(w, r, http.StatusOK, "about_bot", "About this feed reader", botPage{
		UserAgent: fmt.Sprintf("digest/%s (+%s/bot; 3 subscribers; feed-id=42)", s.Version, s.BaseURL),
		BaseURL:   s.BaseURL,
		Contact:   s.Contact,
		Gap:       s.Spread.Gap,
		HostGap:   s.HostGap,
		Window:    s.Spread.Window,
		Addresses: s.Addresses,
		Pings:     s.Pings != nil,
		Pictures:  s.images != nil,
	})
}

// helpPage says how mail works, and how to change, pause and stop it. The
// List-Help field of each mail leads to it (RFC 2369 §3.1).
func (s *site) helpPage(w http.ResponseWriter, r *http.Request) error {
	s.cacheForStrangers(w, r)
	return s.show(w, r, http.StatusOK, "about_help", "How your mail works", struct{ Contact string }{s.Contact})
}

// cacheForStrangers lets caches keep a page that is the same for all who are
// not signed in. The frame around it knows who is, and not every cache reads Vary.
func (s *site) cacheForStrangers(w http.ResponseWriter, r *http.Request) {
	w.Header().Add("Vary", "Cookie")
	if _, ok, _ := s.signedIn(r); !ok {
		w.Header().Set("Cache-Control", "public, max-age=3600")
	}
}

// robots keeps crawlers to the pages that speak of the service; all else is personal.
func (s *site) robots(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Cache-Control", "public, max-age=3600")
	return plain(w, http.StatusOK, "User-agent: *\nAllow: /$\nAllow: /bot\nAllow: /help\nAllow: /status\nAllow: /static/\nDisallow: /\n")
}

// plain answers with a line or a few of text.
func plain(w http.ResponseWriter, status int, text string) error {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(status)
	_, _ = io.Copy(w, strings.NewReader(text))
	return nil
}
