package web

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// A botPage says to site owners who is asking.
type botPage struct {
	UserAgent string
	Contact   string
	PollGap   time.Duration
	HostGap   time.Duration
}

// bot is the page that the User-Agent of the poller leads to.
func (s *site) bot(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Cache-Control", "public, max-age=3600")
	return s.show(w, r, http.StatusOK, "bot", "About this feed reader", botPage{
		UserAgent: fmt.Sprintf("digest/%s (+%s/bot; 3 subscribers)", s.Version, s.BaseURL),
		Contact:   s.Contact,
		PollGap:   s.Spread.Gap,
		HostGap:   s.HostGap,
	})
}

// health is for monitors: 200 while the database answers.
func (s *site) health(w http.ResponseWriter, r *http.Request) error {
	ctx, cancel := context.WithTimeout(r.Context(), 2*time.Second)
	defer cancel()
	if err := s.Store.Ping(ctx); err != nil {
		s.Log.ErrorContext(ctx, "health check failed", "error", err)
		return plain(w, http.StatusServiceUnavailable, "the database does not answer\n")
	}
	return plain(w, http.StatusOK, "ok\n")
}

// robots keeps crawlers to the two pages that speak of the service; all else is personal.
func (s *site) robots(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Cache-Control", "public, max-age=3600")
	return plain(w, http.StatusOK, "User-agent: *\nAllow: /$\nAllow: /bot\nAllow: /static/\nDisallow: /\n")
}

// plain answers with a line or a few of text.
func plain(w http.ResponseWriter, status int, text string) error {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = io.Copy(w, strings.NewReader(text))
	return nil
}
