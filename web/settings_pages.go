package web

import (
	"net/http"

	"digest"
	"digest/internal/catalogue"
)

// A pagesPage asks how the pages are.
type pagesPage struct{ settingsFrame }

// Directions are those in which pages can run.
func (p pagesPage) Directions() []choice {
	return chosen([]choice{
		{Value: string(digest.LeftToRight), Name: catalogue.Key("As the language runs")},
		{Value: string(digest.RightToLeft), Name: catalogue.Key("Right to left")},
	}, string(p.Direction))
}

func (s *site) pagesPage(w http.ResponseWriter, r *http.Request, me reader) error {
	return s.show(w, r, http.StatusOK, "settings_pages", catalogue.Key("Pages"), pagesPage{s.frame(r, me, "pages")})
}

func (s *site) setPages(w http.ResponseWriter, r *http.Request, me reader) error {
	form := r.PostForm
	err := s.Store.SetPages(r.Context(), me.ID, digest.Direction(form.Get("direction")), form.Get("shortcuts") == "on", form.Get("player") == "on")
	if digest.KindOf(err) == digest.Invalid {
		return errNoChoice
	}
	return showSaved(w, r, err, "/settings/pages", "pages")
}
