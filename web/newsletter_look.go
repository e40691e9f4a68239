package web

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"

	"digest"
	"digest/render"
)

// What a newsletter's public pages look like: a style sheet with its colours. The address of
// each file has its content's hash in it, so that browsers may keep it for ever.

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

// newsletterLook serves a file of a newsletter's look.
func (s *site) newsletterLook(w http.ResponseWriter, r *http.Request) error {
	n, err := s.newsletterOf(r)
	if err != nil {
		return err
	}
	if r.PathValue("file") != stylesheetName(n.Colours) {
		return errNotFound
	}
	h := w.Header()
	h.Set("Content-Type", "text/css; charset=utf-8")
	h.Set("Cache-Control", staticAge)
	_, _ = w.Write([]byte(render.ThemeIn(n.Colours))) // a visitor who has left is no error of ours
	return nil
}
