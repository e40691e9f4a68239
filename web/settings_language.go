package web

import "digest/internal/catalogue"

// Languages returns the choices, each in its own language.
func (v *visit) Languages() []choice {
	all := []choice{{Name: catalogue.Key("Browser default"), Hint: catalogue.Key("Emails are in English.")}}
	for _, l := range catalogue.All() {
		all = append(all, choice{Value: l.Code, Name: l.Name})
	}
	return chosen(all, v.User.Language)
}

func (s *site) languagePage(v *visit) error {
	return v.show(nil, "settings_language", catalogue.Key("Language"), v)
}

func (s *site) setLanguage(v *visit) error {
	tag := v.PostForm.Get("language")
	if _, ok := catalogue.Find(tag); !ok && (tag != "" || !v.PostForm.Has("language")) {
		return errBadForm
	}
	return v.saved(s.Store.Readers.SetLanguage(v.ctx, v.ID, tag), "/settings/language", "language")
}
