package web

import (
	"net/http"

	"digest/internal/catalogue"
)

type languagePage struct{ settingsFrame }

// Languages returns the choices, each in its own language.
func (p languagePage) Languages() []choice {
	all := []choice{{Name: catalogue.Key("Browser default"), Hint: catalogue.Key("Emails are in English.")}}
	for _, l := range catalogue.All() {
		all = append(all, choice{Value: l.Code, Name: l.Name})
	}
	return chosen(all, p.User.Language)
}

func (s *site) languagePage(w http.ResponseWriter, r *http.Request, me reader) error {
	return s.show(w, r, http.StatusOK, "settings_language", catalogue.Key("Language"),
		languagePage{s.frame(r, me, "language")})
}

func (s *site) setLanguage(w http.ResponseWriter, r *http.Request, me reader) error {
	tag := r.PostForm.Get("language")
	if _, ok := catalogue.Find(tag); !ok && (tag != "" || !r.PostForm.Has("language")) {
		return errBadForm
	}
	return showSaved(w, r, s.Store.SetLanguage(r.Context(), me.ID, tag), "/settings/language", "language")
}
