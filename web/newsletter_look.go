package web

import (
	"net/http"

	"digest/render"
	"digest/web/page"
)

// newsletterLook serves the style sheet or a logo of a newsletter.
func (s *site) newsletterLook(w http.ResponseWriter, r *http.Request) error {
	n, err := s.newsletterOf(r)
	if err != nil {
		return err
	}
	if file := r.PathValue("file"); file != page.StylesheetName(n.Colours) {
		return s.SendLogo(w, r, n.Newsletter, file)
	}
	h := w.Header()
	h.Set("Content-Type", "text/css; charset=utf-8")
	h.Set("Cache-Control", page.StaticAge)
	_, _ = w.Write([]byte(render.ThemeIn(n.Colours))) // a client that has disconnected is not our error
	return nil
}
