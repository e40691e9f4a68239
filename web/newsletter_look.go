package web

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"path"
	"strings"

	"digest"
	"digest/render"
)

// The colours and the logo of a newsletter, for its public pages and issues. The address of each
// file contains a hash of its content, so that browsers can cache it permanently.

// Stylesheet returns the path of the style sheet with the newsletter's colours, or "" if it has
// none.
func (n newsletterName) Stylesheet() string {
	if n.Colours == (digest.Colours{}) {
		return ""
	}
	return n.look(stylesheetName(n.Colours))
}

func (n newsletterName) look(file string) string { return n.Path() + "/look/" + file }

func stylesheetName(c digest.Colours) string {
	sum := sha256.Sum256([]byte(render.ThemeIn(c)))
	return "colours-" + hex.EncodeToString(sum[:6]) + ".css"
}

type logoView struct {
	digest.Logo
	URL           string
	Width, Height int // CSS pixels
}

func newLogoView(l digest.Logo, url string) *logoView {
	if !l.Exists() {
		return nil
	}
	w, h := l.Shown()
	return &logoView{l, url, w, h}
}

// logo returns the logo for the nameplate, or nil if there is none.
func (n newsletterName) logo() *logoView { return newLogoView(n.Logo, n.look(n.LogoFile)) }

// LogoURL returns the absolute address of the logo, or "" if there is none.
func (n newsletterName) LogoURL() string {
	if !n.Logo.Exists() {
		return ""
	}
	return n.BaseURL + n.look(n.LogoFile)
}

// newsletterLook serves the style sheet or a logo of a newsletter.
func (s *site) newsletterLook(w http.ResponseWriter, r *http.Request) error {
	n, err := s.newsletterOf(r)
	if err != nil {
		return err
	}
	if file := r.PathValue("file"); file != stylesheetName(n.Colours) {
		return s.sendLogo(w, r, n.Newsletter, file)
	}
	h := w.Header()
	h.Set("Content-Type", "text/css; charset=utf-8")
	h.Set("Cache-Control", staticAge)
	_, _ = w.Write([]byte(render.ThemeIn(n.Colours))) // a client that has disconnected is not our error
	return nil
}

// sendLogo serves the current logo, or one that older issues use.
func (s *site) sendLogo(w http.ResponseWriter, r *http.Request, n digest.Newsletter, file string) error {
	if !strings.HasPrefix(file, "logo-") {
		return errNotFound
	}
	picture, err := s.Store.Newsletters.NewsletterLogo(r.Context(), n.ID, file)
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Security-Policy", imagePolicy)
	h.Set("Cross-Origin-Resource-Policy", "cross-origin") // webmail shows the logo on other sites
	h.Set("Cache-Control", staticAge)
	if h.Set("Content-Type", "image/png"); path.Ext(file) == ".jpg" {
		h.Set("Content-Type", "image/jpeg")
	}
	_, _ = w.Write(picture)
	return nil
}
