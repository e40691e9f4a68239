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

// What a newsletter's public pages and letters look like: a style sheet with its colours, and its logo. The
// address of each file has its content's hash in it, so that browsers may keep it for ever.

// Stylesheet is the address of the style sheet with its colours; "" where it has none of its own.
func (n newsletterName) Stylesheet() string {
	if n.Colours == (digest.Colours{}) {
		return ""
	}
	return n.look(stylesheetName(n.Colours))
}

// look is the address of a file of its look.
func (n newsletterName) look(file string) string { return n.Path() + "/look/" + file }

func stylesheetName(c digest.Colours) string {
	sum := sha256.Sum256([]byte(render.ThemeIn(c)))
	return "colours-" + hex.EncodeToString(sum[:6]) + ".css"
}

// A logoView is a logo as a page shows it.
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

// logo is what stands on the nameplate of its pages; nil: its name alone.
func (n newsletterName) logo() *logoView { return newLogoView(n.Logo, n.look(n.LogoFile)) }

// LogoURL is the whole address of its logo; "" where it has none.
func (n newsletterName) LogoURL() string {
	if !n.Logo.Exists() {
		return ""
	}
	return n.BaseURL + n.look(n.LogoFile)
}

// newsletterLook serves a file of a newsletter's look.
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
	_, _ = w.Write([]byte(render.ThemeIn(n.Colours))) // a visitor who has left is no error of ours
	return nil
}

// sendLogo sends a logo that a newsletter has, or had when a letter was sent.
func (s *site) sendLogo(w http.ResponseWriter, r *http.Request, n digest.Newsletter, file string) error {
	if !strings.HasPrefix(file, "logo-") {
		return errNotFound
	}
	picture, err := s.Store.NewsletterLogo(r.Context(), n.ID, file)
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Security-Policy", imagePolicy)
	h.Set("Cross-Origin-Resource-Policy", "cross-origin") // mail is read on other sites
	h.Set("Cache-Control", staticAge)
	if h.Set("Content-Type", "image/png"); path.Ext(file) == ".jpg" {
		h.Set("Content-Type", "image/jpeg")
	}
	_, _ = w.Write(picture)
	return nil
}
