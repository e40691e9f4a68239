package web

import (
	"digest/internal/catalogue"
	"digest/web/page"
)

func (s *site) languagePage(v *page.Visit) error {
	return v.Show(nil, "settings_language", catalogue.Key("Language"), v)
}

func (s *site) setLanguage(v *page.Visit) error {
	tag := v.PostForm.Get("language")
	if _, ok := catalogue.Find(tag); !ok && (tag != "" || !v.PostForm.Has("language")) {
		return page.ErrBadForm
	}
	return v.SeeSaved(s.Store.Readers.SetLanguage(v.Ctx, v.ID, tag), "/settings/language", "language")
}
